//! What widgets get to draw with: the theme, the keys, the room, the time, and colours of code.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use relay_syntax::{Language, Span};

use crate::conversation::{Highlight, Highlighted};
use crate::keymap::{Action, Keymap};
use crate::picture::Limits;
use crate::text::{Line, Style};
use crate::theme::{Symbol, Theme, Token};
use crate::widgets;

/// Code that has grown by less than this keeps the colours it has.
const GROWN: usize = 80;
/// How many pieces of code keep their colours.
const KEPT: usize = 128;

/// The surroundings of a widget.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Colours and signs.
    pub theme: &'a Theme,
    /// Which key does what.
    pub keys: &'a Keymap,
    /// Columns.
    pub width: usize,
    /// Rows of the screen.
    pub height: usize,
    /// Milliseconds since the start.
    pub now_ms: u64,
    /// The colour of the editor's frame.
    pub frame: Token,
    /// Colours of code.
    pub code: &'a CodeColors,
    /// Results are shown in full.
    pub is_expanded: bool,
    /// Thinking is shown.
    pub shows_thinking: bool,
    /// How pictures are drawn.
    pub pictures: Limits,
    /// What is drawn still grows.
    pub is_growing: bool,
}

impl<'a> View<'a> {
    /// Text in the colour of a token.
    #[must_use]
    pub fn fg(&self, token: Token) -> Style {
        self.theme.fg(token)
    }

    /// A sign.
    #[must_use]
    pub fn sign(&self, symbol: Symbol) -> &'a str {
        self.theme.sign(symbol)
    }

    /// The same with other room.
    #[must_use]
    pub fn narrower(&self, by: usize) -> Self {
        Self { width: self.width.saturating_sub(by).max(2), ..*self }
    }

    /// The picture of a spinner at this moment.
    #[must_use]
    pub fn spinner(&self) -> &'static str {
        widgets::spinner(self.theme.symbols.preset, Duration::from_millis(self.now_ms))
    }

    /// A line of keys and what they do: the way out of every screen. What does not fit is left out from the end.
    #[must_use]
    pub fn hints(&self, hints: &[(String, &str)]) -> Line {
        widgets::keys(&self.theme.symbols, self.width, hints, self.fg(Token::Muted), self.fg(Token::Dim))
    }

    /// The keys that move up and down, as signs.
    #[must_use]
    pub fn arrows(&self) -> String {
        format!("{}{}", self.sign(Symbol::ArrowUp), self.sign(Symbol::ArrowDown))
    }

    /// The first key of an action.
    #[must_use]
    pub fn key(&self, action: Action) -> String {
        self.keys.hint(action)
    }
}

/// Colours of code that were worked out elsewhere, and those that are still wanted.
#[derive(Debug, Default)]
pub struct CodeColors {
    known: HashMap<u64, (Arc<[Span]>, u64)>,
    asked: RefCell<HashMap<u64, Option<Highlight>>>,
    uses: u64,
    growing: RefCell<Growing>,
}

/// The piece of code that grows: its colours as far as they are known, and the question that is under way.
#[derive(Debug, Default)]
struct Growing {
    known: Option<(Language, String, Arc<[Span]>)>,
    /// The code that was asked for, and whether it is still to be handed out.
    asked: Option<(Highlight, bool)>,
}

impl CodeColors {
    /// The colours of a piece of code; `None` if they are not known yet, and then they are wanted.
    #[must_use]
    pub fn get(&self, language: &str, code: &str) -> Option<Arc<[Span]>> {
        let Some(language) = Language::of_name(language) else { return Some(Arc::from([])) };
        let id = fingerprint(language, code);
        if let Some((spans, _)) = self.known.get(&id) {
            return Some(Arc::clone(spans));
        }
        let wanted = || Some(Highlight { id, language, code: code.to_owned() });
        self.asked.borrow_mut().entry(id).or_insert_with(wanted);
        None
    }

    /// The colours of the beginning of a piece of code that still grows. More are asked for only once it has grown by an
    /// eighth, and one question at a time: the work is in proportion to the code, however often it is drawn.
    #[must_use]
    pub fn growing(&self, language: &str, code: &str) -> Arc<[Span]> {
        let Some(language) = Language::of_name(language) else { return Arc::from([]) };
        let mut growing = self.growing.borrow_mut();
        let known = growing
            .known
            .as_ref()
            .filter(|(of, start, _)| *of == language && code.starts_with(start.as_str()));
        let (length, spans) =
            known.map_or((0, Arc::from([])), |(_, start, spans)| (start.len(), Arc::clone(spans)));
        let is_due = code.len() >= length + (length / 8).max(GROWN) || (length == 0 && code.contains('\n'));
        let is_lost = growing.asked.as_ref().is_none_or(|(asked, _)| !code.starts_with(asked.code.as_str()));
        if is_due && is_lost {
            let id = fingerprint(language, code);
            growing.asked = Some((Highlight { id, language, code: code.to_owned() }, true));
        }
        spans
    }

    /// Whether nothing is wanted that is not known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.asked.borrow().is_empty()
    }

    /// What is wanted and was not asked for yet.
    pub fn take_wanted(&mut self) -> Vec<Highlight> {
        let mut wanted: Vec<Highlight> =
            self.asked.borrow_mut().values_mut().filter_map(Option::take).collect();
        if let Some((asked, is_new)) = &mut self.growing.get_mut().asked
            && std::mem::take(is_new)
        {
            wanted.push(asked.clone());
        }
        wanted
    }

    /// Colours arrived.
    pub fn learn(&mut self, highlighted: Highlighted) {
        self.asked.borrow_mut().remove(&highlighted.id);
        let growing = self.growing.get_mut();
        if let Some((asked, _)) = growing.asked.take_if(|(asked, _)| asked.id == highlighted.id) {
            growing.known = Some((asked.language, asked.code, highlighted.spans.into()));
            return;
        }
        self.uses += 1;
        if self.known.len() >= KEPT {
            let oldest = self.known.iter().min_by_key(|(_, (_, used))| *used).map(|(id, _)| *id);
            oldest.and_then(|id| self.known.remove(&id));
        }
        self.known.insert(highlighted.id, (highlighted.spans.into(), self.uses));
    }
}

fn fingerprint(language: Language, code: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (language.name(), code).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_grows_is_coloured_in_proportion_to_its_length() {
        let mut colors = CodeColors::default();
        let whole = "fn number() -> u32 { 42 } // a line\n".repeat(400);
        let mut worked = 0;
        for end in (1..whole.len()).step_by(7) {
            let code = &whole[..end];
            let spans = colors.growing("rust", code);
            assert!(spans.iter().all(|span| span.range.end <= code.len()));
            for job in colors.take_wanted() {
                worked += job.code.len();
                colors.learn(job.work());
            }
        }
        assert!(!colors.growing("rust", &whole).is_empty());
        assert!(worked < whole.len() * 12, "{worked} bytes were looked at for {}", whole.len());
        assert!(colors.is_complete(), "nothing that is finished waits for it");
    }
}

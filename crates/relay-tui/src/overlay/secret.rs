//! A key for a provider: typed or pasted, never shown, never in the history.

use serde_json::json;

use super::list::rule;
use super::{Overlay, Step, Wish};
use crate::conversation::Conversation;
use crate::editor::Editor;
use crate::input::{Code, Key};
use crate::keymap::Action;
use crate::text::{Line, Style, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// A key that is being written.
pub struct Secret {
    provider: String,
    editor: Editor,
}

impl Secret {
    /// Asks for the key of a provider.
    #[must_use]
    pub fn new(provider: &str) -> Self {
        Self { provider: provider.to_owned(), editor: Editor::default() }
    }
}

impl Overlay for Secret {
    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        let count = self.editor.content().trim().chars().count();
        let shown = match count {
            0 => "paste or type the key; it is not shown".to_owned(),
            1 => "1 character".to_owned(),
            count => format!("{count} characters"),
        };
        let input = Line::of(format!("  {} ", view.sign(Symbol::IconLock)), view.fg(Token::Accent))
            .and(shown, view.fg(Token::Muted));
        let said = "It is stored in your data folder, readable by you alone, and sent only to this provider.";
        let mut lines = vec![rule(view, &format!("key of {}", clean_line(&self.provider)))];
        for part in Line::of(said, view.fg(Token::Text)).wrapped(view.width.saturating_sub(4), 0) {
            let mut line = Line::of("  ", Style::default());
            line.append(part);
            lines.push(line);
        }
        let mut last = Line::of("  ", Style::default());
        last.append(view.narrower(2).hints(&[("esc".to_owned(), "cancel"), ("enter".to_owned(), "store")]));
        lines.extend([input.truncated(view.width, view.sign(Symbol::Ellipsis)), last]);
        lines
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        match (key.code, view.keys.action(key)) {
            (Code::Esc, _) | (_, Some(Action::Clear)) => return Step::Close,
            (Code::Enter, _) => {
                let text = self.editor.content();
                if text.trim().is_empty() {
                    return Step::Stay;
                }
                return Step::finish(Wish::Rpc(
                    json!({ "type": "store_key", "provider": self.provider, "key": text.trim() }),
                ));
            }
            (_, Some(action)) if self.editor.apply(action) => {}
            _ => {
                if let Some(character) = key.typed() {
                    self.editor.type_char(character);
                }
            }
        }
        Step::Stay
    }

    fn paste(&mut self, text: &str) -> Step {
        for character in text.trim().chars().filter(|character| !character.is_control()) {
            self.editor.type_char(character);
        }
        Step::Stay
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;

    #[test]
    fn a_key_is_stored_and_never_drawn() {
        let app = App::new(60, 20);
        let mut secret = Secret::new("openai");
        secret.paste("sk-hidden\n");
        let drawn: String = secret.lines(&app.view(), &app.conversation).iter().map(Line::text).collect();
        assert!(drawn.contains("9 characters") && !drawn.contains("sk-"), "{drawn}");
        let Step::Finish(wishes) = secret.key(&Key::plain(Code::Enter), &app.view()) else {
            panic!("it stays")
        };
        let expected = json!({ "type": "store_key", "provider": "openai", "key": "sk-hidden" });
        assert!(matches!(&wishes[..], [Wish::Rpc(command)] if *command == expected));
    }
}

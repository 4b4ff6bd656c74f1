//! What the editor remembers: earlier states for undo, deleted text for yanking, folded pastes, and earlier prompts.

use super::buffer::Buffer;

/// How many states can be undone.
const STATES: usize = 300;
/// How many deleted texts are kept.
const KILLS: usize = 60;
/// Pastes of at least this many lines, or characters, are folded.
const FOLD_LINES: usize = 10;
const FOLD_CHARACTERS: usize = 1000;

/// Earlier states of the text.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    past: Vec<Buffer>,
    future: Vec<Buffer>,
    /// The last change was typing, which is undone word by word.
    is_typing: bool,
}

impl Undo {
    /// Before a change. `typed` is the character that is typed, if that is the change.
    pub fn before(&mut self, buffer: &Buffer, typed: Option<char>) {
        let goes_on = self.is_typing && typed.is_some_and(|c| !c.is_whitespace());
        self.is_typing = typed.is_some();
        if goes_on {
            return;
        }
        self.future.clear();
        if self.past.last() != Some(buffer) {
            self.past.push(buffer.clone());
        }
        if self.past.len() > STATES {
            self.past.remove(0);
        }
    }

    /// The state before the last change.
    pub fn undo(&mut self, buffer: &mut Buffer) {
        self.is_typing = false;
        while let Some(before) = self.past.pop() {
            if before != *buffer {
                self.future.push(std::mem::replace(buffer, before));
                return;
            }
        }
    }

    /// The state before the last undo.
    pub fn redo(&mut self, buffer: &mut Buffer) {
        if let Some(after) = self.future.pop() {
            self.past.push(std::mem::replace(buffer, after));
        }
    }
}

/// Deleted text.
#[derive(Clone, Debug, Default)]
pub struct Kills {
    ring: Vec<String>,
    /// Deleting went on where it had stopped, so the text belongs together.
    is_running: bool,
    /// What was yanked last, for the older one in its place: from, length, and how many back.
    yanked: Option<(usize, usize, usize)>,
}

impl Kills {
    /// Keeps a text; `forward` says on which side it was deleted.
    pub fn push(&mut self, text: &str, forward: bool) {
        self.yanked = None;
        match self.ring.last_mut() {
            Some(last) if self.is_running && forward => last.push_str(text),
            Some(last) if self.is_running => last.insert_str(0, text),
            _ if !text.is_empty() => self.ring.push(text.to_owned()),
            _ => {}
        }
        if self.ring.len() > KILLS {
            self.ring.remove(0);
        }
        self.is_running = true;
    }

    /// Something else happened.
    pub fn interrupt(&mut self) {
        self.is_running = false;
        self.yanked = None;
    }

    /// Inserts what was deleted last.
    pub fn yank(&mut self, buffer: &mut Buffer) {
        self.is_running = false;
        if let Some(text) = self.ring.last() {
            let from = buffer.caret();
            buffer.insert(text);
            self.yanked = Some((from, text.len(), 0));
        }
    }

    /// Puts the text deleted before it in the place of what was just yanked.
    pub fn older(&mut self, buffer: &mut Buffer) {
        let Some((from, length, back)) = self.yanked else { return };
        let back = (back + 1) % self.ring.len().max(1);
        if let Some(text) = self.ring.iter().rev().nth(back) {
            buffer.replace(from..from + length, text);
            self.yanked = Some((from, text.len(), back));
        }
    }
}

/// Long pastes, which the editor shows as one line each.
#[derive(Clone, Debug, Default)]
pub struct Pastes {
    folded: Vec<(String, String)>,
    count: usize,
}

impl Pastes {
    /// What the editor gets for a paste.
    pub fn fold(&mut self, text: &str) -> String {
        let lines = text.lines().count();
        if lines < FOLD_LINES && text.chars().count() < FOLD_CHARACTERS {
            return text.to_owned();
        }
        self.count += 1;
        let size =
            if lines > 1 { format!("{lines} lines") } else { format!("{} characters", text.chars().count()) };
        let mark = format!("[paste #{}: {size}]", self.count);
        self.folded.push((mark.clone(), text.to_owned()));
        mark
    }

    /// The text with every paste in full.
    #[must_use]
    pub fn unfold(&self, text: &str) -> String {
        self.folded.iter().fold(text.to_owned(), |text, (mark, paste)| text.replace(mark, paste))
    }

    /// The mark that ends at this place of the text, so that it can be deleted as a whole.
    #[must_use]
    pub fn ending_at(&self, before: &str) -> Option<usize> {
        self.folded.iter().find(|(mark, _)| before.ends_with(mark)).map(|(mark, _)| mark.len())
    }

    /// Nothing is folded any more.
    pub fn clear(&mut self) {
        self.folded.clear();
        self.count = 0;
    }
}

/// Earlier prompts, oldest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    prompts: Vec<String>,
    /// How far back the editor is, and what was written before.
    at: Option<(usize, String)>,
}

impl History {
    /// What was said in earlier sessions.
    pub fn load(&mut self, prompts: Vec<String>) {
        let own = std::mem::replace(&mut self.prompts, prompts);
        self.prompts.extend(own);
    }

    /// One more prompt.
    pub fn push(&mut self, prompt: &str) {
        self.at = None;
        if !prompt.trim().is_empty() && self.prompts.last().map(String::as_str) != Some(prompt) {
            self.prompts.push(prompt.to_owned());
        }
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn all(&self) -> &[String] {
        &self.prompts
    }

    /// The prompt before; `now` is what the editor holds.
    pub fn older(&mut self, now: &str) -> Option<String> {
        let (at, draft) = match self.at.take() {
            Some((at, draft)) => (at, draft),
            None => (self.prompts.len(), now.to_owned()),
        };
        let earlier = at.checked_sub(1).and_then(|at| self.prompts.get(at).cloned());
        self.at = Some((at - usize::from(earlier.is_some()), draft));
        earlier
    }

    /// The prompt after; at the end what was written before.
    pub fn newer(&mut self) -> Option<String> {
        let (at, draft) = self.at.take()?;
        match self.prompts.get(at + 1) {
            Some(later) => {
                self.at = Some((at + 1, draft));
                Some(later.clone())
            }
            None => Some(draft),
        }
    }

    /// The editor left the history.
    pub fn leave(&mut self) {
        self.at = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_is_undone_word_by_word() {
        let (mut undo, mut buffer) = (Undo::default(), Buffer::default());
        for character in "one two".chars() {
            undo.before(&buffer, Some(character));
            buffer.insert(&character.to_string());
        }
        undo.undo(&mut buffer);
        assert_eq!(buffer.text(), "one");
        undo.undo(&mut buffer);
        assert_eq!(buffer.text(), "");
        undo.redo(&mut buffer);
        undo.redo(&mut buffer);
        assert_eq!(buffer.text(), "one two");
    }

    #[test]
    fn deleted_text_comes_back() {
        let (mut kills, mut buffer) = (Kills::default(), Buffer::default());
        kills.push("one", true);
        kills.interrupt();
        kills.push("b", false);
        kills.push("a", false);
        kills.interrupt();
        kills.yank(&mut buffer);
        assert_eq!(buffer.text(), "ab");
        kills.older(&mut buffer);
        assert_eq!(buffer.text(), "one");
        kills.older(&mut buffer);
        assert_eq!(buffer.text(), "ab");
    }

    #[test]
    fn long_pastes_are_folded_and_come_back() {
        let mut pastes = Pastes::default();
        let long = "x\n".repeat(20);
        let mark = pastes.fold(&long);
        assert_eq!(mark, "[paste #1: 20 lines]");
        assert_eq!(pastes.unfold(&format!("a {mark} b")), format!("a {long} b"));
        assert_eq!(pastes.fold("short"), "short");
        assert_eq!(pastes.ending_at(&format!("a {mark}")), Some(mark.len()));
    }

    #[test]
    fn the_draft_survives_a_walk_through_history() {
        let mut history = History::default();
        history.push("one");
        history.push("two");
        assert_eq!(history.older("draft").as_deref(), Some("two"));
        assert_eq!(history.older("two").as_deref(), Some("one"));
        assert_eq!(history.older("one"), None);
        assert_eq!(history.newer().as_deref(), Some("two"));
        assert_eq!(history.newer().as_deref(), Some("draft"));
        assert_eq!(history.newer(), None);
    }
}

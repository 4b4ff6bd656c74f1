//! A list to choose one entry from, after which it closes.

use super::{Entry, List, ListKey, Overlay, Step, Wish};
use crate::conversation::Conversation;
use crate::input::Key;
use crate::text::Line;
use crate::view::View;

/// A list, and what its entries do.
pub struct Menu {
    list: List,
    chosen: fn(&Entry) -> Step,
}

impl Menu {
    /// A choice between slash commands: the id of each entry is the line that it runs. An entry with another id is only there
    /// to be read.
    #[must_use]
    pub fn new(title: &str, subtitle: &str, entries: Vec<Entry>) -> Self {
        let mut list = List::new(title, entries);
        list.subtitle = subtitle.to_owned();
        Self::of(list, |entry| {
            if entry.id.starts_with('/') { Step::finish(Wish::Slash(entry.id.clone())) } else { Step::Stay }
        })
    }

    /// A choice between the entries of a list.
    #[must_use]
    pub fn of(list: List, chosen: fn(&Entry) -> Step) -> Self {
        Self { list, chosen }
    }
}

impl Overlay for Menu {
    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        self.list.lines(view)
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.list.cursor(view)
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        match self.list.key(key, self.list.rows(view)) {
            ListKey::Chosen => self.list.current().map_or(Step::Close, self.chosen),
            ListKey::Left => Step::Close,
            ListKey::Taken | ListKey::Other => Step::Stay,
        }
    }

    fn paste(&mut self, text: &str) -> Step {
        self.list.paste(text);
        Step::Stay
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;
    use crate::input::Code;

    #[test]
    fn an_entry_runs_its_command_and_one_without_stays() {
        let app = App::new(80, 24);
        let entries = vec![Entry::new("/login openai", "openai"), Entry::new("note", "only to read")];
        let mut menu = Menu::new("providers", "", entries);
        let step = menu.key(&Key::plain(Code::Enter), &app.view());
        assert!(
            matches!(step, Step::Finish(wishes) if matches!(&wishes[..], [Wish::Slash(line)] if line == "/login openai"))
        );
        menu.key(&Key::plain(Code::Down), &app.view());
        assert!(matches!(menu.key(&Key::plain(Code::Enter), &app.view()), Step::Stay));
        assert!(matches!(menu.key(&Key::plain(Code::Esc), &app.view()), Step::Close));
    }
}

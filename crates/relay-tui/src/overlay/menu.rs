//! A list in which every entry is a slash command to run. An entry without one is only there to be read.

use super::{Entry, List, ListKey, Overlay, Step, Wish};
use crate::conversation::Conversation;
use crate::input::Key;
use crate::text::Line;
use crate::view::View;

/// A choice between slash commands.
pub struct Menu(List);

impl Menu {
    /// A menu; the id of each entry is the line that it runs.
    #[must_use]
    pub fn new(title: &str, subtitle: &str, entries: Vec<Entry>) -> Self {
        let mut list = List::new(title, entries);
        list.subtitle = subtitle.to_owned();
        Self(list)
    }
}

impl Overlay for Menu {
    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        self.0.lines(view)
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.0.cursor(view)
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        match self.0.key(key, self.0.rows(view)) {
            ListKey::Chosen => match self.0.current() {
                Some(entry) if entry.id.starts_with('/') => Step::finish(Wish::Slash(entry.id.clone())),
                Some(_) => Step::Stay,
                None => Step::Close,
            },
            ListKey::Left => Step::Close,
            ListKey::Taken | ListKey::Other => Step::Stay,
        }
    }

    fn paste(&mut self, text: &str) -> Step {
        self.0.paste(text);
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

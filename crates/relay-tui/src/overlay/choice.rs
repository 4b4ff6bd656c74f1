//! The values that a setting may have: moving shows what each looks like, Esc puts back what was there.

use serde_json::json;

use super::{Entry, List, ListKey, Overlay, Step, Wish};
use crate::conversation::Conversation;
use crate::input::Key;
use crate::text::Line;
use crate::theme::Symbol;
use crate::view::View;

/// A choice of values for a setting.
pub struct Choice {
    list: List,
    key: String,
    before: String,
}

impl Choice {
    /// The choices of a setting, with the one in force selected.
    #[must_use]
    pub fn new(key: &str, meaning: &str, choices: &[&str], before: &str) -> Self {
        let entry = |choice: &&str| {
            let mark = (*choice == before).then_some(Symbol::StatusSuccess);
            Entry { mark, ..Entry::new(*choice, *choice) }
        };
        let mut list = List::new(key, choices.iter().map(entry).collect());
        list.subtitle = meaning.to_owned();
        list.is_fixed = true;
        list.select(before);
        Self { list, key: key.to_owned(), before: before.to_owned() }
    }

    /// The interface as it is with this value. Nothing is kept.
    fn shown(&self, value: &str) -> Wish {
        Wish::Settings(json!({ "key": self.key, "value": value }))
    }
}

impl Overlay for Choice {
    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        self.list.lines(view)
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        match self.list.key(key, self.list.rows(view)) {
            ListKey::Chosen => {
                let value = self.list.current().map(|entry| entry.id.clone()).unwrap_or_default();
                Step::Finish(vec![
                    self.shown(&value),
                    Wish::Rpc(json!({ "type": "set_setting", "key": self.key, "value": value })),
                    Wish::Rpc(json!({ "type": "get_settings" })),
                ])
            }
            ListKey::Left => Step::finish(self.shown(&self.before)),
            ListKey::Taken => {
                self.list.current().map_or(Step::Stay, |entry| Step::want(self.shown(&entry.id)))
            }
            ListKey::Other => Step::Stay,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;
    use crate::input::Code;

    #[test]
    fn moving_shows_and_leaving_restores() {
        let app = App::new(80, 24);
        let mut choice = Choice::new("symbolPreset", "which symbols", &["unicode", "nerd", "ascii"], "nerd");
        let value = |step: Step| match step {
            Step::Do(wishes) | Step::Finish(wishes) => match wishes.into_iter().next() {
                Some(Wish::Settings(setting)) => setting["value"].as_str().unwrap_or_default().to_owned(),
                _ => String::new(),
            },
            Step::Stay | Step::Close => String::new(),
        };
        assert_eq!(value(choice.key(&Key::plain(Code::Down), &app.view())), "ascii");
        assert_eq!(value(choice.key(&Key::plain(Code::Esc), &app.view())), "nerd");
        let Step::Finish(wishes) = choice.key(&Key::plain(Code::Enter), &app.view()) else {
            panic!("it stays")
        };
        let expected = json!({ "type": "set_setting", "key": "symbolPreset", "value": "ascii" });
        assert!(matches!(&wishes[1], Wish::Rpc(command) if *command == expected));
    }
}

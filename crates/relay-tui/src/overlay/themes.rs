//! Themes: built-in ones and the user's own. Moving shows a theme at once, Esc brings back the one before, Enter keeps it.

use serde_json::{Value, json};

use super::{Entry, List, ListKey, Overlay, Step, Wish};
use crate::conversation::Conversation;
use crate::input::Key;
use crate::text::Line;
use crate::theme::{Symbol, Theme};
use crate::view::View;

/// A list of themes.
pub struct Themes {
    list: List,
    current: String,
    /// The setting that the choice goes to.
    slot: &'static str,
}

impl Themes {
    /// A list with the theme in use marked.
    #[must_use]
    pub fn new(current: &str, is_light: bool) -> Self {
        let slot = if is_light { "theme.light" } else { "theme.dark" };
        let mut list = List::new("themes", Vec::new());
        list.subtitle = format!("for a {} background", if is_light { "light" } else { "dark" });
        let mut themes = Self { list, current: current.to_owned(), slot };
        themes.fill(&[]);
        themes
    }

    fn fill(&mut self, own: &[String]) {
        let built_in = Theme::built_in_names().map(|name| (name.to_owned(), "built in"));
        let own =
            own.iter().filter(|name| Theme::built_in(name).is_none()).map(|name| (name.clone(), "yours"));
        let mut names: Vec<(String, &str)> = built_in.chain(own).collect();
        names.sort();
        let entry = |(name, from): (String, &str)| {
            let mark = (name == self.current).then_some(Symbol::StatusSuccess);
            let detail = match Theme::built_in(&name).map(|theme| theme.is_light()) {
                Some(true) => "light",
                Some(false) => "dark",
                None => "",
            };
            Entry { mark, ..Entry::new(name.clone(), name).detail(detail).note(from) }
        };
        let entries = names.into_iter().map(entry).collect();
        self.list.set(entries);
        let current = self.current.clone();
        self.list.select(&current);
    }

    /// Shows the theme that is selected.
    fn preview(&self) -> Step {
        let Some(entry) = self.list.current() else { return Step::Stay };
        Step::want(match Theme::built_in(&entry.id) {
            Some(theme) => Wish::Theme(Some(Box::new(theme))),
            None => Wish::ThemeFile(entry.id.clone()),
        })
    }
}

impl Overlay for Themes {
    fn opened(&mut self) -> Vec<Wish> {
        vec![Wish::Rpc(json!({ "type": "list_user_files", "folder": "themes" }))]
    }

    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        self.list.lines(view)
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.list.cursor(view)
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        match self.list.key(key, self.list.rows(view)) {
            ListKey::Chosen => match self.list.current() {
                Some(entry) => {
                    let command = json!({ "type": "set_setting", "key": self.slot, "value": entry.id });
                    let settings = json!({ "key": self.slot, "value": entry.id });
                    Step::Finish(vec![Wish::Rpc(command), Wish::Settings(settings)])
                }
                None => Step::finish(Wish::Theme(None)),
            },
            ListKey::Left => Step::finish(Wish::Theme(None)),
            ListKey::Taken => self.preview(),
            ListKey::Other => Step::Stay,
        }
    }

    fn response(&mut self, command: &str, answer: Result<&Value, &str>) -> Option<Step> {
        let data = answer.ok().filter(|_| command == "list_user_files")?;
        let files = data.get("files")?.as_array()?;
        let names: Vec<String> = files
            .iter()
            .filter_map(Value::as_str)
            .filter_map(|name| name.strip_suffix(".json"))
            .map(str::to_owned)
            .collect();
        self.fill(&names);
        Some(Step::Stay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;
    use crate::input::Code;

    fn press(themes: &mut Themes, code: Code) -> Vec<Wish> {
        let app = App::new(80, 24);
        match themes.key(&Key::plain(code), &app.view()) {
            Step::Do(wishes) | Step::Finish(wishes) => wishes,
            Step::Stay | Step::Close => Vec::new(),
        }
    }

    #[test]
    fn moving_shows_a_theme_and_enter_keeps_it() {
        let mut themes = Themes::new("relay-light", true);
        themes.response(
            "list_user_files",
            Ok(&json!({ "files": ["zebra.json", "red-claw.json", "notes.txt"] })),
        );
        let ids: Vec<&str> = themes.list.entries().iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!((ids.len(), ids.last()), (11, Some(&"zebra")));
        assert!(
            matches!(&press(&mut themes, Code::Up)[..], [Wish::Theme(Some(theme))] if theme.name == "relay-dark")
        );
        themes.list.select("relay-light");
        assert!(matches!(&press(&mut themes, Code::Down)[..], [Wish::ThemeFile(name)] if name == "zebra"));
        let kept = press(&mut themes, Code::Enter);
        let saved = json!({ "type": "set_setting", "key": "theme.light", "value": "zebra" });
        assert!(matches!(&kept[..], [Wish::Rpc(command), Wish::Settings(_)] if *command == saved));
        assert!(matches!(&press(&mut themes, Code::Esc)[..], [Wish::Theme(None)]));
    }
}

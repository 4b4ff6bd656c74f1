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
            Entry { mark, ..Entry::new(name.clone(), name).note(from) }
        };
        let entries = names.into_iter().map(entry).collect();
        self.list.set(entries);
        let current = self.current.clone();
        self.list.select(&current);
    }

    /// Shows the theme that is selected. One of the user's own is read when it is chosen.
    fn preview(&self) -> Step {
        match self.list.current().and_then(|entry| Theme::built_in(&entry.id)) {
            Some(theme) => Step::want(Wish::Theme(Some(Box::new(theme)))),
            None => Step::Stay,
        }
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

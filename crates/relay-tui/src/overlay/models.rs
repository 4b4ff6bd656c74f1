//! The models with a key: price, window, and what they take.

use serde_json::{Value, json};

use super::{Entry, List, ListKey, Overlay, Step, Wish};
use crate::conversation::{Conversation, number, tokens};
use crate::input::Key;
use crate::text::Line;
use crate::theme::Symbol;
use crate::view::View;

/// A list of models.
pub struct Models {
    list: List,
    current: String,
    /// New sessions begin with what is chosen, too.
    is_kept: bool,
}

impl Models {
    /// A list with the model in use marked; `query` is searched for. What is chosen is kept for new sessions, or only used in
    /// this one.
    #[must_use]
    pub fn new(current: &str, query: &str, is_kept: bool) -> Self {
        let mut list = List::new("models", Vec::new());
        list.empty = "no models with a key; `relay auth login` adds one".to_owned();
        list.subtitle = match is_kept {
            true => "for this session and new ones".to_owned(),
            false => "for this session only".to_owned(),
        };
        list.paste(query);
        Self { list, current: current.to_owned(), is_kept }
    }
}

impl Overlay for Models {
    fn opened(&mut self) -> Vec<Wish> {
        vec![Wish::Rpc(json!({ "type": "get_available_models" }))]
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
                    let mut wishes = vec![Wish::Rpc(json!({ "type": "set_model", "model": entry.id }))];
                    if self.is_kept {
                        let key = "modelRoles.default";
                        wishes
                            .push(Wish::Rpc(json!({ "type": "set_setting", "key": key, "value": entry.id })));
                    }
                    Step::Finish(wishes)
                }
                None => Step::Close,
            },
            ListKey::Left => Step::Close,
            ListKey::Taken | ListKey::Other => Step::Stay,
        }
    }

    fn paste(&mut self, text: &str) -> Step {
        self.list.paste(text);
        Step::Stay
    }

    fn response(&mut self, command: &str, answer: Result<&Value, &str>) -> Option<Step> {
        let data = answer.ok().filter(|_| command == "get_available_models")?;
        let models = data.get("models")?.as_array()?;
        let entry = |model: &Value| {
            let selector = model.get("selector")?.as_str()?;
            let (provider, name) = selector.split_once('/').unwrap_or(("", selector));
            let price =
                |name: &str| model.get("cost").and_then(|cost| cost.get(name)).and_then(Value::as_f64);
            let mut note = format!("{} window", tokens(number(model, "contextWindow")));
            if let (Some(input), Some(output)) = (price("input"), price("output")) {
                note = format!("${input:.2} in  ${output:.2} out  {note}");
            }
            let mark = (selector == self.current).then_some(Symbol::StatusSuccess);
            Some(Entry { mark, ..Entry::new(selector, name).detail(provider).note(note) })
        };
        self.list.set(models.iter().filter_map(entry).collect());
        let current = self.current.clone();
        self.list.select(&current);
        Some(Step::Stay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;
    use crate::input::Code;

    #[test]
    fn what_is_chosen_is_kept_or_only_used_now() {
        let app = App::new(80, 24);
        for (is_kept, commands) in [(true, 2), (false, 1)] {
            let mut models = Models::new("lab/a", "", is_kept);
            models.response("get_available_models", Ok(&json!({ "models": [{ "selector": "lab/b" }] })));
            let Step::Finish(wishes) = models.key(&Key::plain(Code::Enter), &app.view()) else {
                panic!("it stays")
            };
            assert_eq!(wishes.len(), commands);
            let expected = json!({ "type": "set_model", "model": "lab/b" });
            assert!(matches!(&wishes[0], Wish::Rpc(command) if *command == expected));
        }
    }
}

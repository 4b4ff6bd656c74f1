//! The first start without a model: what was found on this machine, and how to go on.

use serde_json::{Value, json};

use super::list::rule;
use super::{Entry, List, ListKey, Overlay, Step, Wish};
use crate::conversation::{Conversation, Level};
use crate::editor::Editor;
use crate::input::{Code, Key};
use crate::keymap::Action;
use crate::output::Output;
use crate::text::{Line, Style};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// Said above the list.
const WELCOME: &str = "Relay's agent needs a model. Choose one, or look around first; nothing is sent before you say something.";

/// A choice of ways to a model.
pub struct Setup {
    list: List,
    /// The provider that a key is being written for, and the key. It is never shown.
    key: Option<(String, Editor)>,
}

impl Setup {
    /// The choices for what was found: `models` of servers on this machine, `providers` that take a key, `agents` that are
    /// installed.
    #[must_use]
    pub fn new(found: &Value) -> Self {
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let list = |name: &str| found.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let mut entries = Vec::new();
        for model in list("models") {
            let name = text(&model, "model");
            let entry = Entry::new(format!("model:{name}"), name).detail("a model on this machine");
            entries.push(Entry { mark: Some(Symbol::StatusSuccess), ..entry.note(text(&model, "url")) });
        }
        for provider in list("providers") {
            let (name, variable) = (text(&provider, "name"), text(&provider, "variable"));
            let entry = Entry::new(format!("key:{name}"), format!("store a key of {name}"));
            entries.push(entry.detail(format!("or set {variable} and start again")));
        }
        for agent in list("agents").iter().filter_map(Value::as_str) {
            let entry = Entry::new(format!("agent:{agent}"), format!("work with {agent}"));
            entries.push(entry.detail("it is installed here; Relay lands what it changes"));
        }
        let demo = Entry::new("demo", "play the demo").detail("a recorded model at work; no key, no network");
        entries.push(demo);
        let mut list = List::new("welcome", entries);
        list.subtitle = WELCOME.to_owned();
        Self { list, key: None }
    }

    fn choose(&mut self) -> Step {
        let Some(id) = self.list.current().map(|entry| entry.id.clone()) else { return Step::Stay };
        match id.split_once(':') {
            Some(("model", model)) => {
                let keep = json!({ "type": "set_setting", "key": "modelRoles.default", "value": model });
                let start = Output::Setup(json!({ "type": "setup", "model": model }));
                Step::Finish(vec![Wish::Output(start), Wish::Rpc(keep)])
            }
            Some(("key", provider)) => {
                self.key = Some((provider.to_owned(), Editor::default()));
                Step::Stay
            }
            Some(("agent", agent)) => {
                let how = format!(
                    "`relay wrap -- {agent}` starts it and makes its changes one transaction, `relay ask --to {agent}` \
                     asks it, `relay review --to {agent}` has it review. Ctrl+C twice leaves."
                );
                Step::want(Wish::Notice(Level::Info, how))
            }
            _ => Step::want(Wish::Output(Output::Demo)),
        }
    }

    fn write(&mut self, key: &Key, view: &View<'_>) -> Step {
        let Some((provider, editor)) = &mut self.key else { return Step::Stay };
        match (key.code, view.keys.action(key)) {
            (Code::Enter, _) if !editor.text().trim().is_empty() => {
                let given = json!({ "type": "setup", "provider": provider, "key": editor.text().trim() });
                self.key = None;
                return Step::finish(Wish::Output(Output::Setup(given)));
            }
            (Code::Esc, _) | (_, Some(Action::Clear)) => self.key = None,
            (_, Some(action)) if editor.apply(action) => {}
            _ => {
                if let Some(character) = key.typed() {
                    editor.type_char(character);
                }
            }
        }
        Step::Stay
    }
}

impl Overlay for Setup {
    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        let Some((provider, editor)) = &self.key else { return self.list.lines(view) };
        let dots = view.sign(Symbol::MdBullet).repeat(editor.text().trim().chars().count().min(40));
        let mut last = Line::of("  ", Style::default());
        last.append(view.narrower(2).hints(&[("enter".to_owned(), "store"), ("esc".to_owned(), "back")]));
        vec![
            rule(view, &format!("a key of {provider}")),
            Line::of(
                "  paste or type it; it is not shown, and stored where only you can read it",
                view.fg(Token::Muted),
            )
            .truncated(view.width, view.sign(Symbol::Ellipsis)),
            Line::of(format!("  {} ", view.sign(Symbol::Prompt)), view.fg(Token::Accent))
                .and(dots, view.fg(Token::Text))
                .truncated(view.width, view.sign(Symbol::Ellipsis)),
            last,
        ]
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.list.cursor(view).filter(|_| self.key.is_none())
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if self.key.is_some() {
            return self.write(key, view);
        }
        match self.list.key(key, self.list.rows(view)) {
            ListKey::Chosen => self.choose(),
            ListKey::Left => Step::finish(Wish::Notice(
                Level::Info,
                "there is no model yet; start again to choose one, or see `relay models`".to_owned(),
            )),
            ListKey::Taken | ListKey::Other => Step::Stay,
        }
    }

    fn paste(&mut self, text: &str) -> Step {
        match &mut self.key {
            // Keys are one word; a line break at the end came along by accident.
            Some((_, editor)) => text.trim().chars().take(KEY_CHARACTERS).for_each(|c| editor.type_char(c)),
            None => self.list.paste(text),
        }
        Step::Stay
    }
}

/// No key is longer.
const KEY_CHARACTERS: usize = 8192;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;
    use crate::input::Input;

    fn found() -> Value {
        json!({
            "type": "setup",
            "models": [{ "model": "ollama/tiny", "url": "http://127.0.0.1:11434" }],
            "providers": [{ "name": "anthropic", "variable": "ANTHROPIC_API_KEY" }],
            "agents": ["codex"],
        })
    }

    fn screen(app: &mut App) -> String {
        let frame = app.frame();
        frame.live.iter().map(|line| line.text() + "\n").collect()
    }

    fn press(app: &mut App, code: Code) -> Vec<Output> {
        app.update(0, Input::Key(Key::plain(code)))
    }

    #[test]
    fn what_was_found_can_be_chosen() {
        let mut app = App::new(120, 30);
        app.update(0, Input::Frame(found()));
        let shown = screen(&mut app);
        for expected in ["ollama/tiny", "store a key of anthropic", "work with codex", "play the demo"] {
            assert!(shown.contains(expected), "{shown}");
        }
        let outputs = press(&mut app, Code::Enter);
        let expected = Output::Setup(json!({ "type": "setup", "model": "ollama/tiny" }));
        assert!(outputs.contains(&expected), "{outputs:?}");
        assert!(!app.has_overlay());
        // It is kept once there is an agent to keep it.
        let outputs = app.update(0, Input::Frame(json!({ "type": "ready" })));
        let keeps = |output: &Output| matches!(output, Output::Rpc(command) if command["key"] == "modelRoles.default");
        assert!(outputs.iter().any(keeps), "{outputs:?}");
    }

    #[test]
    fn a_key_is_stored_and_never_shown() {
        let mut app = App::new(120, 30);
        app.update(0, Input::Frame(found()));
        press(&mut app, Code::Down);
        press(&mut app, Code::Enter);
        app.update(0, Input::Paste("sk-secret\n".to_owned()));
        let shown = screen(&mut app);
        assert!(shown.contains("a key of anthropic") && !shown.contains("secret"), "{shown}");
        let outputs = press(&mut app, Code::Enter);
        let given = json!({ "type": "setup", "provider": "anthropic", "key": "sk-secret" });
        assert!(outputs.contains(&Output::Setup(given)), "{outputs:?}");
        assert!(!screen(&mut app).contains("secret"));
    }

    #[test]
    fn the_demo_is_played_and_comes_back_here() {
        let mut app = App::new(120, 30);
        app.update(0, Input::Frame(json!({ "type": "setup" })));
        assert!(press(&mut app, Code::Enter).contains(&Output::Demo));
        assert!(app.has_overlay());
        press(&mut app, Code::Esc);
        assert!(!app.has_overlay());
    }
}

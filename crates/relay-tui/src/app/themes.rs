//! Which theme is drawn with: a built-in one, or a file of the user's that is read again when it changes.
//!
//! Every question for a file has a number, and only the answer to the newest one counts.

use serde_json::{Value, json};

use super::App;
use crate::conversation::Level;
use crate::theme::Theme;

/// How often the file of the current theme is looked at.
const LOOK_MS: u64 = 1000;

/// Theme files that were asked for, or are watched.
#[derive(Clone, Debug, Default)]
pub(super) struct ThemeFiles {
    asked: Option<Asked>,
    watched: Option<Watched>,
}

/// A question for a theme file.
#[derive(Clone, Debug)]
struct Asked {
    request: u64,
    name: String,
    kind: Kind,
}

/// Why a theme file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The settings name it.
    Chosen,
    /// It is selected in a list.
    Preview,
    /// It is drawn with, and may have changed.
    Changed,
}

/// The file of the theme that is drawn with.
#[derive(Clone, Debug)]
struct Watched {
    name: String,
    modified_ms: Option<u64>,
    look_ms: u64,
}

impl ThemeFiles {
    /// In how many milliseconds the file is looked at again, if one is.
    pub(super) fn next_look(&self, now_ms: u64) -> Option<u64> {
        self.watched.as_ref().map(|watched| watched.look_ms.saturating_sub(now_ms).max(1))
    }
}

impl App {
    /// Puts a theme into the slot for dark (0) or for light (1) backgrounds.
    pub(super) fn set_slot(&mut self, slot: usize, name: &str) {
        if let Some(theme) = self.options.themes.get_mut(slot) {
            name.clone_into(theme);
        }
    }

    /// The name of the theme for the terminal's background.
    #[must_use]
    pub fn theme_name(&self) -> &str {
        let slot = usize::from(self.status.is_dark == Some(false));
        self.options.themes.get(slot).map_or("red-claw", String::as_str)
    }

    /// Uses the theme for the terminal's background. One of the user's own is read first.
    pub(super) fn use_theme(&mut self) {
        let name = self.theme_name().to_owned();
        match Theme::built_in(&name) {
            Some(theme) => self.preview_theme(theme),
            None => self.read_theme(&name, Kind::Chosen, None),
        }
    }

    /// Draws with this theme; a file that was asked for before is not waited for any more.
    pub(super) fn preview_theme(&mut self, theme: Theme) {
        self.screen.themes = ThemeFiles::default();
        self.wear(theme);
    }

    /// Draws with a theme of the user's own as soon as it is read.
    pub(super) fn preview_theme_file(&mut self, name: &str) {
        self.screen.themes.watched = None;
        self.read_theme(name, Kind::Preview, None);
    }

    fn read_theme(&mut self, name: &str, kind: Kind, since: Option<u64>) {
        let file = format!("themes/{name}.json");
        let request = self.request(json!({ "type": "read_user_file", "name": file, "since": since }));
        self.screen.themes.asked = Some(Asked { request, name: name.to_owned(), kind });
    }

    fn wear(&mut self, theme: Theme) {
        self.theme = if self.options.is_color_blind { theme.color_blind() } else { theme };
        if let Some(preset) = self.options.preset {
            self.theme.symbols.preset = preset;
        }
    }

    /// Looks whether the file of the current theme has changed, if it is time.
    pub(super) fn look_at_theme(&mut self) {
        let now = self.screen.now_ms;
        let Some(watched) = self.screen.themes.watched.as_mut().filter(|watched| now >= watched.look_ms)
        else {
            return;
        };
        watched.look_ms = now + LOOK_MS;
        let (name, since) = (watched.name.clone(), watched.modified_ms);
        if self.screen.themes.asked.is_none() {
            self.read_theme(&name, Kind::Changed, since);
        }
    }

    /// Takes the answer to a question for a theme file; `false` if it was none.
    pub(super) fn take_theme_file(&mut self, request: u64, data: &Value) -> bool {
        let Some(asked) = self.screen.themes.asked.take_if(|asked| asked.request == request) else {
            return false;
        };
        let is_unchanged = data.get("unchanged").and_then(Value::as_bool).unwrap_or_default();
        if !is_unchanged {
            self.take_theme(&asked, data);
        }
        true
    }

    /// What is wrong with a file is reported. A file that broke while it was used, or went away, leaves the last good theme;
    /// one that cannot be used at all leaves the default.
    fn take_theme(&mut self, asked: &Asked, data: &Value) {
        let text = data.get("text").and_then(Value::as_str);
        if asked.kind != Kind::Preview {
            let modified_ms = data.get("modifiedMs").and_then(Value::as_u64);
            let look_ms = self.screen.now_ms + LOOK_MS;
            self.screen.themes.watched = Some(Watched { name: asked.name.clone(), modified_ms, look_ms });
        }
        let fault = match text.map(Theme::parse) {
            Some(Ok(theme)) => return self.wear(theme),
            Some(Err(error)) => format!("themes/{}.json: {error}", asked.name),
            None => format!("Theme not found: {}", asked.name),
        };
        match asked.kind {
            Kind::Preview => {}
            Kind::Changed if text.is_none() => {}
            Kind::Changed => self.notice(Level::Warning, &fault),
            Kind::Chosen => {
                if self.theme.name != asked.name {
                    self.wear(Theme::default());
                }
                self.notice(Level::Error, &fault);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Block;
    use crate::input::{Input, Report};
    use crate::output::Output;
    use crate::text::Color;
    use crate::theme::Token;

    /// An interface that is ready, with its questions so far forgotten.
    fn ready() -> App {
        let mut app = App::new(80, 24);
        app.update(0, Input::Frame(json!({ "type": "ready" })));
        app
    }

    fn settings(app: &mut App, key: &str, value: &str) -> Vec<Output> {
        let data = json!({ "settings": [{ "key": key, "value": value }] });
        let frame = json!({ "type": "response", "command": "get_settings", "success": true, "data": data });
        app.update(0, Input::Frame(frame))
    }

    /// The number of the question for a theme file, and the time it knows of.
    fn question(outputs: &[Output]) -> Option<(u64, Value)> {
        outputs.iter().find_map(|output| match output {
            Output::Rpc(command) if command["type"] == "read_user_file" => {
                Some((command["id"].as_u64().unwrap(), command["since"].clone()))
            }
            _ => None,
        })
    }

    fn answer(app: &mut App, id: u64, text: Option<&str>, modified: u64) {
        let data = json!({ "text": text, "modifiedMs": modified });
        let frame = json!({ "type": "response", "id": id, "command": "read_user_file", "success": true, "data": data });
        app.update(0, Input::Frame(frame));
    }

    fn mine(accent: &str) -> String {
        json!({ "name": "mine", "extends": "fjord", "colors": { "accent": accent } }).to_string()
    }

    fn notices(app: &App) -> Vec<String> {
        let texts = app.conversation.blocks().iter().filter_map(|block| match block {
            Block::Notice(_, text) => Some(text.clone()),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn a_theme_of_the_users_own_is_read_and_followed() {
        let mut app = ready();
        let (id, since) = question(&settings(&mut app, "theme.dark", "mine")).unwrap();
        assert_eq!(since, Value::Null);
        answer(&mut app, id, Some(&mine("#010203")), 5);
        assert_eq!(app.theme.color(Token::Accent), Color::Rgb(1, 2, 3));
        assert_eq!(app.next_tick(), Some(LOOK_MS));
        let (id, since) = question(&app.update(LOOK_MS, Input::Tick)).unwrap();
        assert_eq!(since, 5);
        answer(&mut app, id, Some(&mine("#040506")), 6);
        assert_eq!(app.theme.color(Token::Accent), Color::Rgb(4, 5, 6));
        // A broken file and one that is gone leave the last good theme; only the former is reported.
        let (id, _) = question(&app.update(3 * LOOK_MS, Input::Tick)).unwrap();
        answer(&mut app, id, Some("{"), 7);
        let (id, since) = question(&app.update(5 * LOOK_MS, Input::Tick)).unwrap();
        assert_eq!(since, 7);
        answer(&mut app, id, None, 0);
        assert_eq!(app.theme.color(Token::Accent), Color::Rgb(4, 5, 6));
        let [notice] = &notices(&app)[..] else { panic!("{:?}", notices(&app)) };
        assert!(notice.starts_with("themes/mine.json: not valid JSON"), "{notice}");
    }

    #[test]
    fn a_theme_that_is_not_there_leaves_the_default() {
        let mut app = ready();
        settings(&mut app, "theme.dark", "midnight");
        assert_eq!((app.theme.name.as_str(), app.next_tick()), ("midnight", None));
        let (id, _) = question(&settings(&mut app, "theme.dark", "nowhere")).unwrap();
        answer(&mut app, id, None, 0);
        assert_eq!(
            (app.theme.name.as_str(), notices(&app)),
            ("red-claw", vec!["Theme not found: nowhere".to_owned()])
        );
    }

    #[test]
    fn only_the_newest_question_counts() {
        let mut app = ready();
        let (old, _) = question(&settings(&mut app, "theme.dark", "mine")).unwrap();
        let (new, _) = question(&settings(&mut app, "theme.dark", "other")).unwrap();
        answer(&mut app, old, Some(&mine("#010203")), 1);
        assert_eq!(app.theme.name, "red-claw");
        answer(&mut app, new, Some(&mine("#010203")), 1);
        assert_eq!(app.theme.name, "mine");
        // A background that changes during a preview wins.
        app.preview_theme_file("late");
        let late = app.screen.requests;
        app.update(0, Input::Report(Report::Background(255, 255, 255)));
        answer(&mut app, late, Some(&mine("#010203")), 1);
        assert_eq!(app.theme.name, "blue-crab");
    }

    #[test]
    fn a_preview_that_cannot_be_read_changes_nothing() {
        let mut app = ready();
        app.preview_theme_file("bad");
        let id = app.screen.requests;
        answer(&mut app, id, Some("{}"), 1);
        assert_eq!((app.theme.name.as_str(), notices(&app).len()), ("red-claw", 0));
    }
}

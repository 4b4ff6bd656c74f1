//! The user's settings and keybindings, as far as the interface goes by them.

use serde_json::{Value, json};

use super::App;
use crate::conversation::Level;
use crate::keymap::Keymap;
use crate::status::{Separator, Shimmer};
use crate::theme::{Preset, Theme};

impl App {
    /// Asks for what the interface goes by.
    pub(super) fn ask_for_settings(&mut self) {
        self.ask("get_settings");
        self.send(json!({ "type": "read_user_file", "name": "keybindings.json" }));
    }

    /// Takes all settings, or one that was changed.
    pub(super) fn take_settings(&mut self, data: &Value) {
        let one = std::slice::from_ref(data);
        let list = data.get("settings").and_then(Value::as_array).map_or(one, Vec::as_slice);
        for setting in list {
            let text = |name: &str| setting.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let value = match setting.get("value") {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Null) | None => continue,
                Some(other) => other.to_string(),
            };
            self.apply_setting(&text("key"), &value);
        }
        self.use_theme();
    }

    fn set_slot(&mut self, slot: usize, name: &str) {
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
            Some(theme) => self.wear(theme),
            None => {
                let request =
                    self.request(json!({ "type": "read_user_file", "name": format!("themes/{name}.json") }));
                self.screen.theme = Some((request, name));
            }
        }
    }

    /// Draws with this theme from now on.
    pub(super) fn wear(&mut self, theme: Theme) {
        self.theme = if self.options.is_color_blind { theme.color_blind() } else { theme };
        if let Some(preset) = self.options.preset {
            self.theme.symbols.preset = preset;
        }
    }

    /// Takes a theme file of the user's. What is wrong with it is reported, and the theme in use stays.
    fn take_theme(&mut self, name: &str, text: Option<&str>) {
        match text.map(Theme::parse) {
            Some(Ok(theme)) => self.wear(theme),
            Some(Err(error)) => self.notice(Level::Error, &format!("{name}: {error}")),
            None => self.notice(Level::Error, &format!("Theme not found: {name}")),
        }
    }

    fn apply_setting(&mut self, key: &str, value: &str) {
        let is_on = value == "true";
        match key {
            // The default leaves the choice to the theme.
            "symbolPreset" => {
                self.options.preset = Preset::from_name(value).filter(|preset| *preset != Preset::Unicode);
            }
            "theme.dark" => self.set_slot(0, value),
            "theme.light" => self.set_slot(1, value),
            "colorBlindMode" => self.options.is_color_blind = is_on,
            "hideThinkingBlock" => self.options.shows_thinking = !is_on,
            "doubleEscapeAction" => value.clone_into(&mut self.options.double_escape),
            "autocompleteMaxVisible" => {
                self.options.completion_rows = value.parse().unwrap_or(5).clamp(1, 20);
            }
            "emojiAutocomplete" => self.options.emoji = is_on,
            "completion.notify" => self.options.notifies = value != "off",
            "statusLine.preset" => value.clone_into(&mut self.status.preset),
            "statusLine.separator" => self.status.separator = Separator::from_name(value).unwrap_or_default(),
            "statusLine.leftSegments" => self.status.left = list(value),
            "statusLine.rightSegments" => self.status.right = list(value),
            "display.shimmer" => self.status.shimmer = Shimmer::from_name(value).unwrap_or_default(),
            _ => {}
        }
    }

    /// Takes the user's keybindings, or a theme of theirs; what is wrong with them is reported.
    pub(super) fn take_user_file(&mut self, request: u64, data: &Value) {
        let text = data.get("text").and_then(Value::as_str);
        if let Some((_, name)) = self.screen.theme.take_if(|(asked, _)| *asked == request) {
            return self.take_theme(&name, text);
        }
        if let Some(text) = text {
            let (keymap, faults) = Keymap::parse(text);
            self.keymap = keymap;
            for fault in faults {
                self.notice(Level::Warning, &format!("keybindings.json: {fault}"));
            }
        }
    }
}

/// A list as settings write it: `["a", "b"]`, or words.
fn list(value: &str) -> Vec<String> {
    serde_json::from_str(value).unwrap_or_else(|_| {
        value.split([',', ' ']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    })
}

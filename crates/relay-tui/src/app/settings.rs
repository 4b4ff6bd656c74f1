//! The user's settings and keybindings, as far as the interface goes by them.

use serde_json::{Value, json};

use super::App;
use crate::conversation::Level;
use crate::keymap::Keymap;
use crate::output::Output;
use crate::status::{Separator, Shimmer};
use crate::text::{TAB, set_tab};
use crate::theme::Preset;

impl App {
    /// Asks for what the interface goes by.
    pub(super) fn ask_for_settings(&mut self) {
        self.ask("get_settings");
        let request = self.request(json!({ "type": "read_user_file", "name": "keybindings.json" }));
        self.screen.keys_request = request;
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
            "ask.notify" => self.options.notifies_of_questions = value != "off",
            "treeFilterMode" => value.clone_into(&mut self.options.tree_filter),
            "branchSummary.enabled" => self.options.offers_summary = is_on,
            "startup.quiet" => self.options.is_quiet = is_on,
            "tui.vimKeys" => self.use_vim(is_on),
            "tasks.todoClearDelay" => self.panels.fade_after(value.parse().unwrap_or(60)),
            _ => self.apply_drawing(key, value),
        }
    }

    /// Settings of how things are drawn.
    fn apply_drawing(&mut self, key: &str, value: &str) {
        let is_on = value == "true";
        let cells = || value.parse::<usize>().ok().filter(|cells| *cells > 0);
        match key {
            "terminal.showImages" => self.options.images.is_on = is_on,
            "tui.maxInlineImageColumns" => self.options.images.columns = cells().unwrap_or(100),
            "tui.maxInlineImageRows" => self.options.images.rows = cells().unwrap_or(20),
            "tui.hyperlinks" => self.outputs.push(Output::Links(value.to_owned())),
            "showHardwareCursor" => self.status.hides_cursor = !is_on,
            "display.showTokenUsage" => self.status.shows_tokens = is_on,
            "statusLine.sessionAccent" => self.status.has_accent = is_on,
            "goal.statusInFooter" => self.panels.shows_goal = is_on,
            "statusLine.showSkillHud" => self.panels.shows_hud = is_on,
            "statusLine.segmentOptions" => {
                self.status.options = serde_json::from_str(value).unwrap_or_default();
            }
            "clearOnShrink" => self.outputs.push(Output::ClearOnShrink(is_on)),
            "statusLine.preset" => value.clone_into(&mut self.status.preset),
            "statusLine.separator" => self.status.separator = Separator::from_name(value).unwrap_or_default(),
            "statusLine.leftSegments" => self.status.left = list(value),
            "statusLine.rightSegments" => self.status.right = list(value),
            "display.tabWidth" => set_tab(value.parse().unwrap_or(TAB)),
            "display.shimmer" => self.status.shimmer = Shimmer::from_name(value).unwrap_or_default(),
            _ => {}
        }
    }

    /// Takes the user's keybindings, or a theme of theirs; what is wrong with them is reported.
    pub(super) fn take_user_file(&mut self, request: u64, data: &Value) {
        let text = data.get("text").and_then(Value::as_str);
        // A theme that was asked for before another one is of no use any more.
        if self.take_theme_file(request, data) || request != self.screen.keys_request {
            return;
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

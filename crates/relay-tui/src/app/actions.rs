//! Keys: to the overlay on top, to the completion, to the editor, or to an action of the application.

use serde_json::json;

use super::App;
use crate::conversation::{Block, Level};
use crate::editor::{Mode, VimKey};
use crate::input::{Code, Key};
use crate::keymap::Action;
use crate::output::Output;
use crate::overlay::Viewer;

/// Within this time, a second press counts as the other half of a pair.
pub(super) const TWICE_MS: u64 = 500;

impl App {
    pub(super) fn key(&mut self, key: &Key) {
        if self.overlay_key(key) || self.completion_key(key) || self.vim_key(key) {
            return;
        }
        match self.keymap.action(key) {
            Some(action) => self.act(action, key),
            None => {
                if let Some(character) = key.typed() {
                    self.editor.type_char(character);
                    self.complete_while_typing();
                }
            }
        }
    }

    fn overlay_key(&mut self, key: &Key) -> bool {
        let Some(mut overlay) = self.overlays.pop() else { return false };
        let step = overlay.key(key, &self.view());
        self.overlays.push(overlay);
        self.take_step(step);
        true
    }

    /// Turns the keys of vi on or off.
    pub(super) fn use_vim(&mut self, is_on: bool) {
        if is_on != self.editor.vim.is_some() {
            self.editor.vim = is_on.then(crate::editor::Vim::default);
        }
    }

    fn vim_key(&mut self, key: &Key) -> bool {
        let Some(mut vim) = self.editor.vim.take() else { return false };
        let done = vim.key(&mut self.editor, key);
        self.editor.vim = Some(vim);
        match done {
            VimKey::Passed => return false,
            VimKey::Taken => self.completion = None,
            VimKey::Older => self.older_prompt(),
            VimKey::Newer => self.newer_prompt(),
        }
        true
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Some(overlay) = self.overlays.last_mut() {
            let step = overlay.paste(text);
            return self.take_step(step);
        }
        self.editor.paste(text);
        self.completion = None;
    }

    fn act(&mut self, action: Action, key: &Key) {
        match action {
            Action::Interrupt => self.interrupt(),
            Action::Clear => self.clear_or_quit(),
            Action::Exit if self.editor.is_empty() => self.outputs.push(Output::Quit(0)),
            Action::Exit => drop(self.editor.apply(Action::DeleteRight)),
            Action::Suspend => self.outputs.push(Output::Suspend),
            Action::Submit => self.submit(false),
            Action::FollowUp => self.submit(true),
            Action::TakeBack => self.take_back(),
            Action::Thinking => self.ask("cycle_thinking_level"),
            Action::ShowThinking => self.toggle_thinking(),
            Action::NextModel => self.ask("cycle_model"),
            Action::PreviousModel => self.send(json!({ "type": "cycle_model", "direction": "backward" })),
            Action::SelectModel => self.slash("/model"),
            Action::ModelForNow => {
                let models = crate::overlay::Models::new(&self.session.model, "", false);
                self.open(Box::new(models));
            }
            Action::Expand => self.open(Box::new(Viewer::default())),
            Action::ExternalEditor => {
                self.session.meanwhile.editing = super::Editing::Prompt;
                self.outputs.push(Output::Edit(self.editor.content()));
            }
            Action::PasteImage => self.outputs.push(Output::PasteImage),
            Action::CopyLine | Action::CopyPrompt => self.copy_text(action),
            Action::CopyAnswer => self.slash("/copy"),
            Action::History => self.search_history(),
            Action::Tree => self.slash("/tree"),
            Action::Ledger => self.slash("/log"),
            Action::Jobs => self.slash("/jobs"),
            Action::Plan => self.slash("/plan"),
            Action::Policy => self.slash("/policy"),
            Action::Todos => self.panels.toggle(),
            Action::Hotkeys => self.slash("/hotkeys"),
            Action::Redraw => self.outputs.push(Output::Redraw),
            Action::Complete => self.complete_now(),
            _ => self.edit(action, key),
        }
    }

    fn edit(&mut self, action: Action, key: &Key) {
        let is_done = self.editor.apply(action);
        match action {
            Action::Up if !is_done => self.older_prompt(),
            Action::Down if !is_done => self.newer_prompt(),
            Action::DeleteLeft | Action::DeleteWordLeft => self.complete_while_typing(),
            _ if !is_done => {
                if let Some(character) = key.typed() {
                    self.editor.type_char(character);
                }
            }
            _ => self.completion = None,
        }
    }

    fn older_prompt(&mut self) {
        let now = self.editor.text().to_owned();
        if let Some(prompt) = self.editor.history.older(&now) {
            self.editor.set(&prompt);
        }
    }

    fn newer_prompt(&mut self) {
        if let Some(prompt) = self.editor.history.newer() {
            self.editor.set(&prompt);
        }
    }

    /// Esc: stops what runs; leaves shell mode; twice on an empty editor opens the tree.
    fn interrupt(&mut self) {
        let now = self.screen.now_ms;
        if self.has_shell() {
            return self.ask("abort_bash");
        }
        if self.run.since.is_some() {
            self.run.is_stopping = true;
            return self.ask("abort");
        }
        if self.editor.mode() != Mode::Prompt {
            return self.editor.clear();
        }
        let is_second =
            self.screen.escaped.replace(now).is_some_and(|before| now.saturating_sub(before) <= TWICE_MS);
        if is_second && self.editor.is_empty() {
            self.screen.escaped = None;
            match self.options.double_escape.as_str() {
                "branch" => self.slash("/branch"),
                "none" => {}
                _ => self.slash("/tree"),
            }
        }
    }

    /// Ctrl+C: clears the editor; twice quits.
    fn clear_or_quit(&mut self) {
        let now = self.screen.now_ms;
        let is_second =
            self.screen.cleared.replace(now).is_some_and(|before| now.saturating_sub(before) <= TWICE_MS);
        if is_second {
            return self.outputs.push(Output::Quit(0));
        }
        if !self.editor.is_empty() {
            self.editor.clear();
            self.completion = None;
        }
    }

    /// Whether Ctrl+C was just pressed, so that a second press quits.
    pub(super) fn is_about_to_quit(&self) -> bool {
        self.screen.cleared.is_some_and(|before| self.screen.now_ms.saturating_sub(before) <= TWICE_MS)
    }

    fn toggle_thinking(&mut self) {
        self.options.shows_thinking = !self.options.shows_thinking;
        let what = if self.options.shows_thinking { "thinking is shown" } else { "thinking is hidden" };
        self.notice(Level::Info, what);
    }

    fn copy_text(&mut self, action: Action) {
        let text = match action {
            Action::CopyPrompt => self.editor.content(),
            _ => {
                let buffer = self.editor.buffer();
                let (start, end) = (buffer.line_start(buffer.caret()), buffer.line_end(buffer.caret()));
                buffer.text().get(start..end).unwrap_or_default().to_owned()
            }
        };
        if !text.is_empty() {
            self.outputs.push(Output::Copy(text));
        }
    }

    /// Messages that wait come back into the editor.
    fn take_back(&mut self) {
        if self.session.steering.is_empty() && self.session.follow_up.is_empty() {
            return;
        }
        self.ask("take_queue");
    }

    /// Takes messages that came back.
    pub(super) fn took_back(&mut self, messages: &[String]) {
        let mut texts: Vec<&str> = messages.iter().map(String::as_str).collect();
        let now = self.editor.text().to_owned();
        if !now.is_empty() {
            texts.push(&now);
        }
        let text = texts.join("\n\n");
        self.editor.set(&text);
    }

    /// The completion gets keys that mean something to it.
    fn completion_key(&mut self, key: &Key) -> bool {
        let Some(completion) = &mut self.completion else { return false };
        if completion.is_empty() {
            return false;
        }
        match key.code {
            Code::Up if !key.alt && !key.ctrl => completion.step(-1),
            Code::Down if !key.alt && !key.ctrl => completion.step(1),
            Code::Esc => self.completion = None,
            Code::Tab => self.accept_completion(false),
            Code::Enter if !key.shift && !key.alt && !key.ctrl => {
                let is_command = completion.is_command();
                self.accept_completion(is_command);
            }
            _ => return false,
        }
        true
    }

    /// Ends a shell command that the person started.
    pub(super) fn end_shell(&mut self, data: &serde_json::Value, error: Option<&str>) {
        if let Some(Block::Shell { output, exit, .. }) = self.conversation.shell_mut() {
            let text = data.get("output").and_then(serde_json::Value::as_str).unwrap_or_default();
            text.clone_into(output);
            let is_cancelled = data.get("cancelled").and_then(serde_json::Value::as_bool).unwrap_or_default();
            *exit = Some(match (error, is_cancelled) {
                (Some(error), _) => Err(error.to_owned()),
                (None, true) => Err("stopped".to_owned()),
                (None, false) => {
                    Ok(data.get("exitCode").and_then(serde_json::Value::as_i64).unwrap_or_default())
                }
            });
        }
    }
}

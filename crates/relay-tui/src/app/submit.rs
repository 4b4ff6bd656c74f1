//! Sending what is written: a prompt, a shell command, Python, or a slash command.

use serde_json::{Value, json};

use super::App;
use crate::conversation::{Block, Level};
use crate::editor::Mode;

impl App {
    /// Sends what is in the editor. While the agent works, it steers, or follows up.
    pub fn submit(&mut self, is_follow_up: bool) {
        // A backslash at the end of a line asks for another line, for terminals that cannot tell Shift+Enter from Enter.
        if self.editor.buffer().before().ends_with('\\')
            && self.editor.buffer().after().is_empty()
            && !is_follow_up
        {
            self.editor.apply(crate::keymap::Action::DeleteLeft);
            self.editor.apply(crate::keymap::Action::NewLine);
            return;
        }
        let text = self.editor.content();
        let trimmed = text.trim();
        if trimmed.is_empty() && self.editor.images.is_empty() {
            return;
        }
        match self.editor.mode() {
            Mode::Shell => self.run_shell(trimmed.trim_start_matches('!').trim(), false),
            Mode::ShellAside => self.run_shell(trimmed.trim_start_matches('!').trim(), true),
            Mode::Python => self.run_python(trimmed.trim_start_matches('$').trim()),
            Mode::Prompt if trimmed.starts_with('/') && self.is_slash(trimmed) => {
                self.editor.history.push(&text);
                self.editor.clear();
                self.slash(trimmed);
            }
            Mode::Prompt => self.say(&text, is_follow_up),
        }
        self.completion = None;
        if let Some(vim) = &mut self.editor.vim {
            vim.reset();
        }
    }

    /// Says something to the model.
    pub fn say(&mut self, text: &str, is_follow_up: bool) {
        let images: Vec<Value> = self
            .editor
            .images
            .iter()
            .map(|image| json!({ "type": "image", "mimeType": image.mime_type, "data": image.data }))
            .collect();
        self.editor.history.push(text);
        self.editor.clear();
        let mut command = json!({ "type": "prompt", "message": text.trim_end() });
        if let Some(fields) = command.as_object_mut() {
            if !images.is_empty() {
                fields.insert("images".to_owned(), images.into());
            }
            if self.run.since.is_some() {
                let how = if is_follow_up { "followUp" } else { "steer" };
                fields.insert("streamingBehavior".to_owned(), how.into());
            }
        }
        if !self.session.is_ready {
            self.notice(Level::Info, "The agent is starting; your message is sent as soon as it is there.");
        }
        self.send(command);
        self.send(json!({ "type": "add_prompt_history", "text": text.trim_end() }));
    }

    fn run_shell(&mut self, command: &str, is_aside: bool) {
        if command.is_empty() {
            return;
        }
        if self.has_shell() {
            return self.notice(Level::Warning, "a command is running; Esc stops it");
        }
        let text = self.editor.text().to_owned();
        self.editor.history.push(&text);
        self.editor.clear();
        self.conversation.push(Block::Shell {
            command: command.to_owned(),
            output: String::new(),
            exit: None,
            is_aside,
        });
        self.send(json!({ "type": "bash", "command": command, "excludeFromContext": is_aside }));
    }

    fn run_python(&mut self, code: &str) {
        if code.is_empty() {
            return;
        }
        let text = self.editor.text().to_owned();
        self.editor.history.push(&text);
        self.editor.clear();
        // Quoted for the shell: a single quote ends the text, is escaped, and begins it again.
        let quoted = code.replace('\'', "'\\''");
        self.conversation.push(Block::Shell {
            command: format!("python: {code}"),
            output: String::new(),
            exit: None,
            is_aside: false,
        });
        self.send(json!({ "type": "bash", "command": format!("python3 -c '{quoted}'"), "excludeFromContext": false }));
    }
}

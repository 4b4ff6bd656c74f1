//! An interface in front of a terminal emulator.

use std::num::NonZeroU16;

use relay_tui::conversation::Highlighted;
use relay_tui::input::Key;
use relay_tui::render::{Abilities, Depth};
use relay_tui::{App, Input, Output, Renderer};
use serde_json::{Value, json};

/// Lines of scrollback that the emulator keeps.
const SCROLLBACK: usize = 10_000;

/// The interface, the renderer and the emulator.
pub struct Stage {
    pub app: App,
    renderer: Renderer,
    pub terminal: vt100::Parser,
    pub now_ms: u64,
    /// Everything the interface asked for, but colours of code: those it gets at once.
    pub outputs: Vec<Output>,
    pub size: (u16, u16),
    /// How many bytes were drawn.
    pub drawn: usize,
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

#[allow(dead_code, reason = "the example and the benchmarks use some of it")]
impl Stage {
    pub fn new(width: u16, height: u16) -> Self {
        let abilities = Abilities { depth: Depth::True, links: false, clears_in_color: true };
        let mut stage = Self {
            app: App::new(width, height),
            renderer: Renderer::new(abilities, width, height),
            terminal: vt100::Parser::new(cells(height), cells(width), SCROLLBACK),
            now_ms: 0,
            outputs: Vec::new(),
            size: (width, height),
            drawn: 0,
        };
        stage.frame(json!({ "type": "surroundings", "cwd": "~/project", "branch": "main", "changed": 2 }));
        stage
    }

    /// An interface with an agent that is ready.
    pub fn ready(width: u16, height: u16) -> Self {
        let mut stage = Self::new(width, height);
        stage.frame(json!({ "type": "ready", "protocol": 1 }));
        stage.answer(
            "get_state",
            json!({
                "model": { "id": "sonnet", "selector": "lab/sonnet", "contextWindow": 200_000 },
                "thinkingLevel": "medium", "sessionId": "0199", "policy": "auto", "mode": "",
            }),
        );
        stage
    }

    /// Something happens, and the screen is drawn.
    pub fn input(&mut self, input: Input) {
        let outputs = self.app.update(self.now_ms, input);
        self.take(outputs);
        self.draw();
    }

    fn take(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            match output {
                Output::Highlight(job) => {
                    let highlighted: Highlighted = job.work();
                    let more = self.app.update(self.now_ms, Input::Highlighted(highlighted));
                    self.take(more);
                }
                output => self.outputs.push(output),
            }
        }
    }

    pub fn draw(&mut self) {
        for _ in 0..2 {
            let frame = self.app.frame();
            let bytes = self.renderer.draw(frame);
            self.drawn += bytes.len();
            self.terminal.process(&bytes);
            let wanted = self.app.take_wanted();
            if wanted.is_empty() {
                break;
            }
            self.take(wanted);
        }
    }

    pub fn frame(&mut self, frame: Value) {
        self.input(Input::Frame(frame));
    }

    /// The agent answers a command.
    pub fn answer(&mut self, command: &str, data: Value) {
        self.frame(json!({ "type": "response", "command": command, "success": true, "data": data }));
    }

    pub fn key(&mut self, chord: &str) {
        self.input(Input::Key(Key::parse(chord).unwrap_or_else(|| panic!("{chord} is not a key"))));
    }

    pub fn type_text(&mut self, text: &str) {
        for character in text.chars() {
            self.input(Input::Key(Key::plain(relay_tui::input::Code::Char(character))));
        }
    }

    pub fn pass(&mut self, ms: u64) {
        self.now_ms += ms;
        self.input(Input::Tick);
    }

    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        self.terminal.set_size(cells(height), cells(width));
        let outputs = self.app.update(self.now_ms, Input::Resize(width, height));
        self.take(outputs);
        let mut frame = self.app.frame();
        frame.done.clear();
        let (above, all) = self.app.above(usize::from(height));
        let bytes = self.renderer.resize(width, height, &above, all, frame);
        self.terminal.process(&bytes);
    }

    /// The rows on the screen, without blanks at their ends and empty rows at the bottom.
    pub fn screen(&self) -> String {
        let rows: Vec<String> =
            self.terminal.screen().rows(0, self.size.0).map(|row| row.trim_end().to_owned()).collect();
        let mut text = rows.join("\n").trim_end().to_owned();
        text.push('\n');
        text
    }

    /// Everything, with the scrollback.
    pub fn everything(&mut self) -> String {
        let mut lines = Vec::new();
        let back = self.terminal.screen().scrollback_len();
        for row in (1..=back).rev() {
            self.terminal.screen_mut().set_scrollback(row);
            lines.push(self.terminal.screen().rows(0, self.size.0).next().unwrap_or_default());
        }
        self.terminal.screen_mut().set_scrollback(0);
        lines.extend(self.terminal.screen().rows(0, self.size.0));
        lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// The commands that were sent, without those that every start sends.
    pub fn sent(&self, kind: &str) -> Vec<&Value> {
        let commands = self.outputs.iter().filter_map(|output| match output {
            Output::Rpc(command) => Some(command),
            _ => None,
        });
        commands.filter(|command| command["type"] == kind).collect()
    }

    pub fn delta(&mut self, kind: &str, delta: &str) {
        let event = json!({ "type": format!("{kind}_delta"), "contentIndex": 0, "delta": delta });
        self.frame(json!({ "type": "message_update", "assistantMessageEvent": event }));
    }

    /// A text of the answer, word by word.
    pub fn stream(&mut self, text: &str) {
        for word in text.split_inclusive(' ') {
            self.delta("text", word);
        }
        self.frame(json!({ "type": "message_update", "assistantMessageEvent": { "type": "text_end", "contentIndex": 0 } }));
    }

    /// A tool call from its first letter to its result.
    pub fn tool(&mut self, name: &str, arguments: Value, result: Value, failed: bool) {
        let id = format!("call-{}", self.now_ms);
        let update = |event: Value| json!({ "type": "message_update", "assistantMessageEvent": event });
        self.frame(update(json!({ "type": "toolcall_start", "toolCallId": id, "toolName": name })));
        self.frame(update(
            json!({ "type": "toolcall_delta", "toolCallId": id, "delta": arguments.to_string() }),
        ));
        self.frame(update(
            json!({ "type": "toolcall_end", "toolCallId": id, "toolCall": { "arguments": arguments } }),
        ));
        self.frame(
            json!({ "type": "tool_execution_start", "toolCallId": id, "toolName": name, "args": arguments }),
        );
        self.now_ms += 1300;
        self.frame(json!({ "type": "tool_execution_end", "toolCallId": id, "toolName": name, "result": result, "isError": failed }));
    }

    /// A session that shows most of what there is.
    pub fn play(&mut self) {
        self.frame(json!({ "type": "agent_start" }));
        self.frame(json!({ "type": "message_end", "message": { "role": "user", "content": "Fix the failing parser test and explain what was wrong." } }));
        self.frame(json!({ "type": "message_start" }));
        self.delta(
            "thinking",
            "The test expects trailing commas to be accepted. I should look at the parser first.",
        );
        self.frame(json!({ "type": "message_update", "assistantMessageEvent": { "type": "thinking_end" } }));
        self.stream("I'll look at the **parser** and its test first.");
        for path in ["src/parser.rs", "tests/parser.rs", "src/lexer.rs"] {
            self.tool(
                "read",
                json!({ "path": path }),
                json!({ "content": [{ "type": "text", "text": "fn main() {}\n" }] }),
                false,
            );
        }
        self.tool(
            "edit",
            json!({ "path": "src/parser.rs", "edits": [{
                "old_text": "fn list(&mut self) -> Vec<Item> {\n    let mut items = Vec::new();\n    while !self.at(Close) {\n        items.push(self.item());\n        self.expect(Comma);\n    }\n    items\n}",
                "new_text": "fn list(&mut self) -> Vec<Item> {\n    let mut items = Vec::new();\n    while !self.at(Close) {\n        items.push(self.item());\n        if !self.eat(Comma) {\n            break;\n        }\n    }\n    items\n}" }] }),
            json!({ "content": [{ "type": "text", "text": "committed" }], "details": { "files": [{ "path": "src/parser.rs", "added": 3, "removed": 1 }] } }),
            false,
        );
        let output: String = (1..=12).map(|number| format!("test parser::case_{number} ... ok\n")).collect();
        self.tool(
            "bash",
            json!({ "command": "cargo test parser" }),
            json!({ "content": [{ "type": "text", "text": format!("running 12 tests\n{output}\ntest result: ok. 12 passed; 0 failed") }] }),
            false,
        );
        self.stream(concat!(
            "## What was wrong\n\nThe loop called `expect(Comma)` after **every** item, so a list had to end with one.\n\n",
            "```rust\nif !self.eat(Comma) {\n    break; // a list may end without a comma\n}\n```\n\n",
            "| input | before | now |\n|---|---|---:|\n| `[1, 2]` | error | 2 items |\n| `[1, 2,]` | 2 items | 2 items |\n\n",
            "- both forms are accepted\n- the error for `[1 2]` is the same as before\n\n1. see [the grammar](https://example.org/grammar)\n",
        ));
        let usage =
            json!({ "input": 12_345, "output": 678, "cacheRead": 45_000, "cost": { "total": 0.0421 } });
        self.frame(json!({ "type": "message_end", "message": { "role": "assistant", "content": [], "usage": usage } }));
        self.now_ms += 4_000;
        self.frame(json!({ "type": "agent_end", "status": "done" }));
    }
}

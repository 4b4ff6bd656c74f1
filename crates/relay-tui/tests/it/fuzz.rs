//! Random keys, pastes, resizes and frames: no panic, no stuck state, nothing wider than the screen.

use relay_tui::Input;
use relay_tui::input::{Code, Decoder, Key};
use serde_json::{Value, json};

use crate::stage::Stage;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.next(from.len() as u64)).unwrap()]
    }
}

const KEYS: [&str; 34] = [
    "enter",
    "escape",
    "tab",
    "shift+tab",
    "backspace",
    "delete",
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "pageup",
    "pagedown",
    "ctrl+c",
    "ctrl+o",
    "ctrl+r",
    "ctrl+w",
    "ctrl+k",
    "ctrl+u",
    "ctrl+y",
    "alt+y",
    "ctrl+_",
    "alt+up",
    "shift+enter",
    "f1",
    "alt+t",
    "alt+l",
    "ctrl+l",
    "ctrl+t",
    "ctrl+enter",
    "alt+left",
    "alt+right",
    "space",
];

const TEXTS: [&str; 12] = [
    "/",
    "@src",
    "!",
    "!!ls",
    "$1+1",
    "世界 👩\u{200d}👩\u{200d}👧 e\u{301}",
    "# head\n\n- a\n  - b\n\n```rust\nfn a() {}\n",
    "| a | b |\n|---|---|\n| 1 |",
    "\u{1b}[2J\u{7}",
    "a very long line that has to be wrapped somewhere because it does not fit into any narrow terminal at all",
    "> quote\n>> deeper\n\n***",
    ":smi",
];

fn frame(dice: &mut Dice) -> Value {
    let text = *dice.pick(&TEXTS);
    let id = format!("c{}", dice.next(3));
    let tool = *dice.pick(&["read", "edit", "bash", "write", "todo_write", "strange"]);
    let event = |kind: &str| json!({ "type": "message_update", "assistantMessageEvent": { "type": kind, "delta": text, "toolCallId": id, "toolName": tool } });
    match dice.next(20) {
        0 => json!({ "type": "agent_start" }),
        1 => json!({ "type": "agent_end", "status": "done" }),
        2..=5 => event("text_delta"),
        6 => event("thinking_delta"),
        7 => event("text_end"),
        8 => event("toolcall_start"),
        9 => event("toolcall_delta"),
        10 => {
            json!({ "type": "tool_execution_start", "toolCallId": id, "toolName": tool, "args": { "path": text, "edits": [{ "old_text": text, "new_text": "x" }] } })
        }
        11 => {
            json!({ "type": "tool_execution_end", "toolCallId": id, "toolName": tool, "isError": dice.next(2) == 0, "result": { "content": [{ "type": "text", "text": text }] } })
        }
        12 => {
            json!({ "type": "extension_ui_request", "id": id, "method": dice.pick(&["select", "confirm", "input", "editor", "cancel"]), "targetId": id, "title": text, "options": [text, "b"] })
        }
        13 => json!({ "type": "message_discarded" }),
        14 => {
            json!({ "type": "message_end", "message": { "role": dice.pick(&["user", "assistant", "custom"]), "content": text, "usage": { "output": 5 } } })
        }
        17 => {
            json!({ "type": dice.pick(&["pty_start", "pty_output", "pty_output", "pty_end"]), "ptyId": id, "command": text, "data": text })
        }
        18 => {
            let todos = json!([{ "name": text, "tasks": [{ "content": text, "status": dice.pick(&["pending", "in_progress", "completed"]), "notes": [text] }] }]);
            json!({ "type": "response", "command": "edit_todos", "success": true, "data": { "purpose": dice.pick(&["list", "edit", "copy", ""]),
                "phases": todos, "markdown": text, "errors": [text], "changed": dice.next(2) == 0 } })
        }
        19 => {
            json!({ "type": "session_data", "kind": "hud", "data": { "active": [{ "skill": text, "phase": text, "chips": [{ "label": text, "value": text }] }] } })
        }
        15 => json!({ "type": "queue_update", "steering": [text], "followUp": [] }),
        16 => {
            json!({ "type": "response", "command": dice.pick(&["get_messages", "get_state", "prompt", "bash", "find_files"]), "success": dice.next(2) == 0, "error": text, "data": { "messages": [] } })
        }
        _ => {
            json!({ "type": dice.pick(&["auto_retry_start", "auto_compaction_start", "auto_compaction_end", "notice", "goal_updated", "nothing"]), "text": text, "errorMessage": text })
        }
    }
}

fn play(seed: u64, steps: u64) {
    let mut dice = Dice(seed | 1);
    let mut stage = Stage::ready(80, 24);
    for _ in 0..steps {
        match dice.next(12) {
            0..=3 => {
                let key = *dice.pick(&KEYS);
                stage.key(key);
            }
            4 => {
                let text = *dice.pick(&TEXTS);
                stage.input(Input::Paste(text.repeat(usize::try_from(dice.next(30)).unwrap())));
            }
            5 => stage.type_text(dice.pick(&TEXTS).replace('\n', " ").trim_matches(|c: char| c.is_control())),
            6 => {
                let (width, height) = (10 + dice.next(150), 3 + dice.next(60));
                stage.resize(u16::try_from(width).unwrap(), u16::try_from(height).unwrap());
            }
            7 => {
                let ms = dice.next(2000);
                stage.pass(ms);
            }
            _ => {
                let frame = frame(&mut dice);
                stage.frame(frame);
            }
        }
    }
    // Whatever happened, Esc and Ctrl+C lead out.
    stage.frame(json!({ "type": "agent_end", "status": "done" }));
    for _ in 0..400 {
        if !stage.app.has_overlay() {
            break;
        }
        stage.key("escape");
    }
    assert!(!stage.app.has_overlay(), "seed {seed}: a screen that Esc does not close");
    stage.now_ms += 5_000;
    stage.key("ctrl+c");
    stage.key("ctrl+c");
    assert!(stage.outputs.contains(&relay_tui::Output::Quit(0)), "seed {seed}: no way out");
}

#[test]
fn nothing_that_happens_breaks_it() {
    for seed in 0..12 {
        play(seed * 7919 + 13, 100);
    }
}

#[test]
fn no_bytes_break_the_decoder() {
    let mut dice = Dice(42);
    for _ in 0..2000 {
        let mut decoder = Decoder::default();
        let bytes: Vec<u8> = (0..dice.next(40))
            .map(|_| {
                *dice.pick(&[
                    0x1b, b'[', b']', b'O', b'_', b';', b':', b'1', b'9', b'u', b'~', b'A', b'a', 0xff, 0xc3,
                    0, 7, b'?', b'<',
                ])
            })
            .collect();
        let mut inputs = decoder.push(&bytes);
        inputs.extend(decoder.settle());
        inputs.extend(decoder.settle());
        inputs.extend(decoder.push(b"\x1b\\\x1b[201~z"));
        let is_z = |input: &Input| {
            matches!(input, Input::Key(Key { code: Code::Char('z'), .. })) || matches!(input, Input::Paste(_))
        };
        assert!(inputs.iter().any(is_z), "{bytes:?} swallowed what came after it: {inputs:?}");
    }
}

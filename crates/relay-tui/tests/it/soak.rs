//! Work for a long time: one session that never ends, with deltas, tools, keys and resizes. Half an hour with `./test --long`, a
//! moment otherwise. Nothing breaks, nothing gets stuck, and memory stays within its bound.

use std::time::{Duration, Instant};

use relay_tui::input::{Code, Key};
use relay_tui::render::Abilities;
use relay_tui::{App, Input, Renderer};
use serde_json::{Value, json};

/// What the interface may take in a long session, beside what the test itself has.
const MEMORY_BYTES: usize = 40 << 20;
/// Rounds of the short form.
const ROUNDS: usize = 60;

/// The memory of this process that is really there; `None` where the system does not say.
fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split(' ').nth(1)?.parse::<usize>().ok().map(|pages| pages * 4096)
}

struct Soak {
    app: App,
    renderer: Renderer,
    now_ms: u64,
    drawn: usize,
}

impl Soak {
    fn new() -> Self {
        let mut soak = Self {
            app: App::new(100, 30),
            renderer: Renderer::new(Abilities::default(), 100, 30),
            now_ms: 0,
            drawn: 0,
        };
        soak.frame(json!({ "type": "ready" }));
        soak
    }

    fn take(&mut self, input: Input) {
        drop(self.app.update(self.now_ms, input));
    }

    fn frame(&mut self, frame: Value) {
        self.take(Input::Frame(frame));
    }

    fn draw(&mut self) {
        self.now_ms += 25;
        let frame = self.app.frame();
        for output in self.app.take_wanted() {
            if let relay_tui::Output::Highlight(job) = output {
                self.take(Input::Highlighted(job.work()));
            }
        }
        self.drawn += self.renderer.draw(frame).len();
    }

    /// One prompt with its answer: text, code, a command with output, keys of a person meanwhile.
    fn round(&mut self, number: usize) {
        self.frame(json!({ "type": "agent_start" }));
        self.frame(json!({ "type": "message_end", "message": { "role": "user", "content": format!("prompt {number}") } }));
        self.frame(json!({ "type": "message_start" }));
        let answer = format!(
            "Answer **{number}**\n\n```rust\nfn number() -> u32 {{ {number} }}\n```\n\n- one\n- two\n\n"
        );
        for (at, word) in answer.split_inclusive(' ').enumerate() {
            let event = json!({ "type": "text_delta", "contentIndex": 0, "delta": word });
            self.frame(json!({ "type": "message_update", "assistantMessageEvent": event }));
            if at.is_multiple_of(4) {
                self.take(Input::Key(Key::plain(Code::Char('x'))));
                self.draw();
            }
        }
        let id = format!("c{number}");
        self.frame(json!({ "type": "tool_execution_start", "toolCallId": id, "toolName": "bash", "args": { "command": "make" } }));
        let output: String = (0..40).map(|line| format!("line {line} of {number}\n")).collect();
        self.frame(json!({ "type": "tool_execution_end", "toolCallId": id, "toolName": "bash",
            "result": { "content": [{ "type": "text", "text": output }] }, "isError": false }));
        self.frame(json!({ "type": "agent_end", "status": "done" }));
        self.draw();
        self.take(Input::Key(Key { ctrl: true, ..Key::plain(Code::Char('c')) }));
        if number.is_multiple_of(7) {
            let width = 40 + u16::try_from(number % 80).unwrap();
            self.take(Input::Resize(width, 24));
            let frame = self.app.frame();
            let (above, all) = self.app.above(24);
            self.drawn += self.renderer.resize(width, 24, &above, all, frame).len();
        }
        if number.is_multiple_of(11) {
            self.take(Input::Key(Key { ctrl: true, ..Key::plain(Code::Char('o')) }));
            self.draw();
            self.take(Input::Key(Key::plain(Code::Esc)));
        }
        // Twice within half a second would quit.
        self.now_ms += 1_000;
        self.draw();
    }
}

#[test]
fn a_long_session_stays_quick_and_small() {
    let is_long = std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes");
    let until = Instant::now() + Duration::from_secs(30 * 60);
    let mut soak = Soak::new();
    soak.round(0);
    let before = resident();
    let mut number = 1;
    while if is_long { Instant::now() < until } else { number < ROUNDS } {
        soak.round(number);
        number += 1;
        // About as fast as a model answers: a prompt in a second, for as long as it takes.
        if is_long {
            std::thread::sleep(Duration::from_millis(500));
        }
    }
    assert!(soak.drawn > 0 && !soak.app.is_busy() && !soak.app.has_overlay());
    if let (Some(before), Some(after)) = (before, resident()) {
        let grown = after.saturating_sub(before);
        assert!(grown < MEMORY_BYTES, "{number} rounds took {} MB", grown >> 20);
    }
}

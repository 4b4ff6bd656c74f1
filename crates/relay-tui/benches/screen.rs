//! What the interface costs: `cargo bench -p relay-tui` prints a table. Times are of this process, without the terminal's own.

#![allow(missing_docs, reason = "a program, not a library")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark that cannot run should say so loudly"
)]

use std::time::Instant;

use relay_tui::input::{Code, Key};
use relay_tui::render::Abilities;
use relay_tui::{App, Input, Renderer};
use serde_json::{Value, json};

/// Lines of the long conversation.
const LINES: usize = 50_000;
/// Deltas per second.
const DELTAS: usize = 2_000;

fn main() {
    start();
    keystrokes();
    long_conversation();
}

/// An interface and what draws it.
struct Bench {
    app: App,
    renderer: Renderer,
    now_ms: u64,
}

impl Bench {
    fn new() -> Self {
        let mut bench = Self {
            app: App::new(120, 40),
            renderer: Renderer::new(Abilities::default(), 120, 40),
            now_ms: 0,
        };
        bench.take(Input::Frame(json!({ "type": "ready" })));
        bench
    }

    fn take(&mut self, input: Input) {
        drop(self.app.update(self.now_ms, input));
    }

    fn draw(&mut self) -> usize {
        let frame = self.app.frame();
        drop(self.app.take_wanted());
        self.renderer.draw(frame).len()
    }

    fn delta(&mut self, text: &str) {
        let event = json!({ "type": "text_delta", "contentIndex": 0, "delta": text });
        self.take(Input::Frame(json!({ "type": "message_update", "assistantMessageEvent": event })));
    }
}

fn report(what: &str, mut times_us: Vec<u128>) {
    times_us.sort_unstable();
    let at = |percent: usize| times_us[(times_us.len() - 1) * percent / 100];
    println!("{what:<58} median {:>7} us   99 % {:>7} us   worst {:>7} us", at(50), at(99), at(100));
}

/// From nothing to the first frame.
fn start() {
    let times = (0..50).map(|_| {
        let begun = Instant::now();
        let mut bench = Bench::new();
        assert!(bench.draw() > 0);
        begun.elapsed().as_micros()
    });
    report("first frame", times.collect());
}

/// A key, while an answer of one long code block streams in: a frame's share of deltas, the key, the frame.
fn keystrokes() {
    let mut bench = Bench::new();
    bench.take(Input::Frame(json!({ "type": "agent_start" })));
    bench.delta("```rust\n");
    let mut times = Vec::new();
    let per_frame = DELTAS / 60;
    for at in 0..600 {
        bench.now_ms += 16;
        let begun = Instant::now();
        for number in 0..per_frame {
            bench.delta(if number % 8 == 7 { "();\n" } else { "let value = call" });
        }
        bench.take(Input::Key(Key::plain(if at % 40 == 39 { Code::Backspace } else { Code::Char('x') })));
        bench.draw();
        times.push(begun.elapsed().as_micros());
    }
    report("keystroke to bytes, 2,000 deltas per second, 10 s", times);
}

/// A conversation of 50,000 lines: drawn after a resize, and scrolled from end to end in the view of the whole.
fn long_conversation() {
    let mut bench = Bench::new();
    let paragraph = "A paragraph of an answer with `code` and **bold** words that is long enough to wrap.\n\n- one\n- two\n- three";
    let messages: Vec<Value> = (0..LINES / 6)
        .map(|_| json!({ "role": "assistant", "content": [{ "type": "text", "text": paragraph }] }))
        .collect();
    let begun = Instant::now();
    bench.take(Input::Frame(json!({ "type": "response", "command": "get_messages", "success": true, "data": { "messages": messages } })));
    bench.draw();
    println!("{:<58} {:>14} ms", "50,000 lines read and drawn once", begun.elapsed().as_millis());
    let mut times = Vec::new();
    for step in 0..60_u16 {
        let begun = Instant::now();
        let (width, height) = (60 + step, 20 + step / 3);
        bench.take(Input::Resize(width, height));
        let frame = bench.app.frame();
        let (above, all) = bench.app.above(usize::from(height));
        drop(bench.renderer.resize(width, height, &above, all, frame));
        times.push(begun.elapsed().as_micros());
    }
    report("resize with 50,000 lines", times);
    bench.take(Input::Key(Key::ctrl('o')));
    let mut times = Vec::new();
    for key in [Code::Char('g'), Code::PageDown, Code::PageUp, Code::Down, Code::Char('G'), Code::PageUp]
        .into_iter()
        .cycle()
        .take(300)
    {
        let begun = Instant::now();
        bench.take(Input::Key(Key::plain(key)));
        bench.draw();
        times.push(begun.elapsed().as_micros());
    }
    report("scrolling with 50,000 lines", times);
    println!("{:<58} {:>14} MB", "memory with 50,000 lines", resident_kb() / 1024);
}

/// Memory that this process holds.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
}

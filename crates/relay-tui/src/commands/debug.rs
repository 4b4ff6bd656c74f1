//! `/debug`: what was sent and received, the log, and a report without secrets for whoever looks for a fault.

use serde_json::{Value, json};

use super::Part;
use crate::app::App;
use crate::conversation::{Block, Level, State, ToolCall, duration, number};
use crate::output::Output;
use crate::overlay::{Entry, Log, Menu, Pages};
use crate::text::{Line, Style, clean, clean_line};
use crate::theme::Token;

/// The parts: the word after `/debug`, and what it does.
pub(super) const PARTS: &[Part] = &[
    ("dump", "", "write a report bundle, with secrets removed"),
    ("logs", "", "what happened, with times"),
    ("raw-sse", "", "what the provider sent, frame by frame"),
    ("work", "", "what is under way, and what took how long"),
    ("memory", "", "how much memory this program takes, and what for"),
    ("system", "", "versions, terminal, sandbox, settings that were changed"),
    ("open-artifacts", "", "outputs that are kept beside this session"),
    ("transcript", "", "copy the whole conversation"),
    ("clear-cache", "", "delete artifacts older than 30 days"),
];

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

impl App {
    pub(super) fn debug(&mut self, rest: &str) {
        let (part, more) = rest.split_once(' ').unwrap_or((rest, ""));
        match (part, more.trim()) {
            ("", _) => {
                let entry =
                    |(name, _, about): &Part| Entry::new(format!("/debug {name}"), *name).detail(*about);
                let note = "Nothing leaves this machine.";
                self.open(Box::new(Menu::new("debug", note, PARTS.iter().map(entry).collect())));
            }
            ("dump" | "report", _) => {
                self.notice(Level::Info, "collecting the report");
                self.ask_of_session("debug_report", "");
            }
            ("logs", scope) => self.send(json!({ "type": "debug_log", "own": scope != "all" })),
            ("raw-sse" | "raw", _) => self.ask("debug_raw"),
            ("work", _) => self.show_work(),
            ("memory", _) => self.ask("debug_memory"),
            ("system", _) => self.ask("debug_system"),
            ("open-artifacts" | "artifacts", "") => self.ask_of_session("debug_artifacts", ""),
            ("open-artifacts" | "artifacts", name) => self.ask_of_session("debug_artifact", name),
            ("transcript", _) => self.ask("dump"),
            ("clear-cache" | "clear", "now") => self.send(json!({ "type": "debug_clear", "dryRun": false })),
            ("clear-cache" | "clear", _) => self.send(json!({ "type": "debug_clear", "dryRun": true })),
            _ => {
                let names: Vec<&str> = PARTS.iter().map(|(name, ..)| *name).collect();
                self.notice(Level::Warning, &format!("/debug {}", names.join("|")));
            }
        }
    }

    fn ask_of_session(&mut self, kind: &str, name: &str) {
        let session = self.session.id.clone();
        self.send(json!({ "type": kind, "session": session, "name": name }));
    }

    pub(super) fn take_debug_answer(&mut self, command: &str, data: &Value) {
        match command {
            "debug_report" => {
                let path = text(data, "path");
                self.push_output(Output::Copy(path.clone()));
                let kilobytes = number(data, "bytes").div_ceil(1024);
                let said = format!(
                    "written to {path} ({kilobytes} KB; the path is copied)\nSecrets that Relay knows or recognises are removed. \
                     Look through it all the same before you send it to anyone."
                );
                self.notice(Level::Success, &said);
            }
            "debug_log" => self.show_log(data),
            "debug_raw" => self.show_raw(data),
            "debug_memory" => self.show_memory(data),
            "debug_system" | "debug_artifact" => {
                let lines =
                    clean(&text(data, "text")).lines().map(|line| Line::of(line, Style::default())).collect();
                let title = if command == "debug_system" { "system".to_owned() } else { text(data, "name") };
                self.open(Box::new(Pages::new(title, lines)));
            }
            "debug_artifacts" => {
                let entry = |artifact: &Value| {
                    let name = text(artifact, "name");
                    Entry::new(format!("/debug open-artifacts {name}"), name)
                        .note(format!("{} bytes", number(artifact, "bytes")))
                };
                let entries: Vec<Entry> = list(data, "artifacts").iter().map(entry).collect();
                if entries.is_empty() {
                    return self.notice(Level::Info, "this session has no artifacts");
                }
                self.open(Box::new(Menu::new("artifacts", &text(data, "folder"), entries)));
            }
            "debug_clear" => self.cleared(data),
            _ => {}
        }
    }

    /// What would be deleted, for a decision; or what was.
    fn cleared(&mut self, data: &Value) {
        let (count, kilobytes) = (number(data, "count"), number(data, "bytes").div_ceil(1024));
        let what = format!("{count} artifacts older than 30 days, {kilobytes} KB");
        if data.get("dryRun").and_then(Value::as_bool) != Some(true) {
            return self.notice(Level::Success, &format!("deleted {what}"));
        }
        if count == 0 {
            return self.notice(Level::Info, "there are no artifacts older than 30 days");
        }
        let entries = vec![
            Entry::new("/debug clear-cache now", format!("Delete {what}")),
            Entry::new("/debug", "Keep them"),
        ];
        let note = "Sessions stay; the full outputs of their old commands are gone then.";
        self.open(Box::new(Menu::new("delete old artifacts?", note, entries)));
    }

    fn show_log(&mut self, data: &Value) {
        let is_own = data.get("own").and_then(Value::as_bool).unwrap_or_default();
        let lines = list(data, "lines").iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let log = Log::new(lines, number(data, "pid").to_string(), is_own, &self.view());
        self.open(Box::new(log));
    }

    /// What is under way, and which tools took how long in this session.
    fn show_work(&mut self) {
        let view = self.view();
        let (muted, plain) = (view.fg(Token::Muted), view.fg(Token::Text));
        let head = |text: &str| Line::of(text.to_owned(), view.fg(Token::Accent).bold());
        let mut lines = vec![head("under way")];
        let mut say = |text: String| lines.push(Line::of(format!("  {text}"), plain));
        match self.run.since {
            Some(since) => {
                let what = self.run.note.as_deref().unwrap_or("the agent works");
                say(format!("{}, since {}", clean_line(what), duration(view.now_ms.saturating_sub(since))));
            }
            None => say("the agent is idle".to_owned()),
        }
        for call in self.conversation.blocks().iter().flat_map(calls) {
            if let State::Running(since) = call.state {
                let title = crate::conversation::tool_title(&call.name, &call.arguments);
                let took = duration(view.now_ms.saturating_sub(since));
                say(format!("{} {}, since {took}", call.name, clean_line(&title)));
            }
        }
        for job in self.panels.jobs.iter().filter(|job| job.status == "running") {
            say(format!("job {}: {}", job.id, clean_line(&job.label)));
        }
        let waiting = self.session.steering.len() + self.session.follow_up.len();
        if waiting > 0 {
            say(format!("{waiting} messages wait"));
        }
        lines.push(Line::new());
        lines.push(head("tools in this session"));
        lines.push(Line::of("  tool             calls  failed     time  slowest", muted));
        for (name, calls, failed, time, slowest) in tallied(self.conversation.blocks()) {
            let (time, slowest) = (duration(time), duration(slowest));
            let text = format!("  {:<16} {calls:>5}  {failed:>6} {time:>8} {slowest:>8}", clean_line(&name));
            lines.push(Line::of(text, plain));
        }
        self.open(Box::new(Pages::new("work", lines)));
    }

    fn show_memory(&mut self, data: &Value) {
        let view = self.view();
        let blocks = self.conversation.blocks();
        let text: usize = blocks.iter().map(Block::bytes).sum();
        let row = |name: &str, said: String| {
            Line::of(format!("  {name:<22}"), view.fg(Token::Muted)).and(said, view.fg(Token::Text))
        };
        let megabytes = |name: &str| match number(data, name) {
            0 => "unknown on this system".to_owned(),
            kilobytes => format!("{}.{} MB", kilobytes / 1024, kilobytes % 1024 * 10 / 1024),
        };
        let lines = vec![
            row("now", megabytes("residentKb")),
            row("at most so far", megabytes("peakKb")),
            row("threads", number(data, "threads").to_string()),
            Line::new(),
            row("conversation", format!("{} parts, {} KB of text", blocks.len(), text.div_ceil(1024))),
            row(
                "raw stream",
                format!(
                    "{} frames, {} KB",
                    number(data, "frames"),
                    number(data, "frameBytes").div_ceil(1024)
                ),
            ),
        ];
        self.open(Box::new(Pages::new("memory", lines)));
    }

    fn show_raw(&mut self, data: &Value) {
        let frames = list(data, "frames");
        if frames.is_empty() {
            return self.notice(Level::Info, "no provider has sent anything yet");
        }
        let view = self.view();
        let mut lines = Vec::new();
        for frame in frames {
            let head = format!("{} {}", text(frame, "at"), text(frame, "from"));
            lines.push(Line::of(clean_line(&head), view.fg(Token::Dim)));
            lines
                .extend(clean(&text(frame, "text")).lines().map(|line| Line::of(line, view.fg(Token::Text))));
            let cut = number(frame, "cut");
            if cut > 0 {
                let said = format!("{} {cut} characters left out", view.sign(crate::theme::Symbol::Ellipsis));
                lines.push(Line::of(said, view.fg(Token::Warning)));
            }
        }
        self.open(Box::new(Pages::new(format!("raw stream, {} frames", frames.len()), lines).at_end()));
    }
}

/// The calls in a part of the conversation.
fn calls(block: &Block) -> &[ToolCall] {
    match block {
        Block::Tool(call) => std::slice::from_ref(call),
        Block::Reads(calls, _) => calls,
        _ => &[],
    }
}

/// Each tool with how often it was called, how often it failed, how long it took in all and at most; the slowest first.
fn tallied(blocks: &[Block]) -> Vec<(String, u64, u64, u64, u64)> {
    let mut rows: Vec<(String, u64, u64, u64, u64)> = Vec::new();
    for call in blocks.iter().flat_map(calls) {
        let (failed, took) = match call.state {
            State::Succeeded(took) => (0, took),
            State::Failed(took) => (1, took),
            _ => continue,
        };
        match rows.iter_mut().find(|row| row.0 == call.name) {
            Some(row) => {
                *row = (std::mem::take(&mut row.0), row.1 + 1, row.2 + failed, row.3 + took, row.4.max(took));
            }
            None => rows.push((call.name.clone(), 1, failed, took, took)),
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.3));
    rows
}

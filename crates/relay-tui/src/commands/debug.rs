//! `/debug`: what was sent and received, the log, and a report without secrets for whoever looks for a fault.

use serde_json::{Value, json};

use crate::app::App;
use crate::conversation::{Level, number};
use crate::output::Output;
use crate::overlay::{Entry, Menu, Pages};
use crate::text::{Line, Style, clean, clean_line};
use crate::theme::Token;

/// The parts: the word after `/debug`, and what it does.
const PARTS: [(&str, &str); 7] = [
    ("report", "write a report bundle, with secrets removed"),
    ("logs", "what happened, with times"),
    ("raw", "what the provider sent, frame by frame"),
    ("system", "versions, terminal, sandbox, settings that were changed"),
    ("artifacts", "outputs that are kept beside this session"),
    ("transcript", "copy the whole conversation"),
    ("clear", "delete artifacts older than 30 days"),
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
                let entry = |(name, about): &(&str, &'static str)| {
                    Entry::new(format!("/debug {name}"), *name).detail(*about)
                };
                let note = "Nothing leaves this machine.";
                self.open(Box::new(Menu::new("debug", note, PARTS.iter().map(entry).collect())));
            }
            ("report", _) => {
                self.notice(Level::Info, "collecting the report");
                self.ask_of_session("debug_report", "");
            }
            ("logs", scope) => self.send(json!({ "type": "debug_log", "own": scope != "all" })),
            ("raw", _) => self.ask("debug_raw"),
            ("system", _) => self.ask("debug_system"),
            ("artifacts", "") => self.ask_of_session("debug_artifacts", ""),
            ("artifacts", name) => self.ask_of_session("debug_artifact", name),
            ("transcript", _) => self.ask("dump"),
            ("clear", "now") => self.send(json!({ "type": "debug_clear", "dryRun": false })),
            ("clear", _) => self.send(json!({ "type": "debug_clear", "dryRun": true })),
            _ => {
                let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
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
            "debug_system" | "debug_artifact" => {
                let lines =
                    clean(&text(data, "text")).lines().map(|line| Line::of(line, Style::default())).collect();
                let title = if command == "debug_system" { "system".to_owned() } else { text(data, "name") };
                self.open(Box::new(Pages::new(title, lines)));
            }
            "debug_artifacts" => {
                let entry = |artifact: &Value| {
                    let name = text(artifact, "name");
                    Entry::new(format!("/debug artifacts {name}"), name)
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
        let entries =
            vec![Entry::new("/debug clear now", format!("Delete {what}")), Entry::new("/debug", "Keep them")];
        let note = "Sessions stay; the full outputs of their old commands are gone then.";
        self.open(Box::new(Menu::new("delete old artifacts?", note, entries)));
    }

    fn show_log(&mut self, data: &Value) {
        let style = self.view().fg(Token::Text);
        let is_own = data.get("own").and_then(Value::as_bool).unwrap_or_default();
        let lines: Vec<Line> = list(data, "lines")
            .iter()
            .filter_map(Value::as_str)
            .map(|line| Line::of(clean_line(line), style))
            .collect();
        let (title, hint, other) = if is_own {
            ("log of this process", "all processes", "/debug logs all")
        } else {
            ("log", "only this process", "/debug logs")
        };
        let pages = Pages::new(title, lines).at_end().with_key('p', hint, other);
        self.open(Box::new(pages));
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

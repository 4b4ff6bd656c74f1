//! What a run of the agent shows: the answer on standard output as it arrives, everything else on standard error.

use relay_agent::event::{CompactionEvent, Ended, Event, MessageEvent, RetryEvent, RunEvent, ToolEvent};
use relay_llm::Kind;
use serde_json::Value;

use super::style::{BAD, FAINT, NOTE, PLACE, paint};
use super::{print_exactly, tell, visible};

/// The longest line about a call.
const CALL_COLUMNS: usize = 100;

/// Shows events as they arrive.
pub struct Show {
    /// Whether the answer goes to standard output as it arrives.
    streams: bool,
    /// Whether the last thing written to standard output ended its line.
    at_line_start: bool,
    said_something: bool,
}

impl Show {
    pub fn new(streams: bool) -> Self {
        Self { streams, at_line_start: true, said_something: false }
    }

    pub fn event(&mut self, event: &Event) {
        match event {
            Event::Message(MessageEvent::Delta { kind: Kind::Text, text, .. }) if self.streams => {
                self.say(text);
            }
            Event::Message(MessageEvent::Discarded) if self.said_something => {
                self.end_line();
                tell(&format!("{}\n", paint(NOTE, "ignore the text above; the model is answering again")));
            }
            Event::Tool(ToolEvent::Start { name, arguments, .. }) => {
                self.end_line();
                tell(&format!("{} {}\n", paint(PLACE, name), paint(FAINT, visible(&call(arguments)))));
            }
            Event::Tool(ToolEvent::End { name, output, .. }) if output.is_error => {
                let text = output.plain_text();
                let first = text.lines().next().unwrap_or_default();
                tell(&format!("  {} {}\n", paint(BAD, format_args!("{name}:")), visible(&cut(first))));
            }
            Event::Retry(RetryEvent::Start { attempt, max_attempts, delay_ms, error }) => {
                self.end_line();
                let seconds = delay_ms.div_ceil(1000);
                tell(&format!(
                    "{}\n",
                    paint(
                        NOTE,
                        format_args!(
                            "Retrying ({attempt}/{max_attempts}) in {seconds}s… (Ctrl-C to cancel) {}",
                            visible(error)
                        )
                    )
                ));
            }
            Event::Retry(RetryEvent::End { success: false, attempt, error }) => {
                let why = error.as_deref().unwrap_or_default();
                let attempts = super::style::count(*attempt as usize, "attempt");
                tell(&format!(
                    "{}\n",
                    paint(BAD, format_args!("Retry failed after {attempts}: {}", visible(why)))
                ));
            }
            Event::Retry(RetryEvent::FellBack { to }) => {
                tell(&format!("{}\n", paint(NOTE, format_args!("{} answers instead", visible(to)))));
            }
            Event::Compaction(CompactionEvent::Start { .. }) => {
                self.end_line();
                tell(&format!("{}\n", paint(FAINT, "compacting the conversation…")));
            }
            Event::Rules { rules, .. } => {
                self.end_line();
                tell(&format!("{}\n", paint(NOTE, format_args!("rule: {}", visible(&rules.join(", "))))));
            }
            Event::Notice { text, .. } => {
                self.end_line();
                tell(&format!("{}\n", paint(NOTE, visible(text))));
            }
            Event::Run(RunEvent::End { ended, .. }) => {
                self.end_line();
                if *ended == Ended::Aborted {
                    tell(&format!("{}\n", paint(NOTE, "aborted; `relay resume` continues")));
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.said_something = true;
        self.at_line_start = text.ends_with('\n');
        print_exactly(&visible_lines(text));
    }

    fn end_line(&mut self) {
        if !self.at_line_start && self.streams {
            print_exactly("\n");
            self.at_line_start = true;
        }
    }
}

/// A model's text with its line breaks kept and all other control characters escaped.
fn visible_lines(text: &str) -> String {
    text.split('\n').map(|line| visible(line).into_owned()).collect::<Vec<_>>().join("\n")
}

/// A call's arguments on one line.
fn call(arguments: &Value) -> String {
    let Some(object) = arguments.as_object() else { return String::new() };
    let parts = object.iter().map(|(key, value)| match value {
        Value::String(text) => {
            let first = text.lines().next().unwrap_or_default();
            if matches!(key.as_str(), "path" | "command" | "pattern") {
                first.to_owned()
            } else {
                format!("{key}: {first}")
            }
        }
        Value::Array(items) => format!("{key}: {} items", items.len()),
        other => format!("{key}: {other}"),
    });
    cut(&parts.collect::<Vec<_>>().join(" · "))
}

fn cut(text: &str) -> String {
    if text.chars().count() <= CALL_COLUMNS {
        return text.to_owned();
    }
    let kept: String = text.chars().take(CALL_COLUMNS - 1).collect();
    format!("{kept}…")
}

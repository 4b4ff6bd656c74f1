//! What runs in the background: commands and subagents, their output, and ending them.

use serde_json::{Value, json};

use super::{Entry, List, ListKey, Overlay, Pages, Step, Wish};
use crate::conversation::{Conversation, Level, duration, number};
use crate::input::{Code, Key};
use crate::text::{Line, Style, clean};
use crate::theme::Symbol;
use crate::view::View;

/// How often the list is asked for again while it is open.
const LOOK_MS: u64 = 1000;
/// Lines of output in the preview.
const PREVIEW: usize = 12;

/// A list of jobs.
pub struct Jobs {
    list: List,
    /// The job that Enter opens once its output is here.
    opening: Option<String>,
    asked_ms: u64,
}

impl Default for Jobs {
    fn default() -> Self {
        let mut list = List::new("jobs", Vec::new());
        list.empty = "nothing runs in the background".to_owned();
        list.hints = vec![("ctrl+x".to_owned(), "end it")];
        Self { list, opening: None, asked_ms: 0 }
    }
}

impl Jobs {
    fn current(&self) -> Option<String> {
        self.list.current().map(|entry| entry.id.clone())
    }

    /// Asks for what the selected job has written.
    fn preview(&self) -> Step {
        self.current()
            .map_or(Step::Stay, |id| Step::want(Wish::Rpc(json!({ "type": "read_job", "jobId": id }))))
    }
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn entry(job: &Value) -> Entry {
    let status = text(job, "status");
    let mark = match status.as_str() {
        "running" => Symbol::StatusRunning,
        "completed" => Symbol::StatusSuccess,
        "cancelled" => Symbol::StatusAborted,
        _ => Symbol::StatusError,
    };
    let label = text(job, "label");
    let note = format!("{status}  {}", duration(number(job, "durationMs")));
    Entry { mark: Some(mark), ..Entry::new(text(job, "id"), label).detail(text(job, "id")).note(note) }
}

impl Overlay for Jobs {
    fn opened(&mut self) -> Vec<Wish> {
        vec![Wish::Rpc(json!({ "type": "get_jobs" }))]
    }

    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        self.list.lines(view)
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.list.cursor(view)
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if key.ctrl && key.code == Code::Char('x') {
            return self.current().map_or(Step::Stay, |id| {
                Step::Do(vec![
                    Wish::Rpc(json!({ "type": "cancel_job", "jobId": id })),
                    Wish::Rpc(json!({ "type": "get_jobs" })),
                ])
            });
        }
        match self.list.key(key, self.list.rows(view)) {
            ListKey::Chosen => {
                self.opening = self.current();
                self.preview()
            }
            ListKey::Left => Step::Close,
            ListKey::Taken => self.preview(),
            ListKey::Other => Step::Stay,
        }
    }

    fn paste(&mut self, text: &str) -> Step {
        self.list.paste(text);
        Step::Stay
    }

    fn response(&mut self, command: &str, answer: Result<&Value, &str>) -> Option<Step> {
        match (command, answer) {
            ("get_jobs", Ok(data)) => {
                let jobs = data.get("jobs")?.as_array()?;
                self.list.set(jobs.iter().rev().map(entry).collect());
                // The panel above the editor shows the same jobs.
                Some(Step::want(Wish::Jobs(data.clone())))
            }
            ("read_job", Ok(data)) => {
                let (id, output) = (text(data, "jobId"), text(data, "text"));
                let lines: Vec<Line> =
                    clean(output.trim_end()).lines().map(|line| Line::of(line, Style::default())).collect();
                if self.opening.take_if(|opening| *opening == id).is_some() {
                    return Some(Step::want(Wish::Open(Box::new(Pages::new(format!("job {id}"), lines)))));
                }
                let skip = lines.len().saturating_sub(PREVIEW);
                self.list.show(&id, lines.into_iter().skip(skip).collect());
                Some(Step::Stay)
            }
            ("cancel_job", Ok(data)) => {
                self.list.subtitle = match text(data, "status").as_str() {
                    "cancelled" => "ended".to_owned(),
                    "already_completed" => "it has ended already".to_owned(),
                    other => other.replace('_', " "),
                };
                Some(Step::Stay)
            }
            ("get_jobs" | "read_job" | "cancel_job", Err(error)) => {
                Some(Step::want(Wish::Notice(Level::Error, error.to_owned())))
            }
            _ => None,
        }
    }

    fn next_tick(&self) -> Option<u64> {
        let is_running = |entry: &Entry| entry.mark == Some(Symbol::StatusRunning);
        self.list.entries().iter().any(is_running).then_some(LOOK_MS)
    }

    fn tick(&mut self, now_ms: u64) -> Step {
        if now_ms < self.asked_ms + LOOK_MS {
            return Step::Stay;
        }
        self.asked_ms = now_ms;
        Step::want(Wish::Rpc(json!({ "type": "get_jobs" })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;

    #[test]
    fn jobs_are_listed_read_and_ended() {
        let app = App::new(80, 24);
        let mut jobs = Jobs::default();
        let data = json!({ "jobs": [
            { "id": "bg_1", "label": "npm run dev", "status": "running", "durationMs": 61_000 },
            { "id": "bg_2", "label": "make", "status": "completed", "durationMs": 900 } ] });
        jobs.response("get_jobs", Ok(&data));
        assert_eq!(jobs.current().as_deref(), Some("bg_2"), "the newest is first");
        assert_eq!(jobs.next_tick(), Some(LOOK_MS));
        jobs.key(&Key::plain(Code::Down), &app.view());
        let drawn: String =
            jobs.lines(&app.view(), &app.conversation).iter().map(|line| line.text() + "\n").collect();
        assert!(drawn.contains("npm run dev") && drawn.contains("1m 01s"), "{drawn}");
        assert!(matches!(jobs.key(&Key::plain(Code::Enter), &app.view()), Step::Do(_)));
        let output = json!({ "jobId": "bg_1", "text": "listening\n" });
        let opened = jobs.response("read_job", Ok(&output));
        assert!(matches!(opened, Some(Step::Do(wishes)) if matches!(&wishes[..], [Wish::Open(_)])));
        let Step::Do(wishes) = jobs.key(&Key { ctrl: true, ..Key::plain(Code::Char('x')) }, &app.view())
        else {
            panic!("nothing is ended")
        };
        let expected = json!({ "type": "cancel_job", "jobId": "bg_1" });
        assert!(matches!(&wishes[0], Wish::Rpc(command) if *command == expected));
    }
}

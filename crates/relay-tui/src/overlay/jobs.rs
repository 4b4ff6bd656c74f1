//! What runs in the background: commands and, once there are some, other agents; their output as it comes, and ending them.

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

/// What is shown of the jobs, in the order of the tabs.
const TABS: [&str; 3] = ["all", "commands", "agents"];

/// A list of jobs.
pub struct Jobs {
    list: List,
    /// Every job, as the agent lists them.
    jobs: Vec<Value>,
    /// The job that Enter opens once its output is here.
    opening: Option<String>,
    asked_ms: u64,
}

impl Default for Jobs {
    fn default() -> Self {
        let mut list = List::new("jobs", Vec::new());
        list.empty = "nothing runs in the background".to_owned();
        list.hints = vec![("ctrl+x".to_owned(), "end it")];
        list.below = PREVIEW;
        Self { list, jobs: Vec::new(), opening: None, asked_ms: 0 }
    }
}

impl Jobs {
    /// Puts the jobs of the open tab into the list. There are tabs once there is more than one kind.
    fn arrange(&mut self) {
        let has_agents = self.jobs.iter().any(is_agent);
        self.list.tabs = if has_agents { TABS.map(str::to_owned).to_vec() } else { Vec::new() };
        let tab = if has_agents { self.list.tab } else { 0 };
        let is_shown = |job: &&Value| match tab {
            1 => !is_agent(job),
            2 => is_agent(job),
            _ => true,
        };
        let previews: Vec<(String, Vec<Line>)> =
            self.list.entries().iter().map(|entry| (entry.id.clone(), entry.preview.clone())).collect();
        self.list.set(self.jobs.iter().rev().filter(is_shown).map(entry).collect());
        previews.into_iter().for_each(|(id, preview)| self.list.show(&id, preview));
        let running = self.jobs.iter().filter(|job| text(job, "status") == "running").count();
        self.list.title = if running == 0 { "jobs".to_owned() } else { format!("jobs, {running} running") };
    }

    fn current(&self) -> Option<String> {
        self.list.current().map(|entry| entry.id.clone())
    }

    /// Asks for what the selected job has written.
    fn preview(&self) -> Step {
        self.current()
            .map_or(Step::Stay, |id| Step::want(Wish::Rpc(json!({ "type": "read_job", "jobId": id }))))
    }
}

/// Whether a job is another agent at work.
fn is_agent(job: &Value) -> bool {
    matches!(job.get("type").and_then(Value::as_str), Some("task" | "agent" | "subagent"))
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
    let kind = text(job, "type");
    let detail = if matches!(kind.as_str(), "" | "bash") {
        text(job, "id")
    } else {
        format!("{} {kind}", text(job, "id"))
    };
    Entry { mark: Some(mark), ..Entry::new(text(job, "id"), label).detail(detail).note(note) }
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
            ListKey::Taken => {
                self.arrange();
                self.preview()
            }
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
                self.jobs.clone_from(data.get("jobs")?.as_array()?);
                self.arrange();
                // The panel above the editor shows the same jobs.
                let mut wishes = vec![Wish::Jobs(data.clone())];
                if let Some(id) = self.current() {
                    wishes.push(Wish::Rpc(json!({ "type": "read_job", "jobId": id })));
                }
                Some(Step::Do(wishes))
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
    fn agents_have_a_tab_of_their_own_and_output_is_shown_as_it_comes() {
        let app = App::new(80, 24);
        let mut jobs = Jobs::default();
        let data = json!({ "jobs": [
            { "id": "bg_1", "type": "bash", "label": "npm run dev", "status": "running", "durationMs": 1_000 },
            { "id": "t_1", "type": "task", "label": "look at the parser", "status": "running", "durationMs": 900 } ] });
        let Some(Step::Do(wishes)) = jobs.response("get_jobs", Ok(&data)) else { panic!("nothing is asked") };
        assert!(
            matches!(&wishes[1], Wish::Rpc(command) if command["type"] == "read_job" && command["jobId"] == "t_1")
        );
        jobs.response("read_job", Ok(&json!({ "jobId": "t_1", "text": "reading src/parser.rs\n" })));
        jobs.response("get_jobs", Ok(&data));
        let shown = |jobs: &Jobs| -> String {
            jobs.lines(&app.view(), &app.conversation).iter().map(|line| line.text() + "\n").collect()
        };
        assert!(
            shown(&jobs).contains("jobs, 2 running") && shown(&jobs).contains("reading src/parser.rs"),
            "{}",
            shown(&jobs)
        );
        jobs.key(&Key::plain(Code::Tab), &app.view());
        assert!(
            shown(&jobs).contains("npm run dev") && !shown(&jobs).contains("look at"),
            "{}",
            shown(&jobs)
        );
        jobs.key(&Key::plain(Code::Tab), &app.view());
        assert!(
            !shown(&jobs).contains("npm run dev") && shown(&jobs).contains("t_1 task"),
            "{}",
            shown(&jobs)
        );
    }

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

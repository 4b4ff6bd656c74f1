//! How the watcher looks: one status line at the bottom, and short permanent texts above it.

use std::time::Instant;

use relay_engine::Recognised;

use super::message::{Question, Repair};
use super::model::{Model, Phase};
use crate::terminal::progress::cut;
use crate::terminal::style::{BAD, FAINT, GOOD, NOTE, PLACE, STRONG, Style, paint, unpainted};
use crate::terminal::widgets::{keys as hints, rule, spinner};
use crate::terminal::{columns, visible, width};

/// The first thing shown.
pub fn banner(model: &Model) -> String {
    let project = model.config.project_id.as_deref().unwrap_or_default();
    format!(
        "{} {} for {}\n",
        paint(STRONG, "watching"),
        visible(&model.place),
        paint(PLACE, visible(project)),
    )
}

/// The time at which a reply arrived.
pub fn found(time: &str) -> String {
    format!("{} {} {}\n", paint(PLACE, "▸"), paint(STRONG, "found a reply"), paint(FAINT, time))
}

/// Something worth a line.
pub fn note(text: &str) -> String {
    format!("{} {}\n", paint(FAINT, "·"), visible(text))
}

/// Why a text was not handled as a reply, and what to do about it.
pub fn why_not(recognised: &Recognised, project: &str, is_addressed: bool) -> (String, Option<String>) {
    match recognised {
        Recognised::Elsewhere(theirs) => (
            format!("ignored a reply for the project `{theirs}`"),
            Some(format!("this project is `{project}`")),
        ),
        Recognised::Unaddressed => (
            "ignored a reply that names no project".to_owned(),
            Some(format!("its control block needs `projectId: {project}`")),
        ),
        Recognised::Bare { paths } => {
            let how = if is_addressed { "" } else { ", and `relay apply --clipboard` lands this one" };
            (
                format!("ignored a reply without a control block: it changes {}", list(paths)),
                Some(format!("`relay watch --any` takes such replies and asks about each one{how}")),
            )
        }
        Recognised::WithoutEdits => ("ignored a text for this project that changes nothing".to_owned(), None),
        Recognised::FromRelay => (
            "ignored a text that Relay wrote for a model".to_owned(),
            Some("send the model's answer to it".to_owned()),
        ),
        Recognised::Reply | Recognised::Other => (
            "ignored a text without a change that Relay understands".to_owned(),
            Some("`relay apply --dry-run` shows how Relay reads a text".to_owned()),
        ),
    }
}

/// The first few paths, and how many more there are.
fn list(paths: &[String]) -> String {
    const SHOWN: usize = 3;
    let mut shown: Vec<String> = paths.iter().take(SHOWN).map(|path| format!("`{path}`")).collect();
    match paths.len().saturating_sub(SHOWN) {
        0 => {}
        1 => shown.push("1 more file".to_owned()),
        more => shown.push(format!("{more} more files")),
    }
    shown.join(", ")
}

/// Where the repair message is.
pub fn repair(repair: &Repair) -> String {
    match repair {
        Repair::Copied => {
            note("the repair message is on the clipboard: paste it into the chat, then copy the answer")
        }
        Repair::Shown(prompt) => {
            format!(
                "{}{}\n",
                note("no clipboard; this is the repair message for the model:"),
                visible(prompt)
            )
        }
        Repair::NotNeeded => note("every edit of the refused reply fits; the model has nothing to repair"),
    }
}

/// What the keys do.
pub fn keys() -> String {
    let lines = [
        ("u", "undo the last reply that landed here"),
        ("a", "retry the refused reply"),
        ("r", "copy the repair message"),
        ("l", "the newest transactions"),
        ("p", "pause, and resume"),
        ("q", "quit; running work is rolled back"),
        ("y n s", "at a question: yes, no, show a whole file"),
        ("n", "while checks run: stop and roll back"),
    ];
    let lines =
        lines.iter().map(|(key, what)| format!("  {}  {what}\n", paint(STRONG, format_args!("{key:<5}"))));
    format!("{}\n{}", rule("keys", width().saturating_sub(1)), lines.collect::<String>())
}

/// The status line, at most this wide.
pub fn status(model: &Model, now: Instant, width: usize) -> String {
    let mut line = Line::new(width);
    match &model.phase {
        Phase::Opening => line.push(FAINT, "opening …"),
        Phase::Asking(question) => {
            asking(&mut line, question);
            line.push(FAINT, &waiting(model));
        }
        Phase::Working(progress) => {
            let elapsed = now.saturating_duration_since(progress.since);
            line.push(PLACE, spinner(elapsed));
            if elapsed.as_millis() >= 100 {
                line.push(FAINT, &format!(" {:.1} s", elapsed.as_secs_f64()));
            }
            line.push(PLACE, " ");
            line.push(PLACE, &visible(&progress.title));
            line.push(FAINT, &waiting(model));
            if !progress.line.is_empty() {
                line.push(FAINT, "  ");
                line.push(FAINT, &visible(&progress.line));
            }
        }
        Phase::Waiting if model.is_paused => {
            line.push(NOTE, "‖ paused");
            line.push(FAINT, "  p resumes");
            tally(&mut line, model);
        }
        Phase::Waiting => {
            line.push(GOOD, "● ");
            line.push(FAINT, "waiting");
            tally(&mut line, model);
            if model.refused.is_some() {
                line.push(FAINT, "  r repair  a again");
            }
            line.push(FAINT, "  ? keys");
        }
    }
    line.text
}

/// The question and its keys. If both do not fit, the question is shortened, because it is shown in full above.
fn asking(line: &mut Line, question: &Question) {
    let all = [("y", "yes"), ("n", "no"), ("s", "show"), ("q", "quit")];
    let keys: Vec<(&str, &str)> =
        all.into_iter().filter(|(key, _)| question.can_show || *key != "s").collect();
    let long: String = keys.iter().map(|(key, what)| format!(" · {key} {what}")).collect();
    let short: String = keys.iter().map(|(key, _)| format!(" [{key}]")).collect();
    line.push(NOTE.bold(), "? ");
    let fits = columns(&question.ask) + columns(&long) <= line.room;
    let room = columns(if fits { &long } else { &short });
    line.push(STRONG, &cut(&question.ask, line.room.saturating_sub(room)));
    if fits {
        line.push(FAINT, "  ");
        line.push_painted(&hints(&keys, line.room));
    } else {
        line.push(PLACE, &short);
    }
}

fn tally(line: &mut Line, model: &Model) {
    let (landed, refused) = (model.landed.len(), model.refusals);
    if landed > 0 {
        line.push(GOOD, &format!("  {landed} landed"));
    }
    if refused > 0 {
        line.push(BAD, &format!("  {refused} refused"));
    }
}

fn waiting(model: &Model) -> String {
    match model.queue.len() {
        0 => String::new(),
        1 => "  1 more waits".to_owned(),
        more => format!("  {more} more wait"),
    }
}

/// A line that never exceeds its width.
struct Line {
    text: String,
    room: usize,
}

impl Line {
    fn new(width: usize) -> Self {
        // A terminal wraps when its last column is filled.
        Self { text: String::new(), room: width.saturating_sub(1) }
    }

    /// Adds what is painted already and known to fit.
    fn push_painted(&mut self, text: &str) {
        self.room = self.room.saturating_sub(columns(&unpainted(text)));
        self.text.push_str(text);
    }

    fn push(&mut self, style: Style, text: &str) {
        let text = cut(text, self.room);
        self.room = self.room.saturating_sub(columns(&text));
        if !text.is_empty() {
            self.text.push_str(&paint(style, text).to_string());
        }
    }
}

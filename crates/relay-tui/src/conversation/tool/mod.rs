//! Tool calls: a line with the state, the tool and what it is about, and below it what came of it.

mod title;

use serde_json::Value;

use super::diff::{self, DiffLine};
use super::highlight::code_lines;
use super::{number, partial::partial_json};
use crate::picture::Picture;
use crate::text::{Color, Line, clean, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

pub use title::title;

/// Rows of a result that are shown unless everything is.
const PREVIEW: usize = 6;
/// Rows of a diff that are shown unless everything is.
const DIFF_ROWS: usize = 24;
/// Rows of a todo list that are shown unless everything is.
const TODO_ROWS: usize = 8;
/// Cells before what came of a call.
const INDENT: usize = 4;
/// How much of an output is kept for showing it.
const OUTPUT_BYTES: usize = 256 << 10;

/// How far a call is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The model still writes it.
    #[default]
    Writing,
    /// It waits for its turn.
    Waiting,
    /// It runs since this moment.
    Running(u64),
    /// It succeeded, and took this many milliseconds.
    Succeeded(u64),
    /// It failed, and took this many milliseconds.
    Failed(u64),
    /// It was never run.
    Skipped,
}

/// A tool call.
#[derive(Clone, Debug, Default)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is called with.
    pub arguments: Value,
    /// The arguments as far as they have arrived, while they do.
    pub raw: String,
    /// How far it is.
    pub state: State,
    /// What it returned, as text.
    pub output: String,
    /// What it returned for front ends.
    pub details: Value,
    /// The pictures it returned.
    pub pictures: Vec<Picture>,
}

impl ToolCall {
    /// A call that begins to arrive.
    pub fn new(id: &str, name: &str) -> Self {
        Self { id: id.to_owned(), name: name.to_owned(), ..Self::default() }
    }

    /// Whether nothing about it will change any more.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Succeeded(_) | State::Failed(_) | State::Skipped)
    }

    /// More of its arguments arrived.
    pub fn write(&mut self, delta: &str) {
        self.raw.push_str(delta);
    }

    /// The arguments are complete.
    pub fn written(&mut self, arguments: Value) {
        self.arguments = arguments;
        self.raw = String::new();
        if self.state == State::Writing {
            self.state = State::Waiting;
        }
    }

    /// Takes a result, or a part of one.
    pub fn take_result(&mut self, result: &Value) {
        let blocks = result.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut output = String::new();
        self.pictures.clear();
        for block in blocks {
            match block.get("text").and_then(Value::as_str) {
                Some(text) => output.push_str(text),
                None if block.get("type").and_then(Value::as_str) == Some("image") => {
                    let part = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
                    let picture = Picture::new(part("mimeType"), part("data"));
                    let picture = match block.get("sixels") {
                        Some(sixels) => {
                            let body = sixels.get("body").and_then(Value::as_str).unwrap_or_default();
                            let side = |name: &str| usize::try_from(number(sixels, name)).unwrap_or_default();
                            picture.with_sixels(body, side("columns"), side("rows"))
                        }
                        None => picture,
                    };
                    self.pictures.push(picture);
                }
                None => {}
            }
        }
        if output.len() > OUTPUT_BYTES {
            let mut cut = output.len() - OUTPUT_BYTES;
            while !output.is_char_boundary(cut) {
                cut += 1;
            }
            output.drain(..cut);
        }
        self.output = output;
        self.details = result.get("details").cloned().unwrap_or_default();
    }

    /// The arguments, also while they arrive.
    fn known_arguments(&self) -> Value {
        if self.raw.is_empty() { self.arguments.clone() } else { partial_json(&self.raw) }
    }

    /// Whether it only reads a file: such calls are shown together.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.name == "read" && !matches!(self.state, State::Failed(_))
    }

    /// The call as lines.
    #[must_use]
    pub fn lines(&self, view: &View<'_>) -> Vec<Line> {
        let arguments = self.known_arguments();
        let diff = self.diff(&arguments);
        let mut head = self.sign(view);
        head.push(format!("{} ", self.name), view.fg(Token::ToolTitle).bold());
        head.push(clean_line(&title(&self.name, &arguments)), view.fg(Token::ToolTitle));
        if let Some((added, removed)) = self.counts(diff.as_deref()) {
            head.push(format!("  +{added}"), view.fg(Token::ToolDiffAdded));
            head.push(format!(" {}{removed}", view.sign(Symbol::DiffMinus)), view.fg(Token::ToolDiffRemoved));
        }
        let tail = self.tail(view);
        let room = view.width.saturating_sub(tail.width());
        let mut head = head.truncated(room, view.sign(Symbol::Ellipsis));
        head.append(tail);
        let mut lines = vec![head];
        let narrow = view.narrower(4);
        let body = match diff {
            Some(diff) if !diff.is_empty() => {
                let drawn = diff::draw(&narrow, &diff::near_changes(diff));
                let mut body =
                    if view.is_expanded { drawn } else { cut(view, drawn, DIFF_ROWS, !self.is_done()) };
                if matches!(self.state, State::Failed(_)) {
                    body.extend(self.result(&narrow));
                }
                body
            }
            _ => self.result(&narrow),
        };
        let gutter = format!("  {} ", view.sign(Symbol::Gutter));
        for mut line in body {
            let mut whole = Line::of(gutter.clone(), view.fg(Token::BorderMuted));
            whole.picture = line.picture.take();
            whole.append(line);
            lines.push(whole);
        }
        let background = view.theme.color(match self.state {
            State::Succeeded(_) => Token::ToolSuccessBg,
            State::Failed(_) => Token::ToolErrorBg,
            _ => Token::ToolPendingBg,
        });
        if background == Color::Default {
            lines
        } else {
            lines.into_iter().map(|line| line.filled(background)).collect()
        }
    }

    /// The sign of its state.
    fn sign(&self, view: &View<'_>) -> Line {
        let (sign, token) = match self.state {
            State::Writing | State::Running(_) => (view.spinner(), Token::Accent),
            State::Waiting => (view.sign(Symbol::StatusPending), Token::Muted),
            State::Succeeded(_) => (view.sign(Symbol::StatusSuccess), Token::Success),
            State::Failed(_) => (view.sign(Symbol::StatusError), Token::Error),
            State::Skipped => (view.sign(Symbol::StatusAborted), Token::Muted),
        };
        Line::of(format!("{sign} "), view.fg(token))
    }

    /// What is said at the end of the first line: how long it takes or took.
    fn tail(&self, view: &View<'_>) -> Line {
        let dim = view.fg(Token::Dim);
        let mut tail = Line::new();
        match self.state {
            State::Running(since) => {
                let elapsed = view.now_ms.saturating_sub(since);
                if elapsed >= 1000 {
                    tail.push(format!("  {}", duration(elapsed)), dim);
                }
            }
            State::Succeeded(took) | State::Failed(took) if took >= 1000 => {
                tail.push(format!("  {}", duration(took)), dim);
            }
            State::Skipped => tail.push("  not run", dim),
            _ => {}
        }
        tail
    }

    /// How many lines it adds and removes.
    fn counts(&self, diff: Option<&[DiffLine]>) -> Option<(usize, usize)> {
        let files = self.details.get("files").and_then(Value::as_array);
        if let Some(files) = files.filter(|files| !files.is_empty()) {
            let sum = |name: &str| files.iter().filter_map(|file| file.get(name)?.as_u64()).sum::<u64>();
            let whole = |number: u64| usize::try_from(number).unwrap_or_default();
            return Some((whole(sum("added")), whole(sum("removed"))));
        }
        diff.map(diff::count).filter(|counts| *counts != (0, 0))
    }

    /// What it changes, as far as its arguments say so.
    fn diff(&self, arguments: &Value) -> Option<Vec<DiffLine>> {
        if let Some(patch) = self.details.get("diff").and_then(Value::as_str) {
            return Some(diff::read_patch(patch));
        }
        let text = |value: &Value, names: &[&str]| {
            names.iter().find_map(|name| value.get(name)?.as_str().map(str::to_owned))
        };
        const OLD: [&str; 4] = ["old_text", "old_string", "oldText", "search"];
        const NEW: [&str; 4] = ["new_text", "new_string", "newText", "replace"];
        match self.name.as_str() {
            "edit" | "ast_edit" | "apply_patch" => {
                if let Some(patch) = text(arguments, &["patch", "input", "diff"]) {
                    return Some(diff::read_patch(&patch));
                }
                let one = std::slice::from_ref(arguments);
                let edits = arguments.get("edits").and_then(Value::as_array).map_or(one, Vec::as_slice);
                let mut lines = Vec::new();
                for edit in edits {
                    let (old, new) = (text(edit, &OLD), text(edit, &NEW));
                    if old.is_none() && new.is_none() {
                        continue;
                    }
                    if !lines.is_empty() {
                        lines.push(DiffLine::Skipped(String::new()));
                    }
                    lines.extend(diff::diff(&old.unwrap_or_default(), &new.unwrap_or_default()));
                }
                Some(lines)
            }
            _ => None,
        }
    }

    /// What came of it, as lines.
    fn result(&self, view: &View<'_>) -> Vec<Line> {
        let failed = matches!(self.state, State::Failed(_));
        let mut lines = Vec::new();
        let todos = self
            .details
            .get("phases")
            .and_then(Value::as_array)
            .filter(|_| self.name == "todo_write" && !failed);
        if let Some(phases) = todos {
            lines.extend(todo_lines(view, phases));
        } else if self.name == "write" && !failed {
            let arguments = self.known_arguments();
            let content = arguments.get("content").and_then(Value::as_str).unwrap_or_default();
            let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
            let language = relay_syntax::Language::of_path(path).map_or("", relay_syntax::Language::name);
            let view = View { is_growing: !self.is_done(), ..*view };
            lines.extend(code_lines(&view, language, content));
        } else {
            let style = view.fg(if failed { Token::Error } else { Token::ToolOutput });
            lines.extend(clean(self.output.trim_end()).lines().map(|line| Line::of(line, style)));
        }
        let from_end = matches!(self.state, State::Running(_) | State::Writing) || self.name == "bash";
        let rows = match self.name.as_str() {
            _ if view.is_expanded => usize::MAX,
            "todo_write" => TODO_ROWS,
            "read" | "search" | "find" if !failed => 0,
            _ => PREVIEW,
        };
        let mut lines = if rows == 0 { Vec::new() } else { cut(view, lines, rows, from_end) };
        for picture in &self.pictures {
            let about = format!("{} {}", view.sign(Symbol::IconImage), picture.about());
            lines.push(Line::of(about, view.fg(Token::Muted)));
        }
        let mut lines: Vec<Line> =
            lines.into_iter().map(|line| line.truncated(view.width, view.sign(Symbol::Ellipsis))).collect();
        for picture in &self.pictures {
            lines.extend(picture_lines(view, picture));
        }
        lines
    }
}

/// A todo list as a tree: phases with their tasks, and the notes of the one that is worked on.
fn todo_lines(view: &View<'_>, phases: &[Value]) -> Vec<Line> {
    let text = |value: &Value, name: &str| {
        clean_line(value.get(name).and_then(Value::as_str).unwrap_or_default()).into_owned()
    };
    let list =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut lines = Vec::new();
    for phase in phases {
        lines.push(Line::of(text(phase, "name"), view.fg(Token::Muted).bold()));
        for task in list(phase, "tasks") {
            let (symbol, token) = match text(&task, "status").as_str() {
                "completed" => (Symbol::CheckboxOn, Token::Success),
                "in_progress" => (Symbol::StatusRunning, Token::Accent),
                "abandoned" => (Symbol::StatusAborted, Token::Dim),
                _ => (Symbol::CheckboxOff, Token::Muted),
            };
            let notes = list(&task, "notes");
            let mut line = Line::of(format!("  {} ", view.sign(symbol)), view.fg(token))
                .and(text(&task, "content"), view.fg(Token::ToolOutput));
            if !notes.is_empty() {
                let count =
                    if notes.len() == 1 { "1 note".to_owned() } else { format!("{} notes", notes.len()) };
                line.push(format!(" ({count})"), view.fg(Token::Dim));
            }
            lines.push(line);
            if token == Token::Accent {
                let notes = notes.iter().filter_map(Value::as_str);
                let drawn =
                    notes.map(|note| Line::of(format!("      {}", clean_line(note)), view.fg(Token::Dim)));
                lines.extend(drawn);
            }
        }
    }
    lines
}

/// A picture as rows of blanks, the last of which carries it.
fn picture_lines(view: &View<'_>, picture: &Picture) -> Vec<Line> {
    let Some((mut placed, rows)) = picture.placed(&view.pictures, view.width, view.height) else {
        return Vec::new();
    };
    placed.indent = INDENT;
    let mut lines = vec![Line::new(); rows];
    if let Some(last) = lines.last_mut() {
        last.picture = Some(placed);
    }
    lines
}

/// The first or the last rows, and how many there are beside them.
fn cut(view: &View<'_>, mut lines: Vec<Line>, rows: usize, from_end: bool) -> Vec<Line> {
    // A note about one line would take the place of that line.
    if lines.len() <= rows.saturating_add(1) {
        return lines;
    }
    let hidden = lines.len() - rows;
    let key = view.key(crate::keymap::Action::Expand);
    let note =
        Line::of(format!("{} {hidden} more lines ({key})", view.sign(Symbol::Ellipsis)), view.fg(Token::Dim));
    if from_end {
        lines.drain(..hidden);
        lines.insert(0, note);
    } else {
        lines.truncate(rows);
        lines.push(note);
    }
    lines
}

/// A time as people write it: `3.2s`, `2m 05s`.
#[must_use]
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..10 => format!("{}.{}s", seconds, ms % 1000 / 100),
        10..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

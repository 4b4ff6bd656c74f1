//! The parts of a conversation, each with its lines.

use super::markdown;
use super::tool::{ToolCall, duration, title};
use crate::text::{Line, clean, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// How grave a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Info,
    /// Something went well.
    Success,
    /// Something may not be as expected.
    Warning,
    /// Something failed.
    Error,
}

/// What a summary is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    /// What was said before in this conversation, which took this many tokens.
    Conversation(u64),
    /// A branch that was left.
    Branch,
    /// An earlier session.
    Session,
}

/// What a turn used up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens that were sent, without those from the cache.
    pub input: u64,
    /// Tokens that were written.
    pub output: u64,
    /// Tokens from the cache.
    pub cached: u64,
    /// US dollars.
    pub cost: f64,
}

impl Usage {
    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.cost += other.cost;
    }
}

/// A part of the conversation.
#[derive(Clone, Debug)]
pub enum Block {
    /// What the person said, and how many pictures with it.
    User(String, usize),
    /// A part of an answer, in markdown; `false` while it grows.
    Text(String, bool),
    /// Thinking; `false` while it grows.
    Thinking(String, bool),
    /// A tool call.
    Tool(Box<ToolCall>),
    /// Several reads in a row; `false` while there may be more.
    Reads(Vec<ToolCall>, bool),
    /// A command of the person's own: the command, its output, its exit code once it has ended, and whether the model sees it.
    Shell {
        /// The command.
        command: String,
        /// Its output.
        output: String,
        /// How it ended.
        exit: Option<Result<i64, String>>,
        /// The model does not see it.
        is_aside: bool,
    },
    /// Something a person should know.
    Notice(Level, String),
    /// What a run used up, and how long it took.
    Used(Usage, u64),
    /// A summary in place of what was said: of what, and its text.
    Summary(Summary, String),
    /// Lines that are ready, such as an answer to a slash command.
    Lines(Vec<Line>),
}

impl Block {
    /// Whether nothing about it will change any more.
    #[must_use]
    pub fn is_done(&self) -> bool {
        match self {
            Self::Text(_, is_done) | Self::Thinking(_, is_done) => *is_done,
            Self::Tool(call) => call.is_done(),
            Self::Reads(calls, is_closed) => *is_closed && calls.iter().all(ToolCall::is_done),
            Self::Shell { exit, .. } => exit.is_some(),
            _ => true,
        }
    }

    /// How much text it holds, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_call = |call: &ToolCall| call.output.len() + call.raw.len();
        match self {
            Self::User(text, _) | Self::Text(text, _) | Self::Thinking(text, _) => text.len(),
            Self::Tool(call) => of_call(call),
            Self::Reads(calls, _) => calls.iter().map(of_call).sum(),
            Self::Shell { command, output, .. } => command.len() + output.len(),
            Self::Notice(_, text) | Self::Summary(_, text) => text.len(),
            Self::Used(..) => 0,
            Self::Lines(lines) => lines.iter().map(|line| line.text().len()).sum(),
        }
    }

    /// Whether a blank line separates it from the block before it.
    #[must_use]
    pub fn gap_after(&self, before: &Self) -> bool {
        let is_compact = |block: &Self| {
            matches!(block, Self::Reads(..)) || matches!(block, Self::Tool(call) if call.output.is_empty())
        };
        !(is_compact(self) && is_compact(before))
    }

    /// Its lines.
    #[must_use]
    pub fn lines(&self, view: &View<'_>) -> Vec<Line> {
        match self {
            Self::User(text, images) => user(view, text, *images),
            Self::Text(text, is_done) => {
                let view = View { is_growing: !is_done, ..view.narrower(2) };
                indented(markdown::lines(&view, text))
            }
            Self::Thinking(text, is_done) => thinking(view, text, *is_done),
            Self::Tool(call) => call.lines(view),
            Self::Reads(calls, _) => reads(view, calls),
            Self::Shell { command, output, exit, is_aside } => {
                shell(view, command, output, exit.as_ref(), *is_aside)
            }
            Self::Notice(level, text) => notice(view, *level, text),
            Self::Used(usage, took) => vec![used(view, usage, *took)],
            Self::Summary(of, summary) => summarised(view, *of, summary),
            Self::Lines(lines) => lines.iter().flat_map(|line| line.clone().wrapped(view.width, 2)).collect(),
        }
    }
}

fn indented(lines: Vec<Line>) -> Vec<Line> {
    let indent = |line: Line| {
        let mut whole = Line::of("  ", crate::text::Style::default());
        whole.append(line);
        if whole.is_blank() { Line::new() } else { whole }
    };
    lines.into_iter().map(indent).collect()
}

fn user(view: &View<'_>, text: &str, images: usize) -> Vec<Line> {
    let background = view.theme.color(Token::UserMessageBg);
    let bar = view.sign(Symbol::Bar);
    let mut lines = Vec::new();
    let text = clean(text.trim_end());
    let mut texts: Vec<String> = text.lines().map(str::to_owned).collect();
    texts.extend((1..=images).map(|number| format!("{} image {number}", view.sign(Symbol::IconImage))));
    for text in texts {
        for part in Line::of(text, view.fg(Token::UserMessageText)).wrapped(view.width.saturating_sub(3), 0) {
            let mut line = Line::of(format!("{bar} "), view.fg(Token::Accent));
            line.append(part);
            lines.push(line.filled(background));
        }
    }
    lines
}

fn thinking(view: &View<'_>, text: &str, is_done: bool) -> Vec<Line> {
    let style = view.fg(Token::ThinkingText).italic();
    let sign = view.sign(Symbol::IconThinking);
    if !view.shows_thinking {
        let (mark, what) = if is_done { (sign, "Thought") } else { (view.spinner(), "Thinking") };
        return vec![Line::of(format!("{mark} {what}"), style)];
    }
    let text = clean(text.trim());
    let mut lines = Vec::new();
    for (at, paragraph) in text.lines().enumerate() {
        let first = if at == 0 { format!("{sign} ") } else { "  ".to_owned() };
        lines.extend(Line::of(first, style).and(paragraph, style).wrapped(view.width, 2));
    }
    lines
}

fn reads(view: &View<'_>, calls: &[ToolCall]) -> Vec<Line> {
    if let [only] = calls {
        return only.lines(view);
    }
    let is_done = calls.iter().all(ToolCall::is_done);
    let mut line = if is_done {
        Line::of(format!("{} ", view.sign(Symbol::StatusSuccess)), view.fg(Token::Success))
    } else {
        Line::of(format!("{} ", view.spinner()), view.fg(Token::Accent))
    };
    line.push("read ", view.fg(Token::ToolTitle).bold());
    line.push(format!("{} files", calls.len()), view.fg(Token::ToolTitle));
    let mut lines = vec![line];
    for (at, call) in calls.iter().enumerate() {
        let branch = view.sign(if at + 1 == calls.len() { Symbol::TreeLast } else { Symbol::TreeBranch });
        let about = title(&call.name, &call.arguments);
        let line = Line::of(format!("  {branch} "), view.fg(Token::BorderMuted))
            .and(clean_line(&about), view.fg(Token::ToolOutput));
        lines.push(line.truncated(view.width, view.sign(Symbol::Ellipsis)));
        if view.is_expanded {
            let style = view.fg(Token::ToolOutput);
            let gutter = format!("  {} ", view.sign(Symbol::Gutter));
            for text in clean(call.output.trim_end()).lines() {
                let line = Line::of(gutter.clone(), view.fg(Token::BorderMuted)).and(text, style);
                lines.push(line.truncated(view.width, view.sign(Symbol::Ellipsis)));
            }
        }
    }
    lines
}

fn shell(
    view: &View<'_>,
    command: &str,
    output: &str,
    exit: Option<&Result<i64, String>>,
    is_aside: bool,
) -> Vec<Line> {
    let token = if is_aside { Token::Warning } else { Token::BashMode };
    let mut call = ToolCall::new("", "bash");
    call.output = output.to_owned();
    let sign = match exit {
        None => view.spinner(),
        Some(Ok(0)) => view.sign(Symbol::StatusSuccess),
        Some(_) => view.sign(Symbol::StatusError),
    };
    let prefix = if is_aside { "!!" } else { "!" };
    let mut head = Line::of(format!("{sign} {prefix} "), view.fg(token))
        .and(clean_line(command), view.fg(Token::Text).bold());
    match exit {
        Some(Ok(0)) | None => {}
        Some(Ok(code)) => head.push(format!("  exit {code}"), view.fg(Token::Error)),
        Some(Err(why)) => head.push(format!("  {why}"), view.fg(Token::Error)),
    }
    let mut lines = vec![head.truncated(view.width, view.sign(Symbol::Ellipsis))];
    lines.extend(call.lines(view).into_iter().skip(1));
    lines
}

fn notice(view: &View<'_>, level: Level, text: &str) -> Vec<Line> {
    let (symbol, token) = match level {
        Level::Info => (Symbol::StatusInfo, Token::Muted),
        Level::Success => (Symbol::StatusSuccess, Token::Success),
        Level::Warning => (Symbol::StatusWarning, Token::Warning),
        Level::Error => (Symbol::StatusError, Token::Error),
    };
    let mut lines = Vec::new();
    for (at, part) in clean(text.trim_end()).lines().enumerate() {
        let sign = if at == 0 { format!("{} ", view.sign(symbol)) } else { "  ".to_owned() };
        lines.extend(Line::of(sign, view.fg(token)).and(part, view.fg(token)).wrapped(view.width, 2));
    }
    lines
}

/// Rows of a summary that are shown unless everything is.
const SUMMARY_ROWS: usize = 6;

fn summarised(view: &View<'_>, of: Summary, summary: &str) -> Vec<Line> {
    let rule = view.sign(Symbol::BoxHorizontal);
    let what = match of {
        Summary::Conversation(0) => "the conversation so far, in short".to_owned(),
        Summary::Conversation(before) => format!("conversation compacted (was {} tokens)", tokens(before)),
        Summary::Branch => "the branch that was left, in short".to_owned(),
        Summary::Session => "the session before, in short".to_owned(),
    };
    let text = format!("{rule}{rule} {what} ");
    let width = crate::text::width(&text);
    let line = format!("{text}{}", rule.repeat(view.width.saturating_sub(width).min(40)));
    let mut lines = vec![Line::of(line, view.fg(Token::Muted)).truncated(view.width, "")];
    // Of the conversation itself a person has seen everything.
    let rows = match of {
        _ if view.is_expanded => usize::MAX,
        Summary::Conversation(_) => 0,
        Summary::Branch | Summary::Session => SUMMARY_ROWS,
    };
    if rows > 0 {
        let mut body = indented(markdown::lines(&view.narrower(2), summary));
        let hidden = body.len().saturating_sub(rows);
        body.truncate(rows);
        lines.extend(body);
        if hidden > 0 {
            let key = view.key(crate::keymap::Action::Expand);
            let more = format!("  {} {hidden} more lines ({key})", view.sign(Symbol::Ellipsis));
            lines.push(Line::of(more, view.fg(Token::Dim)));
        }
    }
    lines
}

fn used(view: &View<'_>, usage: &Usage, took: u64) -> Line {
    let dim = view.fg(Token::Dim);
    let dot = format!(" {} ", view.sign(Symbol::Dot));
    let mut parts = vec![
        format!("{} {}", view.sign(Symbol::ArrowUp), tokens(usage.input.saturating_add(usage.cached))),
        format!("{} {}", view.sign(Symbol::ArrowDown), tokens(usage.output)),
    ];
    if usage.cost > 0.0 {
        parts.push(format!("${:.3}", usage.cost));
    }
    if took > 0 {
        parts.push(duration(took));
    }
    Line::of(format!("  {}", parts.join(&dot)), dim).truncated(view.width, "")
}

/// Tokens as people write them: `512`, `12.3k`, `1.2M`.
#[must_use]
pub fn tokens(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..1_000_000 => format!("{}.{}k", count / 1000, count % 1000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

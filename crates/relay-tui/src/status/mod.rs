//! The status line: segments with separators between them, in presets.

mod segments;
mod separator;
mod shimmer;

use serde_json::Value;

use crate::app::Session;
use crate::text::{Color, Line, Style};
use crate::theme::{Preset, Symbol, Token};
use crate::view::View;
use segments::Pen;

pub use separator::Separator;
pub use shimmer::Shimmer;

/// Which segments each preset has, at the left and at the right. The most important come first: those behind them give way.
const PRESETS: [(&str, &[&str], &[&str]); 6] = [
    (
        "default",
        &["model", "mode", "path", "git", "pr", "session_name"],
        &["context_pct", "cost", "policy", "token_rate"],
    ),
    ("minimal", &["path", "mode"], &["context_pct"]),
    ("compact", &["model", "mode", "git"], &["context_pct", "cost"]),
    (
        "full",
        &["model", "thinking", "mode", "path", "git", "pr", "session_name", "host"],
        &[
            "context_pct",
            "cost",
            "policy",
            "jobs",
            "token_in",
            "token_out",
            "token_rate",
            "cache_read",
            "time_spent",
        ],
    ),
    (
        "nerd",
        &["model", "mode", "path", "git", "pr", "session_name"],
        &["context_pct", "cost", "policy", "jobs", "token_rate", "time_spent"],
    ),
    (
        "ascii",
        &["model", "mode", "path", "git", "pr", "session_name"],
        &["context_pct", "cost", "policy", "token_rate"],
    ),
];

/// What is known besides the session.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The name of this machine.
    pub host: String,
    /// The address of the pull request that was mentioned last.
    pub pull: Option<String>,
    /// How many tokens the last answer came with in a second.
    pub rate: u64,
    /// How many jobs run.
    pub jobs: usize,
}

/// The status line.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// Which segments: `default`, `minimal`, `compact`, `full`, `nerd`, `ascii`, `custom`.
    pub preset: String,
    /// What separates them.
    pub separator: Separator,
    /// Segments at the left, for `custom`.
    pub left: Vec<String>,
    /// Segments at the right, for `custom`.
    pub right: Vec<String>,
    /// Options of single segments.
    pub options: Value,
    /// What is known besides the session.
    pub facts: Facts,
    /// How the agent's activity is animated.
    pub shimmer: Shimmer,
    /// The terminal's background is dark.
    pub is_dark: Option<bool>,
    /// Each turn says how many tokens it used.
    pub shows_tokens: bool,
    /// Separators have a colour of the session's own.
    pub has_accent: bool,
    /// The terminal's own cursor is hidden, and the caret is drawn.
    pub hides_cursor: bool,
}

impl Status {
    fn segments(&self) -> (Vec<&str>, Vec<&str>) {
        if self.preset == "custom" {
            return (
                self.left.iter().map(String::as_str).collect(),
                self.right.iter().map(String::as_str).collect(),
            );
        }
        let known = PRESETS.iter().find(|(name, ..)| *name == self.preset).or(PRESETS.first());
        known.map_or((Vec::new(), Vec::new()), |(_, left, right)| (left.to_vec(), right.to_vec()))
    }

    fn separator(&self, view: &View<'_>) -> Separator {
        let separator = match (self.preset.as_str(), self.separator) {
            ("ascii", _) => Separator::Ascii,
            // The default of the setting; any other one was chosen.
            ("nerd", Separator::Slash) => Separator::Powerline,
            (_, separator) => separator,
        };
        separator.shown(view)
    }

    /// Signs of the preset's own.
    fn signs(&self, view: &View<'_>) -> Option<Preset> {
        match self.preset.as_str() {
            "ascii" => Some(Preset::Ascii),
            "nerd" if view.theme.symbols.preset != Preset::Ascii => Some(Preset::Nerd),
            _ => None,
        }
    }

    /// The line. Segments that do not fit are left out; what comes first at either side is the most important there.
    #[must_use]
    pub fn line(&self, view: &View<'_>, session: &Session, is_about_to_quit: bool) -> Vec<Line> {
        if is_about_to_quit {
            let key = view.key(crate::keymap::Action::Clear);
            return vec![Line::of(format!("  {key} again to quit"), view.fg(Token::Warning))];
        }
        let pen = Pen { view, session, status: self, signs: self.signs(view) };
        let (left, right) = self.segments();
        let make =
            |names: &[&str]| -> Vec<Line> { names.iter().filter_map(|name| pen.segment(name)).collect() };
        let (left, right) = (make(&left), make(&right));
        let room = view.width.saturating_sub(2);
        let (accent, separator) = (self.accent(&session.id), self.separator(view));
        let join = |segments: &[Line], is_right: bool| separator.join(view, segments, accent, is_right);
        let (left, right) = fitting(left, right, |left, right| {
            join(left, false).width() + join(right, true).width() + 2 <= room
        });
        let mut line = Line::of(" ", Style::default());
        line.append(Line::edges(join(&left, false), join(&right, true), room));
        let line = line.truncated(view.width, view.sign(Symbol::Ellipsis));
        let background = view.theme.color(Token::StatusLineBg);
        vec![if background == Color::Default { line } else { line.filled(background) }]
    }

    /// The colour of separators: the session's own, so that several terminals are told apart at a glance.
    fn accent(&self, session: &str) -> Token {
        const ACCENTS: [Token; 5] = [
            Token::StatusLineModel,
            Token::StatusLinePath,
            Token::StatusLineContext,
            Token::StatusLineCost,
            Token::StatusLineSubagents,
        ];
        let sum = session.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        match self.has_accent && !session.is_empty() {
            true => ACCENTS.get(sum % ACCENTS.len()).copied().unwrap_or(Token::StatusLineSep),
            false => Token::StatusLineSep,
        }
    }
}

/// As many segments as fit, the first of each side first. The very first one is always there, and is cut if it must be.
fn fitting(
    left: Vec<Line>,
    right: Vec<Line>,
    fits: impl Fn(&[Line], &[Line]) -> bool,
) -> (Vec<Line>, Vec<Line>) {
    let (mut kept_left, mut kept_right): (Vec<Line>, Vec<Line>) = (Vec::new(), Vec::new());
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    loop {
        let (next_left, next_right) = (left.next(), right.next());
        if next_left.is_none() && next_right.is_none() {
            return (kept_left, kept_right);
        }
        if let Some(segment) = next_left {
            kept_left.push(segment);
            if kept_left.len() > 1 && !fits(&kept_left, &kept_right) {
                kept_left.pop();
            }
        }
        if let Some(segment) = next_right {
            kept_right.push(segment);
            if !fits(&kept_left, &kept_right) {
                kept_right.pop();
            }
        }
    }
}

//! The status line: segments with separators between them, in presets.

use crate::app::Session;
use crate::conversation::tokens;
use crate::text::{Color, Line, Style, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// What separates segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the setting")]
pub enum Separator {
    Powerline,
    PowerlineThin,
    #[default]
    Slash,
    Pipe,
    Block,
    None,
    Ascii,
}

impl Separator {
    /// The separator of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "powerline" => Self::Powerline,
            "powerline-thin" => Self::PowerlineThin,
            "slash" => Self::Slash,
            "pipe" => Self::Pipe,
            "block" => Self::Block,
            "none" => Self::None,
            "ascii" => Self::Ascii,
            _ => return None,
        })
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Powerline => "\u{e0b0}",
            Self::PowerlineThin => "\u{e0b1}",
            Self::Slash => "/",
            Self::Pipe => "│",
            Self::Block => "▌",
            Self::None => "",
            Self::Ascii => "|",
        }
    }
}

/// How the word that says the agent works is animated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shimmer {
    /// A light runs through it.
    #[default]
    Classic,
    /// A light runs to and fro.
    Kitt,
    /// It does not move.
    Disabled,
}

impl Shimmer {
    /// The animation of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "classic" => Some(Self::Classic),
            "kitt" => Some(Self::Kitt),
            "disabled" => Some(Self::Disabled),
            _ => None,
        }
    }

    /// A word at this moment.
    #[must_use]
    pub fn line(self, view: &View<'_>, word: &str) -> Line {
        let count = word.chars().count().max(1);
        let step = usize::try_from(view.now_ms / 80).unwrap_or_default();
        let light = match self {
            Self::Disabled => return Line::of(word, view.fg(Token::Accent)),
            Self::Classic => step % (count + 6),
            Self::Kitt => {
                let at = step % (2 * count);
                if at < count { at } else { 2 * count - at }
            }
        };
        let mut line = Line::new();
        for (at, character) in word.chars().enumerate() {
            let style = match at.abs_diff(light) {
                0 => view.fg(Token::Text).bold(),
                1 => view.fg(Token::Accent).bold(),
                _ => view.fg(Token::Accent),
            };
            line.push(character, style);
        }
        line
    }
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
        match self.preset.as_str() {
            "minimal" => (vec!["path"], vec!["context_pct"]),
            "compact" => (vec!["model", "git"], vec!["context_pct", "cost"]),
            "full" | "nerd" => (
                vec!["model", "mode", "path", "git", "session_name"],
                vec!["token_in", "token_out", "context_pct", "cost", "policy"],
            ),
            "custom" => (
                self.left.iter().map(String::as_str).collect(),
                self.right.iter().map(String::as_str).collect(),
            ),
            _ => {
                (vec!["model", "mode", "path", "git", "session_name"], vec!["context_pct", "cost", "policy"])
            }
        }
    }

    fn separator(&self) -> Separator {
        match self.preset.as_str() {
            "ascii" => Separator::Ascii,
            _ => self.separator,
        }
    }

    /// The line. Segments that do not fit are left out, those at the right first.
    #[must_use]
    pub fn line(&self, view: &View<'_>, session: &Session, is_about_to_quit: bool) -> Vec<Line> {
        if is_about_to_quit {
            let key = view.key(crate::keymap::Action::Clear);
            return vec![Line::of(format!("  {key} again to quit"), view.fg(Token::Warning))];
        }
        let (left, right) = self.segments();
        let make = |names: &[&str]| -> Vec<Line> {
            names.iter().filter_map(|name| segment(view, session, name)).collect()
        };
        let (mut left, mut right) = (make(&left), make(&right));
        let room = view.width.saturating_sub(2);
        let sep = self.accent(&session.id);
        loop {
            let width = self.joined(view, &left, sep).width() + self.joined(view, &right, sep).width() + 2;
            if width <= room || left.len() <= 1 {
                break;
            }
            if right.len() > 1 {
                right.pop();
            } else {
                left.pop();
            }
        }
        let mut line = Line::of(" ", Style::default());
        let joined = Line::edges(self.joined(view, &left, sep), self.joined(view, &right, sep), room);
        line.append(joined);
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

    fn joined(&self, view: &View<'_>, segments: &[Line], separator: Token) -> Line {
        let sign = self.separator().sign();
        let between = if sign.is_empty() { "  ".to_owned() } else { format!(" {sign} ") };
        let mut line = Line::new();
        for (at, segment) in segments.iter().enumerate() {
            if at > 0 {
                line.push(between.clone(), view.fg(separator));
            }
            line.append(segment.clone());
        }
        line
    }
}

/// One segment; `None` if there is nothing to say.
fn segment(view: &View<'_>, session: &Session, name: &str) -> Option<Line> {
    let with = |symbol: Symbol, text: String, token: Token| {
        let sign = view.sign(symbol);
        let text = if sign.is_empty() { text } else { format!("{sign} {text}") };
        Line::of(text, view.fg(token))
    };
    Some(match name {
        "model" => {
            let model = session.model.rsplit('/').next().filter(|model| !model.is_empty())?;
            with(Symbol::IconModel, clean_line(model).into_owned(), Token::StatusLineModel)
        }
        "mode" => Line::of(
            Some(&session.mode)
                .filter(|mode| !mode.is_empty() && !matches!(mode.as_str(), "default" | "none"))?
                .clone(),
            view.fg(Token::Warning),
        ),
        "path" => {
            let path = Some(&session.cwd).filter(|path| !path.is_empty())?;
            with(Symbol::IconFolder, clean_line(path).into_owned(), Token::StatusLinePath)
        }
        "git" => {
            let (branch, is_dirty) = session.branch.as_ref()?;
            let token = if *is_dirty { Token::StatusLineGitDirty } else { Token::StatusLineGitClean };
            let mark = if *is_dirty { "*" } else { "" };
            with(Symbol::IconGit, format!("{}{mark}", clean_line(branch)), token)
        }
        "session_name" => Line::of(clean_line(session.name.as_deref()?), view.fg(Token::Muted)),
        "context_pct" => {
            let percent = (session.context * 100).checked_div(session.window)?;
            let token = match percent {
                0..70 => Token::StatusLineContext,
                70..90 => Token::Warning,
                _ => Token::Error,
            };
            with(Symbol::IconContext, format!("{percent}% of {}", tokens(session.window)), token)
        }
        "token_in" => Line::of(
            format!("{}{}", view.sign(Symbol::ArrowUp), tokens(session.used.input + session.used.cached)),
            view.fg(Token::StatusLineSpend),
        ),
        "token_out" | "token_rate" => Line::of(
            format!("{}{}", view.sign(Symbol::ArrowDown), tokens(session.used.output)),
            view.fg(Token::StatusLineOutput),
        ),
        "cost" if session.used.cost > 0.0 => {
            with(Symbol::IconCost, format!("${:.2}", session.used.cost), Token::StatusLineCost)
        }
        "policy" => Line::of(
            Some(&session.policy).filter(|policy| !policy.is_empty())?.clone(),
            view.fg(Token::Muted),
        ),
        _ => return None,
    })
}

//! The segments of the status line. Each says one thing, or nothing if there is nothing to say.

use std::sync::Arc;

use serde_json::Value;

use super::Status;
use crate::app::Session;
use crate::conversation::{duration, tokens};
use crate::text::{Line, clean_line};
use crate::theme::{Preset, Symbol, Symbols, Token};
use crate::view::View;

/// What segments are drawn with.
pub(super) struct Pen<'a> {
    pub view: &'a View<'a>,
    pub session: &'a Session,
    pub status: &'a Status,
    /// Signs of a preset of the line's own.
    pub signs: Option<Preset>,
}

impl Pen<'_> {
    fn sign(&self, symbol: Symbol) -> &str {
        match self.signs {
            Some(preset) if preset != self.view.theme.symbols.preset => Symbols::drawn(preset, symbol),
            _ => self.view.sign(symbol),
        }
    }

    fn with(&self, symbol: Symbol, text: impl AsRef<str>, token: Token) -> Line {
        let (sign, text) = (self.sign(symbol), text.as_ref());
        let text = if sign.is_empty() { text.to_owned() } else { format!("{sign} {text}") };
        Line::of(text, self.view.fg(token))
    }

    fn plain(&self, text: impl AsRef<str>, token: Token) -> Option<Line> {
        let text = text.as_ref();
        (!text.is_empty()).then(|| Line::of(clean_line(text), self.view.fg(token)))
    }

    /// An option of a segment, `statusLine.segmentOptions`.
    fn option(&self, segment: &str, name: &str) -> Option<&Value> {
        self.status.options.get(segment)?.get(name)
    }

    fn is(&self, segment: &str, name: &str, usual: bool) -> bool {
        self.option(segment, name).and_then(Value::as_bool).unwrap_or(usual)
    }

    /// The segment of this name.
    pub(super) fn segment(&self, name: &str) -> Option<Line> {
        match name {
            "model" => self.model(),
            "mode" => self.mode(),
            "path" => self.path(),
            "git" => self.git(),
            "pr" => self.pull(),
            "session_name" => self.plain(self.session.name.as_deref()?, Token::Muted),
            "thinking" => {
                let level = Some(&self.session.thinking).filter(|level| *level != "off")?;
                self.plain(level, self.view.frame)
            }
            "host" | "hostname" => self.plain(&self.status.facts.host, Token::Muted),
            "policy" => self.plain(&self.session.policy, Token::Muted),
            "jobs" | "subagents" => {
                let count = Some(self.status.facts.jobs).filter(|count| *count > 0)?;
                Some(self.with(Symbol::IconJob, count.to_string(), Token::StatusLineSubagents))
            }
            "time_spent" => {
                let text = duration(self.view.now_ms / 60_000 * 60_000);
                (self.view.now_ms >= 60_000).then(|| Line::of(text, self.view.fg(Token::Dim)))
            }
            _ => self.amount(name),
        }
    }

    fn model(&self) -> Option<Line> {
        let whole = Some(self.session.model.as_str()).filter(|model| !model.is_empty())?;
        let short = whole.rsplit('/').next().unwrap_or(whole);
        let mut text =
            clean_line(if self.is("model", "showProvider", false) { whole } else { short }).into_owned();
        let level = self.session.thinking.as_str();
        if self.is("model", "showThinkingLevel", false) && !matches!(level, "" | "off") {
            text.push_str(&format!(" {level}"));
        }
        Some(self.with(Symbol::IconModel, text, Token::StatusLineModel))
    }

    fn mode(&self) -> Option<Line> {
        let mode =
            Some(self.session.mode.as_str()).filter(|mode| !matches!(*mode, "" | "default" | "none"))?;
        self.plain(mode, Token::Warning)
    }

    fn path(&self) -> Option<Line> {
        let path = Some(clean_line(&self.session.cwd)).filter(|path| !path.is_empty())?;
        let mut text =
            if self.is("path", "abbreviate", false) { abbreviated(&path) } else { path.into_owned() };
        let most = self.option("path", "maxLength").and_then(Value::as_u64);
        if let Some(most) = most.and_then(|most| usize::try_from(most).ok()) {
            let skip = text.chars().count().saturating_sub(most.max(4));
            if skip > 0 {
                let mark = self.view.sign(Symbol::Ellipsis);
                text = format!("{mark}{}", text.chars().skip(skip).collect::<String>());
            }
        }
        Some(self.with(Symbol::IconFolder, text, Token::StatusLinePath))
    }

    /// The branch, and how many files are staged, changed and new.
    fn git(&self) -> Option<Line> {
        let git = self.session.git.as_ref()?;
        let is_dirty = git.staged + git.changed + git.untracked > 0;
        let token = if is_dirty { Token::StatusLineGitDirty } else { Token::StatusLineGitClean };
        let mut line = match self.is("git", "showBranch", true) {
            true => self.with(Symbol::IconGit, clean_line(&git.branch), token),
            false => Line::new(),
        };
        for (count, mark, option, token) in [
            (git.staged, "+", "showStaged", Token::StatusLineStaged),
            (git.changed, "*", "showUnstaged", Token::StatusLineDirty),
            (git.untracked, "?", "showUntracked", Token::StatusLineUntracked),
        ] {
            if count > 0 && self.is("git", option, true) {
                line.push(format!(" {mark}{count}"), self.view.fg(token));
            }
        }
        (!line.spans.is_empty()).then_some(line)
    }

    /// The pull request that the conversation came across last, as a link.
    fn pull(&self) -> Option<Line> {
        let address = self.status.facts.pull.as_ref()?;
        let number = address.rsplit('/').next().unwrap_or_default();
        let mut line = Line::of(format!("#{number}"), self.view.fg(Token::MdLink));
        line.spans.iter_mut().for_each(|span| span.link = Some(Arc::from(address.as_str())));
        Some(line)
    }

    /// Tokens and money.
    fn amount(&self, name: &str) -> Option<Line> {
        let (view, used) = (self.view, &self.session.used);
        let count = |symbol: Symbol, count: u64, token: Token| {
            (count > 0).then(|| Line::of(format!("{}{}", self.sign(symbol), tokens(count)), view.fg(token)))
        };
        match name {
            "context_pct" => {
                let percent = (self.session.context * 100).checked_div(self.session.window)?;
                let token = match percent {
                    0..70 => Token::StatusLineContext,
                    70..90 => Token::Warning,
                    _ => Token::Error,
                };
                let text = match self.is("context_pct", "showWindow", true) {
                    true => format!("{percent}% of {}", tokens(self.session.window)),
                    false => format!("{percent}%"),
                };
                Some(self.with(Symbol::IconContext, text, token))
            }
            "context_total" => {
                let text = Some(self.session.context).filter(|count| *count > 0).map(tokens)?;
                Some(self.with(Symbol::IconContext, text, Token::StatusLineContext))
            }
            "token_in" => count(Symbol::ArrowUp, used.input + used.cached, Token::StatusLineSpend),
            "token_out" => count(Symbol::ArrowDown, used.output, Token::StatusLineOutput),
            "token_total" => {
                let all = used.input + used.cached + used.output;
                (all > 0)
                    .then(|| Line::of(format!("{} tokens", tokens(all)), view.fg(Token::StatusLineSpend)))
            }
            "cache_read" => {
                let share = (used.cached * 100).checked_div(used.input + used.cached)?;
                Some(Line::of(format!("{share}% cached"), view.fg(Token::StatusLineSpend)))
            }
            "token_rate" => {
                let rate = Some(self.status.facts.rate).filter(|rate| *rate > 0)?;
                Some(Line::of(format!("{rate} tok/s"), view.fg(Token::StatusLineOutput)))
            }
            "cost" if used.cost > 0.0 => {
                Some(self.with(Symbol::IconCost, format!("${:.2}", used.cost), Token::StatusLineCost))
            }
            _ => None,
        }
    }
}

/// `~/projects/shop/backend` as `~/p/s/backend`.
fn abbreviated(path: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    let last = parts.pop().unwrap_or_default();
    let short = parts.into_iter().map(|part| {
        let keep = if part.starts_with('.') { 2 } else { 1 };
        part.chars().take(keep).collect::<String>() + "/"
    });
    short.collect::<String>() + last
}

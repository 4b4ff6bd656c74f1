//! Stream rules: rules that watch what the model writes while it writes it.
//!
//! [`StreamRules`] are compiled once from the rules with conditions. A [`Monitor`] belongs to one session: it is given
//! every piece of text, thoughts and arguments as it arrives, and says which rules it broke ([`Hit`]) and whether that
//! interrupts the model. Matching costs the same for every byte, whatever the pattern, and does not depend on where the
//! provider cuts its pieces.
//!
//! What happens after a hit (stopping the model, the message it reads, the entry in the log) is the turn loop's work;
//! [`interruption`] and [`reminder`] are the texts for it.

mod arguments;
mod matcher;
mod message;
mod monitor;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use message::{INJECTION, interruption, reminder};
pub use monitor::{Hit, Monitor, Source};

use super::{Globs, InterruptMode, Rule, Scope, Use};
use crate::sources::Skipped;
use matcher::Pattern;

/// What becomes of an answer that was interrupted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextMode {
    /// The model does not see it any more.
    #[default]
    Discard,
    /// The model goes on after it.
    Keep,
}

/// How often a rule may be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepeatMode {
    /// Once in a session.
    #[default]
    Once,
    /// Again after some turns.
    AfterGap,
}

/// `ttsr.*`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Whether anything is watched.
    pub enabled: bool,
    /// What becomes of an answer that was interrupted.
    pub context_mode: ContextMode,
    /// When rules interrupt that do not say so themselves.
    pub interrupt_mode: InterruptMode,
    /// How often a rule may be shown.
    pub repeat_mode: RepeatMode,
    /// After how many completed turns it may be shown again.
    pub repeat_gap: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            context_mode: ContextMode::default(),
            interrupt_mode: InterruptMode::default(),
            repeat_mode: RepeatMode::default(),
            repeat_gap: 10,
        }
    }
}

/// A rule that watches, compiled.
#[derive(Debug)]
struct Watch {
    rule: Rule,
    pattern: Pattern,
    /// Patterns of the rule for the files it is about; nothing means any.
    files: Option<Globs>,
    tools: Vec<ToolWatch>,
    in_text: bool,
    in_thinking: bool,
}

/// One of its scopes on tools.
#[derive(Debug)]
struct ToolWatch {
    tool: Option<String>,
    files: Option<Globs>,
}

impl ToolWatch {
    /// Tools' names are matched without regard to case, as elsewhere.
    fn is_about(&self, tool: &str) -> bool {
        self.tool.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(tool))
    }
}

/// The rules that watch, compiled. Sessions share them.
#[derive(Debug, Default)]
pub struct StreamRules {
    settings: Settings,
    watches: Vec<Watch>,
}

impl StreamRules {
    /// Compiles the rules that have conditions. A rule that cannot be used is reported; the others are used.
    #[must_use]
    pub fn new(rules: &[Rule], settings: Settings) -> (Arc<Self>, Vec<Skipped>) {
        let mut skipped = Vec::new();
        let mut watches = Vec::new();
        let mut names = HashSet::new();
        let watching = rules.iter().filter(|rule| settings.enabled && rule.usage() == Use::Stream);
        for rule in watching {
            let mut complain = |reason: String| skipped.push(Skipped::new(rule.path.clone(), reason));
            if !names.insert(rule.name.as_str()) {
                complain(format!("another rule has the name `{}`", rule.name));
                continue;
            }
            let Some(pattern) = Pattern::new(&rule.conditions, &mut complain) else { continue };
            let watch = Watch::new(rule.clone(), pattern);
            if watch.is_reachable() {
                watches.push(watch);
            } else {
                complain("its scope leaves nothing to watch, so it is not used".to_owned());
            }
        }
        (Arc::new(Self { settings, watches }), skipped)
    }

    /// Whether there is nothing to watch for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.watches.is_empty()
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The rule with this name.
    #[must_use]
    pub fn rule(&self, name: &str) -> Option<&Rule> {
        self.watches.iter().map(|watch| &watch.rule).find(|rule| rule.name == name)
    }
}

impl Watch {
    fn new(rule: Rule, pattern: Pattern) -> Self {
        let globs = |patterns: &[String]| (!patterns.is_empty()).then(|| Globs::new(patterns));
        let tools = rule.scopes.iter().filter_map(|scope| match scope {
            Scope::Tool(scope) => {
                let files = scope.glob.clone().map(|glob| Globs::new(&[glob]));
                Some(ToolWatch { tool: scope.tool.clone(), files })
            }
            _ => None,
        });
        Self {
            files: globs(&rule.globs),
            tools: tools.collect(),
            // Words belong to no file, so a rule about files cannot be broken by them.
            in_text: rule.globs.is_empty() && rule.scopes.contains(&Scope::Text),
            in_thinking: rule.globs.is_empty() && rule.scopes.contains(&Scope::Thinking),
            rule,
            pattern,
        }
    }

    fn is_reachable(&self) -> bool {
        self.in_text || self.in_thinking || !self.tools.is_empty()
    }

    fn interrupts(&self, settings: &Settings, is_tool: bool) -> bool {
        match self.rule.interrupt.unwrap_or(settings.interrupt_mode) {
            InterruptMode::Never => false,
            InterruptMode::ProseOnly => !is_tool,
            InterruptMode::ToolOnly => is_tool,
            InterruptMode::Always => true,
        }
    }
}

//! Policy: what may happen without asking, from what a call needs and how its commands parse.
//!
//! Names of tools play no part. Edits can be undone, so `auto` lets them land; commands run in the sandbox; whatever
//! needs more is asked about once, saying what and why. Nothing a repository supplies takes part in a decision.

mod commands;
mod places;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use places::{Look, Place, Places};
pub use relay_syntax::shell::Present;
pub use rules::{Rule, RuleError, Rules, Say};

use crate::tool::{Access, Reach};

/// How much may happen without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Nothing is changed, and only commands run that just read.
    ReadOnly,
    /// Every change and every command is asked about.
    Ask,
    /// Edits land, commands run in the sandbox; anything more is asked about.
    #[default]
    Auto,
    /// Nothing is asked about.
    Full,
}

impl Level {
    /// All levels, the strictest first.
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::Ask, Self::Auto, Self::Full];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Ask => "ask",
            Self::Auto => "auto",
            Self::Full => "full",
        }
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|level| level.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("unknown policy `{name}`; use one of {names}")
        })
    }
}

/// What a question is about; `--allow` grants a class up front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Searching and reading public pages.
    Web,
    /// Any other connection.
    Network,
    /// Files outside the workspace.
    Outside,
    /// Work that could not be restored.
    Destructive,
    /// Files that hold secrets, or that other programs execute.
    Sensitive,
    /// A change, where every change is asked about.
    Change,
    /// A command, where every command is asked about, or that cannot be understood or confined.
    Command,
}

impl Class {
    /// Those that `--allow` takes.
    pub const GRANTABLE: [Self; 4] = [Self::Web, Self::Network, Self::Outside, Self::Destructive];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Network => "network",
            Self::Outside => "outside",
            Self::Destructive => "destructive",
            Self::Sensitive => "sensitive",
            Self::Change => "change",
            Self::Command => "command",
        }
    }
}

/// A question for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What kind of thing it is.
    pub class: Class,
    /// What would happen: `run git push`, `read /etc/hosts`.
    pub what: String,
    /// Why that is not done without asking.
    pub why: String,
    /// The rule that would always allow it; none where no rule should.
    pub rule: Option<Rule>,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

/// The decision about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Allow,
    /// A person is asked, about all of this at once.
    Ask(Vec<Reason>),
    /// It does not run; the model reads why.
    Deny(String),
}

/// What the sandbox for commands enforces here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Writes stay in the workspace.
    pub writes: bool,
    /// No connections.
    pub network: bool,
    /// Connections to the domains that the user allows, and about others the user is asked when they are made.
    pub domains: bool,
    /// Nothing at all, so even commands that seem to only read cannot be contained.
    pub nothing: bool,
}

/// How a call that was allowed may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permit {
    /// In the sandbox that keeps writes in the workspace.
    pub confined: bool,
    /// With connections to other machines.
    pub network: bool,
    /// With the workspace to write to.
    pub writes: bool,
}

/// Decides about calls.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// How much may happen without asking.
    pub level: Level,
    /// Classes that were granted up front or for the session.
    pub granted: BTreeSet<Class>,
    /// The user's own rules, and those of this session.
    pub rules: Rules,
    /// What the sandbox for commands enforces here.
    pub confinement: Confinement,
    /// Where paths are.
    pub places: Places,
}

impl Policy {
    /// Decides about a call from everything it needs.
    #[must_use]
    pub fn decide(&self, needs: &[Access]) -> Decision {
        let mut reasons = Vec::new();
        for access in needs {
            match self.decide_one(access) {
                Decision::Allow => {}
                Decision::Ask(more) => {
                    for reason in more {
                        if !reasons.contains(&reason) {
                            reasons.push(reason);
                        }
                    }
                }
                Decision::Deny(why) => return Decision::Deny(why),
            }
        }
        if reasons.is_empty() { Decision::Allow } else { Decision::Ask(reasons) }
    }

    /// How a call may run, once it was allowed and these things were granted to it.
    #[must_use]
    pub fn permit(&self, granted: &[Reason]) -> Permit {
        let is_granted =
            |class| self.granted.contains(&class) || granted.iter().any(|reason| reason.class == class);
        Permit {
            confined: self.level != Level::Full && self.confinement.writes && !is_granted(Class::Outside),
            network: self.level == Level::Full || !self.confinement.network || is_granted(Class::Network),
            writes: self.level != Level::ReadOnly,
        }
    }

    fn decide_one(&self, access: &Access) -> Decision {
        match access {
            Access::Conversation => Decision::Allow,
            Access::Reads(path) => self.reads(path),
            Access::Changes(path) => self.changes(path),
            Access::Runs { command, cwd } => commands::decide(self, command, cwd.as_deref()),
            Access::Connects { reach, to } => self.connects(*reach, to),
        }
    }

    fn reads(&self, path: &str) -> Decision {
        let (class, why) = match self.places.of(path) {
            Place::Inside => return Decision::Allow,
            Place::Outside => (Class::Outside, "it is outside the workspace"),
            Place::Sensitive => (Class::Sensitive, "it may hold secrets"),
        };
        let what = format!("read {path}");
        self.unless_granted(Reason { class, what, why: why.to_owned(), rule: Some(Rule::reading(path)) })
    }

    fn changes(&self, path: &str) -> Decision {
        // Notes of the session are not files; plan mode, which changes nothing else, keeps its plan there.
        if path.starts_with("local://") {
            return Decision::Allow;
        }
        if self.level == Level::ReadOnly {
            return Decision::Deny(format!("{path} cannot be changed: the policy is read-only"));
        }
        let what = format!("change {path}");
        let reason = |class, why: &str| Reason {
            class,
            what: what.clone(),
            why: why.to_owned(),
            rule: Some(Rule::changing(path)),
        };
        match self.places.of(path) {
            Place::Outside => self.unless_granted(reason(Class::Outside, "it is outside the workspace")),
            Place::Sensitive => {
                self.unless_granted(reason(Class::Sensitive, "other programs trust or execute what is in it"))
            }
            Place::Inside if self.level == Level::Ask => {
                self.unless_granted(reason(Class::Change, "the policy asks about every change"))
            }
            Place::Inside => match self.rules.of_change(path) {
                Some(Rule { decide: rules::Say::Deny, .. }) => {
                    Decision::Deny(format!("a rule in your settings denies changing {path}"))
                }
                _ => Decision::Allow,
            },
        }
    }

    fn connects(&self, reach: Reach, to: &str) -> Decision {
        let (class, why) = match reach {
            Reach::Web => (Class::Web, "it sends what is asked for to a web page"),
            Reach::Network => (Class::Network, "it connects to something outside this machine"),
        };
        let what = format!("connect to {to}");
        self.unless_granted(Reason { class, what, why: why.to_owned(), rule: Some(Rule::connecting(to)) })
    }

    /// Allowed by level, grant or rule, denied by rule, else asked about.
    fn unless_granted(&self, reason: Reason) -> Decision {
        match reason.rule.as_ref().and_then(|rule| self.rules.like(rule)) {
            Some(rules::Say::Deny) => {
                return Decision::Deny(format!("a rule in your settings denies it: {}", reason.what));
            }
            Some(rules::Say::Ask) => return Decision::Ask(vec![reason]),
            Some(rules::Say::Allow) => return Decision::Allow,
            None => {}
        }
        if self.level == Level::Full || self.granted.contains(&reason.class) {
            return Decision::Allow;
        }
        Decision::Ask(vec![reason])
    }
}

//! What a command would do, from its tree: the ground a policy decides on.
//!
//! Every command in the script gets one [`Finding`], in the order in which they run, with a reason in plain English. What
//! is not recognised is [`Class::Unknown`], never harmless: lists below name what is known to be safe, not what is known to be
//! dangerous, except where recognising the danger gives a better message.
//!
//! Nothing here looks at the disk. Whether `> notes.md` overwrites something is a question for [`Files`].

mod archive;
mod awk;
mod builtin;
mod environment;
mod files;
mod git;
mod git_push;
mod git_tree;
mod interpreter;
mod judge;
mod network;
mod options;
mod overwrite;
mod program;
mod project;
mod reads;
mod remote;
mod remove;
mod sed;
mod shells;
mod system;
mod wrapper;

use super::tree::Script;

pub use files::{Files, Present, Unseen};

/// What a command would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// It only reads.
    Reads,
    /// It changes files in a way that can be undone.
    Changes,
    /// It would lose something.
    Destroys {
        /// What would be lost.
        what: String,
        /// How.
        why: String,
    },
    /// It talks to another machine.
    Network,
    /// It cannot be said what it does.
    Unknown(Cause),
}

/// Why it cannot be said what a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A program that is not in the lists.
    Program,
    /// Code in another language, or a script: its text was not looked at.
    Code,
    /// The program or an option is only known when it runs.
    Dynamic,
    /// Options that this reader does not know, or that run other programs.
    Options,
    /// It would write outside the workspace.
    Outside,
    /// It asks for more rights.
    Privilege,
    /// It changes what later commands do: `PATH`, `LD_PRELOAD`, traps.
    Environment,
}

/// How a path is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its content is read.
    Read,
    /// It is created or written to.
    Write,
    /// It is removed or moved away.
    Remove,
}

/// A path that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// From the folder in which the script starts, or absolute; as written when it is only known at run time.
    pub path: String,
    /// Whether `path` is the path itself, not a pattern or a variable.
    pub is_exact: bool,
    /// How it is used.
    pub access: Access,
}

/// What one command would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The command as it is understood: its words, wrappers removed.
    pub command: String,
    /// Its class.
    pub class: Class,
    /// Why, in a sentence for people.
    pub reason: String,
    /// The paths it writes to or removes, and those that redirections read.
    pub touched: Vec<Touched>,
}

/// What a script would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// One for each command, in order.
    pub findings: Vec<Finding>,
}

/// What a policy without rules of its own makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// Everything in it reads, or changes the workspace in a way that can be undone.
    Allow,
    /// Something in it needs a person: network, outside, or not understood.
    Ask,
    /// Something in it would lose work.
    Destructive,
}

impl Class {
    /// The decision for a command of this class.
    #[must_use]
    pub fn decision(&self) -> Decision {
        match self {
            Self::Reads | Self::Changes => Decision::Allow,
            Self::Network | Self::Unknown(_) => Decision::Ask,
            Self::Destroys { .. } => Decision::Destructive,
        }
    }
}

impl Verdict {
    /// The strictest decision of all commands.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.findings.iter().map(|finding| finding.class.decision()).max().unwrap_or(Decision::Allow)
    }

    /// The findings that decided, for a question to a person.
    pub fn deciding(&self) -> impl Iterator<Item = &Finding> {
        let decision = self.decision();
        self.findings.iter().filter(move |finding| finding.class.decision() == decision)
    }
}

/// Says for every command in `script` what it would do.
#[must_use]
pub fn verdict(script: &Script, files: &dyn Files) -> Verdict {
    judge::judge(script, files)
}

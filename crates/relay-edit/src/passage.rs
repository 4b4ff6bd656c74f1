//! One block of a reply as it was read: its lines, the prose above it, and what a dialect made of it.
//!
//! Nothing here decides the class of a block; [`crate::account`] does.

/// One fenced block, section, tag or command of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Its first line in the reply, counted from 1.
    pub first: usize,
    /// Its last line.
    pub last: usize,
    /// The prose between the block before and this one.
    pub lead: String,
    /// What it holds.
    pub body: Body,
}

/// What a block holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Edits, in a form that Relay reads; or it was refused, with a finding.
    Read,
    /// The reply's own metadata.
    Control,
    /// Whatever it holds, the user said that it is not to land.
    Ignored,
    /// An edit for which no file could be found, with the reason.
    Unplaced(String),
    /// Code that no dialect reads.
    Code(Snippet),
    /// Prose that asks for this file to be deleted or renamed.
    Asked(String),
    /// A call of a tool that changes no file.
    HarmlessCall(String),
    /// A call of a tool that Relay does not know, or with arguments it cannot read.
    UnknownCall(String),
}

/// Code that no dialect reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The word after the fence.
    pub language: String,
    /// The file it names, where it was not read as that file.
    pub path: Option<String>,
    /// Its fence cites lines of that file, as in `10:20:src/a.rs`.
    pub cited: bool,
    /// The lines between the fences, each with a newline.
    pub text: String,
    /// Nothing follows it in the reply, which may have been cut off.
    pub ends_reply: bool,
}

impl Passage {
    /// Whether a line of the reply belongs to it.
    #[must_use]
    pub const fn holds(&self, line: usize) -> bool {
        self.first <= line && line <= self.last
    }

    /// The code that no dialect reads, where it is that.
    #[must_use]
    pub const fn snippet(&self) -> Option<&Snippet> {
        match &self.body {
            Body::Code(snippet) => Some(snippet),
            _ => None,
        }
    }
}

//! An edit: one intended operation on one path, as parsed and not yet placed.

use crate::Dialect;
use crate::anchors::LineHash;

/// One intended operation on one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The path as written in the reply, not checked yet.
    pub path: String,
    /// What should happen to it.
    pub operation: Operation,
    /// The written form it came in.
    pub dialect: Dialect,
    /// The line in the reply where it begins, counted from 1.
    pub line: usize,
}

impl Edit {
    /// The paths it names: its own, and for a rename the new one. What is there has to be in the snapshot.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let to = match &self.operation {
            Operation::Rename { to } => Some(to.as_str()),
            _ => None,
        };
        std::iter::once(self.path.as_str()).chain(to)
    }

    /// Its hunks; none where it is no patch.
    #[must_use]
    pub fn hunks(&self) -> &[Hunk] {
        match &self.operation {
            Operation::Patch { hunks, .. } => hunks,
            _ => &[],
        }
    }
}

/// What should happen to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Sets the file to exactly this text, whether it exists or not.
    Write {
        /// The whole, final text.
        content: String,
    },
    /// Changes some lines of the file.
    Patch {
        /// The hunks, in the order of the reply.
        hunks: Vec<Hunk>,
        /// What the hunks' old lines refer to.
        base: Base,
    },
    /// Deletes the file.
    Delete,
    /// Renames the file; its bytes and mode stay.
    Rename {
        /// The new path, as written in the reply.
        to: String,
    },
    /// Makes the file executable, or not; its bytes stay.
    Mode {
        /// Whether it can be run.
        executable: bool,
    },
}

/// What the old lines of a hunk refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The file as it was before this edit (diffs): hunks do not see each other's results.
    Original,
    /// The file after the hunks before this one (SEARCH/REPLACE).
    Sequential,
}

/// Old lines to be found, and the new lines to be there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Context, removed and added lines in order, without their line endings.
    pub lines: Vec<HunkLine>,
    /// The line of the file the author thought it is at, counted from 1. Only ever breaks ties.
    pub line_hint: Option<usize>,
    /// The line in the reply where the hunk begins, counted from 1.
    pub line: usize,
    /// Lines of the file said to be somewhere before the hunk (`@@ fn main()`), outermost first.
    pub scope: Vec<String>,
    /// What the author said about the end of the file.
    pub end: EndOfFile,
    /// Where it goes, when the author named lines by number instead of quoting them.
    pub target: Target,
    /// What the author copied beside the anchors of lines (`12ab|text`), with the numbers of those lines, counted from 1.
    pub beside: Vec<(usize, String)>,
    /// Its author was shown the file as it is now, in a repair prompt: that is what its numbers and anchors mean, whatever was
    /// read before.
    pub shown_now: bool,
    /// How many old and new lines the header announces, where it does. Never trusted; it only hints at what the author
    /// meant.
    pub announced: Option<(usize, usize)>,
    /// How many lines at the end were written without a sign, so that they may be no part of the hunk.
    pub unsigned: usize,
    /// Nothing but the prose above or the section before says which file is meant, so the old lines must leave no doubt.
    pub presumed: bool,
    /// Quotes around the path of the file say that all of it is the name, spaces and all.
    pub named: bool,
}

/// Where a hunk goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// Where its old lines are.
    #[default]
    Quoted,
    /// In place of these lines, both included; the hunk then holds only new lines.
    Lines {
        /// The first line.
        first: Anchor,
        /// The last line.
        last: Anchor,
    },
    /// Before this line.
    Before(Anchor),
    /// Behind this line.
    After(Anchor),
    /// At the beginning of the file.
    Start,
    /// At the end of the file.
    End,
}

/// A line named by its number and, in some dialects, by a short hash of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Counted from 1.
    pub line: usize,
    /// The hash the author copied; without one a number proves nothing.
    pub hash: Option<LineHash>,
}

/// What a hunk says about the end of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndOfFile {
    /// Nothing: the final newline stays as it is.
    #[default]
    Unsaid,
    /// The hunk reaches the end of the file.
    Reached,
    /// The hunk reaches the end of the file, and its last new line ends with a newline.
    WithNewline,
    /// The hunk reaches the end of the file, and its last new line ends without a newline.
    WithoutNewline,
}

/// One line of a hunk, without its line ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HunkLine {
    /// Context: a line that stays in the file.
    Context(String),
    /// A line removed from the file.
    Removed(String),
    /// Is new.
    Added(String),
}

impl HunkLine {
    /// The text of the line.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Context(text) | Self::Removed(text) | Self::Added(text) => text,
        }
    }

    /// A line of the same kind that says something else.
    #[must_use]
    pub(crate) fn saying(&self, text: String) -> Self {
        match self {
            Self::Context(_) => Self::Context(text),
            Self::Removed(_) => Self::Removed(text),
            Self::Added(_) => Self::Added(text),
        }
    }

    /// Whether the line is in the file now.
    #[must_use]
    pub const fn is_old(&self) -> bool {
        !matches!(self, Self::Added(_))
    }

    /// Whether the line is in the file afterwards.
    #[must_use]
    pub const fn is_new(&self) -> bool {
        !matches!(self, Self::Removed(_))
    }
}

impl Hunk {
    /// A hunk that says nothing but its lines.
    #[must_use]
    pub const fn new(lines: Vec<HunkLine>, line: usize) -> Self {
        Self {
            lines,
            line_hint: None,
            line,
            scope: Vec::new(),
            end: EndOfFile::Unsaid,
            target: Target::Quoted,
            beside: Vec::new(),
            shown_now: false,
            announced: None,
            unsigned: 0,
            presumed: false,
            named: false,
        }
    }

    /// A hunk from the whole text before and the whole text after, whose common lines become context.
    ///
    /// That matters because context keeps the bytes of the file, while new lines are written as the author
    /// wrote them.
    #[must_use]
    pub fn from_sides(old: &[&str], new: &[&str], line: usize) -> Self {
        Self::new(crate::align::align(old, new), line)
    }

    /// The lines that are in the file now.
    pub fn old_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|line| line.is_old()).map(HunkLine::text)
    }

    /// The lines that are in the file afterwards.
    pub fn new_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|line| line.is_new()).map(HunkLine::text)
    }

    /// The lines that are new.
    pub fn added_lines(&self) -> impl Iterator<Item = &str> + Clone {
        self.lines.iter().filter(|line| !line.is_old()).map(HunkLine::text)
    }

    /// Whether any line is new.
    #[must_use]
    pub fn adds(&self) -> bool {
        self.lines.iter().any(|line| matches!(line, HunkLine::Added(_)))
    }

    /// Whether any line goes.
    #[must_use]
    pub fn removes(&self) -> bool {
        self.lines.iter().any(|line| matches!(line, HunkLine::Removed(_)))
    }
}

#[cfg(test)]
impl Hunk {
    /// A hunk written as the lines of a diff.
    pub(crate) fn of_diff(diff: &str) -> Self {
        let line = |line: &str| match line.split_at(1) {
            ("-", text) => HunkLine::Removed(text.to_owned()),
            ("+", text) => HunkLine::Added(text.to_owned()),
            (_, text) => HunkLine::Context(text.to_owned()),
        };
        Self::new(diff.lines().map(line).collect(), 1)
    }
}

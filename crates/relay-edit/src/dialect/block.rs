//! Where a fenced block ends.
//!
//! Contents may hold fences themselves. A longer outer fence or an `END` marker settles it; otherwise inner
//! fences are counted: one with a label opens, a bare one closes the innermost. Where that still leaves two
//! readings the block is refused, because the wrong one would write half a file.

use super::fence::{Fence, FenceLine, fence_line};
use super::header::{self, Header, Strategy};
use super::marker::{Marker, Opened, marker};
use super::{Dialect, Kept, Line};

/// What a block is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// An operation on a file.
    File {
        /// The language in the header.
        language: String,
        /// The path in the header.
        path: String,
        /// The strategy in the header.
        strategy: Option<Strategy>,
        /// How the path was given.
        dialect: Dialect,
    },
    /// A rename.
    Rename,
    /// Its header was refused; its content is only skipped.
    Skip,
}

impl Purpose {
    /// `README.md`, ` ```md `.
    fn is_markdown(&self) -> bool {
        const EXTENSIONS: &[&str] = &["md", "mdx", "markdown", "rst", "txt", "adoc", "qmd", "rmd"];
        let Self::File { language, path, .. } = self else { return false };
        let extension = path.rsplit('.').next().unwrap_or_default();
        let is_one_of =
            |word: &str, known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(word));
        is_one_of(extension, EXTENSIONS) || is_one_of(language, &["md", "mdx", "markdown"])
    }
}

/// A fenced block whose end has not come yet.
#[derive(Debug)]
pub(crate) struct Block {
    /// What the header says.
    pub purpose: Purpose,
    /// The line of the header.
    pub line: usize,
    /// The content so far.
    pub body: Kept,
    fence: Fence,
    /// The content is of a kind that often holds fences.
    is_markdown: bool,
    /// Fences open inside the content.
    inner: Vec<Fence>,
    /// The SEARCH/REPLACE section whose lines come, which are content whatever they look like.
    in_section: Option<Opened>,
    /// After a `START` marker: where a bare fence came without an `END` before it, if one did.
    possible_end: Option<usize>,
}

/// What a line did to a block.
#[derive(Debug)]
pub(crate) enum Step {
    /// It belongs to the content.
    More,
    /// It ends the block.
    Closed {
        /// Nothing after it could make it wrong.
        certain: bool,
    },
    /// The block had ended before: the lines after its end, and this one, are to be read again.
    ClosedBefore(Kept),
    /// Another block begins although this one was never closed.
    Interrupted,
    /// Two readings remain.
    Unclear,
}

impl Block {
    /// A block that begins with this fence.
    pub fn new(purpose: Purpose, fence: Fence, line: usize) -> Self {
        Self {
            is_markdown: purpose.is_markdown(),
            purpose,
            line,
            body: Kept::default(),
            fence,
            inner: Vec::new(),
            in_section: None,
            possible_end: None,
        }
    }

    /// The path, as far as there is one.
    pub fn path(&self) -> Option<&str> {
        match &self.purpose {
            Purpose::File { path, .. } => Some(path),
            Purpose::Rename | Purpose::Skip => None,
        }
    }

    /// A fence that would have made everything clear.
    pub fn longer_fence(&self) -> String {
        self.fence.longer()
    }

    /// Whether the content is of a kind that often holds fences.
    pub const fn is_markdown(&self) -> bool {
        self.is_markdown
    }

    /// Takes the next line.
    pub fn line(&mut self, line: Line<'_>) -> Step {
        self.fence.note(line.text);
        if self.tracks_section(line) {
            return self.keep(line);
        }
        let Some(found) = fence_line(line.text) else { return self.keep(line) };
        let (FenceLine::Bare(fence) | FenceLine::Labelled(fence, _)) = found;
        if !self.fence.accepts(fence) {
            return self.keep(line);
        }
        match found {
            FenceLine::Labelled(_, info) if is_block_header(info) => self.other_header(line, fence),
            FenceLine::Labelled(..) => {
                if !self.is_diff() {
                    self.inner.push(fence);
                }
                self.keep(line)
            }
            FenceLine::Bare(_) => self.bare_fence(line, fence),
        }
    }

    /// Ends the block where the reply ends, if a bare fence was where it may have ended.
    pub fn end_of_reply(&mut self) -> Option<Kept> {
        let end = self.possible_end.take()?;
        // The fence itself is neither content nor to be read again.
        let again = self.body.split_off(end + 1);
        self.body.truncate(end);
        Some(again)
    }

    fn keep(&mut self, line: Line<'_>) -> Step {
        let text = self.fence.unindent(line.text);
        self.body.push(Line { text, ..line });
        Step::More
    }

    fn is_diff(&self) -> bool {
        matches!(&self.purpose, Purpose::File { strategy: Some(Strategy::Unified), .. })
    }

    fn tracks_section(&mut self, line: Line<'_>) -> bool {
        if !matches!(&self.purpose, Purpose::File { strategy: Some(Strategy::SearchReplace), .. }) {
            return false;
        }
        let text = self.fence.unindent(line.text);
        let found = match self.in_section.as_mut() {
            Some(section) => section.read(text),
            None => marker(text),
        };
        match (found, self.in_section) {
            (Some(Marker::Search(length)), None) => self.in_section = Some(Opened::new(length)),
            (Some(Marker::Replace(_)), Some(_)) => self.in_section = None,
            _ => {}
        }
        self.in_section.is_some()
    }

    fn other_header(&mut self, line: Line<'_>, fence: Fence) -> Step {
        if self.possible_end.is_some() {
            let mut again = self.end_of_reply().unwrap_or_default();
            again.push(line);
            return Step::ClosedBefore(again);
        }
        if self.is_markdown || self.has_start() || !self.inner.is_empty() {
            self.inner.push(fence);
            return self.keep(line);
        }
        Step::Interrupted
    }

    fn bare_fence(&mut self, line: Line<'_>, fence: Fence) -> Step {
        if self.is_diff() {
            // Every content line of a diff has a sign before it, so only an indented fence can be content.
            return if fence.indent <= self.fence.indent {
                Step::Closed { certain: true }
            } else {
                self.keep(line)
            };
        }
        if self.ends_with_marker() && fence.indent <= self.fence.indent {
            return Step::Closed { certain: true };
        }
        if self.possible_end.is_some() {
            return self.keep(line);
        }
        if let Some(inner) = self.inner.last().copied() {
            if fence.indent == inner.indent || fence.indent > self.fence.indent {
                self.inner.pop();
                return self.keep(line);
            }
            return Step::Unclear;
        }
        if fence.indent > self.fence.indent {
            self.inner.push(fence);
            return self.keep(line);
        }
        if self.has_start() {
            self.possible_end = Some(self.body.len());
            return self.keep(line);
        }
        Step::Closed { certain: false }
    }

    fn has_start(&self) -> bool {
        self.body.first().is_some_and(|line| is_marker(line.text, "START"))
    }

    fn ends_with_marker(&self) -> bool {
        let mut written = self.body.lines().rev().filter(|line| !line.text.trim().is_empty());
        written.next().is_some_and(|line| is_marker(line.text, "END"))
    }
}

/// Whether an info string is meant as the header of a block. `ts // {src/a.ts}`.
pub(crate) fn is_block_header(info: &str) -> bool {
    matches!(header::parse(info), Header::Block { .. } | Header::Rename | Header::UnknownStrategy { .. })
}

/// Whether a line is `// START`, `# END` or the like.
pub(crate) fn is_marker(text: &str, word: &str) -> bool {
    comment_text(text).is_some_and(|comment| comment == word)
}

/// The text of a line that is nothing but a comment, in the notations of common languages. `src/a.ts` for `//
/// src/a.ts`.
pub(crate) fn comment_text(text: &str) -> Option<&str> {
    let text = text.trim();
    const NOTATIONS: &[(&str, &str)] =
        &[("//", ""), ("#", ""), ("--", ""), (";", ""), ("/*", "*/"), ("<!--", "-->"), ("%", "")];
    NOTATIONS
        .iter()
        .find_map(|(open, close)| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)))
        .map(str::trim)
}

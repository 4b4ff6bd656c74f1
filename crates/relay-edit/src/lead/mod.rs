//! What the prose above a block says about it: which file it is for, and whether it is to land.
//!
//! Words never place an edit. They say only whether code is a file, one half of a replacement, an example or a quotation, and
//! where they do not say it, the block is unclear.

mod mention;
mod orders;
mod phrases;
mod versions;
mod words;

pub(crate) use mention::{is_file_name, is_technology, mentions};
pub(crate) use orders::orders;

/// What a block is for, as far as the prose above it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// The whole content of a file: "Here is the updated `src/a.ts`:".
    Whole,
    /// The whole content of a file that may not exist yet: "Create `src/a.ts`:".
    Create,
    /// The first half of a replacement: "Replace this:".
    Old,
    /// The second half: "with:".
    New,
    /// Lines to be added somewhere: "Add this below the imports:".
    Insert,
    /// Lines to be removed: "Remove these lines:".
    Remove,
    /// Another way to do the same: "Alternatively:".
    Alternative,
    /// A better version of what was sent before: "Actually, use this:".
    Correction,
    /// Something to look at: "Usage:", "For example:".
    Example,
    /// What a program prints: "This prints:".
    Output,
    /// Something to type: "Run the tests:".
    Run,
    /// The code as it is now: "The bug is here:".
    Quote,
    /// Code that stays as it is: "No change is needed here:".
    Unchanged,
    /// None of these.
    Unsaid,
}

impl Intent {
    /// Whether a block of this kind proposes a change. "Add this below the imports:" does, "The output is:" does not.
    pub const fn proposes(self) -> bool {
        matches!(self, Self::Whole | Self::Create | Self::Old | Self::New | Self::Insert | Self::Remove)
    }
}

/// The prose above a block.
#[derive(Debug)]
pub(crate) struct Lead<'l> {
    /// Its lines that are not blank, as written.
    lines: Vec<&'l str>,
}

/// This many words between two blocks say no more than that the second replaces the first.
const LINK: usize = 6;

/// The longest line that is looked at; a longer one is hardly said about a block.
const LONGEST: usize = 600;

impl<'l> Lead<'l> {
    /// The prose in these lines.
    pub fn new(text: &'l str) -> Self {
        let is_prose = |line: &&str| {
            !line.is_empty() && line.len() < LONGEST && !is_markup(line) && !line.starts_with('|')
        };
        Self { lines: text.lines().map(str::trim).filter(is_prose).collect() }
    }

    /// The line directly above the block.
    pub fn last(&self) -> Option<&'l str> {
        self.lines.last().copied()
    }

    /// What the block is for. The sentence directly above decides; where it says nothing, the heading above that does.
    pub fn intent(&self) -> Intent {
        if let Some(whole) = self.lines.iter().find_map(|line| {
            let plain = words::plain(line);
            words::second_version(&plain)
        }) {
            return whole;
        }
        let Some(last) = self.last() else { return Intent::Unsaid };
        let mut sentences = words::sentences(last);
        let nearest = sentences.next_back().map_or(Intent::Unsaid, |sentence| words::intent(&sentence));
        // "`src/a.ts` should look like this:" and "Replace `src/a.ts` with:" announce a file; "the output should look like this:"
        // and "Replace `run()` with:" do not.
        let announces = match nearest {
            Intent::Output => last.contains("look like"),
            Intent::Insert => words::replaces_named(&words::plain(last)),
            _ => false,
        };
        if announces && !mentions(last).is_empty() {
            return Intent::Whole;
        }
        if nearest != Intent::Unsaid {
            return nearest;
        }
        let before = sentences.next_back().map_or(Intent::Unsaid, |sentence| words::intent(&sentence));
        if before != Intent::Unsaid {
            return before;
        }
        self.above().map_or(Intent::Unsaid, |line| {
            words::sentences(line).next_back().map_or(Intent::Unsaid, |sentence| words::intent(&sentence))
        })
    }

    /// The heading above the line that is directly above the block. What introduces a list says nothing about the block below:
    /// "Two files are affected:", "- the guard", "- the name".
    fn above(&self) -> Option<&'l str> {
        let is_item = |line: &str| {
            line.starts_with(['-', '*', '•']) && !line.starts_with("**")
                || line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['.', ')'])
        };
        let mut below = self.last();
        self.lines.iter().rev().skip(1).copied().find(|line| {
            let next = below.replace(line).filter(|next| Some(*next) != self.last());
            is_heading(line) || line.ends_with(':') && !next.is_some_and(is_item)
        })
    }

    /// Whether it announces a later version of a file that was sent before: "Final version:", "v2:".
    pub fn revises(&self) -> bool {
        self.lines.iter().any(|line| words::revises(&words::plain(line)))
    }

    /// The one file that the line directly above the block names; else the one that the nearest heading names. "Now
    /// `src/b.ts`:"; nothing for "`a.ts` and `b.ts`:".
    pub fn path(&self) -> Option<String> {
        let only = |line: &str| {
            let found = mentions(line);
            let first = found.first()?.clone();
            found.iter().all(|other| *other == first).then_some(first)
        };
        if let Some(path) = self.last().and_then(only) {
            return Some(path);
        }
        if self.last().is_some_and(|line| !mentions(line).is_empty()) {
            return None;
        }
        self.lines.iter().rev().skip(1).find(|line| !mentions(line).is_empty()).and_then(|line| only(line))
    }

    /// Whether the line directly above begins or ends with the file it names, as a title does: "Now `src/b.ts`:".
    pub fn is_title(&self) -> bool {
        let Some(last) = self.last() else { return false };
        let bare = last.trim_start_matches(['#', '*', '-', '>', ' ', '`', '[']);
        let unnumbered = bare
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start_matches(['.', ')', ' ', '*', '`']);
        let ended = last.trim_end_matches([':', '*', '`', ' ', '.', ')']);
        mentions(last)
            .iter()
            .any(|path| unnumbered.starts_with(path.as_str()) || ended.ends_with(path.as_str()))
    }

    /// Whether it is nothing but a few words between the two halves of a replacement whose first half was asked for: "for this:",
    /// "Change them to:". Words that ask for something else do not link.
    pub fn links(&self) -> bool {
        let [only] = self.lines.as_slice() else { return false };
        let plain = words::plain(only);
        let is_free = match words::intent(&plain) {
            Intent::New | Intent::Unsaid | Intent::Whole => true,
            Intent::Insert => words::names_new(&plain),
            _ => false,
        };
        is_free && plain.split_whitespace().count() <= LINK
    }

    /// Code in backticks in the line directly above that lines are to be put after or before: the code, and whether after.
    /// "After `const a = 1;` add:".
    pub fn anchor(&self) -> Option<(String, bool)> {
        words::anchor(self.last()?)
    }
}

/// Whether a line is a heading, or emphasised as one. `## Step 1`, `**src/a.ts**`.
pub(crate) fn is_heading(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("**") && line.trim_end_matches(':').ends_with("**")
}

/// Tags of a page around a block say nothing, except what they summarise. `<details>`; not
/// `<summary>src/a.ts</summary>`.
fn is_markup(line: &str) -> bool {
    line.starts_with('<') && line.ends_with('>') && !line.starts_with("<summary") && mentions(line).is_empty()
}

#[cfg(test)]
mod tests;

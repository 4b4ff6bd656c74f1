//! The old lines of a hunk, for naming another file that has them.

use crate::Hunk;
use crate::matcher::{FileIndex, Key, has_identity};

/// The old lines of a hunk, to be looked for in other files than its own. For naming the file that may be meant; nothing
/// is ever placed by this.
#[derive(Debug)]
pub struct OldLines<'h> {
    lines: Vec<&'h str>,
    longest: &'h str,
    /// How long a file that holds them is at least.
    bytes: usize,
}

impl<'h> OldLines<'h> {
    /// The old lines of a hunk, if they can be told from others. `-return total;`; not `-}`.
    #[must_use]
    pub fn of(hunk: &'h Hunk) -> Option<Self> {
        let lines: Vec<&str> = hunk.old_lines().collect();
        let longest = lines.iter().map(|line| line.trim()).max_by_key(|line| line.len()).unwrap_or_default();
        let bytes = lines.iter().map(|line| line.trim_end().len() + 1).sum::<usize>().saturating_sub(1);
        has_identity(&lines).then_some(Self { lines, longest, bytes })
    }

    /// Whether they are in a file, at one place, but for white space at their ends. `return total;  ` for `return
    /// total;`.
    #[must_use]
    pub fn stand_in(&self, content: &[u8]) -> bool {
        // Most files are too short, or do not even hold the longest line.
        if content.len() < self.bytes || memchr::memmem::find(content, self.longest.as_bytes()).is_none() {
            return false;
        }
        let places = FileIndex::new(content).find_some(Key::TrimEnd, &self.lines, 1);
        places.is_some_and(|places| places.len() == 1)
    }
}

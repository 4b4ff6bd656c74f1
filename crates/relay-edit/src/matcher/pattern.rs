//! The old lines of a hunk, as something to look for.

use super::key::Key;
use crate::{Hunk, HunkLine};

/// The old and new lines of a hunk, prepared for searching.
#[derive(Debug)]
pub(crate) struct Pattern<'h> {
    /// The hunk.
    pub hunk: &'h Hunk,
    /// The lines that must be in the file.
    pub old: Vec<&'h str>,
    /// The lines that would be there afterwards.
    pub new: Vec<&'h str>,
    /// For each old line its position in the hunk.
    pub positions: Vec<usize>,
    /// The hunk is known not to be applied yet, whatever of it is there.
    pub is_undone: bool,
}

impl<'h> Pattern<'h> {
    /// Prepares a hunk.
    pub fn new(hunk: &'h Hunk) -> Self {
        let [mut old, mut new] = [(); 2].map(|()| Vec::with_capacity(hunk.lines.len()));
        let mut positions = Vec::with_capacity(hunk.lines.len());
        for (at, line) in hunk.lines.iter().enumerate() {
            if line.is_old() {
                old.push(line.text());
                positions.push(at);
            }
            if line.is_new() {
                new.push(line.text());
            }
        }
        Self { hunk, old, new, positions, is_undone: false }
    }

    /// Whether an old line goes away, by its position among the old lines.
    pub fn is_removed(&self, at: usize) -> bool {
        self.positions
            .get(at)
            .and_then(|at| self.hunk.lines.get(*at))
            .is_some_and(|line| matches!(line, HunkLine::Removed(_)))
    }

    /// Whether old and new are the same to a key: a search by that key could not tell before from after. `-  a` and `+
    ///   a` are the same but for white space at the ends.
    pub fn is_blind(&self, key: Key) -> bool {
        self.old.len() == self.new.len()
            && self.old.iter().zip(&self.new).all(|(old, new)| key.unites(old.as_bytes(), new.as_bytes()))
    }

    /// Spreads a list with one entry for each old line over all lines of the hunk.
    pub fn spread(&self, lines: impl Iterator<Item = Option<usize>>) -> Vec<Option<usize>> {
        let mut map = vec![None; self.hunk.lines.len()];
        for (position, line) in self.positions.iter().zip(lines) {
            if let Some(slot) = map.get_mut(*position) {
                *slot = line;
            }
        }
        map
    }
}

/// Whether lines can be recognised: brackets and blanks alone are everywhere. `}` and `);` have none, `return x` does.
pub(crate) fn has_identity(lines: &[&str]) -> bool {
    lines.iter().any(|line| is_telling(line))
}

/// Whether a line is more than brackets and blanks. `});` is none, `}, x)` is one.
pub(crate) fn is_telling(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// Whether a line says that a block ends, by a word or a tag: `end`, `endif`, `</div>`. `EndOfFile` and `endpoint` do not.
pub(crate) fn is_block_end(line: &str) -> bool {
    const BLOCKS: &str = "if for foreach while case switch try do loop repeat def fun function sub proc procedure method \
        property class struct type enum interface module namespace package program macro block with select task \
        generate region raw begin";
    let line = line.trim();
    if line.starts_with("</") || line.starts_with("\\end{") {
        return true;
    }
    let word = line.split(|character: char| !character.is_alphanumeric() && character != '_').next();
    let word = word.unwrap_or_default().to_ascii_lowercase();
    word.strip_prefix("end")
        .is_some_and(|block| block.is_empty() || BLOCKS.split(' ').any(|known| known == block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_with_a_word_of_its_own() {
        for line in [
            "end", "  end;", "END IF", "endif", "EndFor", "endfunction()", "end module shop", "</div>",
            "\\end{itemize}",
        ] {
            assert!(is_block_end(line), "{line}");
        }
        for line in
            ["EndOfFile::WithNewline", "endpoint = 1", "end_time = now()", "ended", "}", "append(end)"]
        {
            assert!(!is_block_end(line), "{line}");
        }
    }
}

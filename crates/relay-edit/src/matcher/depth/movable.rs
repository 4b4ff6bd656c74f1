//! Can new lines be moved to the depth they belong to, without changing what they say?

use crate::HunkLine;
use crate::matcher::indent::is_oddly_spaced;
use crate::matcher::index::FileIndex;
use crate::matcher::pattern::Pattern;
use crate::matcher::{Failure, Reindent, verbatim};

/// Whether every new line can follow a rule, and none of them is content.
pub(crate) fn check_indentation(pattern: &Pattern<'_>, reindent: &Reindent) -> Result<(), Failure> {
    for line in &pattern.hunk.lines {
        if let HunkLine::Added(text) = line
            && reindent.apply(text.as_bytes()).is_none()
        {
            return Err(Failure::Indentation(text.clone()));
        }
    }
    match moved_text(pattern, reindent) {
        Some(text) => Err(Failure::Verbatim(text.to_owned())),
        None => Ok(()),
    }
}

/// A new line that has spaces of a page where others have indentation or gaps, in a file that has none such.
/// `+\u{a0}\u{a0}x` in a file of plain spaces.
pub(crate) fn oddly_spaced<'h>(pattern: &Pattern<'h>, index: &FileIndex<'_>) -> Option<&'h str> {
    let mut added = pattern.hunk.added_lines();
    let odd = added.find(|text| is_oddly_spaced(text.as_bytes()))?;
    index.lines.texts().all(|text| !is_oddly_spaced(text)).then_some(odd)
}

/// A new line inside a text over several lines whose indentation would change. `+  usage: x` between two `"""`, where
/// all lines are to be two spaces deeper.
fn moved_text<'h>(pattern: &Pattern<'h>, reindent: &Reindent) -> Option<&'h str> {
    if *reindent == Reindent::Keep {
        return None;
    }
    let moves = |text: &str| reindent.apply(text.as_bytes()).is_none_or(|moved| moved != text.as_bytes());
    let new = pattern.hunk.lines.iter().filter(|line| line.is_new());
    let is_text = |line: &HunkLine| line.text().chars().any(char::is_alphanumeric);
    let has_moved = new.clone().map(|line| line.is_old() && is_text(line) && moves(line.text()));
    let fixed = verbatim::fixed(&pattern.new, &has_moved.collect::<Vec<bool>>());
    let mut inside = new.zip(fixed).filter(|(_, fixed)| *fixed);
    inside.find_map(|(line, _)| match line {
        HunkLine::Added(text) => moves(text).then_some(text.as_str()),
        _ => None,
    })
}

//! The lines that a reply's edits changed, so that the next message can show them with their new numbers.
//!
//! Numbers refer to the text as the model knows it, as its next edits will.

use serde::{Deserialize, Serialize};

/// How many lines are shown before and after what was changed.
const MARGIN_LINES: usize = 3;

/// The changed lines of all files, in the order they were changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Regions(Vec<Region>);

/// Changed lines of one file: from `first` to the one before `after`, none where lines were only removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Region {
    path: String,
    first: usize,
    after: usize,
}

impl Regions {
    /// Lines `first` to `last` of a file were replaced by `count` others. Regions further down shift accordingly.
    pub(super) fn replace(&mut self, path: &str, first: usize, last: usize, count: usize) {
        let moved = |line: usize| (line + count + first).saturating_sub(last + 1);
        let mut new = Region { path: path.to_owned(), first, after: first + count };
        self.0.retain_mut(|region| {
            if region.path != path || region.after <= first {
                return true;
            }
            if region.first > last {
                (region.first, region.after) = (moved(region.first), moved(region.after));
                return true;
            }
            new.first = new.first.min(region.first);
            new.after = new.after.max(if region.after > last { moved(region.after) } else { 0 });
            false
        });
        self.0.push(new);
    }

    /// The file was rewritten as a whole, or deleted.
    pub(super) fn forget(&mut self, path: &str) {
        self.0.retain(|region| region.path != path);
    }

    /// The files that were changed, each once.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for region in &self.0 {
            if !paths.contains(&region.path) {
                paths.push(region.path.clone());
            }
        }
        paths
    }

    /// The lines to show of a file with this many lines, first and last each, joined where they meet.
    pub(super) fn shown(&self, path: &str, total: usize) -> Vec<(usize, usize)> {
        let mut ranges: Vec<(usize, usize)> = self
            .0
            .iter()
            .filter(|region| region.path == path)
            .map(|region| {
                let first = region.first.saturating_sub(MARGIN_LINES).max(1);
                (first, (region.after + MARGIN_LINES).saturating_sub(1).min(total))
            })
            .filter(|(first, last)| first <= last)
            .collect();
        ranges.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for (first, last) in ranges {
            match joined.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => joined.push((first, last)),
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown of a file of 100 lines after these edits.
    fn check(edits: &[(usize, usize, usize)], expected: &[(usize, usize)]) {
        let mut regions = Regions::default();
        for (first, last, count) in edits {
            regions.replace("a", *first, *last, *count);
            regions.replace("b", 1, 1, 50);
        }
        assert_eq!(regions.shown("a", 100), expected, "{edits:?}");
    }

    #[test]
    fn edits_shift_the_regions_below_them() {
        check(&[(10, 10, 1)], &[(7, 13)]);
        check(&[(10, 12, 1)], &[(7, 13)]);
        check(&[(50, 50, 1), (10, 10, 3)], &[(7, 15), (49, 55)]);
        check(&[(50, 50, 1), (10, 14, 0)], &[(7, 12), (42, 48)]);
        check(&[(10, 10, 1), (50, 50, 1)], &[(7, 13), (47, 53)]);
    }

    #[test]
    fn edits_of_the_same_lines_are_one_region() {
        check(&[(10, 10, 5), (12, 12, 3)], &[(7, 19)]);
        check(&[(10, 14, 5), (8, 20, 2)], &[(5, 12)]);
        check(&[(10, 10, 1), (11, 11, 1)], &[(7, 14)]);
        check(&[(1, 1, 1), (100, 100, 1)], &[(1, 4), (97, 100)]);
    }

    #[test]
    fn files_written_as_a_whole_are_not_shown() {
        let mut regions = Regions::default();
        regions.replace("a", 1, 1, 1);
        regions.replace("b", 1, 1, 1);
        regions.forget("a");
        assert_eq!(regions.paths(), ["b"]);
        assert!(regions.shown("a", 9).is_empty());
    }
}

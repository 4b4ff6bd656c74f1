//! What an import left out, counted by what it is.

use std::fmt;

/// Kinds are named by the file that is read; after this many different ones the rest is counted together.
const KIND_LIMIT: usize = 24;
/// The longest name of a kind that is kept.
const NAME_LIMIT_CHARS: usize = 60;

/// Something that was left out, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What it is, in the plural. Some of these names come from the file: show them as untrusted text.
    pub what: String,
    /// How often.
    pub count: usize,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} × {}", self.count, self.what)
    }
}

/// A count for each kind.
#[derive(Debug, Default)]
pub(super) struct Omissions {
    kinds: Vec<LeftOut>,
}

impl Omissions {
    /// Counts one.
    pub(super) fn add(&mut self, what: &str) {
        let name: String = what.chars().take(NAME_LIMIT_CHARS).collect();
        let name = match self.kinds.len() < KIND_LIMIT || self.kinds.iter().any(|kind| kind.what == name) {
            true => name,
            false => "other lines".to_owned(),
        };
        match self.kinds.iter_mut().find(|kind| kind.what == name) {
            Some(kind) => kind.count += 1,
            None => self.kinds.push(LeftOut { what: name, count: 1 }),
        }
    }

    /// All of them, most frequent first.
    pub(super) fn finish(mut self) -> Vec<LeftOut> {
        self.kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
        self.kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cannot_invent_kinds_without_end() {
        let mut omissions = Omissions::default();
        for number in 0..1000 {
            omissions.add(&format!("lines of type {number} {}", "x".repeat(1000)));
        }
        let all = omissions.finish();
        assert!(all.len() <= KIND_LIMIT + 1, "{}", all.len());
        assert_eq!(all.iter().map(|kind| kind.count).sum::<usize>(), 1000);
        assert_eq!(all[0].what, "other lines");
        assert!(all.iter().all(|kind| kind.what.chars().count() <= NAME_LIMIT_CHARS));
    }
}

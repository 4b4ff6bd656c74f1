//! Which lines of which files a diff is about.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The hunks of a diff: ranges of lines in the new files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    files: BTreeMap<String, Vec<RangeInclusive<u32>>>,
    /// Relay did not read the diff, so any line may be part of it.
    is_unknown: bool,
}

impl Changed {
    /// Reads a diff as git writes it.
    #[must_use]
    pub fn in_diff(diff: &str) -> Self {
        let mut changed = Self::default();
        let mut file: Option<String> = None;
        // The remaining lines of a hunk, so that its content is not taken for headers.
        let (mut old_left, mut new_left) = (0_u32, 0_u32);
        for line in diff.lines() {
            if old_left > 0 || new_left > 0 {
                match line.as_bytes().first() {
                    Some(b'-') => old_left = old_left.saturating_sub(1),
                    Some(b'+') => new_left = new_left.saturating_sub(1),
                    Some(b'\\') => {}
                    _ => (old_left, new_left) = (old_left.saturating_sub(1), new_left.saturating_sub(1)),
                }
            } else if let Some(path) = line.strip_prefix("--- ") {
                // A deleted file has only an old name.
                file = name(path).or(file);
            } else if let Some(path) = line.strip_prefix("+++ ") {
                file = name(path).or(file);
            } else if let Some((old, new)) = header(line) {
                (old_left, new_left) = (old.1, new.1);
                if let Some(file) = &file {
                    let last = new.0.saturating_add(new.1.max(1) - 1);
                    changed.files.entry(file.clone()).or_default().push(new.0..=last);
                }
            }
        }
        changed
    }

    /// Changes that are unknown because there are too many.
    #[must_use]
    pub fn unknown() -> Self {
        Self { is_unknown: true, ..Self::default() }
    }

    /// Whether a line lies inside a hunk.
    #[must_use]
    pub fn contains(&self, file: &str, line: u32) -> bool {
        self.is_unknown
            || self.files.get(file).is_some_and(|ranges| ranges.iter().any(|range| range.contains(&line)))
    }

    /// Whether there is anything to review.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}

/// The path after `---` or `+++`, without git's prefix.
fn name(path: &str) -> Option<String> {
    let path = path.split('\t').next().unwrap_or_default();
    if path == "/dev/null" {
        return None;
    }
    let path = unquoted(path);
    let bare = ["a/", "b/"].iter().find_map(|prefix| path.strip_prefix(prefix)).unwrap_or(&path);
    Some(bare.to_owned())
}

/// Git quotes names with quotes, backslashes or control characters in them.
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) else {
        return path.to_owned();
    };
    inner.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// `@@ -old,count +new,count @@` as first lines and counts.
fn header(line: &str) -> Option<((u32, u32), (u32, u32))> {
    let rest = line.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    Some((range(old)?, range(new)?))
}

fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -10,3 +10,4 @@ fn f() {\n a\n---- x\n++++ y\n+z\n b\n@@ -40 +42,0 @@\n-gone\ndiff --git a/old b/old\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";

    #[test]
    fn lines_of_hunks_are_known() {
        let changed = Changed::in_diff(DIFF);
        assert_eq!(changed.files().collect::<Vec<_>>(), ["old", "src/a.rs"]);
        for line in [10, 13] {
            assert!(changed.contains("src/a.rs", line), "{line}");
        }
        for line in [9, 14, 41] {
            assert!(!changed.contains("src/a.rs", line), "{line}");
        }
        assert!(changed.contains("src/a.rs", 42) && changed.contains("old", 0));
        assert!(!changed.contains("src/b.rs", 10));
    }

    #[test]
    fn nothing_changed_is_nothing() {
        assert!(Changed::in_diff("").is_empty() && Changed::in_diff("prose\n").is_empty());
    }
}

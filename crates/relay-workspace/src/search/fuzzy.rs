//! Ranking of paths for what a person typed: `wsprd` finds `workspace/read.rs`.
//!
//! A path that is, begins with or contains the text ranks above one that only has its letters in order. Punctuation may
//! be left out. Folders rank slightly above files, and equal scores are sorted by path, so that the order is stable.

use crate::read::Kind;

/// A path with its score; more is better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// The path.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// How well it fits.
    pub score: u32,
}

const EXACT: u32 = 10_000;
const PREFIX: u32 = 8_000;
const CONTAINS: u32 = 6_000;
const SUBSEQUENCE: u32 = 1_000;
/// What a folder is ahead of a file.
const FOLDER_BONUS: u32 = 10;

/// The paths that fit `typed`, best first, `limit` at most. Links are left out.
#[must_use]
pub fn rank<'a>(typed: &str, paths: impl IntoIterator<Item = (&'a str, Kind)>, limit: usize) -> Vec<Ranked> {
    let typed = typed.to_lowercase();
    let plain = without_punctuation(&typed);
    let mut ranked: Vec<Ranked> = paths
        .into_iter()
        .filter(|(_, kind)| matches!(kind, Kind::File | Kind::Directory))
        .filter_map(|(path, kind)| {
            let score = score(&typed, &plain, path)?;
            let bonus = if kind == Kind::Directory { FOLDER_BONUS } else { 0 };
            Some(Ranked { path: path.to_owned(), kind, score: score + bonus })
        })
        .collect();
    let order = |a: &Ranked, b: &Ranked| b.score.cmp(&a.score).then_with(|| a.path.cmp(&b.path));
    if ranked.len() > limit && limit > 0 {
        ranked.select_nth_unstable_by(limit - 1, order);
    }
    ranked.truncate(limit);
    ranked.sort_unstable_by(order);
    ranked
}

/// How well `path` fits; nothing if it does not.
fn score(typed: &str, plain: &str, path: &str) -> Option<u32> {
    if typed.is_empty() {
        return Some(1);
    }
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    // The shorter of two paths that contain the text is the one that is more of it.
    let shortness = |length: usize| 500u32.saturating_sub(u32::try_from(length).unwrap_or(u32::MAX).min(500));
    let direct = direct(typed, &lower, name).map(|base| base + shortness(lower.len()));
    let loose = || {
        let (lower, name) = (without_punctuation(&lower), without_punctuation(name));
        let contained =
            direct_of(plain, &lower, &name).map(|base| base.saturating_sub(1_000) + shortness(lower.len()));
        contained.or_else(|| subsequence(plain, &lower).map(|points| SUBSEQUENCE + points))
    };
    direct.or_else(loose)
}

fn direct(typed: &str, path: &str, name: &str) -> Option<u32> {
    direct_of(typed, path, name)
}

fn direct_of(typed: &str, path: &str, name: &str) -> Option<u32> {
    if typed.is_empty() {
        None
    } else if path == typed || name == typed {
        Some(EXACT)
    } else if name.starts_with(typed) {
        Some(PREFIX)
    } else if name.contains(typed) {
        Some(CONTAINS)
    } else if path.starts_with(typed) {
        Some(CONTAINS - 500)
    } else if path.contains(typed) {
        Some(CONTAINS - 1_000)
    } else {
        None
    }
}

/// Points for letters that appear in order: more for those that follow each other and for those late in the path.
fn subsequence(typed: &str, path: &str) -> Option<u32> {
    let mut points = 0u32;
    let mut run = 0u32;
    let mut wanted = typed.chars().rev().peekable();
    // From the end, so that the file's name is preferred to its folders.
    for (distance, letter) in path.chars().rev().enumerate() {
        match wanted.peek() {
            None => break,
            Some(next) if *next == letter => {
                wanted.next();
                run += 1;
                points += run * 4 + 20u32.saturating_sub(u32::try_from(distance).unwrap_or(20));
            }
            Some(_) => run = 0,
        }
    }
    wanted.peek().is_none().then_some(points.min(3_000))
}

fn without_punctuation(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [(&str, Kind); 10] = [
        ("crates/relay-workspace/src/read.rs", Kind::File),
        ("crates/relay-workspace/src/walk.rs", Kind::File),
        ("crates/relay/src/commands/read.rs", Kind::File),
        ("crates/relay/src/commands/ready.rs", Kind::File),
        ("docs/reading.md", Kind::File),
        ("read", Kind::Directory),
        ("README.md", Kind::File),
        ("src/thread_pool.rs", Kind::File),
        ("link-read", Kind::Symlink),
        ("src/user-profile.tsx", Kind::File),
    ];

    fn best(typed: &str) -> Vec<String> {
        rank(typed, PATHS, 20).into_iter().map(|ranked| ranked.path).collect()
    }

    #[test]
    fn exact_before_prefix_before_contained_before_letters_in_order() {
        let found = best("read");
        assert_eq!(found.first().map(String::as_str), Some("read"));
        let place = |path: &str| found.iter().position(|found| found == path);
        assert!(place("README.md") < place("src/thread_pool.rs"), "{found:?}");
        assert!(place("crates/relay/src/commands/read.rs") < place("src/thread_pool.rs"));
        assert_eq!(place("link-read"), None);
    }

    #[test]
    fn punctuation_and_capitals_may_be_left_out() {
        assert_eq!(best("UserProfile").first().map(String::as_str), Some("src/user-profile.tsx"));
        assert_eq!(best("threadpool").first().map(String::as_str), Some("src/thread_pool.rs"));
        assert_eq!(best("wsread").first().map(String::as_str), Some("crates/relay-workspace/src/read.rs"));
        assert!(best("zzz").is_empty());
    }

    #[test]
    fn ties_go_by_path_and_limits_keep_the_best() {
        let paths = [("b/x.rs", Kind::File), ("a/x.rs", Kind::File), ("c/x.rs", Kind::Directory)];
        let found: Vec<String> = rank("x.rs", paths, 2).into_iter().map(|ranked| ranked.path).collect();
        assert_eq!(found, ["c/x.rs", "a/x.rs"]);
    }
}

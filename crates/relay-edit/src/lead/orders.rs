//! Prose that asks for a file to be deleted or renamed: "Delete `src/old.ts`.", "### 3. Rename `a.ts` to `b.ts`".

use super::mention::{is_file_name, mentions};
use super::phrases::OPENERS;

/// Verbs that take a file away or give it another name. Models also report as done what they were to send.
const VERBS: &[&str] =
    &["delete", "deleted", "remove", "removed", "rename", "renamed", "move", "moved", "git rm", "git mv"];

/// Words between the verb and the file.
const BETWEEN: &[&str] = &[
    "the", "your", "this", "file", "files", "old", "unused", "obsolete", "existing", "entire", "whole",
    "module", "script", "stale", "legacy", "empty", "temporary", "now-unused", "now", "completely",
    "entirely", "also", "folder", "directory", "file:",
];

/// Words that may follow the file; others make it part of something else, as in "remove `a.ts` from the list".
const BEYOND: &[&str] = &[
    "", "and", "to", "into", "as", "because", "since", "entirely", "completely", "altogether", "which",
    "now", "too", "file", "it", "nothing", "we", "is",
];

/// The longest line that is looked at.
const LONGEST: usize = 600;

/// The files that a line of prose asks to be deleted or renamed.
pub(crate) fn orders(line: &str) -> Vec<String> {
    let may_ask = |line: &str| {
        let lower = line.to_ascii_lowercase();
        ["delete", "remove", "rename", "move", "git rm", "git mv"].iter().any(|verb| lower.contains(verb))
    };
    if line.len() > LONGEST || !may_ask(line) {
        return Vec::new();
    }
    let plain = line.replace("**", "");
    let parts = plain.split(". ").flat_map(|part| part.split("; ")).flat_map(|part| part.split(": "));
    parts.filter_map(order).collect()
}

/// The file that a sentence asks to be deleted or renamed. "Delete `src/old.ts`."; not "Delete `oldHelper` in
/// `src/old.ts`."
fn order(sentence: &str) -> Option<String> {
    let is_sign =
        |c: char| matches!(c, '#' | '*' | '-' | '+' | '>' | '•' | ' ' | '\t' | '[' | ']' | '.' | ')' | '~');
    let bare = sentence.trim_start_matches(|c: char| is_sign(c) || c.is_ascii_digit());
    let mut rest = bare;
    while let Some((word, after)) = rest.split_once(' ')
        && OPENERS.contains(&word.to_lowercase().trim_end_matches([',', ':']))
    {
        rest = after.trim_start();
    }
    let lower = rest.to_lowercase();
    let verb =
        VERBS.iter().find(|verb| lower.strip_prefix(*verb).is_some_and(|rest| rest.starts_with(' ')))?;
    rest = rest.get(verb.len()..)?.trim_start();
    while let Some((word, after)) = rest.split_once(' ')
        && BETWEEN.contains(&word.to_lowercase().as_str())
    {
        rest = after.trim_start();
    }
    let (path, beyond) = named_first(rest)?;
    let next = beyond.split_whitespace().next().unwrap_or_default();
    let is_end = next.is_empty() || !next.starts_with(char::is_alphanumeric);
    (is_end || BEYOND.contains(&next.to_lowercase().trim_end_matches([',', '.']))).then_some(path)
}

/// The file that a text begins with, and what follows it. "`src/old.ts`, which is unused".
fn named_first(text: &str) -> Option<(String, &str)> {
    if let Some((code, beyond)) = text.strip_prefix('`').and_then(|text| text.split_once('`')) {
        return is_file_name(code).then(|| (code.to_owned(), beyond));
    }
    let word = text.split_whitespace().next()?;
    let path = mentions(word).into_iter().next()?;
    Some((path, text.get(word.len()..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_name_a_file_and_take_it_away() {
        for line in [
            "Delete `src/old.ts`.",
            "## 3. Delete `src/old.ts`",
            "- Remove the file `src/old.ts`.",
            "**Step 2:** Remove the unused src/old.ts",
            "Then delete `src/old.ts`, nothing imports it any more.",
            "You can now delete `src/old.ts`.",
            "1. Rename `src/old.ts` to `src/new.ts`",
            "All done. Finally, move `src/old.ts` to `lib/old.ts`.",
            "- Removed [src/old.ts](src/old.ts) since it is unused",
        ] {
            assert_eq!(orders(line), ["src/old.ts"], "{line}");
        }
        for line in [
            "Remove the import from `src/old.ts`.",
            "Remove `src/old.ts` from the list of entry points.",
            "Delete `oldHelper` in `src/old.ts`.",
            "I removed the check, see `src/old.ts`.",
            "Do not delete `src/old.ts`.",
            "Delete `src/old.ts` if you no longer need it.",
            "Move the constant from `src/old.ts` to `src/new.ts`.",
            "This deletes nothing.",
        ] {
            assert!(orders(line).is_empty(), "{line}");
        }
    }
}

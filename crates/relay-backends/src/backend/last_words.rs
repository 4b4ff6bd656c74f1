//! Reads a program's version, and why it failed.

use relay_exec::Output;

/// How much of a program's output is shown.
const SHOWN_CHARS: usize = 600;

/// The first thing that looks like a version.
pub(super) fn version(said: &str) -> String {
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    said.split_whitespace().find(is_version).unwrap_or("unknown version").to_owned()
}

/// The end of a program's errors, else of its output.
pub(super) fn told(output: &Output) -> String {
    let errors = output.stderr.text();
    if errors.trim().is_empty() { shorten(&output.stdout.text()) } else { shorten(&errors) }
}

/// The end of a text, on one screen.
pub(super) fn shorten(text: &str) -> String {
    let text = text.trim();
    let skipped = text.chars().count().saturating_sub(SHOWN_CHARS);
    if skipped == 0 {
        text.to_owned()
    } else {
        format!("… {}", text.chars().skip(skipped).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found() {
        assert_eq!(version("codex-cli 0.166.0\n"), "0.166.0");
        assert_eq!(version("2.1.197 (Claude Code)"), "2.1.197");
        assert_eq!(version("hello"), "unknown version");
    }

    #[test]
    fn the_end_of_a_long_text_is_shown() {
        let long = format!("{}the cause", "x".repeat(5_000));
        assert!(shorten(&long).ends_with("the cause") && shorten(&long).chars().count() <= SHOWN_CHARS + 2);
    }
}

//! The one form in which every backend is asked.

use std::path::Path;

/// Puts a question into its envelope. Parts that are empty are left out.
///
/// ```
/// use std::path::Path;
/// let asked = relay_backends::ask::envelope(Path::new("/repo"), "Is it right?", Some("It is new."), None);
/// assert!(asked.ends_with("Request:\nIs it right?\n\nAdditional Context:\nIt is new."));
/// ```
#[must_use]
pub fn envelope(repo: &Path, prompt: &str, context: Option<&str>, diff: Option<&str>) -> String {
    let mut text = format!(
        "You are helping another coding agent by reviewing or advising on work in a local repository.\n\
         Repository path: {}\n\
         Use the repository files for context when needed.\n\
         Respond with concise, actionable feedback.\n\
         \n\
         Request:\n{}",
        repo.display(),
        prompt.trim()
    );
    for (title, part) in [("Additional Context", context), ("Git Diff", diff)] {
        if let Some(part) = part.map(str::trim_end).filter(|part| !part.trim().is_empty()) {
            text.push_str(&format!("\n\n{title}:\n{part}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_is_always_the_same() {
        let text = envelope(Path::new("/r"), " Why? \n", Some("Because."), Some("-a\n+b\n"));
        assert_eq!(
            text,
            "You are helping another coding agent by reviewing or advising on work in a local repository.\n\
             Repository path: /r\nUse the repository files for context when needed.\n\
             Respond with concise, actionable feedback.\n\nRequest:\nWhy?\n\n\
             Additional Context:\nBecause.\n\nGit Diff:\n-a\n+b"
        );
        assert!(envelope(Path::new("/r"), "Why?", None, Some("")).ends_with("Request:\nWhy?"));
    }
}

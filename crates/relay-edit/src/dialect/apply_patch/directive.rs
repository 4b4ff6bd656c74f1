//! The lines that hold an envelope together, as authors write them. Whether one of them may be content, the reader decides.

use super::super::path_line::unquoted;

/// Whether a line begins an envelope, or a file inside one whose beginning was left out. `*** Begin Patch`, `*** Update
/// File: a.ts`.
pub(crate) fn begins(text: &str) -> bool {
    matches!(
        directive(text.trim_start()),
        Some(Directive::Begin | Directive::Add(_) | Directive::Update(_) | Directive::Delete(_))
    )
}

/// Whether a line says something about a file that is above it. `*** Move to: b.ts`.
pub(crate) fn continues(text: &str) -> bool {
    matches!(directive(text), Some(Directive::MoveTo(_) | Directive::EndOfFile)) && text.starts_with("***")
}

/// Whether a line ends an envelope. `*** End Patch`.
pub(crate) fn is_end(text: &str) -> bool {
    directive(text) == Some(Directive::End)
}

/// Whether a line is a directive of an envelope, as nothing else is written. `*** Add File: a.ts`.
pub(crate) fn is_directive(text: &str) -> bool {
    text.starts_with("***") && directive(text).is_some()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive<'a> {
    Begin,
    End,
    Add(&'a str),
    Update(&'a str),
    Delete(&'a str),
    MoveTo(&'a str),
    EndOfFile,
}

/// Reads a line that is not indented.
pub(super) fn directive(text: &str) -> Option<Directive<'_>> {
    let rest = match text.trim_end().strip_prefix("***") {
        Some(rest) if !rest.starts_with('*') => rest.trim_start(),
        // A star more or less is a slip, but without a blank it may be text.
        _ => {
            let rest = text.trim_start_matches('*');
            let stars = text.len() - rest.len();
            rest.strip_prefix(' ').filter(|_| (2..=4).contains(&stars))?.trim()
        }
    };
    let after = |word: &str| {
        rest.get(..word.len())
            .filter(|start| start.eq_ignore_ascii_case(word))
            .and_then(|_| rest.get(word.len()..))
            .map(|path| unquoted(path.trim()))
    };
    if rest.eq_ignore_ascii_case("Begin Patch") {
        return Some(Directive::Begin);
    }
    if rest.eq_ignore_ascii_case("End Patch") {
        return Some(Directive::End);
    }
    if rest.eq_ignore_ascii_case("End of File") {
        return Some(Directive::EndOfFile);
    }
    after("Add File:")
        .map(Directive::Add)
        .or_else(|| after("Update File:").map(Directive::Update))
        .or_else(|| after("Delete File:").map(Directive::Delete))
        .or_else(|| after("Move to:").map(Directive::MoveTo))
}

//! Lines of a file that an author cites: `src/a.rs:10-20`, `src/a.rs#L10`, `10:20:src/a.rs`.
//!
//! Cited code is part of a file and there to be looked at; it is never the file, and no file has such a name.

use super::header::looks_like_path;

/// The path of a citation, without the lines; `None` when no lines are named.
pub(crate) fn path(text: &str) -> Option<&str> {
    let behind = text.split_once(':').filter(|(number, _)| is_number(number)).map(|(_, rest)| rest);
    if let Some(rest) = behind {
        let path =
            rest.split_once(':').filter(|(number, _)| is_number(number)).map_or(rest, |(_, path)| path);
        return Some(path).filter(|path| looks_like_path(path));
    }
    let cut = text.match_indices([':', '#']).find(|(at, _)| text.get(at + 1..).is_some_and(are_lines));
    cut.and_then(|(at, _)| text.get(..at)).filter(|path| looks_like_path(path))
}

/// The path of the first citation in a line, which may open a fence. `12:40:src/a.ts`.
pub(crate) fn find(line: &str) -> Option<&str> {
    let decoration = |c: char| matches!(c, '`' | '~' | '*' | '#' | '"' | '(' | ')' | '[' | ']' | '{' | '}');
    let ends = |c: char| decoration(c) || matches!(c, ':' | ',' | '.');
    let mut words = line.split_whitespace();
    words.find_map(|word| path(word.trim_start_matches(decoration).trim_end_matches(ends)))
}

/// `12`.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text is one line number or two: `10`, `10-20`, `L10-L20`, `10:5`.
fn are_lines(text: &str) -> bool {
    let is_line = |text: &str| is_number(text.strip_prefix('L').unwrap_or(text));
    match text.split_once(['-', '–', ':', ',']) {
        Some((first, last)) => is_line(first) && is_line(last),
        None => is_line(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_citations() {
        for text in [
            "src/a.rs:10", "src/a.rs:10-20", "src/a.rs:10–20", "src/a.rs:10:5", "src/a.rs:L10-L20",
            "src/a.rs#L10", "src/a.rs#L10-L20", "10:20:src/a.rs", "10:src/a.rs",
        ] {
            assert_eq!(path(text), Some("src/a.rs"), "{text}");
        }
        for text in ["src/a.rs", "src/a.rs:", "src/a#b.rs", "C:\\a.rs", "12:30", "src/10.rs", "a:1.png", ""] {
            assert_eq!(path(text), None, "{text}");
        }
    }

    #[test]
    fn finds_citations_in_lines() {
        for line in ["```10:20:src/a.rs", "``` rust src/a.rs:10-20", "**src/a.rs:10**:", "In `src/a.rs#L10`:"]
        {
            assert_eq!(find(line), Some("src/a.rs"), "{line}");
        }
        assert_eq!(find("```rust src/a.rs").or_else(|| find("At 12:30 in src/a.rs")), None);
    }
}

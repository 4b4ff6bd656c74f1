//! The lines that open and close fenced code, of any length and also indented.
//!
//! This module knows Markdown's fences and nothing about what is inside them.

/// A fence as it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    mark: char,
    length: usize,
    /// How many characters of white space are before it.
    pub indent: usize,
    /// How many of them the content has too, once its first line has come.
    margin: Option<usize>,
}

/// What a line means in a search for fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FenceLine<'a> {
    /// A fence followed by an info string: it can only open.
    Labelled(Fence, &'a str),
    /// A fence alone on its line: it opens or closes.
    Bare(Fence),
}

/// Reads a line as a fence, if it is one. ` ```ts `, `~~~`; not `` ```inline``` ``.
pub(crate) fn fence_line(line: &str) -> Option<FenceLine<'_>> {
    let trimmed = line.trim_start_matches([' ', '\t']);
    let mark = trimmed.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = trimmed.trim_start_matches(mark);
    let length = trimmed.len() - info.len();
    if length < 3 {
        return None;
    }
    let fence = Fence { mark, length, indent: line.len() - trimmed.len(), margin: None };
    let info = info.trim();
    if info.is_empty() {
        return Some(FenceLine::Bare(fence));
    }
    // An info string never holds backticks, so that ```inline code``` is not a fence.
    (mark == '~' || !info.contains('`')).then_some(FenceLine::Labelled(fence, info))
}

/// The lines between a fence and the one that closes it, where nothing is around them and no other fence among them. `
/// ```ts `, `let a = 1;`, ` ``` `.
pub(crate) fn unfenced(lines: &[String]) -> Option<&[String]> {
    let is_filled = |line: &String| !line.trim().is_empty();
    let (first, last) = (lines.iter().position(is_filled)?, lines.iter().rposition(is_filled)?);
    let (FenceLine::Labelled(opening, _) | FenceLine::Bare(opening)) = fence_line(lines.get(first)?)?;
    let Some(FenceLine::Bare(closing)) = fence_line(lines.get(last)?) else { return None };
    let inner = lines.get(first + 1..last)?;
    let is_other = |line: &String| match fence_line(line) {
        Some(FenceLine::Labelled(fence, _) | FenceLine::Bare(fence)) => opening.accepts(fence),
        None => false,
    };
    (opening.accepts(closing) && !inner.iter().any(is_other)).then_some(inner)
}

impl Fence {
    /// Whether a fence is long enough, and of the right kind, to close this one if it is bare. Four backticks close three; three
    /// tildes do not.
    pub fn accepts(self, other: Self) -> bool {
        self.mark == other.mark && other.length >= self.length
    }

    /// A longer fence of the same kind, to be suggested.
    pub fn longer(self) -> String {
        std::iter::repeat_n(self.mark, self.length + 1).collect()
    }

    /// Takes note of a content line: only content that was indented with its fence loses that indentation again, and the
    /// first line shows whether it was.
    pub fn note(&mut self, line: &str) {
        if self.margin.is_none() && !line.trim().is_empty() {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            self.margin = Some(indent.min(self.indent));
        }
    }

    /// A content line without the indentation of the fence.
    pub fn unindent(self, line: &str) -> &str {
        let margin = self.margin.unwrap_or(self.indent);
        let spaces = line.bytes().take(margin).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        line.get(spaces..).unwrap_or(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fence(mark: char, length: usize, indent: usize) -> Fence {
        Fence { mark, length, indent, margin: None }
    }

    #[test]
    fn reads_fences_of_every_kind() {
        assert_eq!(fence_line("```"), Some(FenceLine::Bare(fence('`', 3, 0))));
        assert_eq!(fence_line("  ~~~~  "), Some(FenceLine::Bare(fence('~', 4, 2))));
        assert_eq!(fence_line("```ts // {a}"), Some(FenceLine::Labelled(fence('`', 3, 0), "ts // {a}")));
        assert_eq!(fence_line("``"), None);
        assert_eq!(fence_line("```inline``` text"), None);
        assert_eq!(fence_line("text ```"), None);
    }

    #[test]
    fn a_fence_is_closed_by_one_at_least_as_long() {
        assert!(fence('`', 3, 0).accepts(fence('`', 4, 0)));
        assert!(!fence('`', 4, 0).accepts(fence('`', 3, 0)));
        assert!(!fence('`', 3, 0).accepts(fence('~', 3, 0)));
    }

    #[test]
    fn content_of_a_fence_is_distinguished_from_content_with_fences() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let inner = |text: &str| unfenced(&lines(text)).map(|inner| inner.join("\n"));
        assert_eq!(inner("```py\na\n\nb\n```").as_deref(), Some("a\n\nb"));
        assert_eq!(inner("\n~~~\na\n~~~\n\n").as_deref(), Some("a"));
        assert_eq!(inner("````\n```\na\n```\n````").as_deref(), Some("```\na\n```"));
        for text in ["a\n```\nb\n```", "```\na\n```\nb", "```\na\n```\n```\nb\n```", "```\na", "```", "a", ""]
        {
            assert_eq!(inner(text), None, "{text}");
        }
    }

    #[test]
    fn content_loses_only_the_indentation_of_its_fence() {
        assert_eq!(fence('`', 3, 2).unindent("    a"), "  a");
        assert_eq!(fence('`', 3, 2).unindent(" a"), "a");
        assert_eq!(fence('`', 3, 2).unindent("a b"), "a b");
        let mut beside = fence('`', 3, 2);
        ["", "a:", "  b"].iter().for_each(|line| beside.note(line));
        assert_eq!(beside.unindent("  b"), "  b");
    }
}

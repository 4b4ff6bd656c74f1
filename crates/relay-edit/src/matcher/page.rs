//! Text that went through a page: `&lt;` for `<`, `&gt;` for `>` and `&amp;` for `&`.
//!
//! Where the old lines are nowhere with the escapes and are there without them, all of the hunk was escaped. Where the
//! old lines have nothing to escape, only the new ones can show it, and prove nothing: such a hunk is in doubt.

use super::index::FileIndex;
use super::pattern::Pattern;
use crate::Hunk;

/// What represents a character in the text of a page.
const ESCAPES: &[(&str, &str)] =
    &[("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&")];

/// The characters that are always escaped; quotes are not.
const ESCAPED: &[char] = &['<', '>', '&'];

/// What those look like then.
const ESCAPED_MARKUP: &[&str] = &["&lt;", "&gt;", "&amp;"];

/// The hunk without its escapes; `None` where it has none before its old lines, or where some line was not escaped.
pub(crate) fn without_page(hunk: &Hunk) -> Option<Hunk> {
    let is_escaped = |text: &str| ESCAPES.iter().any(|(escape, _)| text.contains(escape));
    if !hunk.old_lines().any(is_escaped) || hunk.lines.iter().any(|line| is_raw(line.text())) {
        return None;
    }
    let lines = hunk.lines.iter().map(|line| line.saying(unescaped(line.text())));
    Some(Hunk { lines: lines.collect(), ..hunk.clone() })
}

/// A file's content without its escapes; `None` where it has none, or where some line was not escaped.
pub(crate) fn without_page_in(content: &str) -> Option<String> {
    (has_escapes(content.as_bytes()) && !content.lines().any(is_raw)).then(|| unescaped(content))
}

/// Whether a text has such escapes anywhere. `if (a &lt; b)` does.
pub(crate) fn has_escapes(text: &[u8]) -> bool {
    ESCAPED_MARKUP.iter().any(|escape| memchr::memmem::find(text, escape.as_bytes()).is_some())
}

/// The first new line with an escape, where no line of the hunk has a character that ought to be escaped and the file has no
/// escapes. `+if (a &lt; b)` in a file of `if (a > b)`.
pub(crate) fn doubtful<'h>(pattern: &Pattern<'h>, index: &FileIndex<'_>) -> Option<&'h str> {
    let is_escaped = |text: &&str| {
        memchr::memchr(b'&', text.as_bytes()).is_some()
            && ESCAPED_MARKUP.iter().any(|escape| text.contains(escape))
    };
    let mut added = pattern.hunk.added_lines();
    let first = added.find(is_escaped)?;
    if pattern.hunk.lines.iter().any(|line| is_raw(line.text())) {
        return None;
    }
    let file = index.lines.bytes();
    index.spend(index.lines.len())?;
    let holds = |text: &str| memchr::memmem::find(file, text.as_bytes()).is_some();
    (!ESCAPES.iter().any(|(escape, _)| holds(escape))).then_some(first)
}

/// Whether a line has a character that would have been escaped. `a < b` is, `a &lt; b` is not.
fn is_raw(line: &str) -> bool {
    line.match_indices(ESCAPED).any(|(at, _)| {
        let rest = line.get(at..).unwrap_or_default();
        !ESCAPES.iter().any(|(escape, _)| rest.starts_with(escape))
    })
}

fn unescaped(line: &str) -> String {
    // `&amp;` comes last, so that `&amp;lt;` is `&lt;`.
    ESCAPES.iter().fold(line.to_owned(), |line, (escape, plain)| line.replace(escape, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &[&str], new: &[&str], expected: Option<(&[&str], &[&str])>) {
        let found = without_page(&Hunk::from_sides(old, new, 1));
        let sides = found
            .as_ref()
            .map(|hunk| (hunk.old_lines().collect::<Vec<_>>(), hunk.new_lines().collect::<Vec<_>>()));
        assert_eq!(sides, expected.map(|(old, new)| (old.to_vec(), new.to_vec())));
    }

    #[test]
    fn a_hunk_is_escaped_as_a_whole_or_not_at_all() {
        check(&["if a &lt; b"], &["if a &gt; b &amp;&amp; c"], Some((&["if a < b"], &["if a > b && c"])));
        check(&["f(&quot;&amp;lt;&quot;)"], &[], Some((&["f(\"&lt;\")"], &[])));
        check(&["if a &lt; b"], &["if a > b"], None);
        check(&["a"], &["if a &lt; b"], None);
    }

    #[test]
    fn new_lines_alone_are_in_doubt() {
        let doubt = |file: &str, added: &str| {
            let hunk = Hunk::of_diff(&format!(" a\n+{added}"));
            doubtful(&Pattern::new(&hunk), &FileIndex::new(file.as_bytes())).is_some()
        };
        assert!(doubt("a\nx: Vec<u8>\n", "y: Vec&lt;u8&gt;"));
        assert!(!doubt("a\nx: Vec<u8> // &lt;\n", "y: Vec&lt;u8&gt;"));
        assert!(doubt("a\nx\n", "y: Vec&lt;u8&gt;"));
        assert!(!doubt("a\nx: Vec<u8>\n", "text.replace('<', \"&lt;\")"));
        assert!(!doubt("a\nx: Vec<u8>\n", "y: Vec<u8>"));
    }
}

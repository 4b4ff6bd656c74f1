//! Lines that represent lines left out: a lone `...`, or a comment such as `// ... existing code ...`, with or without the
//! signs of a comment.
//!
//! A lone `...` is also a statement in Python and a document mark in YAML, so being one is never enough: it
//! counts as an elision only opposite other lines, and never when the file has that line itself.

/// What kind of elision a line could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elision {
    /// Nothing but dots.
    Dots,
    /// A comment, or words between dots, that say something was left out.
    Comment,
}

/// Words that say that something was left out.
const WORDS: &[&str] = &[
    "existing", "rest", "unchanged", "remaining", "remains", "same", "previous", "omitted", "other",
    "as before", "more", "etc", "code", "lines", "keep", "snip", "truncated",
];

/// Reads a line as an elision, if it could be one. `// ...`, `# ... rest of the file`, `...`.
pub(crate) fn elision(text: &str) -> Option<Elision> {
    let text = text.trim();
    if is_dots(text) {
        return Some(Elision::Dots);
    }
    let Some(comment) = comment(text) else { return between_dots(text).then_some(Elision::Comment) };
    if is_dots(unbracketed(comment)) {
        return Some(Elision::Comment);
    }
    let dotted = ["...", "…"].iter().any(|dots| {
        comment.starts_with(dots) || comment.ends_with(dots) || comment.contains(&format!("({dots}"))
    });
    let lower = comment.to_lowercase();
    let short = lower.split_whitespace().count() <= 10;
    let meant = (dotted && WORDS.iter().any(|word| lower.contains(word))) || says_left_out(&lower);
    (short && meant).then_some(Elision::Comment)
}

/// Whether dots surround words that mark an omission, as in `... existing code ...`, or before some. No language has
/// such a line: what is spread (`...rest`) is one word.
fn between_dots(text: &str) -> bool {
    let dots = |c: char| matches!(c, '.' | '…');
    let behind = text.trim_start_matches(dots);
    let words = unbracketed(behind.trim_end_matches(dots).trim());
    let is_dotted = |len: usize| is_dots(text.get(..len).unwrap_or_default());
    let is_closed = || behind.ends_with("...") || behind.ends_with('…');
    let count = words.split_whitespace().count();
    let lower = words.to_lowercase();
    is_dotted(text.len() - behind.len())
        && (is_closed() || count > 1)
        && count <= 10
        && words.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | ',' | '-' | '\'' | '(' | ')' | '`'))
        && WORDS.iter().any(|word| lower.contains(word))
}

/// Whether a comment says in plain words, without dots, that code was left out. `// rest of the file unchanged`.
fn says_left_out(lower: &str) -> bool {
    const BEGINNINGS: &[&str] =
        &["rest of", "the rest of", "remaining", "existing", "previous", "all other", "other"];
    const ENDINGS: &[&str] = &[
        "unchanged", "remains the same", "remain the same", "stays the same", "stay the same", "is the same",
        "same as before", "as before", "omitted", "goes here", "here",
    ];
    let lower = unbracketed(lower);
    let ended = lower.trim_end_matches(['.', ')', ':']);
    BEGINNINGS.iter().any(|word| lower.starts_with(word))
        && ENDINGS.iter().any(|words| ended.ends_with(words))
}

/// Whether a comment holds nothing but dots, or only names the code that should be there: `// unchanged code`.
///
/// Real comments read like this too, so it counts only where other lines would go.
pub(crate) fn names_left_out(text: &str) -> bool {
    const WHICH: &[&str] = &["existing", "unchanged", "unmodified", "remaining", "same", "previous"];
    const WHAT: &[&str] = &["code", "lines", "content", "contents", "implementation", "body"];
    const WHOLE: &[&str] = &["file", "function", "method", "class", "component", "module"];
    const ALONE: &[&str] = &["unchanged", "same as before", "as before", "no changes", "no change", "snip"];
    let text = text.trim();
    let said = comment(text);
    let Some(comment) = said.or_else(|| framed(text)).map(unbracketed) else { return false };
    let bare = comment.trim_matches(['.', ':', '…', '-', '=', '*', ' ']);
    let lower = unbracketed(bare).to_lowercase();
    let lower = lower.strip_prefix("the ").unwrap_or(&lower);
    // A single word in brackets may be code.
    if ALONE.contains(&lower) && said.is_some() {
        return true;
    }
    let rest = lower.strip_prefix("rest of ").map(|whole| whole.strip_prefix("the ").unwrap_or(whole));
    let named = match (rest, lower.split_once(' ')) {
        (Some(whole), _) => WHAT.contains(&whole) || WHOLE.contains(&whole),
        (None, Some((which, what))) => WHICH.contains(&which) && WHAT.contains(&what),
        (None, None) => false,
    };
    is_dots(comment) || named
}

/// How remarks begin that say that something stays as it is.
const REMARK_BEGINNINGS: &[&str] = &[
    "existing", "your existing", "the existing", "keep existing", "keep the", "the rest", "rest of",
    "unchanged", "remaining", "all other", "same code", "no changes", "no change",
];

/// The same remarks in the languages that models answer in.
const REMARKS_ABROAD: &[&str] = &[
    "unverändert",
    "rest des",
    "rest der",
    "sin cambios",
    "resto del",
    "inchangé",
    "reste du",
    "reste de",
    "invariato",
    "inalterad",
    "ongewijzigd",
    "bez zmian",
    "без изменений",
    "остальн",
    "省略",
    "不变",
    "保持原样",
    "其余",
    "以下略",
    "変更なし",
    "そのまま",
    "생략",
    "그대로",
    "değişmedi",
    "kalan",
];

/// How such remarks end.
const REMARK_ENDINGS: &[&str] = &[
    "unchanged", "the same", "omitted", "as before", "as above", "for brevity", "not shown", "no changes",
    "and so on", "etc", "existing code", "existing code here",
];

/// Whether a comment remarks that what is there stays as it is, or was left out: `# f2 to f6 unchanged`, `// omitted for
/// brevity`.
///
/// Comments of programs say such things too, so it counts only where it is alone for several lines.
pub(crate) fn remarks_left_out(text: &str) -> bool {
    const LONGEST: usize = 8;
    let Some(comment) = comment(text.trim()).map(unbracketed) else { return is_stub(text) };
    let is_dot = |sign: char| matches!(sign, '.' | '…');
    let dotted = comment.starts_with(is_dot) && comment.ends_with(is_dot);
    let bare = comment.trim_matches(|sign: char| is_dot(sign) || ":-=*() ".contains(sign)).to_lowercase();
    let is_apart = |sign: Option<char>| sign.is_none_or(|sign| !sign.is_alphanumeric());
    let begins = |words: &str| bare.strip_prefix(words).is_some_and(|rest| is_apart(rest.chars().next()));
    let ends = |words: &str| bare.strip_suffix(words).is_some_and(|rest| is_apart(rest.chars().next_back()));
    bare.split_whitespace().count() <= LONGEST
        && (dotted
            || REMARKS_ABROAD.iter().any(|words| bare.contains(words))
            || REMARK_BEGINNINGS.iter().any(|words| begins(words))
            || REMARK_ENDINGS.iter().any(|words| ends(words)))
}

/// Whether a comment begins or ends with dots: `// ... (imports)`, `# … weitere Methoden`.
pub(crate) fn is_dotted_comment(text: &str) -> bool {
    let Some(comment) = comment(text.trim()).map(unbracketed) else { return false };
    let has_dots = |dots: &str| comment.starts_with(dots) || comment.ends_with(dots);
    (has_dots("...") || has_dots("…")) && comment.split_whitespace().count() <= 12
}

/// Whether code has nothing but an elision for a body, or ends with one: `fn a() { ... }`, `pass  # ... existing code`.
fn is_stub(text: &str) -> bool {
    const BODIES: &[&str] = &["{ ... }", "{...}", "{ … }", "{…}"];
    const MARKS: &[&str] = &["//", "/*", "#"];
    // Asked of every new line, and most have none of these.
    if memchr::memchr3(b'{', b'/', b'#', text.as_bytes()).is_none() {
        return false;
    }
    let tails = MARKS.iter().filter_map(|mark| text.get(text.find(mark)?..));
    let mut tails = tails.map(|tail| tail.trim_end_matches([' ', '}', ')', ';', ',']));
    BODIES.iter().any(|body| text.contains(body))
        || tails.any(|tail| elision(tail).is_some() || names_left_out(tail))
}

/// Whether such a name says that there is more of a file than was sent, so that it means nothing in a new one.
/// `rest_of_code()`.
pub(crate) fn names_more(text: &str) -> bool {
    let lower = text.to_lowercase();
    names_left_out(text)
        && ["rest of", "existing", "previous", "remaining"].iter().any(|word| lower.contains(word))
}

/// Whether a line of nothing but dots means nothing in a file of this name. `a.ts`; not `a.py`, in which `...` is a
/// statement.
pub(crate) fn has_no_dots(path: &str) -> bool {
    const LANGUAGES: &[&str] = &[
        "js", "jsx", "mjs", "cjs", "ts", "tsx", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs", "rs", "go",
        "swift", "css",
    ];
    path.rsplit_once('.').is_some_and(|(_, extension)| LANGUAGES.contains(&extension))
}

/// Text between signs that set it off on both sides: `<existing code>`, `*** rest of file ***`.
fn framed(text: &str) -> Option<&str> {
    const SIGNS: [char; 6] = ['<', '>', '{', '}', '*', '='];
    let inner = text.trim_start_matches(SIGNS);
    let inner = inner.strip_suffix(SIGNS).filter(|_| inner.len() < text.len())?;
    Some(inner.trim_end_matches(SIGNS).trim())
}

/// Text without the brackets around it.
fn unbracketed(text: &str) -> &str {
    const PAIRS: &[(char, char)] = &[('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];
    let inner = |(open, close): &(char, char)| text.strip_prefix(*open)?.strip_suffix(*close);
    PAIRS.iter().find_map(inner).map_or(text, str::trim)
}

fn is_dots(text: &str) -> bool {
    matches!(text, "…" | "⋮" | "⋯") || text.len() >= 3 && text.bytes().all(|byte| byte == b'.')
}

/// The text of a line that is a comment and nothing else. `keep this` for `// keep this`.
pub(crate) fn comment(text: &str) -> Option<&str> {
    const NOTATIONS: &[(&str, &str)] = &[
        ("//", ""),
        ("#", ""),
        ("--", ""),
        (";", ""),
        ("%", ""),
        ("/*", "*/"),
        ("<!--", "-->"),
        ("{/*", "*/}"),
        ("(", ")"),
        ("[", "]"),
    ];
    NOTATIONS
        .iter()
        .find_map(|(open, close)| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)))
        .map(|rest| rest.trim_start_matches(['/', '#', '-', ';', '*']).trim())
}

/// Whether a file of this name holds words for people. Documents show code with things left out all the time.
/// `README.md`.
pub(crate) fn is_prose_file(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(extension.as_str(), "md" | "mdx" | "markdown" | "rst" | "txt" | "adoc" | "tex")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_elisions_from_code() {
        for line in ["...", "    ...", "…", ".....", "⋮"] {
            assert_eq!(elision(line), Some(Elision::Dots), "{line}");
        }
        for line in [
            "// ... existing code ...",
            "# ... rest of the code unchanged ...",
            "/* ... */",
            "<!-- ... rest of the file ... -->",
            "{/* ... existing code ... */}",
            "# ...",
            "-- ... other columns ...",
            "// … unchanged …",
            "// rest of the function remains the same ...",
            "// rest of code remains the same",
            "# Remaining methods unchanged",
            "/* existing code here */",
            "// (rest of function stays the same)",
            "// [...]",
            "... existing code ...",
            "    ...rest of the function...",
            "… unchanged …",
            "... (rest of the method unchanged) ...",
            "... rest of code",
            "...existing code...",
            "… rest of the file …",
            "... (rest of file unchanged)",
            "...(same as before)...",
            "... 20 lines omitted ...",
        ] {
            assert_eq!(elision(line), Some(Elision::Comment), "{line}");
        }
        for line in [
            "...args",
            "f(...xs)",
            "// see above",
            "x = ...",
            "// waits for the rest",
            "// other callers rely on this",
            "// the rest of the arguments",
            "print(\"...\")",
            "- ... and more",
            "..",
            "let [a, ...rest] = b;",
            "...rest",
            "...rest,",
            "...existing.code(),",
            "... and so on ...",
            "..code..",
            "...(rest)",
            "...(other ? [a] : b),",
            "...(same && { code })",
            "... and so it goes",
        ] {
            assert_eq!(elision(line), None, "{line}");
        }
    }
    #[test]
    fn a_name_for_code_is_distinguished_from_a_remark() {
        for line in [
            "// unchanged code",
            "# existing code",
            "/* ... */",
            "// (the rest of the file)",
            "-- same lines",
            "// unchanged",
            "// (unchanged)",
            "# same as before",
            "// --- existing code ---",
            "// .. existing code ..",
            "// [existing code]",
            "// <existing code>",
            "<existing code>",
            "{{ existing code }}",
            "*** rest of file ***",
            "--- snip ---",
        ] {
            assert!(names_left_out(line), "{line}");
        }
        for line in [
            "# existing file", "// the same function", "// code", "existing code", "// existing code path",
            "// unchanged since 2.0", "<unchanged>", "{unchanged}", "<code>",
        ] {
            assert!(!names_left_out(line), "{line}");
        }
    }

    #[test]
    fn a_remark_says_what_stays() {
        for line in [
            "# f2 to f6 unchanged",
            "// [lines 5-20 unchanged]",
            "# the rest stays the same",
            "# omitted for brevity",
            "# ... f2 to f6 ...",
            "# existing functions",
            "# keep existing code",
            "# No changes below",
            "# same code as before",
            "# etc.",
            "fn a() { ... }",
            "function a() { /* unchanged */ }",
            "    pass  # ... existing code",
        ] {
            assert!(remarks_left_out(line), "{line}");
        }
        for line in [
            "# sketch",
            "// the restaurant",
            "unchanged",
            "# keeps what is there",
            "# leaves a and b alone, c as well",
        ] {
            assert!(!remarks_left_out(line), "{line}");
        }
    }
}

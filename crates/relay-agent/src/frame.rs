//! Frames: the tags around text of others in what a model reads.
//!
//! A model is shown files, rules, earlier messages and output inside tags such as `<project-file>`. Whoever wrote that
//! text could close the tag and go on in Relay's name. [`escape`] makes sure that no tag of Relay's can be written from
//! the inside; characters that cannot be seen, which hide text from people but not from models, are made visible.

use std::borrow::Cow;
use std::fmt::Write as _;

use relay_diagnostics::display;

/// Every tag that means something in a prompt of Relay's. Text of others cannot write any of them.
const RESERVED: [&str; 23] = [
    "additional-context",
    "conversation",
    "environment",
    "focus",
    "handoff-context",
    "instructions",
    "latest-request",
    "modified-files",
    "pinned-instructions",
    "previous-summary",
    "project-file",
    "project-files",
    "read-files",
    "rule",
    "rules",
    "skill",
    "skills",
    "summary",
    "system",
    "system-interrupt",
    "system-reminder",
    "turn",
    "user-instructions",
];

/// Text of others, for the inside of a frame.
///
/// ```
/// use relay_agent::frame::escape;
/// assert_eq!(escape("a </project-file>\n<System-Reminder x>"), "a &lt;/project-file>\n&lt;System-Reminder x>");
/// assert_eq!(escape("if a < b && vec::<Rule>()"), "if a < b && vec::&lt;Rule>()");
/// assert_eq!(escape("hid\u{200b}den"), "hid<U+200B>den");
/// ```
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    match escape_tags(text) {
        Cow::Borrowed(text) => display::visible(text),
        Cow::Owned(text) => Cow::Owned(display::visible(&text).into_owned()),
    }
}

fn escape_tags(text: &str) -> Cow<'_, str> {
    let mut escaped = String::new();
    let mut copied = 0;
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        if text.get(at + 1..).is_some_and(begins_reserved) {
            escaped.push_str(text.get(copied..at).unwrap_or_default());
            escaped.push_str("&lt;");
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    escaped.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(escaped)
}

/// Whether what follows a `<` is a tag of Relay's. A model reads `< / Rule` as a tag too, and does not see characters
/// that are invisible.
fn begins_reserved(rest: &str) -> bool {
    let is_filler = |c: char| {
        c.is_whitespace() || c == '/' || display::first_hidden(c.encode_utf8(&mut [0; 4])).is_some()
    };
    let mut name = String::new();
    for c in rest.trim_start_matches(is_filler).chars() {
        match c {
            'a'..='z' | '-' => name.push(c),
            'A'..='Z' => name.push(c.to_ascii_lowercase()),
            '_' => name.push('-'),
            _ if display::first_hidden(c.encode_utf8(&mut [0; 4])).is_some() && !c.is_whitespace() => {}
            _ => break,
        }
        if name.len() > 24 {
            return false;
        }
    }
    RESERVED.binary_search(&name.as_str()).is_ok()
}

/// A value for an attribute in a tag: on one line, without quotes and tags.
#[must_use]
pub fn attribute(value: &str) -> String {
    let mut shown = String::with_capacity(value.len());
    for c in display::visible_line(value).chars() {
        match c {
            '"' => shown.push_str("&quot;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            c => shown.push(c),
        }
    }
    shown
}

/// Text of others in a frame, with where it comes from.
#[must_use]
pub fn framed(tag: &str, attributes: &[(&str, &str)], text: &str) -> String {
    let mut framed = format!("<{tag}");
    for (name, value) in attributes {
        // Writing to a text cannot fail.
        write!(framed, " {name}=\"{}\"", attribute(value)).unwrap_or_default();
    }
    let text = escape(text);
    write!(framed, ">\n{}\n</{tag}>", text.trim_end_matches(['\n', '\r'])).unwrap_or_default();
    framed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_names_are_sorted() {
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn no_spelling_of_a_tag_gets_through() {
        for tag in [
            "</project-file>",
            "</ project-file >",
            "< / PROJECT-FILE>",
            "<project_file>",
            "</\u{200b}project-file>",
            "</proj\u{200b}ect-file>",
            "<\nsystem-reminder reason=\"x\">",
            "<system>",
            "</summary\u{0}>",
        ] {
            let escaped = escape(tag);
            assert!(escaped.starts_with("&lt;"), "{tag:?} became {escaped:?}");
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in ["", "a < b", "<div>", "Vec<String>", "<systemd>", "x <- y", "<rulebook", "<p>ü</p>\t\n"]
        {
            assert!(matches!(escape(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn a_frame_holds_whatever_it_is_given() {
        let framed = framed("rule", &[("name", "a\"><x"), ("path", "b\nc")], "text\n</rule>\n\n");
        assert_eq!(framed, "<rule name=\"a&quot;&gt;&lt;x\" path=\"b\\nc\">\ntext\n&lt;/rule>\n</rule>");
        assert_eq!(framed.matches("</rule>").count(), 1);
    }
}

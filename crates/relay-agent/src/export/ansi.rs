//! Colours of terminals, taken out of a command's output: a document has its own.

use std::borrow::Cow;

/// The text without escape sequences. What is not a whole sequence stays.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, sequence) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let length = sequence_bytes(sequence);
        if length == 0 {
            out.push('\u{1b}');
        }
        rest = sequence.get(length.max(1)..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// How long the sequence at the beginning is; zero if it is none.
fn sequence_bytes(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'[') => {
            let parameters = bytes.iter().skip(2).take_while(|byte| (0x20..0x40).contains(*byte)).count();
            let is_whole = bytes.get(2 + parameters).is_some_and(|byte| (0x40..0x7f).contains(byte));
            if is_whole { 3 + parameters } else { 0 }
        }
        // A title or a link ends with BEL or ESC \, within reason.
        Some(b']') => {
            let window = bytes.get(..bytes.len().min(4096)).unwrap_or_default();
            let bell = memchr::memchr(0x07, window).map(|at| at + 1);
            let escape = memchr::memmem::find(window, b"\x1b\\").map(|at| at + 2);
            bell.into_iter().chain(escape).min().unwrap_or(0)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_go_and_the_rest_stays() {
        for (text, expected) in [
            ("plain", "plain"),
            ("\u{1b}[31mred\u{1b}[0m é", "red é"),
            ("\u{1b}]0;title\u{7}x\u{1b}]8;;http://a\u{1b}\\y", "xy"),
            ("cut \u{1b}[3", "cut \u{1b}[3"),
            ("\u{1b}é", "\u{1b}é"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}

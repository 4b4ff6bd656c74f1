//! Removes what is meant for a terminal: colours, cursor movements, hyperlinks, progress lines, `\r\n`.
//!
//! What is left is the text a person would read, one line per line feed. The text itself is never changed.

/// Removes escape sequences; a carriage return, alone or before a line feed, ends a line.
///
/// A lone `\r` is how progress lines overwrite themselves, so what was before it is a line of its own here.
pub(super) fn clean(output: &str) -> String {
    let mut text = String::with_capacity(output.len());
    let mut chars = output.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\x1b' => skip_escape(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    text.push('\n');
                }
            }
            '\x08' | '\x07' | '\u{feff}' => {}
            _ => text.push(c),
        }
    }
    text
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips what follows an escape character. Nothing skips past the end of the line: a torn sequence costs one
/// line at most.
fn skip_escape(chars: &mut Chars<'_>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        // An operating system command such as a hyperlink ends with BEL or ESC \.
        Some(']' | 'P' | '^' | '_') => {
            chars.next();
            while let Some(c) = chars.next_if(|&c| c != '\n') {
                if c == '\x07' || (c == '\x1b' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        // A character set switch such as ESC ( B has one more character than other short sequences.
        Some('(' | ')' | '#' | '%') => {
            chars.next();
            chars.next_if(|&c| c != '\n');
        }
        Some('\n') | None => {}
        Some(_) => {
            chars.next();
        }
    }
}

/// Skips parameters and the final character of a control sequence such as `ESC [ 31 m`.
fn skip_control_sequence(chars: &mut Chars<'_>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

#[cfg(test)]
mod tests {
    fn check(output: &str, expected: &str) {
        assert_eq!(super::clean(output), expected, "{output:?}");
    }

    #[test]
    fn plain_text_stays() {
        check("größe: 3 > 2\n\ttab", "größe: 3 > 2\n\ttab");
    }

    #[test]
    fn colours_go() {
        check("\x1b[1m\x1b[91merror[E0425]\x1b[0m\x1b[1m: no\x1b[0m", "error[E0425]: no");
        check("\u{9b}31merror", "error");
        check("\x1b(B\x1b[merror", "error");
        check("\x1b[01m\x1b[Kshop.c:", "shop.c:");
    }

    #[test]
    fn hyperlinks_go() {
        check("\x1b]8;;https://x.example/E1\x1b\\E1\x1b]8;;\x07 rest", "E1 rest");
    }

    #[test]
    fn line_endings_are_line_feeds() {
        check("a\r\nb\r\n", "a\nb\n");
        check("1/2\r2/2\rdone\n", "1/2\n2/2\ndone\n");
    }

    #[test]
    fn a_torn_sequence_costs_one_line_at_most() {
        check("\x1b]8;;https://x.example\nnext", "\nnext");
        check("\x1b[31\nnext", "\nnext");
        check("end\x1b", "end");
        check("end\x1b[", "end");
    }
}

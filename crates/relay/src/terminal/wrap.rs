//! Wraps lines that are wider than the terminal, between words.
//!
//! Only prose is wrapped. In diffs, instructions for a model and output of commands, a line break would be read as
//! part of the text.

use super::columns;

/// Below this width, wrapping does more harm than good.
const NARROWEST: usize = 20;

/// The text with every overlong line wrapped between words.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut wrapped = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        if shown(content) <= width || width < NARROWEST {
            wrapped.push_str(content);
        } else {
            break_line(&mut wrapped, content, hang(content, width), width);
        }
        wrapped.push_str(end);
    }
    wrapped
}

/// Rows of two columns: a name, and a text wrapped beside it. On a narrow terminal the text goes below the name.
pub fn columns_of(rows: &[(&str, String)], widest: usize, width: usize) -> String {
    let mut text = String::new();
    for (name, about) in rows {
        let (indent, beside) = if widest == 0 { (0, true) } else { (widest + 4, width >= 2 * (widest + 4)) };
        let mut row = String::new();
        let hang = match (widest, beside) {
            (0, _) => 0,
            (_, true) => {
                let name_width = columns(name);
                row = format!(
                    "  {}{}  ",
                    super::style::paint(super::style::PLACE, name),
                    " ".repeat(widest.saturating_sub(name_width))
                );
                indent
            }
            (_, false) => {
                text.push_str(&format!("  {}\n", super::style::paint(super::style::PLACE, name)));
                row.push_str("      ");
                6
            }
        };
        row.push_str(about);
        break_line(&mut text, &row, hang, width);
        text.push('\n');
    }
    text
}

/// Where the continuation of a line begins: below its second column if it has two, as `✓ name    text` does, else two
/// columns further in than the line.
fn hang(line: &str, width: usize) -> usize {
    let plain = super::style::unpainted(line);
    let indent = plain.chars().take_while(|c| *c == ' ').count();
    let content = plain.trim_start_matches(' ');
    let second = content.find("  ").map(|at| {
        let (first, rest) = content.split_at(at);
        indent + columns(first) + rest.chars().take_while(|c| *c == ' ').count()
    });
    second.filter(|column| *column <= width / 2).unwrap_or((indent + 2).min(width / 2))
}

/// Wraps one line between words; continued lines begin at column `hang`.
fn break_line(out: &mut String, line: &str, hang: usize, width: usize) {
    let mut at = 0;
    let mut is_first = true;
    for (gap, word) in Words(line) {
        let (gap_width, word_width) = (columns(gap), shown(word));
        if !is_first && at + gap_width + word_width > width && at > hang {
            out.push('\n');
            out.push_str(&" ".repeat(hang));
            at = hang;
        } else {
            out.push_str(gap);
            at += gap_width;
        }
        out.push_str(word);
        at += word_width;
        is_first = false;
    }
}

/// Each word with the spaces before it. Styles belong to the word they touch.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let gap = self.0.len() - self.0.trim_start_matches(' ').len();
        let (gap, rest) = self.0.split_at(gap);
        let (word, rest) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
        self.0 = rest;
        Some((gap, word))
    }
}

/// How many columns a text takes without its styles.
fn shown(text: &str) -> usize {
    if text.contains('\x1b') { columns(&super::style::unpainted(text)) } else { columns(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::style::{BAD, paint, unpainted};

    #[track_caller]
    fn check(text: &str, width: usize, expected: &str) {
        assert_eq!(wrapped(text, width), expected);
    }

    #[test]
    fn lines_break_between_words_and_hang() {
        check("short\n", 40, "short\n");
        check("one two three four five six\n", 20, "one two three four\n  five six\n");
        check("  one two three four five six\n", 20, "  one two three four\n    five six\n");
        check("a\n\nb", 40, "a\n\nb");
        check("a question that is asked? ", 24, "a question that is\n  asked? ");
    }

    #[test]
    fn a_second_column_is_kept() {
        check("✓ git   one two three four\n", 20, "✓ git   one two\n        three four\n");
        check("a long first column  one two\n", 20, "a long first column\n  one two\n");
    }

    #[test]
    fn words_without_spaces_stay_whole() {
        check("averyveryverylongpath/that/does/not/fit.rs", 20, "averyveryverylongpath/that/does/not/fit.rs");
        check("see averyveryverylongpath/that.rs now", 20, "see\n  averyveryverylongpath/that.rs\n  now");
    }

    #[test]
    fn styles_take_no_columns_and_wide_characters_take_two() {
        let text = format!("{} two three four five six\n", paint(BAD, "one"));
        assert_eq!(unpainted(&wrapped(&text, 20)), "one two three four\n  five six\n");
        check("字字字字 字字字字 字字字字", 20, "字字字字 字字字字\n  字字字字");
    }

    #[test]
    fn a_narrow_terminal_has_the_text_below_the_name() {
        let rows = [("apply", "Land a reply".to_owned())];
        assert_eq!(unpainted(&columns_of(&rows, 15, 80)), "  apply            Land a reply\n");
        assert_eq!(unpainted(&columns_of(&rows, 15, 30)), "  apply\n      Land a reply\n");
    }
}

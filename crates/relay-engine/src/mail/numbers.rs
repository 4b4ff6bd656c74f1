//! Line numbers: shown before every line of a file, and removed again if a model copies them into a command.

use relay_edit::commands::Command;

/// The lines of a part that begins at `first`, each with its number: ` 9| text`.
pub(crate) fn numbered(part: &str, first: usize) -> String {
    let last = first + part.split_inclusive('\n').count().saturating_sub(1);
    let width = last.to_string().len();
    let mut text = String::with_capacity(part.len() + part.len() / 4);
    for (number, line) in (first..).zip(part.split_inclusive('\n')) {
        let gap = if line.trim_end_matches(['\n', '\r']).is_empty() { "" } else { " " };
        text.push_str(&format!("{number:>width$}|{gap}{line}"));
    }
    text
}

/// The intended command, if every line of its body has the number it was shown with: the lines of an edit count from
/// its first line, those of a new file from 1. A single line proves that only in an edit, which names the number.
pub(super) fn without_copied(command: &Command) -> Option<Command> {
    match command {
        Command::Edit { path, first, last, lines } => {
            let plain = plain(lines.iter().map(String::as_str), *first)?;
            Some(Command::Edit {
                path: path.clone(),
                first: *first,
                last: *last,
                lines: plain.into_iter().map(str::to_owned).collect(),
            })
        }
        Command::Create { path, content } => {
            let plain = plain(content.lines(), 1).filter(|lines| lines.len() > 1)?;
            Some(Command::Create { path: path.clone(), content: plain.join("\n") + "\n" })
        }
        _ => None,
    }
}

/// The lines without their numbers; `None` unless all have one and they count up from `first`.
fn plain<'l>(lines: impl Iterator<Item = &'l str>, first: usize) -> Option<Vec<&'l str>> {
    let mut plain = Vec::new();
    for (expected, line) in (first..).zip(lines) {
        let (number, text) = line.trim_start_matches(' ').split_once('|')?;
        if number.parse() != Ok(expected) {
            return None;
        }
        plain.push(text.strip_prefix(' ').or_else(|| text.is_empty().then_some(text))?);
    }
    (!plain.is_empty()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_gets_its_number() {
        assert_eq!(numbered("a\n\n  b", 9), " 9| a\n10|\n11|   b");
        assert_eq!(numbered("", 1), "");
    }

    fn edit(first: usize, lines: &[&str]) -> Command {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        Command::Edit { path: "a".to_owned(), first, last: first, lines }
    }

    #[test]
    fn copied_numbers_are_removed() {
        assert_eq!(without_copied(&edit(9, &[" 9| x", "10|", "11|   y"])), Some(edit(9, &["x", "", "  y"])));
        let create = |content: &str| Command::Create { path: "a".to_owned(), content: content.to_owned() };
        assert_eq!(without_copied(&create("1| x\n2| y\n")), Some(create("x\ny\n")));
    }

    #[test]
    fn other_numbers_are_part_of_the_text() {
        for lines in [&["3| x"][..], &["9| x", "9| y"], &["9| x", "y"], &["9|x"], &[]] {
            assert_eq!(without_copied(&edit(9, lines)), None, "{lines:?}");
        }
        let one = Command::Create { path: "a".to_owned(), content: "1| x\n".to_owned() };
        assert_eq!(without_copied(&one), None);
    }
}

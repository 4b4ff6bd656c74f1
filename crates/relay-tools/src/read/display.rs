//! Lines as a model reads them: with anchors, with numbers or plain, and what it reads about the rest.

use relay_agent::tool::Call;
use relay_edit::anchors::LineHash;
use serde_json::{Value, json};

use super::selector::{MAX_LINES, Selection};
use crate::edit::Edit;

/// How many bytes are shown at once.
pub const MAX_BYTES: usize = 50 << 10;
/// What is left of that for lines: below them it says how to go on.
const LINES_BYTES: usize = MAX_BYTES - 512;

/// What is in front of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// `41th|`
    Anchors,
    /// `41|`
    Numbers,
    /// Nothing.
    Plain,
}

impl Display {
    /// Anchors where edits go by them and the source can be changed, else numbers if the user wants them.
    #[must_use]
    pub fn of(call: &Call<'_>, selection: &Selection, can_change: bool) -> Self {
        let settings = call.services;
        if selection.raw {
            Self::Plain
        } else if can_change && settings.is_on("readHashLines", true) && Edit::takes_anchors(call) {
            Self::Anchors
        } else if settings.is_on("readLineNumbers", false) {
            Self::Numbers
        } else {
            Self::Plain
        }
    }

    /// What is in front of this line.
    #[must_use]
    pub fn prefix(self, number: usize, text: &[u8]) -> String {
        match self {
            Self::Anchors => format!("{number}{}|", LineHash::of(text)),
            Self::Numbers => format!("{number}|"),
            Self::Plain => String::new(),
        }
    }
}

/// How many lines are shown unless the call names some.
#[must_use]
pub fn default_limit(call: &Call<'_>) -> usize {
    let limit = call.services.number("read.defaultLimit", 300.0);
    // A float becomes a whole number at its bounds, whatever it is.
    (limit.max(1.0) as usize).clamp(1, MAX_LINES)
}

/// Lines that are shown.
#[derive(Debug)]
pub struct Page {
    /// What the model reads.
    pub text: String,
    /// The first line; the last one, or less than the first if there is none.
    pub shown: (usize, usize),
    /// How many lines there are, if that is known.
    pub total: Option<usize>,
}

/// Puts lines together, as many as fit.
pub struct Paging<'a> {
    /// What comes before a selector in a hint.
    pub name: &'a str,
    pub display: Display,
    pub selection: Selection,
}

impl Paging<'_> {
    /// Shows a text that is here as a whole.
    #[must_use]
    pub fn of_text(&self, text: &str, limit: usize) -> Page {
        let (first, count) = self.selection.window(limit);
        let total = text.lines().count();
        let lines = text.lines().skip(first - 1).take(count).map(str::as_bytes);
        self.of_lines(lines, first, Some(total), false)
    }

    /// Shows lines that begin with `first`. `is_cut` says that the last one is not all there.
    #[must_use]
    pub fn of_lines<'l>(
        &self,
        lines: impl Iterator<Item = &'l [u8]>,
        first: usize,
        total: Option<usize>,
        is_cut: bool,
    ) -> Page {
        if let Some(total) = total.filter(|total| *total > 0 && first > *total) {
            return self.beyond(first, total);
        }
        if total == Some(0) {
            return Page { text: "(empty file)\n".to_owned(), shown: (1, 0), total };
        }
        let mut text = String::new();
        let mut number = first;
        let mut long = is_cut;
        for line in lines {
            let prefix = self.display.prefix(number, line);
            let mut shown = String::from_utf8_lossy(line);
            let room = LINES_BYTES.saturating_sub(text.len() + prefix.len() + 1);
            if shown.len() > room {
                if number > first {
                    break;
                }
                // One line that is too long alone: its beginning is better than nothing.
                let end = (0..=room).rev().find(|at| shown.is_char_boundary(*at)).unwrap_or(0);
                shown = shown.get(..end).unwrap_or_default().to_owned().into();
                long = true;
            }
            text.push_str(&prefix);
            text.push_str(&shown);
            text.push('\n');
            number += 1;
            if long && text.len() >= LINES_BYTES {
                break;
            }
        }
        let last = number - 1;
        text.push_str(&self.hint((first, last), total, long));
        Page { text, shown: (first, last), total }
    }

    /// How to go on.
    fn hint(&self, (first, last): (usize, usize), total: Option<usize>, long: bool) -> String {
        let name = self.name;
        let mut hint = String::new();
        if long {
            hint.push_str(&format!(
                "[Line {last} is longer than what is shown at once; its beginning is shown.]\n"
            ));
        }
        match total {
            Some(total) if last >= total => {}
            Some(total) => hint.push_str(&format!(
                "[Showing lines {first}-{last} of {total}. Use {name}:{} to continue.]\n",
                last + 1
            )),
            None => hint.push_str(&format!(
                "[Showing lines {first}-{last}; there are more. Use {name}:{} to continue.]\n",
                last + 1
            )),
        }
        hint
    }

    /// Beyond the end: not an error, but a way back.
    fn beyond(&self, first: usize, total: usize) -> Page {
        let asked = self.selection.range.map_or(first, |range| range.first);
        let lines = if total == 1 { "1 line" } else { &format!("{total} lines") };
        let text = format!(
            "Line {asked} is beyond the end: {name} has {lines}. Use :1 to read from the start, or :{total} to read the last line.\n",
            name = self.name
        );
        Page { text, shown: (first, first - 1), total: Some(total) }
    }
}

impl Page {
    /// What front ends get to know.
    #[must_use]
    pub fn details(&self) -> Value {
        let (first, last) = self.shown;
        let is_cut = self.total.is_none_or(|total| last < total);
        let next = is_cut.then_some(last + 1);
        json!({ "lines": [first, last], "total": self.total, "truncation": next.map(|next| json!({ "nextOffset": next })) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, text: &str, display: Display) -> Page {
        let (name, selection) = Selection::split(path).unwrap();
        Paging { name, display, selection }.of_text(text, 3)
    }

    #[test]
    fn pages_say_how_to_go_on() {
        let text = "a\nb\nc\nd\ne\n";
        let shown = page("f", text, Display::Numbers);
        assert_eq!(shown.text, "1|a\n2|b\n3|c\n[Showing lines 1-3 of 5. Use f:4 to continue.]\n");
        assert_eq!(page("f:4", text, Display::Plain).text, "c\nd\ne\n");
        assert_eq!(page("f:2-2:raw", text, Display::Plain).shown, (2, 2));
        assert_eq!(page("f", "def alpha():\n", Display::Anchors).text, "1th|def alpha():\n");
    }

    #[test]
    fn beyond_the_end_there_is_a_way_back() {
        let shown = page("f:9", "a\nb\n", Display::Plain);
        assert_eq!(
            shown.text,
            "Line 9 is beyond the end: f has 2 lines. Use :1 to read from the start, or :2 to read the last line.\n"
        );
        assert_eq!(page("f", "", Display::Plain).text, "(empty file)\n");
    }

    #[test]
    fn long_lines_and_many_bytes_are_cut_and_told() {
        let long = page("f", &"x".repeat(200 << 10), Display::Plain);
        assert!(
            long.text.len() < 52 << 10 && long.text.contains("longer than what is shown"),
            "{}",
            long.text.len()
        );
        let many: String = (0..3).map(|_| format!("{}\n", "é".repeat(12 << 10))).collect();
        let cut = page("f", &many, Display::Plain);
        assert_eq!(cut.shown, (1, 2));
        assert!(cut.text.ends_with("[Showing lines 1-2 of 3. Use f:3 to continue.]\n"));
    }
}

//! A program that prints its answer as plain text, although it was asked for events.

use super::cli::event;

/// What a program printed. If nothing of it is JSON, that is its answer.
#[derive(Debug)]
pub(super) struct PlainText {
    text: String,
    has_events: bool,
    limit_bytes: usize,
}

impl PlainText {
    pub(super) fn up_to(limit_bytes: usize) -> Self {
        Self { text: String::new(), has_events: false, limit_bytes }
    }

    /// Takes one line.
    pub(super) fn line(&mut self, line: &str) {
        self.has_events |= event(line).is_some();
        if !self.has_events && self.text.len() + line.len() < self.limit_bytes {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// The answer, if there is one in plain text.
    pub(super) fn answer(self) -> Option<String> {
        let is_json = self.has_events || serde_json::from_str::<serde_json::Value>(&self.text).is_ok();
        (!is_json && !self.text.trim().is_empty()).then_some(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], expected: Option<&str>) {
        let mut plain = PlainText::up_to(100);
        lines.iter().for_each(|line| plain.line(line));
        assert_eq!(plain.answer().as_deref(), expected, "{lines:?}");
    }

    #[test]
    fn only_output_without_json_is_an_answer() {
        check(&["Looks good.", "Ship it."], Some("Looks good.\nShip it.\n"));
        check(&["warning: slow", "{\"type\": \"error\"}"], None);
        check(&["{", "  \"response\": \"\"", "}"], None);
        check(&["", " "], None);
    }
}

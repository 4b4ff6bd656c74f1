//! A model that says the same over and over, which costs money until the longest answer is reached.

/// How much must be repetition before it is believed.
const WINDOW_BYTES: usize = 12 << 10;

/// How often the window is looked at.
const STEP_BYTES: usize = 4 << 10;

/// The longest period of a repetition that is looked for.
const PERIOD_BYTES: usize = 512;

/// Watches one answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// How much of each block there was at the last look.
    seen: Vec<usize>,
}

impl Watch {
    /// Whether the end of the block is nothing but one short text again and again.
    pub(super) fn look(&mut self, index: usize, whole: &str) -> bool {
        if whole.len() < WINDOW_BYTES {
            return false;
        }
        if self.seen.len() <= index {
            self.seen.resize(index + 1, 0);
        }
        match self.seen.get_mut(index) {
            Some(seen) if whole.len() >= *seen + STEP_BYTES => *seen = whole.len(),
            _ => return false,
        }
        let window = whole.as_bytes().get(whole.len() - WINDOW_BYTES..).unwrap_or_default();
        is_periodic(window)
    }
}

/// Whether the bytes repeat themselves with a short period.
///
/// A shift that maps the window onto itself is a period. Candidates are where the window's first bytes come again, so
/// ordinary text is done after a few comparisons.
fn is_periodic(window: &[u8]) -> bool {
    (1..=PERIOD_BYTES).any(|period| {
        let shifted = window.get(period..).unwrap_or_default();
        window.starts_with(shifted)
    })
}

#[cfg(test)]
mod tests {
    use super::{Watch, is_periodic};

    /// Feeds the text in pieces and returns whether it was stopped before 20 KiB.
    fn check(text: &str, expected: bool) {
        let mut watch = Watch::default();
        let ends = (1..=text.len() / 100).map(|n| n * 100);
        let found = ends.into_iter().find(|&end| text.get(..end).is_some_and(|text| watch.look(0, text)));
        assert_eq!(found.is_some_and(|end| end < 20 << 10), expected, "{found:?}");
    }

    #[test]
    fn one_sentence_again_and_again_is_found() {
        check(&"I will now fix the failing test. ".repeat(2000), true);
        check(&format!("{}{}", "A good start. ".repeat(10), "ha".repeat(20_000)), true);
    }

    #[test]
    fn long_answers_that_say_something_pass() {
        let numbered: String = (0..5000).map(|n| format!("- step {n}: run the tests again\n")).collect();
        check(&numbered, false);
    }

    #[test]
    fn a_short_repetition_passes() {
        check(&"----------\n".repeat(500), false);
    }

    #[test]
    fn periods() {
        assert!(is_periodic("abc".repeat(100).as_bytes()));
        assert!(!is_periodic((0..2000).map(|n| n.to_string()).collect::<String>().as_bytes()));
    }
}

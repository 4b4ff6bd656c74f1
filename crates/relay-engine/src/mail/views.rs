//! What the model of a session knows of each file: the text it was last shown or wrote, with its own edits applied.
//!
//! Line numbers refer to these texts and not to today's files; the difference is merged. If it is unknown which text a
//! number refers to, the edit is refused, never guessed.

use serde::{Deserialize, Serialize};

/// How much text is remembered; the oldest is forgotten first.
const BYTES: usize = 4 << 20;

/// What the model knows of the files, the longest untouched first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Views(Vec<View>);

/// What the model knows of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub path: String,
    /// The text, secrets masked as the model saw them; `None` once it was forgotten to save room.
    pub text: Option<String>,
    /// A command ran while the file had changed: it may have changed the file, or shown it to the model.
    pub is_doubtful: bool,
}

impl Views {
    pub(super) fn get(&self, path: &str) -> Option<&View> {
        self.0.iter().find(|view| view.path == path)
    }

    /// The model knows this text now.
    pub(super) fn set(&mut self, path: &str, text: String, is_doubtful: bool) {
        self.remove(path);
        self.0.push(View { path: path.to_owned(), text: Some(text), is_doubtful });
        let mut bytes: usize = self.0.iter().filter_map(|view| view.text.as_ref()).map(String::len).sum();
        for view in &mut self.0 {
            if bytes <= BYTES {
                break;
            }
            bytes -= view.text.take().map_or(0, |text| text.len());
        }
    }

    pub(super) fn remove(&mut self, path: &str) {
        self.0.retain(|view| view.path != path);
    }

    /// Marks every view that differs from what `current` returns for its file.
    pub(super) fn doubt(&mut self, mut current: impl FnMut(&View) -> bool) {
        for view in &mut self.0 {
            view.is_doubtful |= !current(view);
        }
    }
}

/// Whether two texts agree in all lines up to this one, so that a number up to there means the same in both.
pub(super) fn agree_up_to(one: &str, other: &str, last: usize) -> bool {
    let lines = |text: &str| relay_edit::line_texts(text.as_bytes()).unwrap_or_default();
    let (one, other) = (lines(one), lines(other));
    match (one.get(..last), other.get(..last)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_texts_are_forgotten_but_not_that_there_was_one() {
        let mut views = Views::default();
        for name in ["a", "b", "c"] {
            views.set(name, "x".repeat(BYTES / 2), false);
        }
        assert_eq!(views.get("a").unwrap().text, None);
        assert!(views.get("b").unwrap().text.is_some() && views.get("c").unwrap().text.is_some());
        views.remove("a");
        assert_eq!(views.get("a"), None);
    }

    #[test]
    fn numbers_mean_the_same_as_far_as_the_texts_agree() {
        let check =
            |one: &str, other: &str, last, expected| assert_eq!(agree_up_to(one, other, last), expected);
        check("a\nb\nc\n", "a\r\nb\r\nX\r\n", 2, true);
        check("a\nb\nc\n", "a\nb\nX\n", 3, false);
        check("a\nb\n", "new\na\nb\n", 1, false);
        check("a\n", "a\nb\n", 2, false);
    }
}

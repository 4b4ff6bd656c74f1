//! Tool calls as models print them: JSON objects and XML-like elements that name a file and its change.
//!
//! Every notation becomes a name and a map of arguments; [`arguments`] says what those mean.

mod arguments;
mod json;
mod keys;
mod markup;

use crate::Edit;

pub(crate) use json::{Objects, begins as begins_json, goes_on, opens as opens_json};
pub(crate) use markup::{Element, begins, is_argument, path_of};

/// The result of reading one or more calls.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    /// The edits they ask for.
    pub edits: Vec<Edit>,
    /// Names of tools that change nothing: reading, listing, asking.
    pub harmless: Vec<String>,
    /// Names of tools that are not known, or whose arguments cannot be read.
    pub unknown: Vec<String>,
    /// Commands for a shell.
    pub commands: Vec<String>,
    /// Data that is not a call.
    pub data: Option<String>,
}

impl Calls {
    /// Whether there is no call at all.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    fn extend(&mut self, other: Self) {
        self.edits.extend(other.edits);
        self.harmless.extend(other.harmless);
        self.unknown.extend(other.unknown);
        self.commands.extend(other.commands);
        self.data = self.data.take().or(other.data);
    }

    /// The same without edits, where one of the calls cannot be read: what belongs together lands together.
    fn all_or_nothing(mut self) -> Self {
        if !self.unknown.is_empty() {
            self.edits.clear();
        }
        self
    }
}

/// Reads the calls in a block that begins in this line of the reply; `None` when it holds something else.
pub(crate) fn read(text: &str, line: usize) -> Option<Calls> {
    let calls = match text.trim_start().chars().next()? {
        '{' | '[' => json::read(text, line),
        '<' => markup::read(text, line),
        _ => return None,
    }?;
    (!calls.is_empty()).then(|| calls.all_or_nothing())
}

#[cfg(test)]
mod tests;

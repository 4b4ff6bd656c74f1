//! The names of entries, as the label entries of a log leave them.

use std::collections::HashMap;

use super::body::{Body, Kind};
use super::entry::Entry;

/// Which entries have names. The last label entry of the log about an entry decides, on whatever branch it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    names: HashMap<Box<str>, String>,
}

impl Labels {
    /// The names after these entries.
    #[must_use]
    pub fn of(entries: &[Entry]) -> Self {
        let mut labels = Self::default();
        entries.iter().for_each(|entry| labels.apply(entry));
        labels
    }

    /// Takes one more entry into account.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        if entry.kind() != Kind::Label {
            return;
        }
        let Body::Label(label) = entry.body() else { return };
        match label.label.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => drop(self.names.insert(label.target_id.as_str().into(), name.to_owned())),
            None => drop(self.names.remove(label.target_id.as_str())),
        }
    }

    /// The name of an entry.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&str> {
        self.names.get(id).map(String::as_str)
    }

    /// The entries that have this name.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.names.iter().filter(move |(_, known)| *known == name).map(|(id, _)| &**id)
    }

    /// How many entries have names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no entry has a name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

//! The names in a folder, all in one text: surveys list thousands of folders, and a string per name would cost more than
//! asking the disk does.

use crate::read::Kind;

/// The names in a folder with their kinds.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    text: String,
    /// Where each name begins and ends in the text.
    names: Vec<(usize, usize, Kind)>,
    /// Names that are not UTF-8, which is rare.
    strange: Vec<Vec<u8>>,
}

impl Listing {
    /// Adds a name.
    pub(super) fn push(&mut self, name: &str, kind: Kind) {
        let start = self.text.len();
        self.text.push_str(name);
        self.names.push((start, self.text.len(), kind));
    }

    /// Adds a name that is not UTF-8.
    #[cfg(unix)]
    pub(super) fn push_strange(&mut self, name: &[u8]) {
        self.strange.push(name.to_vec());
    }

    /// The names that are not UTF-8, in no order.
    pub(crate) fn strange(&self) -> impl Iterator<Item = &[u8]> {
        self.strange.iter().map(Vec::as_slice)
    }

    /// Sorts the names.
    pub(super) fn sort(&mut self) {
        let text = &self.text;
        self.names.sort_unstable_by_key(|(start, end, _)| text.get(*start..*end));
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The names in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Kind)> {
        self.names.iter().filter_map(|(start, end, kind)| Some((self.text.get(*start..*end)?, *kind)))
    }
}

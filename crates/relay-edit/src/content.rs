//! What a file holds after its edits: all of its bytes, or the parts that stay and what is new between them.
//!
//! Most of a long file stays as it is. As parts it is checked, counted and shown without a second copy of it; it is
//! joined only when a caller needs all of it. This module knows nothing of lines.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The content of a file after edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// All of it.
    Whole(Vec<u8>),
    /// Parts of the file as it was before, and what is new between them.
    Spliced(Spliced),
}

impl Content {
    /// All bytes. `before` is the file as it was.
    #[must_use]
    pub fn into_bytes(self, before: &[u8]) -> Vec<u8> {
        match self {
            Self::Whole(bytes) => bytes,
            Self::Spliced(spliced) => spliced.bytes(before),
        }
    }

    /// Whether it is the file as it was.
    pub(crate) fn is_same(&self, before: &[u8]) -> bool {
        match self {
            Self::Whole(bytes) => bytes == before,
            Self::Spliced(spliced) => spliced.is_same(before),
        }
    }
}

/// A file's content after edits, borrowed from its owner.
#[derive(Clone, Copy, Debug)]
pub enum After<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// Parts of the file as it was before, and what is new between them.
    Spliced(&'a Spliced),
}

impl<'a> After<'a> {
    /// All bytes. `before` is the file as it was.
    #[must_use]
    pub fn bytes(self, before: &[u8]) -> Cow<'a, [u8]> {
        match self {
            Self::Whole(bytes) => Cow::Borrowed(bytes),
            Self::Spliced(spliced) => Cow::Owned(spliced.bytes(before)),
        }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::Whole(bytes) => bytes.len(),
            Self::Spliced(spliced) => spliced.len(),
        }
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl<'a> From<&'a [u8]> for After<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Whole(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for After<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Whole(bytes)
    }
}

impl<'a> From<&'a Arc<[u8]>> for After<'a> {
    fn from(bytes: &'a Arc<[u8]>) -> Self {
        Self::Whole(bytes)
    }
}

impl<'a> From<&'a Content> for After<'a> {
    fn from(content: &'a Content) -> Self {
        match content {
            Content::Whole(bytes) => Self::Whole(bytes),
            Content::Spliced(spliced) => Self::Spliced(spliced),
        }
    }
}

/// A file as parts of what it was, and what is new between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spliced {
    parts: Vec<Part>,
    /// Everything that is new, in order.
    fresh: Vec<u8>,
}

/// A part that stays, and what is new after it; one of them may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    /// Where it lies in the file as it was.
    kept: Range<usize>,
    /// Where the bytes after it lie among those that are new.
    fresh: Range<usize>,
}

/// Bytes of the file as it was, and those that are there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// Where they lay in the file as it was.
    pub old: Range<usize>,
    /// Where the others lie among those that are new.
    pub new: Range<usize>,
}

impl Spliced {
    /// Nothing yet, with room for this many parts and new bytes.
    pub(crate) fn with_room(parts: usize, fresh: usize) -> Self {
        Self { parts: Vec::with_capacity(parts), fresh: Vec::with_capacity(fresh) }
    }

    /// Appends a part of the file.
    pub(crate) fn keep(&mut self, kept: Range<usize>) {
        match self.parts.last_mut() {
            Some(last) if last.fresh.is_empty() && last.kept.end == kept.start => last.kept.end = kept.end,
            _ => self.parts.push(Part { kept, fresh: self.fresh.len()..self.fresh.len() }),
        }
    }

    /// Appends new bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        if self.parts.is_empty() {
            self.keep(0..0);
        }
        self.fresh.extend_from_slice(bytes);
        if let Some(last) = self.parts.last_mut() {
            last.fresh.end = self.fresh.len();
        }
    }

    /// Takes this many of the new bytes off the end.
    pub(crate) fn cut(&mut self, bytes: usize) {
        if let Some(last) = self.parts.last_mut() {
            last.fresh.end = last.fresh.end.saturating_sub(bytes).max(last.fresh.start);
            self.fresh.truncate(last.fresh.end);
        }
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.kept.len() + part.fresh.len()).sum()
    }

    /// Whether it has no bytes.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| part.kept.is_empty() && part.fresh.is_empty())
    }

    /// What goes and what comes instead, in order.
    pub(crate) fn exchanges(&self, before: &[u8]) -> impl Iterator<Item = Exchange> {
        let ends = self.parts.iter().map(|part| (part.kept.end, part.fresh.clone()));
        let starts = self.parts.iter().map(|part| part.kept.start).chain([before.len()]);
        let exchanges = std::iter::once((0, 0..0)).chain(ends).zip(starts);
        exchanges
            .map(|((end, new), start)| Exchange { old: end..start, new })
            .filter(|exchange| !exchange.old.is_empty() || !exchange.new.is_empty())
    }

    /// Everything that is new, in order.
    #[must_use]
    pub fn fresh(&self) -> &[u8] {
        &self.fresh
    }

    /// The bytes one after the other, in pieces.
    pub(crate) fn pieces<'p>(&'p self, before: &'p [u8]) -> impl DoubleEndedIterator<Item = &'p [u8]> {
        let piece = |of: &'p [u8], range: &Range<usize>| of.get(range.clone()).unwrap_or_default();
        self.parts.iter().flat_map(move |part| [piece(before, &part.kept), piece(&self.fresh, &part.fresh)])
    }

    /// All bytes. `before` is the file as it was.
    #[must_use]
    pub fn bytes(&self, before: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        self.pieces(before).for_each(|piece| bytes.extend_from_slice(piece));
        bytes
    }

    /// Its bytes up to a place in the file as it was, which is one of those that stay.
    pub(crate) fn bytes_until(&self, before: &[u8], end: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in &self.parts {
            let kept = part.kept.start..part.kept.end.min(end);
            bytes.extend_from_slice(before.get(kept).unwrap_or_default());
            if part.kept.end >= end {
                break;
            }
            bytes.extend_from_slice(self.fresh.get(part.fresh.clone()).unwrap_or_default());
        }
        bytes
    }

    /// Whether it is the file as it was. What was kept where it lay need not be looked at.
    fn is_same(&self, before: &[u8]) -> bool {
        let mut rest = before;
        let is_next = |piece: &[u8]| match rest.split_at_checked(piece.len()) {
            Some((here, behind)) if std::ptr::eq(here, piece) || here == piece => {
                rest = behind;
                true
            }
            _ => false,
        };
        self.pieces(before).all(is_next) && rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_put_together_in_order() {
        let before = b"one two three";
        let mut spliced = Spliced::default();
        assert!(spliced.is_empty());
        spliced.add(b"zero ");
        spliced.keep(0..4);
        spliced.keep(4..8);
        spliced.add(b"and ");
        spliced.add(b"a half ");
        spliced.cut(5);
        spliced.keep(8..13);
        assert_eq!(spliced.bytes(before), b"zero one two and a three");
        assert_eq!(spliced.fresh(), b"zero and a ");
        let exchanges: Vec<_> = spliced.exchanges(before).map(|found| (found.old, found.new)).collect();
        assert_eq!(exchanges, [(0..0, 0..5), (8..8, 5..11)]);
        assert!(!spliced.is_empty() && !spliced.is_same(before));
    }

    #[test]
    fn parts_join_to_the_same_content() {
        let before = b"one two";
        let mut spliced = Spliced::default();
        spliced.keep(0..4);
        spliced.add(b"tw");
        assert!(!spliced.is_same(before));
        spliced.keep(6..7);
        assert!(spliced.is_same(before));
        spliced.add(b"!");
        assert!(!spliced.is_same(before));
    }
}

//! Reads a result from top to bottom, whether it is whole or in pieces.

use crate::matcher::Reindent;

/// What is left to be read of a result, which may come in pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest<'a> {
    piece: &'a [u8],
    later: &'a [&'a [u8]],
    /// How many bytes were read.
    pub read: usize,
}

impl<'a> Rest<'a> {
    /// All of it.
    pub const fn new(pieces: &'a [&'a [u8]]) -> Self {
        Self { piece: &[], later: pieces, read: 0 }
    }

    /// Whether everything was read.
    pub fn is_empty(self) -> bool {
        self.piece.is_empty() && self.later.iter().all(|piece| piece.is_empty())
    }

    /// The bytes that are left.
    pub fn bytes(self) -> impl Iterator<Item = &'a u8> {
        self.piece.iter().chain(self.later.iter().copied().flatten())
    }

    /// What is left behind these bytes, if they come next. A piece of the file itself need not be compared with it.
    pub fn strip_prefix(mut self, mut wanted: &[u8]) -> Option<Self> {
        while !wanted.is_empty() {
            if self.piece.is_empty() {
                (self.piece, self.later) = self.later.split_first().map(|(piece, later)| (*piece, later))?;
            }
            let length = wanted.len().min(self.piece.len());
            let (found, piece) = self.piece.split_at_checked(length)?;
            let (expected, behind) = wanted.split_at_checked(length)?;
            if !std::ptr::eq(found, expected) && found != expected {
                return None;
            }
            (self.piece, wanted) = (piece, behind);
            self.read += length;
        }
        Some(self)
    }

    /// What is left behind a new line that was indented by a rule.
    pub fn strip_indented(self, text: &[u8], rule: &Reindent) -> Option<Self> {
        match rule {
            Reindent::Keep | Reindent::Written(_) => self.strip_prefix(text),
            Reindent::Add(missing) => self.strip_prefix(missing.as_slice())?.strip_prefix(text),
            Reindent::Strip(extra) => self.strip_prefix(text.strip_prefix(extra.as_slice())?),
            Reindent::Units { reply, file } => {
                let (mut found, mut written) = (Some(self), text);
                while !reply.is_empty()
                    && let Some(tail) = written.strip_prefix(reply.as_slice())
                {
                    written = tail;
                    found = found.and_then(|found| found.strip_prefix(file.as_slice()));
                }
                // A line that is indented as the file is already was left alone.
                found.and_then(|found| found.strip_prefix(written)).or_else(|| self.strip_prefix(text))
            }
        }
    }
}

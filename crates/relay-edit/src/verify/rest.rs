//! Reads a result from top to bottom, whether it is whole or in pieces.

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

    /// What is left after these bytes, if they come next. A piece of the file itself need not be compared with it.
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
}

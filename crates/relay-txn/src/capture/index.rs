//! The cache's index: which content a file had when the disk said this and that about it.
//!
//! One buffer, read at once and searched in the order it was written; a person has no use for it. It ends with a MAC of
//! this user's key, because whoever could plant an index could plant what a rollback restores.

use relay_workspace::{Facts, Kind};
use serde::{Deserialize, Serialize};

use crate::key::LedgerKey;

/// Keeps the MAC from being mistaken for one of another kind of document; also the version of the format.
const CONTEXT: &[u8] = b"relay capture index v2\n";
/// The MAC at the end.
const MAC_BYTES: usize = 32;
/// An entry without its path: see [`Index::write`].
const FIXED_BYTES: usize = 2 + 4 + 8 + 8 + 12 + 12 + 32 + 8;

/// What tells whether a file is still the one whose content is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Key {
    mode: u32,
    inode: u64,
    size: u64,
    modified: (i64, u32),
    changed: (i64, u32),
}

impl Key {
    /// What the disk says about a file now.
    pub(super) fn of(facts: &Facts) -> Self {
        Self {
            mode: facts.mode,
            inode: facts.inode,
            size: facts.size,
            modified: facts.modified,
            changed: facts.changed,
        }
    }

    /// Something of which only the mode is known.
    pub(super) fn unknown(mode: u32) -> Self {
        Self { mode, inode: 0, size: 0, modified: (0, 0), changed: (0, 0) }
    }

    /// What the disk said, as far as it was written down.
    pub(super) fn facts(&self, kind: Kind) -> Facts {
        let Self { mode, inode, size, modified, changed } = *self;
        Facts { kind, mode, size, links: 1, owner: 0, group: 0, device: 0, inode, modified, changed }
    }
}

/// A content in the pack. Two are equal when the contents are, wherever they are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    /// Its BLAKE3 hash.
    pub(super) hash: [u8; 32],
    /// Where it begins.
    pub(super) offset: u64,
    /// How long it is.
    pub(super) size: u64,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        (self.hash, self.size) == (other.hash, other.size)
    }
}

impl Eq for Kept {}

/// A verified index, read from its beginning to its end alongside a sorted list of paths.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The number of the pack it belongs to.
    pub(super) pack: u64,
    bytes: Vec<u8>,
    next: usize,
    end: usize,
}

impl Index {
    /// An index that knows nothing yet.
    pub(super) fn empty(pack: u64) -> Self {
        Self { pack, ..Self::default() }
    }

    /// Takes over the bytes of an index, if their MAC is right.
    pub(super) fn read(bytes: Vec<u8>, key: &LedgerKey) -> Option<Self> {
        let end = bytes.len().checked_sub(MAC_BYTES)?;
        let (body, mac) = bytes.split_at_checked(end)?;
        let mac: [u8; MAC_BYTES] = mac.try_into().ok()?;
        // `blake3::Hash` compares in constant time.
        if key.mac(CONTEXT, body) != blake3::Hash::from_bytes(mac) {
            return None;
        }
        let pack = u64::from_le_bytes(*body.first_chunk()?);
        Some(Self { pack, next: 8, end, bytes })
    }

    /// Writes an index. Entries must come in the order of their paths.
    pub(super) fn write<'a>(
        pack: u64,
        entries: impl Iterator<Item = (&'a str, Key, Kept)>,
        key: &LedgerKey,
    ) -> Vec<u8> {
        let mut bytes = pack.to_le_bytes().to_vec();
        for (path, key, kept) in entries {
            // A path has at most 4096 bytes.
            let Ok(length) = u16::try_from(path.len()) else { continue };
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(&key.mode.to_le_bytes());
            bytes.extend_from_slice(&key.inode.to_le_bytes());
            bytes.extend_from_slice(&key.size.to_le_bytes());
            for (seconds, nanoseconds) in [key.modified, key.changed] {
                bytes.extend_from_slice(&seconds.to_le_bytes());
                bytes.extend_from_slice(&nanoseconds.to_le_bytes());
            }
            bytes.extend_from_slice(&kept.hash);
            bytes.extend_from_slice(&kept.offset.to_le_bytes());
            bytes.extend_from_slice(path.as_bytes());
        }
        let mac = key.mac(CONTEXT, &bytes);
        bytes.extend_from_slice(mac.as_bytes());
        bytes
    }

    /// The entry of a path. Paths must be asked for in order; those in between are passed over.
    pub(super) fn find(&mut self, path: &str) -> Option<(Key, Kept)> {
        loop {
            let (found, entry, length) = self.peek()?;
            match found.cmp(path.as_bytes()) {
                std::cmp::Ordering::Less => self.next += length,
                std::cmp::Ordering::Equal => {
                    self.next += length;
                    return Some(entry);
                }
                std::cmp::Ordering::Greater => return None,
            }
        }
    }

    /// All contents the index knows of, from its beginning.
    pub(super) fn contents(&self) -> impl Iterator<Item = Kept> {
        self.entries().map(|(_, _, kept)| kept)
    }

    /// All entries, from the beginning.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&[u8], Key, Kept)> {
        let mut at = 8;
        std::iter::from_fn(move || {
            let (path, (key, kept), length) = self.entry(at)?;
            at += length;
            Some((path, key, kept))
        })
    }

    fn peek(&self) -> Option<(&[u8], (Key, Kept), usize)> {
        self.entry(self.next)
    }

    fn entry(&self, at: usize) -> Option<(&[u8], (Key, Kept), usize)> {
        let mut rest = Reader(self.bytes.get(at..self.end)?);
        let length = usize::from(u16::from_le_bytes(rest.take()?));
        let mode = u32::from_le_bytes(rest.take()?);
        let inode = u64::from_le_bytes(rest.take()?);
        let size = u64::from_le_bytes(rest.take()?);
        let mut time = || Some((i64::from_le_bytes(rest.take()?), u32::from_le_bytes(rest.take()?)));
        let (modified, changed) = (time()?, time()?);
        let hash = rest.take()?;
        let offset = u64::from_le_bytes(rest.take()?);
        let path = rest.0.get(..length)?;
        let entry = (Key { mode, inode, size, modified, changed }, Kept { hash, offset, size });
        Some((path, entry, FIXED_BYTES + length))
    }
}

/// Takes fixed pieces off the front of a slice.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (piece, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: u64) -> (Key, Kept) {
        let key =
            Key { mode: 0o100_644, inode: n, size: n + 1, modified: (-5, 6), changed: (n.cast_signed(), 9) };
        (key, Kept { hash: [n as u8; 32], offset: n * 7, size: n + 1 })
    }

    fn written(key: &LedgerKey) -> Vec<u8> {
        let paths = ["a", "a/b", "b", "d"];
        let entries = paths.iter().zip(1..).map(|(path, n)| (*path, entry(n).0, entry(n).1));
        Index::write(42, entries, key)
    }

    #[test]
    fn what_was_written_is_found_in_order() {
        let key = LedgerKey::new([1; 32]);
        let mut index = Index::read(written(&key), &key).unwrap();
        assert_eq!(index.pack, 42);
        assert_eq!(index.contents().count(), 4);
        for (path, expected) in [
            ("A", None),
            ("a", Some(1)),
            ("a/c", None),
            ("b", Some(3)),
            ("c", None),
            ("d", Some(4)),
            ("e", None),
        ] {
            assert_eq!(index.find(path), expected.map(entry), "{path}");
        }
    }

    #[test]
    fn what_somebody_else_wrote_is_none() {
        let key = LedgerKey::new([1; 32]);
        assert!(Index::read(written(&LedgerKey::new([2; 32])), &key).is_none());
        let mut torn = written(&key);
        torn.pop();
        assert!(Index::read(torn, &key).is_none());
        let mut changed = written(&key);
        changed[20] ^= 1;
        assert!(Index::read(changed, &key).is_none());
        assert!(Index::read(Vec::new(), &key).is_none());
    }
}

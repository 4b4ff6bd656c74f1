//! The cache's index: which content a file had when the disk reported these facts about it.
//!
//! One buffer, read at once and searched in the order it was written; it is not meant for people. It ends with a MAC of
//! this user's key, because an attacker who could plant an index could plant what a rollback restores.

use relay_workspace::{Facts, Kind};
use serde::{Deserialize, Serialize};

use crate::belongings::Owner;
use crate::key::LedgerKey;

/// Keeps the MAC from being mistaken for one of another kind of document; also the version of the format.
const CONTEXT: &[u8] = b"relay capture index v3\n";
/// The MAC at the end.
const MAC_BYTES: usize = 32;
/// An entry without its path: see [`Index::write`].
const FIXED_BYTES: usize = 2 + 2 + 4 + 8 + 8 + 8 + 12 + 12 + 32 + 8;

/// Shows whether a file is still the one that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Key {
    mode: u32,
    owner: Owner,
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
            owner: super::owner(facts),
            inode: facts.inode,
            size: facts.size,
            modified: facts.modified,
            changed: facts.changed,
        }
    }

    /// Something of which only mode and owner are known.
    pub(super) fn unknown(mode: u32, owner: Owner) -> Self {
        Self { mode, owner, inode: 0, size: 0, modified: (0, 0), changed: (0, 0) }
    }

    /// What it is, by its mode.
    pub(super) fn kind(&self) -> Kind {
        match self.mode & 0o170_000 {
            0o100_000 => Kind::File,
            0o040_000 => Kind::Directory,
            0o120_000 => Kind::Symlink,
            _ => Kind::Special,
        }
    }

    /// What the disk said, as far as it was written down.
    pub(super) fn facts(&self, kind: Kind) -> Facts {
        let Self { mode, owner: Owner { user: owner, group }, inode, size, modified, changed } = *self;
        Facts { kind, mode, size, links: 1, owner, group, device: 0, inode, modified, changed }
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

    /// The MAC at the end of a written index, as text. It says which index this is, not whose.
    pub(super) fn mac(bytes: &[u8]) -> Option<String> {
        let mac: [u8; MAC_BYTES] = *bytes.last_chunk()?;
        Some(blake3::Hash::from_bytes(mac).to_hex().to_string())
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
        entries: impl Iterator<Item = (&'a str, Key, Kept, Option<&'a str>)>,
        key: &LedgerKey,
    ) -> Vec<u8> {
        let mut bytes = pack.to_le_bytes().to_vec();
        for (path, key, kept, attached) in entries {
            // A path has at most 4096 bytes, and attributes fit, unless their names are made to be long when written.
            let Ok(length) = u16::try_from(path.len()) else { continue };
            let attached = attached.filter(|text| u16::try_from(text.len()).is_ok()).unwrap_or_default();
            let more = u16::try_from(attached.len()).unwrap_or(0);
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(&more.to_le_bytes());
            bytes.extend_from_slice(&key.mode.to_le_bytes());
            bytes.extend_from_slice(&key.owner.user.to_le_bytes());
            bytes.extend_from_slice(&key.owner.group.to_le_bytes());
            bytes.extend_from_slice(&key.inode.to_le_bytes());
            bytes.extend_from_slice(&key.size.to_le_bytes());
            for (seconds, nanoseconds) in [key.modified, key.changed] {
                bytes.extend_from_slice(&seconds.to_le_bytes());
                bytes.extend_from_slice(&nanoseconds.to_le_bytes());
            }
            bytes.extend_from_slice(&kept.hash);
            bytes.extend_from_slice(&kept.offset.to_le_bytes());
            bytes.extend_from_slice(path.as_bytes());
            bytes.extend_from_slice(attached.as_bytes());
        }
        let mac = key.mac(CONTEXT, &bytes);
        bytes.extend_from_slice(mac.as_bytes());
        bytes
    }

    /// The entry of a path. Paths must be asked for in order; those in between are passed over.
    pub(super) fn find(&mut self, path: &str) -> Option<Found<'_>> {
        let at = loop {
            let (found, length) = self.entry(self.next)?;
            match found.path.cmp(path.as_bytes()) {
                std::cmp::Ordering::Less => self.next += length,
                std::cmp::Ordering::Equal => {
                    self.next += length;
                    break self.next - length;
                }
                std::cmp::Ordering::Greater => return None,
            }
        };
        self.entry(at).map(|(found, _)| found)
    }

    /// All contents the index knows of, from its beginning.
    pub(super) fn contents(&self) -> impl Iterator<Item = Kept> {
        self.entries().map(|found| found.kept)
    }

    /// All entries, from the beginning.
    pub(super) fn entries(&self) -> impl Iterator<Item = Found<'_>> {
        let mut at = 8;
        std::iter::from_fn(move || {
            let (found, length) = self.entry(at)?;
            at += length;
            Some(found)
        })
    }

    fn entry(&self, at: usize) -> Option<(Found<'_>, usize)> {
        let mut rest = Reader(self.bytes.get(at..self.end)?);
        let length = usize::from(u16::from_le_bytes(rest.take()?));
        let more = usize::from(u16::from_le_bytes(rest.take()?));
        let mode = u32::from_le_bytes(rest.take()?);
        let owner = Owner { user: u32::from_le_bytes(rest.take()?), group: u32::from_le_bytes(rest.take()?) };
        let inode = u64::from_le_bytes(rest.take()?);
        let size = u64::from_le_bytes(rest.take()?);
        let mut time = || Some((i64::from_le_bytes(rest.take()?), u32::from_le_bytes(rest.take()?)));
        let (modified, changed) = (time()?, time()?);
        let hash = rest.take()?;
        let offset = u64::from_le_bytes(rest.take()?);
        let (path, rest) = rest.0.split_at_checked(length)?;
        let attached = std::str::from_utf8(rest.get(..more)?).ok().filter(|text| !text.is_empty());
        let key = Key { mode, owner, inode, size, modified, changed };
        let found = Found { path, key, kept: Kept { hash, offset, size }, attached };
        Some((found, FIXED_BYTES + length + more))
    }
}

/// One entry of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found<'a> {
    /// The file.
    pub(super) path: &'a [u8],
    /// What the disk said about it.
    pub(super) key: Key,
    /// Its content.
    pub(super) kept: Kept,
    /// Its extended attributes, as JSON.
    pub(super) attached: Option<&'a str>,
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
        let key = Key {
            mode: 0o100_644,
            owner: Owner { user: 7, group: 8 },
            inode: n,
            size: n + 1,
            modified: (-5, 6),
            changed: (n.cast_signed(), 9),
        };
        (key, Kept { hash: [n as u8; 32], offset: n * 7, size: n + 1 })
    }

    fn written(key: &LedgerKey) -> Vec<u8> {
        let paths = ["a", "a/b", "b", "d"];
        let attached = |n| (n == 3).then_some("{}");
        let entries = paths.iter().zip(1..).map(|(path, n)| (*path, entry(n).0, entry(n).1, attached(n)));
        Index::write(42, entries, key)
    }

    #[test]
    fn written_entries_are_found_in_order() {
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
            let found = index.find(path);
            assert_eq!(found.map(|found| (found.key, found.kept)), expected.map(entry), "{path}");
            assert_eq!(found.and_then(|found| found.attached).is_some(), expected == Some(3));
        }
    }

    #[test]
    fn an_index_of_another_writer_is_ignored() {
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

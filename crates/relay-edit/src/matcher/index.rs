//! A file's lines by their keys, so that a hunk is found without reading the whole file again.
//!
//! Hashes only propose places: equality of the lines themselves decides.

use std::cell::{Cell, OnceCell};

use super::key::Key;
use crate::lines::Lines;

/// How many line comparisons all searches in one file may cost before they are given up.
const WORK_LIMIT: usize = 400_000_000;

/// How many failures in one file are explained at length.
const EXPLAINED: usize = 20;

/// A file prepared for searching.
#[derive(Debug)]
pub(crate) struct FileIndex<'a> {
    /// The file's lines.
    pub lines: Lines<'a>,
    tables: [OnceCell<Table>; Key::COUNT],
    work: Cell<usize>,
    explained: Cell<usize>,
}

/// The hash of every line, and the lines in the order of their hashes.
///
/// Arrays instead of a list for each hash: most lines stand once, and a list for each of them would cost more than
/// everything else.
#[derive(Debug, Default)]
struct Table {
    hashes: Vec<u64>,
    /// For each bucket, which the lowest bits of a hash name, where its lines begin in `order`; one more for the end.
    starts: Vec<usize>,
    /// Lines by bucket, then by hash, then by number.
    order: Vec<usize>,
}

impl Table {
    fn new(hashes: Vec<u64>) -> Self {
        let buckets = hashes.len().next_power_of_two();
        let bucket = |hash: u64| hash as usize & (buckets - 1);
        let mut starts = vec![0; buckets + 1];
        for hash in &hashes {
            if let Some(count) = starts.get_mut(bucket(*hash) + 1) {
                *count += 1;
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut free = starts.clone();
        let mut order = vec![0; hashes.len()];
        for (line, hash) in hashes.iter().enumerate() {
            if let Some(next) = free.get_mut(bucket(*hash)) {
                if let Some(slot) = order.get_mut(*next) {
                    *slot = line;
                }
                *next += 1;
            }
        }
        let mut table = Self { hashes, starts, order };
        table.sort_buckets();
        table
    }

    /// Lines of one hash must stand together, in order; most buckets hold one line and need nothing.
    fn sort_buckets(&mut self) {
        let Self { hashes, starts, order } = self;
        for range in starts.windows(2) {
            if let [start, end] = range
                && end - start > 1
                && let Some(lines) = order.get_mut(*start..*end)
            {
                lines.sort_by_key(|line| hashes.get(*line));
            }
        }
    }

    /// The lines with this hash, in order.
    fn places(&self, hash: u64) -> &[usize] {
        let bucket = hash as usize & self.starts.len().saturating_sub(2);
        let start = self.starts.get(bucket).copied().unwrap_or_default();
        let end = self.starts.get(bucket + 1).copied().unwrap_or_default();
        let lines = self.order.get(start..end).unwrap_or_default();
        let hash_of = |line: &usize| self.hashes.get(*line).copied().unwrap_or_default();
        let first = lines.partition_point(|line| hash_of(line) < hash);
        let last = lines.partition_point(|line| hash_of(line) <= hash);
        lines.get(first..last).unwrap_or_default()
    }
}

impl<'a> FileIndex<'a> {
    /// Prepares a file; the tables are built when they are first needed.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            lines: Lines::new(bytes),
            tables: Default::default(),
            work: Cell::new(0),
            explained: Cell::new(0),
        }
    }

    /// Every line at which all of `pattern` stands, one line after the other; `None` when that is too much work.
    pub fn find<T: AsRef<[u8]>>(&self, key: Key, pattern: &[T]) -> Option<Vec<usize>> {
        self.find_some(key, pattern, usize::MAX)
    }

    /// As [`Self::find`], but no more than one place above `limit`: enough to know that there are more.
    pub fn find_some<T: AsRef<[u8]>>(&self, key: Key, pattern: &[T], limit: usize) -> Option<Vec<usize>> {
        let table = self.table(key);
        let hashes: Vec<u64> = pattern.iter().map(|line| hash(&key.of(line.as_ref()))).collect();
        let rarest = hashes
            .iter()
            .enumerate()
            .map(|(at, hash)| (at, table.places(*hash)))
            .min_by_key(|(_, places)| places.len());
        let Some((offset, places)) = rarest else { return Some(Vec::new()) };
        let mut work = self.work.get();
        let mut found = Vec::new();
        for place in places {
            let Some(start) = place.checked_sub(offset) else { continue };
            let Some(window) = table.hashes.get(start..start + hashes.len()) else { continue };
            work += 1 + window.iter().zip(&hashes).take_while(|(a, b)| a == b).count();
            if work > WORK_LIMIT {
                self.work.set(work);
                return None;
            }
            if window == hashes.as_slice() && self.stands_at(key, pattern, start) {
                found.push(start);
                if found.len() > limit {
                    break;
                }
            }
        }
        self.work.set(work);
        Some(found)
    }

    /// Whether `pattern` stands at a line.
    pub fn stands_at<T: AsRef<[u8]>>(&self, key: Key, pattern: &[T], start: usize) -> bool {
        start + pattern.len() <= self.lines.len()
            && pattern
                .iter()
                .enumerate()
                .all(|(at, line)| key.of(line.as_ref()) == key.of(self.lines.text(start + at)))
    }

    /// Counts lines that were looked at; `None` when that is too much work.
    pub fn spend(&self, lines: usize) -> Option<()> {
        let work = self.work.get().saturating_add(lines);
        self.work.set(work);
        (work <= WORK_LIMIT).then_some(())
    }

    /// Whether one more failure may be explained at length; a reply with hundreds of them is wrong as a whole.
    pub fn may_explain(&self) -> bool {
        let explained = self.explained.get();
        self.explained.set(explained + 1);
        explained < EXPLAINED
    }

    /// Every line with the same key as `text`.
    pub fn places(&self, key: Key, text: &[u8]) -> &[usize] {
        self.table(key).places(hash(&key.of(text)))
    }

    fn table(&self, key: Key) -> &Table {
        static EMPTY: std::sync::LazyLock<Table> = std::sync::LazyLock::new(Table::default);
        self.tables.get(key.slot()).map_or(&EMPTY, |cell| {
            cell.get_or_init(|| Table::new(self.lines.texts().map(|text| hash(&key.of(text))).collect()))
        })
    }
}

/// A fast hash; it need not withstand an enemy, because it decides nothing.
fn hash(bytes: &[u8]) -> u64 {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    const PRIME: u64 = 0xe703_7ed1_a0b4_28db;
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
    let mix = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product as u64) ^ (product >> 64) as u64
    };
    let chunks = bytes.chunks_exact(8);
    let last = word(chunks.remainder()) ^ (bytes.len() as u64) << 56;
    let state = chunks.fold(SEED, |state, chunk| mix(state ^ word(chunk), PRIME));
    mix(state ^ last, PRIME ^ SEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_place_and_only_those() {
        let index = FileIndex::new(b"a\nb\na\nb\nc\n  b\n");
        assert_eq!(index.find(Key::Exact, &["a", "b"]), Some(vec![0, 2]));
        assert_eq!(index.find(Key::Exact, &["b", "c"]), Some(vec![3]));
        assert_eq!(index.find(Key::Trim, &["b"]), Some(vec![1, 3, 5]));
        assert_eq!(index.find(Key::Exact, &["c", "b"]), Some(vec![]));
        assert_eq!(index.find(Key::Exact, &["b", "x"]), Some(vec![]));
    }
}

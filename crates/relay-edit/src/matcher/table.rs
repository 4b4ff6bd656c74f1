//! Lines by the hashes of what they say.
//!
//! Arrays instead of a list for each hash: most lines are once, and a list for each of them would cost more than
//! everything else. Hashes only propose places: equality of the lines themselves decides.

/// Lines in the order of their hashes.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// For each bucket, which the highest bits of a hash name, where its lines begin; one more for the end.
    starts: Vec<u32>,
    /// How far a hash is shifted to get its bucket.
    shift: u32,
    /// The hashes, by bucket, then by size.
    hashes: Vec<u64>,
    /// The lines with these hashes; those of one hash in order.
    lines: Vec<usize>,
}

impl Table {
    /// Takes lines in order, each with its hash.
    pub fn new(entries: &[(u64, usize)]) -> Self {
        let bits = entries.len().next_power_of_two().trailing_zeros().clamp(1, 24);
        let shift = u64::BITS - bits;
        let bucket = |hash: u64| (hash >> shift) as usize;
        let mut starts = vec![0_u32; (1 << bits) + 1];
        for (hash, _) in entries {
            if let Some(count) = starts.get_mut(bucket(*hash)) {
                *count += 1;
            }
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // From the last line to the first, so that each bucket fills from its end and is in order when it is full.
        let mut ordered = vec![(0, 0); entries.len()];
        for (hash, line) in entries.iter().rev() {
            if let Some(start) = starts.get_mut(bucket(*hash)) {
                *start -= 1;
                if let Some(slot) = ordered.get_mut(*start as usize) {
                    *slot = (*hash, *line);
                }
            }
        }
        // Lines of one hash must be together; most buckets hold one line and need nothing.
        for range in starts.windows(2) {
            if let [start, end] = range
                && end - start > 1
                && let Some(lines) = ordered.get_mut(*start as usize..*end as usize)
            {
                lines.sort_by_key(|(hash, _)| *hash);
            }
        }
        let (hashes, lines) = ordered.into_iter().unzip();
        Self { starts, shift, hashes, lines }
    }

    /// The lines with this hash, in order.
    pub fn places(&self, hash: u64) -> &[usize] {
        let bucket = (hash >> self.shift) as usize;
        let start = self.starts.get(bucket).copied().unwrap_or_default() as usize;
        let end = self.starts.get(bucket + 1).copied().unwrap_or_default() as usize;
        let hashes = self.hashes.get(start..end).unwrap_or_default();
        let first = start + hashes.partition_point(|other| *other < hash);
        // Counting them would take as long as there are equal lines, for every line of every hunk.
        let last = start + hashes.partition_point(|other| *other <= hash);
        self.lines.get(first..last).unwrap_or_default()
    }
}

/// A fast hash; it need not withstand an enemy, because it decides nothing.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    const PRIME: u64 = 0xe703_7ed1_a0b4_28db;
    let mix = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * u128::from(PRIME);
        (product as u64) ^ (product >> 64) as u64
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let state =
        words.iter().fold(SEED ^ bytes.len() as u64, |state, word| mix(state, u64::from_le_bytes(*word)));
    let last = match bytes.last_chunk::<8>() {
        Some(_) if rest.is_empty() => return state,
        // The bytes that were read already do no harm.
        Some(word) => u64::from_le_bytes(*word),
        None => rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    mix(state, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_hash_stand_together_in_order() {
        let hash_of = |line: usize| hash(&(line % 100).to_le_bytes());
        let entries: Vec<(u64, usize)> = (0..1000).map(|line| (hash_of(line), line)).collect();
        let table = Table::new(&entries);
        for line in 0..100 {
            let expected: Vec<usize> = (line..1000).step_by(100).collect();
            assert_eq!(table.places(hash_of(line)), expected);
        }
        assert_eq!(table.places(7), &[] as &[usize]);
        assert_eq!(Table::default().places(7), &[] as &[usize]);
        assert_eq!(Table::new(&[]).places(7), &[] as &[usize]);
    }
}

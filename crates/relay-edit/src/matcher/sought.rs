//! The lines of a file that hunks may be looking for, found in one pass.
//!
//! A diff of a long file speaks of few of its lines. All the others are told apart by a few of their bytes, and are
//! neither hashed nor kept. A line that is not among the sought ones is answered by nobody here: whoever asks must know
//! another way.

use super::table::{Table, hash};
use crate::lines::Lines;

/// How many bits the filter has for each line that is sought.
const BITS_PER_LINE: usize = 16;

/// Where the lines are that an author said they would look for.
#[derive(Debug)]
pub(crate) struct Sought {
    /// One bit for each kind of line that is sought.
    filter: Vec<u64>,
    /// Every line of such a kind.
    table: Table,
}

impl Sought {
    /// Goes through a file for lines.
    pub fn new<'l>(file: &Lines<'_>, sought: impl Iterator<Item = &'l [u8]> + Clone) -> Self {
        let words = (sought.clone().count() * BITS_PER_LINE / 64).next_power_of_two();
        let mut filter = vec![0_u64; words];
        for line in sought {
            let (word, bit) = kind(line, words);
            if let Some(word) = filter.get_mut(word) {
                *word |= bit;
            }
        }
        let is_sought = |line: &[u8]| {
            let (word, bit) = kind(line, words);
            filter.get(word).is_some_and(|word| word & bit != 0)
        };
        let mut lines: Vec<(u64, usize)> = Vec::new();
        for (number, text) in file.texts().enumerate() {
            if is_sought(text) {
                lines.push((hash(text), number));
            }
        }
        Self { filter, table: Table::new(&lines) }
    }

    /// The lines with this text, in order; `None` when nobody said it would be looked for.
    pub fn places(&self, text: &[u8]) -> Option<&[usize]> {
        let (word, bit) = kind(text, self.filter.len());
        self.filter.get(word).filter(|word| **word & bit != 0)?;
        Some(self.table.places(hash(text)))
    }
}

/// Where the bit of a line is: its length and its last bytes decide.
fn kind(line: &[u8], words: usize) -> (usize, u64) {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let last = match line.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last),
        None => line.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    let product = u128::from(last ^ line.len() as u64) * u128::from(PRIME);
    let mixed = (product as u64) ^ (product >> 64) as u64;
    ((mixed >> 6) as usize & (words - 1), 1 << (mixed & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_announced_and_answers_nothing_else() {
        let file: String = (0..1000).map(|line| format!("value {}\n", line % 400)).collect();
        let file = Lines::new(file.as_bytes());
        let sought = [&b"value 7"[..], b"value 399", b"value", b""];
        let found = Sought::new(&file, sought.into_iter());
        assert_eq!(found.places(b"value 7"), Some(&[7, 407, 807][..]));
        assert_eq!(found.places(b"value 399"), Some(&[399, 799][..]));
        assert_eq!(found.places(b"value"), Some(&[][..]));
        let known = (0..400).filter(|at| found.places(format!("value {at}").as_bytes()).is_some()).count();
        assert!(known < 100, "{known}");
    }
}

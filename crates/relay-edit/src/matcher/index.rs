//! A file's lines by their keys, so that a hunk is found without reading the whole file again.
//!
//! Hashes only propose places: equality of the lines themselves decides.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::indent::Reindent;
use super::key::Key;
use super::manner::Habit;
use super::pattern::Pattern;
use super::sought::Sought;
use super::table::{Table, hash};
use crate::lines::Lines;

/// How many line comparisons all searches for one reply may cost before they are given up.
const WORK_LIMIT: usize = 100_000_000;

/// How many comparisons of lines it counts as to look one up by its key.
const KEY_WORK: usize = 8;

/// How many searches for exact lines read the file itself: making a table pays only for more.
const GLANCES: usize = 4;

/// How many failures in one file are explained at length.
const EXPLAINED: usize = 20;

/// A file prepared for searching.
#[derive(Debug)]
pub(crate) struct FileIndex<'a> {
    /// The file's lines.
    pub lines: Lines<'a>,
    tables: [OnceCell<Hashed>; Key::COUNT],
    /// How many more searches read the file itself before a table is made.
    glances: Cell<usize>,
    /// The lines that were announced.
    sought: OnceCell<Sought>,
    habit: OnceCell<Habit>,
    has_tabs: OnceCell<bool>,
    has_blanks_at_ends: OnceCell<bool>,
    /// Where lines were found of which one is nowhere else, not even as a part of another line.
    alone: Cell<Option<usize>>,
    /// How the reply writes one level of the file, where that is known from elsewhere.
    levels: Option<Reindent>,
    /// Shared by all files of a reply.
    work: Rc<Cell<usize>>,
    explained: Cell<usize>,
}

/// The hash of every line, and the lines by their hashes.
#[derive(Debug, Default)]
struct Hashed {
    hashes: Vec<u64>,
    table: Table,
}

impl Hashed {
    fn new(hashes: Vec<u64>) -> Self {
        let entries: Vec<(u64, usize)> = hashes.iter().copied().zip(0..).collect();
        Self { hashes, table: Table::new(&entries) }
    }
}

impl<'a> FileIndex<'a> {
    /// Prepares a file; the tables are built when they are first needed.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::sharing(bytes, &Rc::default())
    }

    /// Prepares a file whose searches are counted together with others.
    pub fn sharing(bytes: &'a [u8], work: &Rc<Cell<usize>>) -> Self {
        Self {
            lines: Lines::new(bytes),
            tables: Default::default(),
            glances: Cell::new(GLANCES),
            sought: OnceCell::new(),
            habit: OnceCell::new(),
            has_tabs: OnceCell::new(),
            has_blanks_at_ends: OnceCell::new(),
            alone: Cell::new(None),
            levels: None,
            work: Rc::clone(work),
            explained: Cell::new(0),
        }
    }

    /// With what is known about how the reply writes one level of the file.
    pub fn with_levels(self, levels: Option<&Reindent>) -> Self {
        Self { levels: levels.cloned(), ..self }
    }

    /// How the reply writes one level of the file, where that is known from elsewhere.
    pub const fn levels(&self) -> Option<&Reindent> {
        self.levels.as_ref()
    }

    /// Every line at which all of `pattern` is, one line after the other; `None` when that is too much work.
    pub fn find<T: AsRef<[u8]>>(&self, key: Key, pattern: &[T]) -> Option<Vec<usize>> {
        self.find_some(key, pattern, usize::MAX)
    }

    /// Says what will be looked for. Many hunks are found in one pass over the file.
    pub fn expect(&self, patterns: &[Pattern<'_>]) {
        if patterns.len() > GLANCES {
            self.glances.set(0);
            self.sought.get_or_init(|| {
                let lines = patterns.iter().flat_map(|pattern| pattern.old.iter().chain(&pattern.new));
                Sought::new(&self.lines, lines.map(|line| line.as_bytes()))
            });
        }
    }

    /// How the file indents its lines.
    pub fn habit(&self) -> Habit {
        *self.habit.get_or_init(|| Habit::of(&self.lines))
    }

    /// Whether there is a tab anywhere in the file.
    pub fn has_tabs(&self) -> bool {
        *self.has_tabs.get_or_init(|| memchr::memchr(b'\t', self.lines.bytes()).is_some())
    }

    /// Whether a line of the file ends with blanks.
    pub fn has_blanks_at_ends(&self) -> bool {
        *self.has_blanks_at_ends.get_or_init(|| self.lines.have_blanks_at_ends())
    }

    /// As [`Self::find`], but no more than one place above `limit`: enough to know that there are more.
    pub fn find_some<T: AsRef<[u8]>>(&self, key: Key, pattern: &[T], limit: usize) -> Option<Vec<usize>> {
        if pattern.len() > self.lines.len() {
            return Some(Vec::new());
        }
        if key == Key::Exact
            && let Some(found) = self.glance(pattern, limit)
        {
            return Some(found);
        }
        if key == Key::Exact
            && let Some((offset, places)) = self.rarest_sought(pattern)
        {
            return self.standing(pattern, offset, places, limit);
        }
        self.spend(pattern.len() * KEY_WORK)?;
        let table = self.hashed(key);
        let hashes: Vec<u64> = pattern.iter().map(|line| hash(&key.of(line.as_ref()))).collect();
        let rarest = hashes
            .iter()
            .enumerate()
            .map(|(at, hash)| (at, table.table.places(*hash)))
            .min_by_key(|(_, places)| places.len());
        let Some((offset, places)) = rarest else { return Some(Vec::new()) };
        let mut found = Vec::new();
        for place in places {
            let Some(start) = place.checked_sub(offset) else { continue };
            let Some(window) = table.hashes.get(start..start + hashes.len()) else { continue };
            let same = window.iter().zip(&hashes).take_while(|(a, b)| a == b).count();
            self.spend(same + 1)?;
            if same == hashes.len() && self.stands_at(key, pattern, start) {
                found.push(start);
                if found.len() > limit {
                    break;
                }
            }
        }
        Some(found)
    }

    /// Finds exact lines by their longest one, without a table; `None` when a table serves better.
    fn glance<T: AsRef<[u8]>>(&self, pattern: &[T], limit: usize) -> Option<Vec<usize>> {
        const PLACES: usize = 64;
        // The beginning of a very long line tells as much, and a searcher for it is ready sooner.
        const TELLING: usize = 1024;
        self.alone.set(None);
        let left = self.glances.get().checked_sub(1)?;
        if self.tables.first().is_some_and(|table| table.get().is_some()) {
            return None;
        }
        self.glances.set(left);
        let lines = pattern.iter().map(AsRef::as_ref).enumerate();
        let (offset, longest) = lines.max_by_key(|(_, line): &(usize, &[u8])| line.len())?;
        if longest.is_empty() {
            return None;
        }
        let longest = longest.get(..TELLING).unwrap_or(longest);
        let mut found = Vec::with_capacity(1);
        let mut seen = 0;
        for at in memchr::memmem::find_iter(self.lines.bytes(), longest) {
            if seen == PLACES {
                return None;
            }
            seen += 1;
            let start = self.lines.line_at(at).checked_sub(offset);
            if let Some(start) = start.filter(|start| self.stands_at(Key::Exact, pattern, *start))
                && found.last() != Some(&start)
            {
                found.push(start);
                if found.len() > limit {
                    break;
                }
            }
        }
        self.alone.set(found.first().copied().filter(|_| seen == 1));
        Some(found)
    }

    /// Whether the lines that were just found at a place can be nowhere else, whatever is after them. A line `import
    /// os` that the file has once, whatever the lines below it are.
    pub fn found_alone(&self, start: usize) -> bool {
        self.alone.get() == Some(start)
    }

    /// The rarest line of a pattern among those that were announced, and where it is.
    fn rarest_sought<T: AsRef<[u8]>>(&self, pattern: &[T]) -> Option<(usize, &[usize])> {
        let sought = self.sought.get()?;
        let mut rarest: Option<(usize, &[usize])> = None;
        for (at, line) in pattern.iter().enumerate() {
            if let Some(places) = sought.places(line.as_ref())
                && rarest.is_none_or(|(_, known)| places.len() < known.len())
            {
                rarest = Some((at, places));
            }
            // Nothing can be rarer.
            if rarest.is_some_and(|(_, places)| places.len() <= 1) {
                break;
            }
        }
        rarest
    }

    /// Where all of `pattern` is, judged by one of its lines; `None` when that is too much work.
    fn standing<T: AsRef<[u8]>>(
        &self,
        pattern: &[T],
        offset: usize,
        places: &[usize],
        limit: usize,
    ) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        for start in places.iter().filter_map(|place| place.checked_sub(offset)) {
            let texts = pattern.iter().enumerate();
            let same = texts.take_while(|(at, line)| line.as_ref() == self.lines.text(start + at)).count();
            self.spend(same + 1)?;
            if same == pattern.len() && start + same <= self.lines.len() {
                found.push(start);
                if found.len() > limit {
                    break;
                }
            }
        }
        Some(found)
    }

    /// Whether `pattern` is at a line.
    pub fn stands_at<T: AsRef<[u8]>>(&self, key: Key, pattern: &[T], start: usize) -> bool {
        start + pattern.len() <= self.lines.len()
            && pattern
                .iter()
                .enumerate()
                .all(|(at, line)| key.unites(line.as_ref(), self.lines.text(start + at)))
    }

    /// Counts lines that were looked at; `None` when that is too much work.
    pub fn spend(&self, lines: usize) -> Option<()> {
        let work = self.work.get().saturating_add(lines);
        self.work.set(work);
        (work <= WORK_LIMIT).then_some(())
    }

    /// How many lines were looked at.
    #[cfg(test)]
    pub fn worked(&self) -> usize {
        self.work.get()
    }

    /// No failure is explained at length.
    pub fn explain_nothing(&self) {
        self.explained.set(EXPLAINED);
    }

    /// Whether one more failure may be explained at length; a reply with hundreds of them is wrong as a whole.
    pub fn may_explain(&self) -> bool {
        let explained = self.explained.get();
        self.explained.set(explained + 1);
        explained < EXPLAINED
    }

    /// Every line with the same key as `text`.
    pub fn places(&self, key: Key, text: &[u8]) -> &[usize] {
        self.hashed(key).table.places(hash(&key.of(text)))
    }

    fn hashed(&self, key: Key) -> &Hashed {
        static EMPTY: std::sync::LazyLock<Hashed> = std::sync::LazyLock::new(Hashed::default);
        self.tables.get(key.slot()).map_or(&EMPTY, |cell| {
            cell.get_or_init(|| Hashed::new(self.lines.texts().map(|text| hash(&key.of(text))).collect()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hunk, HunkLine};

    #[test]
    fn finds_every_place_and_only_those() {
        let index = FileIndex::new(b"a\nb\na\nb\nc\n  b\n");
        assert_eq!(index.find(Key::Exact, &["a", "b"]), Some(vec![0, 2]));
        assert_eq!(index.find(Key::Exact, &["b", "c"]), Some(vec![3]));
        assert_eq!(index.find(Key::Trim, &["b"]), Some(vec![1, 3, 5]));
        assert_eq!(index.find(Key::Exact, &["c", "b"]), Some(vec![]));
        assert_eq!(index.find(Key::Exact, &["b", "x"]), Some(vec![]));
    }

    #[test]
    fn a_very_long_line_is_found_whole() {
        let long = "a".repeat(5_000);
        let file = format!("{long}b\n{long}c\n{long}\n");
        let found = |last: &str| FileIndex::new(file.as_bytes()).find(Key::Exact, &[format!("{long}{last}")]);
        assert_eq!(
            [found("b"), found("c"), found(""), found("d")],
            [vec![0], vec![1], vec![2], vec![]].map(Some)
        );
    }

    #[test]
    fn a_glance_finds_what_the_table_finds() {
        let file = b"\xef\xbb\xbfab\r\nabab\nab\n\nab\nabab\nab";
        for pattern in [&["ab"][..], &["abab", "ab"], &["ab", ""], &["b"], &["ab", "abab", "ab"], &[""], &[]]
        {
            let (glancing, indexed, told) =
                (FileIndex::new(file), FileIndex::new(file), FileIndex::new(file));
            indexed.glances.set(0);
            let lines = pattern.iter().map(|line| HunkLine::Context((*line).to_owned())).collect();
            let hunk = Hunk::new(lines, 1);
            told.expect(&[(); GLANCES + 1].map(|()| Pattern::new(&hunk)));
            for limit in [0, 1, usize::MAX] {
                let found = indexed.find_some(Key::Exact, pattern, limit);
                assert_eq!(glancing.find_some(Key::Exact, pattern, limit), found, "{pattern:?}");
                assert_eq!(told.find_some(Key::Exact, pattern, limit), found, "{pattern:?}");
            }
        }
    }
}

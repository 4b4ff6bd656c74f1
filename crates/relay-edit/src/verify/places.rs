//! Where else the old lines of a hunk fit: counted again, from the file and the lines alone.
//!
//! A single pass over the file searches for the longest line of each hunk, and compares the other lines only where it is
//! found. So this takes as long as reading the file, however many hunks there are.

use super::file::File;
use super::indent::{Depths, Explained, depths, explained};
use super::key::{BY_LINE, cost, key};
use super::reading::Read;
use super::tolerance::{is_distinctive, is_elision};
use crate::HunkLine;
use crate::matcher::{Certificate, Tier};

/// More places than this are not looked at; only a line number can choose among them.
pub(super) const MANY: usize = 64;
/// How many lines may be compared before the verifier gives up.
const WORK: usize = 100_000_000;
/// For so few lines the file is searched once for each; for more of them all its lines are looked at once.
const FEW: usize = 2;

/// How well old lines fit at a place: by which tier, and how their indentation is explained.
pub(super) type Fit = (Tier, Explained);

/// A place at which the old lines of a hunk fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub start: usize,
    pub end: usize,
    pub fit: Fit,
}

/// Old lines that are looked for at a tier.
#[derive(Debug)]
pub(super) struct Seeker<'h> {
    pub tier: Tier,
    /// The lines of the hunk; empty when nothing is looked for.
    pub lines: &'h [HunkLine],
    /// Where they are claimed to be, unless they are to be nowhere.
    pub claimed: Option<usize>,
    /// The other places.
    pub others: Vec<Place>,
}

impl<'h> Seeker<'h> {
    /// The old lines, without blank ones where those may come and go.
    fn old(&self) -> impl Iterator<Item = &'h str> + use<'h> {
        let skips = self.tier == Tier::BlankLines;
        let old = self.lines.iter().filter(|line| line.is_old()).map(HunkLine::text);
        old.filter(move |line| !skips || !line.trim().is_empty())
    }

    /// One of the old lines.
    fn line(&self, offset: usize) -> &'h str {
        self.old().nth(offset).unwrap_or_default()
    }
}

/// Where a line was found: whose it is, its position among the old lines of that, and the byte it begins at.
type Hit = (usize, usize, usize);

/// A line that is looked for: whose it is, and its position among the old lines of that.
type Wanted = (usize, usize);

/// Reads a file for lines that a certificate speaks of, and finds the other places of all old lines; `None` when that is too
/// much work.
pub(super) fn look_elsewhere<'f>(
    bytes: &'f [u8],
    numbers: Vec<usize>,
    seekers: &mut [Seeker<'_>],
) -> Option<File<'f>> {
    let mut work = WORK;
    let exact = wanted(Tier::Exact, seekers);
    let (file, hits) = if exact.len() > FEW {
        let mut pass = Pass::new(Tier::Exact, seekers, exact);
        (File::showing(bytes, numbers, |start, line| pass.look(start, line)), pass.hits)
    } else {
        let file = File::new(bytes, numbers);
        let hits = glance(&file, seekers, &exact);
        (file, hits)
    };
    compare(&file, seekers, hits, &mut work)?;
    for tier in BY_LINE.into_iter().skip(1) {
        let wanted = wanted(tier, seekers);
        if !wanted.is_empty() {
            let mut pass = Pass::new(tier, seekers, wanted);
            file.each_line(|line, text| pass.look(line.start, &key(tier, text)));
            compare(&file, seekers, pass.hits, &mut work)?;
        }
    }
    Some(file)
}

/// Compares the other old lines wherever one was found.
fn compare(file: &File<'_>, seekers: &mut [Seeker<'_>], hits: Vec<Hit>, work: &mut usize) -> Option<()> {
    for (seeker, offset, start) in hits {
        let Some(seeker) = seekers.get_mut(seeker).filter(|seeker| seeker.others.len() <= MANY) else {
            continue;
        };
        *work = work.checked_sub(offset + 1)?;
        let place = match seeker.tier {
            Tier::BlankLines => written_place(seeker, offset, file.number_at(start), file),
            _ => place(seeker, offset, start, file),
        };
        seeker.others.extend(place);
    }
    Some(())
}

/// The longest line of each that is looked for at a tier.
fn wanted(tier: Tier, seekers: &[Seeker<'_>]) -> Vec<Wanted> {
    let of_tier = seekers.iter().enumerate().filter(|(_, seeker)| key_tier(seeker.tier) == tier);
    let longest = of_tier.filter_map(|(at, seeker)| {
        let lines = seeker.old().map(|line| key(tier, line.as_bytes()).len()).enumerate();
        let (offset, _) = lines.max_by_key(|(_, length)| *length)?;
        Some((at, offset))
    });
    longest.collect()
}

/// Where the lines of a few are to the letter, each looked for by itself.
fn glance(file: &File<'_>, seekers: &[Seeker<'_>], wanted: &[Wanted]) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (seeker, offset) in wanted {
        let line = seekers.get(*seeker).map_or(&[][..], |seeker| seeker.line(*offset).as_bytes());
        let found = memchr::memmem::find_iter(file.bytes, line);
        let found = found.filter(|at| file.is_line(&(*at..at + line.len())));
        hits.extend(found.map(|at| (*seeker, *offset, at)));
    }
    hits
}

/// The lines of many, which are found in one pass over the file.
struct Pass {
    /// One bit for each kind of line.
    filter: Vec<u64>,
    /// The hash of each line, in order.
    wanted: Vec<(u64, Wanted)>,
    hits: Vec<Hit>,
}

impl Pass {
    fn new(tier: Tier, seekers: &[Seeker<'_>], lines: Vec<Wanted>) -> Self {
        let words = (lines.len() / 4).next_power_of_two();
        let (mut filter, mut wanted) = (vec![0_u64; words], Vec::with_capacity(lines.len()));
        for (seeker, offset) in lines {
            let line = seekers.get(seeker).map_or("", |seeker| seeker.line(offset));
            let line = key(tier, line.as_bytes());
            let kind = kind(&line);
            if let Some(word) = filter.get_mut(slot(kind, words)) {
                *word |= 1 << (kind & 63);
            }
            wanted.push((Certificate::fingerprint(&line), (seeker, offset)));
        }
        wanted.sort_unstable();
        Self { filter, wanted, hits: Vec::new() }
    }

    /// Looks at a line of the file.
    fn look(&mut self, start: usize, line: &[u8]) {
        let kind = kind(line);
        let word = self.filter.get(slot(kind, self.filter.len())).copied().unwrap_or_default();
        if word >> (kind & 63) & 1 == 1 {
            self.compare(start, line);
        }
    }

    fn compare(&mut self, start: usize, line: &[u8]) {
        let hash = Certificate::fingerprint(line);
        let first = self.wanted.partition_point(|(wanted, ..)| *wanted < hash);
        let found = self.wanted.iter().skip(first).take_while(|(wanted, ..)| *wanted == hash);
        self.hits.extend(found.map(|(_, (seeker, offset))| (*seeker, *offset, start)));
    }
}

/// In which word of a filter the bit of a kind is.
const fn slot(kind: u64, words: usize) -> usize {
    (kind >> 6) as usize & (words - 1)
}

/// The tier by whose key lines are looked for.
pub(super) const fn key_tier(tier: Tier) -> Tier {
    match tier {
        Tier::LineEndings => Tier::Exact,
        Tier::BlankLines => Tier::LookAlikes,
        tier => tier,
    }
}

/// Lines of one kind have the same length, the same last bytes and the same bytes in the middle.
fn kind(line: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let middle = line.get(line.len() / 2..).and_then(<[u8]>::first_chunk::<8>);
    let bytes = match (line.last_chunk::<8>(), middle) {
        (Some(last), Some(middle)) => u64::from_le_bytes(*last) ^ u64::from_le_bytes(*middle).rotate_left(17),
        (Some(last), None) => u64::from_le_bytes(*last),
        _ => line.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    (bytes ^ line.len() as u64).wrapping_mul(PRIME) >> 20
}

/// Where all old lines fit one after the other, one of which begins at a byte.
fn place(seeker: &Seeker<'_>, offset: usize, line: usize, file: &File<'_>) -> Option<Place> {
    let start = file.back(line, offset)?;
    let claimed = seeker.claimed.and_then(|claimed| file.span(claimed));
    if claimed.is_some_and(|claimed| claimed.start == start) {
        return None;
    }
    let fit = fit(seeker, file.texts_from(start).map(|(text, _)| text))?;
    let start = file.number_at(start);
    Some(Place { start, end: start + seeker.old().count(), fit })
}

/// As [`place`], where blank lines may come and go.
fn written_place(seeker: &Seeker<'_>, offset: usize, line: usize, file: &File<'_>) -> Option<Place> {
    let is_written = |line: &usize| file.text(*line).is_some_and(|text| !text.trim_ascii().is_empty());
    let start =
        (0..=line).rev().filter(is_written).nth(offset).filter(|start| Some(*start) != seeker.claimed)?;
    let lines: Vec<usize> = (start..file.len()).filter(is_written).take(seeker.old().count()).collect();
    let fit = fit(seeker, lines.iter().filter_map(|line| file.text(*line)))?;
    Some(Place { start, end: lines.last()? + 1, fit })
}

/// How well old lines fit lines of the file; `None` when they do not, or there are fewer of those.
fn fit<'f>(seeker: &Seeker<'_>, found: impl Iterator<Item = &'f [u8]>) -> Option<Fit> {
    let mut worst = Tier::Exact;
    let mut pairs: Vec<Depths<'_>> = Vec::new();
    let mut count = 0;
    for (wanted, found) in seeker.old().zip(found) {
        let cost = cost(wanted.as_bytes(), found);
        if cost > key_tier(seeker.tier) {
            return None;
        }
        worst = worst.max(cost);
        if key_tier(seeker.tier) > Tier::TrailingWhitespace {
            pairs.extend(depths(wanted, found));
        }
        count += 1;
    }
    (count == seeker.old().count()).then(|| (worst, explained(&pairs)))
}

/// How many of the distinctive old lines are at another place than `claimed`, at most.
pub(super) fn runner_up(read: &Read<'_>, claimed: usize, file: &File<'_>) -> usize {
    let old: Vec<(usize, u64)> = read
        .old_lines()
        .enumerate()
        .filter(|(_, line)| is_distinctive(line))
        .map(|(at, line)| (at, Certificate::fingerprint(&key(Tier::LookAlikes, line.as_bytes()))))
        .collect();
    let mut starts: Vec<usize> = Vec::new();
    for (number, found) in file.texts().enumerate() {
        let hash = Certificate::fingerprint(&key(Tier::LookAlikes, found));
        let here = old.iter().filter(|(_, wanted)| *wanted == hash);
        starts.extend(here.filter_map(|(at, _)| number.checked_sub(*at)).filter(|start| *start != claimed));
    }
    starts.sort_unstable();
    starts.chunk_by(|one, other| one == other).map(<[usize]>::len).max().unwrap_or_default()
}

/// Whether the parts of a hunk that change something have one place only, in whatever way the parts between elisions are
/// placed one below the other: the first way from the top is also the first one from the bottom.
pub(super) fn is_only_way(read: &Read<'_>, map: &[Option<usize>], tier: Tier, file: &File<'_>) -> bool {
    let lines: Vec<_> = read.lines.iter().zip(map).collect();
    let is_gap = |(line, place): &(&HunkLine, &Option<usize>)| {
        line.is_old() && line.is_new() && place.is_none() && is_elision(line.text())
    };
    let keys: Vec<_> = file.texts().map(|text| key(tier, text)).collect();
    let parts = lines.split(is_gap).map(|part| {
        let changes = part.iter().any(|(line, _)| !(line.is_old() && line.is_new()));
        let old = part.iter().filter(|(line, _)| line.is_old());
        (changes, old.map(|(line, _)| key(tier, line.text().as_bytes())).collect::<Vec<_>>())
    });
    let parts: Vec<_> = parts.filter(|(_, old)| !old.is_empty()).collect();
    let all_kept = !parts.iter().any(|(changes, _)| *changes);
    let (mut next, mut earliest) = (0, Vec::new());
    for (_, part) in &parts {
        let fits = |at: &usize| keys.get(*at..at + part.len()).is_some_and(|found| found == part.as_slice());
        let Some(start) = (next..keys.len()).find(fits) else { return false };
        earliest.push(start);
        next = start + part.len();
    }
    let (mut end, mut latest) = (keys.len(), Vec::new());
    for (_, part) in parts.iter().rev() {
        let fits = |at: &usize| keys.get(*at..at + part.len()).is_some_and(|found| found == part.as_slice());
        let Some(start) = (0..(end + 1).saturating_sub(part.len())).rev().find(fits) else { return false };
        latest.push(start);
        end = start;
    }
    latest.reverse();
    let ways = parts.iter().zip(earliest.iter().zip(&latest));
    ways.filter(|((changes, _), _)| *changes || all_kept).all(|(_, (first, last))| first == last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hunk;

    fn file_of(bytes: &str) -> File<'_> {
        File::new(bytes.as_bytes(), Vec::new())
    }

    #[test]
    fn all_other_places_are_found_by_few_and_by_many() {
        let bytes = "one\ntwo\n\n  one\ntwo \none\n\ntwo\r\none\ntwo\nONE\ntwo";
        let hunk = Hunk::of_diff(" one\n-two");
        for (tier, expected) in [
            (Tier::Exact, &[8][..]),
            (Tier::LineEndings, &[8]),
            (Tier::TrailingWhitespace, &[8]),
            (Tier::Indentation, &[3, 8]),
            (Tier::BlankLines, &[3, 5, 8]),
        ] {
            for copies in [1, FEW + 1] {
                let seeker = || Seeker { tier, lines: &hunk.lines, claimed: Some(0), others: Vec::new() };
                let mut seekers: Vec<Seeker<'_>> = (0..copies).map(|_| seeker()).collect();
                look_elsewhere(bytes.as_bytes(), vec![0, 1], &mut seekers).expect("little work");
                for seeker in seekers {
                    let starts: Vec<usize> = seeker.others.iter().map(|place| place.start).collect();
                    assert_eq!(starts, expected, "{tier:?} {copies}");
                }
            }
        }
    }

    #[test]
    fn parts_between_elisions_have_one_place_or_several() {
        let check = |file: &str, diff: &str, map: &[Option<usize>], expected: bool| {
            let hunk = Hunk::of_diff(diff);
            let read = Read::unchecked(&hunk, &[]);
            assert_eq!(is_only_way(&read, map, Tier::Exact, &file_of(file)), expected, "{file:?}");
        };
        let diff = " begin\n ...\n-end\n+END";
        let map = [Some(0), None, Some(2), None];
        check("begin\none\nend\n", diff, &map, true);
        check("begin\none\nend\ntwo\nend\n", diff, &map, false);
        // What only stays may be at several places.
        check("begin\nbegin\nend\n", diff, &map, true);
        check("begin\none\nEND\n", diff, &map, false);
    }

    #[test]
    fn the_next_best_place_is_counted_by_its_lines() {
        let hunk = Hunk::of_diff(" one\n two\n-three\n }");
        let read = Read::unchecked(&hunk, &[]);
        let runner_up = |file: &str| runner_up(&read, 0, &file_of(file));
        assert_eq!(runner_up("one\ntwo\nthree\n}\n"), 0);
        assert_eq!(runner_up("one\ntwo\nthree\n}\none\n2\nthree\n}\n"), 2);
    }
}

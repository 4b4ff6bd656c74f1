//! The last tier: small slips in lines that stay.
//!
//! Lines that go away must match as in the tiers above. A context line may differ by a slip of the pen and no
//! more: one character in one word, never a digit, so that `case 1` never passes for `case 2`, and never a word
//! the file knows, so that one name never passes for another. Everything else of the hunk
//! must be there, at one place only, and no other place may come close.

use std::collections::BTreeSet;

use super::candidate::{Candidate, Covered};
use super::indent::Reindent;
use super::index::FileIndex;
use super::key::Key;
use super::ladder::Search;
use super::pattern::{Pattern, has_identity};
use super::tier::Tier;
use crate::lines::is_blank;

/// Lines that are at more places than this do not propose any.
const COMMON: usize = 256;
/// How many places are looked at before the search gives up.
const PLACES: usize = 2_000;
/// How many comparisons of lines it counts as to look for a slip in one.
const LINE_WORK: usize = 10;
/// How many bytes that are searched for a word count as one comparison of lines.
const WORD_BYTES: usize = 64;
/// How much better than any other place the best one must be.
const MARGIN: f64 = 0.1;

/// Searches for a hunk whose context has slips.
pub(crate) fn search(pattern: &Pattern<'_>, index: &FileIndex<'_>) -> Search {
    // Where the change is one of white space alone, lines are compared by what tells old from new.
    const KEYS: [Key; 4] = [Key::Folded, Key::Spaced, Key::Trim, Key::TrimEnd];
    let Some(key) = KEYS.into_iter().find(|key| !pattern.is_blind(*key)) else { return Search::Nothing };
    if !has_identity(&pattern.old) {
        return Search::Nothing;
    }
    let mut starts = BTreeSet::new();
    for (at, text) in pattern.old.iter().enumerate().filter(|(_, text)| has_identity(&[text])) {
        let places = index.places(Key::Folded, text.as_bytes());
        if places.len() <= COMMON {
            starts.extend(places.iter().filter_map(|place| place.checked_sub(at)));
        }
    }
    let lines = starts.len() * pattern.old.len();
    if starts.len() > PLACES || index.spend(lines * LINE_WORK).is_none() {
        return Search::TooMuchWork;
    }
    let mut scored: Vec<(f64, usize, bool)> = starts
        .into_iter()
        .filter(|start| start + pattern.old.len() <= index.lines.len())
        .map(|start| {
            let (score, acceptable) = score(pattern, index, start, key);
            (score, start, acceptable)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some((best, start, true)) = scored.first().copied() else { return Search::Nothing };
    let close: Vec<usize> =
        scored.iter().take_while(|(score, ..)| best - score < MARGIN).map(|(_, start, _)| *start).collect();
    let candidates: Vec<Candidate> = if close.len() > 1 {
        // The others need not be acceptable themselves to make the choice doubtful.
        let doubtful = |start| Candidate { lines: span(pattern, start), reindent: Reindent::Keep };
        close
            .into_iter()
            .map(|start| candidate(pattern, index, start).unwrap_or_else(|| doubtful(start)))
            .collect()
    } else {
        candidate(pattern, index, start).into_iter().collect()
    };
    if candidates.is_empty() { Search::Nothing } else { Search::Found(Tier::Fuzzy, candidates) }
}

fn span(pattern: &Pattern<'_>, start: usize) -> Covered {
    Covered::Span(start..start + pattern.old.len())
}

fn candidate(pattern: &Pattern<'_>, index: &FileIndex<'_>, start: usize) -> Option<Candidate> {
    let pairs =
        pattern.old.iter().enumerate().map(|(at, line)| (line.as_bytes(), index.lines.text(start + at)));
    Some(Candidate { lines: span(pattern, start), reindent: Reindent::infer(pairs)? })
}

/// How alike a place is, and whether it would be good enough on its own.
fn score(pattern: &Pattern<'_>, index: &FileIndex<'_>, start: usize, key: Key) -> (f64, bool) {
    let mut total = 0.0;
    let mut weight = 0.0;
    let mut acceptable = true;
    let mut slips = 0;
    let (mut equal, mut telling, mut sole) = (0, 0, false);
    for (at, wanted) in pattern.old.iter().enumerate() {
        let found = index.lines.text(start + at);
        // What stays may read otherwise by as much as in the tiers above.
        let key = if pattern.is_removed(at) { key } else { Key::Folded };
        if key.unites(wanted.as_bytes(), found) {
            if !is_blank(found) {
                total += 1.0;
                weight += 1.0;
                equal += 1;
                telling += usize::from(has_identity(&[wanted]));
                sole |= has_identity(&[wanted]) && index.places(Key::Folded, wanted.as_bytes()).len() == 1;
            }
            continue;
        }
        let (wanted_key, found_key) = (Key::Folded.of(wanted.as_bytes()), Key::Folded.of(found));
        let (wanted_text, found_text) =
            (String::from_utf8_lossy(&wanted_key), String::from_utf8_lossy(&found_key));
        let slip = !pattern.is_removed(at) && is_slip(&wanted_text, &found_text);
        // A line that differs by more than a slip is another line, however alike the two may look.
        total += if slip { similarity(&wanted_text, &found_text) } else { 0.0 };
        weight += 1.0;
        slips += 1;
        // Looking for a word reads the whole file.
        acceptable = acceptable
            && slip
            && index.spend(index.lines.bytes().len() / WORD_BYTES).is_some()
            && !is_known(index, &wanted_text, &found_text);
    }
    let score = if weight > 0.0 { total / weight } else { 0.0 };
    // One line in four may have a slip, and the others must vouch for the place: two telling lines, or one that is among
    // several or is nowhere else.
    let vouched = telling >= 2 || telling == 1 && (equal >= 3 || sole);
    let needed = slips > 0 || key != Key::Folded;
    acceptable &= needed && slips * 4 <= pattern.old.len().max(4) && vouched;
    (score, acceptable)
}

/// How alike two lines are that differ by one slip.
fn similarity(wanted: &str, found: &str) -> f64 {
    let longest = wanted.chars().count().max(found.chars().count());
    if wanted.len().max(found.len()) > 2_000 { 0.0 } else { 1.0 - 1.0 / longest.max(1) as f64 }
}

/// Whether the word that differs is elsewhere in the file: then it is a name of its own and no slip. `usres` for
/// `users` is a slip, unless the file has `usres` in another line.
fn is_known(index: &FileIndex<'_>, wanted: &str, found: &str) -> bool {
    let (wanted, found) = (words(wanted), words(found));
    let different =
        wanted.into_iter().zip(found).find(|(wanted, found)| wanted != found).map(|(wanted, _)| wanted);
    different.is_some_and(|word| {
        let is_part =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let bytes = index.lines.bytes();
        memchr::memmem::find_iter(bytes, word.as_bytes()).any(|at| {
            !is_part(at.checked_sub(1).and_then(|before| bytes.get(before)))
                && !is_part(bytes.get(at + word.len()))
        })
    })
}

/// Whether two lines differ by a slip of the pen: one word, by one character. `let totl = 1;` and `let total = 1;`;
/// `x1` and `x2` are two names.
pub(crate) fn is_slip(wanted: &str, found: &str) -> bool {
    let (wanted, found) = (words(wanted), words(found));
    if wanted.len() != found.len() {
        return false;
    }
    let mut different = wanted.iter().zip(&found).filter(|(wanted, found)| wanted != found);
    let (Some((wanted, found)), None) = (different.next(), different.next()) else { return false };
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let digits = |text: &str| text.chars().filter(|c| c.is_numeric()).collect::<String>();
    let letters = |text: &str| text.chars().count();
    let (shorter, longer) = (letters(wanted).min(letters(found)), letters(wanted).max(letters(found)));
    shorter >= 3
        && longer >= 4
        && is_word(wanted)
        && is_word(found)
        && digits(wanted) == digits(found)
        && differ_by_one(wanted, found)
}

/// Whether two words differ by one character that is there, missing or another, or by two that changed places. `totl`
/// and `total`, `usres` and `users`; `main` and `mind` are two words.
fn differ_by_one(wanted: &str, found: &str) -> bool {
    let (wanted, found): (Vec<char>, Vec<char>) = (wanted.chars().collect(), found.chars().collect());
    let same = wanted.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let (wanted, found) = (wanted.get(same..).unwrap_or_default(), found.get(same..).unwrap_or_default());
    let same = wanted.iter().rev().zip(found.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |word: &[char]| word.get(..word.len() - same).map(<[char]>::to_vec).unwrap_or_default();
    match (middle(wanted).as_slice(), middle(found).as_slice()) {
        ([_], []) | ([], [_]) | ([_], [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

/// A line cut into words and the single characters between them.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut inside = false;
    for (at, character) in line.char_indices() {
        if !(inside && is_word(character)) && at > start {
            words.extend(line.get(start..at));
            start = at;
        }
        inside = is_word(character);
    }
    words.extend(line.get(start..).filter(|rest| !rest.is_empty()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hunk;

    /// Whether a hunk would do at the beginning of a file, and how alike it is there.
    fn scored(file: &str, diff: &str) -> (f64, bool) {
        let hunk = Hunk::of_diff(diff);
        score(&Pattern::new(&hunk), &FileIndex::new(file.as_bytes()), 0, Key::Folded)
    }

    #[track_caller]
    fn check(file: &str, diff: &str, score: f64, acceptable: bool) {
        let (found, is_acceptable) = scored(file, diff);
        assert!((found - score).abs() < 1e-9, "{found} {file:?} {diff:?}");
        assert_eq!(is_acceptable, acceptable, "{file:?} {diff:?}");
    }

    const FOUR: &str = "open(a)\nread(a)\nwrite(a)\nclose(a)\n";

    #[test]
    fn one_line_in_four_may_have_a_slip() {
        // One of the eight characters of `reead(a)`, in one line of four.
        check(FOUR, " open(a)\n reead(a)\n-write(a)\n close(a)", (3.0 + 7.0 / 8.0) / 4.0, true);
        check(FOUR, " open(a)\n-write(a)", 0.5, false);
        check(FOUR, " opeen(a)\n reead(a)\n-write(a)\n close(a)", (2.0 + 2.0 * 7.0 / 8.0) / 4.0, false);
        let diff = " opeen(a)\n reead(a)\n write(a)\n close(a)\n";
        check(&FOUR.repeat(2), &format!("{diff} open(a)\n read(a)\n-write(a)\n close(a)"), 7.75 / 8.0, true);
        // In fewer than four lines there may be one, too.
        check(FOUR, " open(a)\n reead(a)\n-write(a)", (2.0 + 7.0 / 8.0) / 3.0, true);
    }

    #[test]
    fn without_a_slip_there_is_nothing_to_forgive() {
        check(FOUR, " open(a)\n read(a)\n-write(a)\n close(a)", 1.0, false);
    }

    #[test]
    fn what_goes_has_no_slips() {
        check(FOUR, " open(a)\n-reead(a)\n write(a)\n close(a)", 0.75, false);
    }

    /// A line without words is found anywhere, and a blank one says nothing at all.
    #[test]
    fn other_lines_vouch_for_the_place() {
        check("{\n[\nread(a)\nwrite(a)\n", " {\n [\n reead(a)\n-write(a)", (3.0 + 7.0 / 8.0) / 4.0, true);
        // One line alone does if it is nowhere else.
        let short = (2.0 + 7.0 / 8.0) / 3.0;
        check("{\nread(a)\nwrite(a)\n", " {\n reead(a)\n-write(a)", short, true);
        check("{\nread(a)\nwrite(a)\n  write(a)\n", " {\n reead(a)\n-write(a)", short, false);
        let blank = (1.0 + 7.0 / 8.0) / 2.0;
        check("\n\nread(a)\nwrite(a)\nwrite(a)\n", " \n \n reead(a)\n-write(a)", blank, false);
        check("{\nread(a)\n[\n", " {\n reead(a)\n-[", short, false);
    }

    #[test]
    fn one_character_is_told_from_two() {
        let words =
            ["", "a", "b", "ab", "ba", "abc", "acb", "bac", "abcd", "aacd", "abccd", "xbcd", "abdc", "baab"];
        for wanted in words {
            for found in words {
                let expected = strsim::damerau_levenshtein(wanted, found) == 1;
                assert_eq!(differ_by_one(wanted, found), expected, "{wanted} {found}");
            }
        }
    }

    #[test]
    fn a_slip_is_small_and_never_a_number() {
        assert!(is_slip("fn main() -> Ressult<()> {", "fn main() -> Result<()> {"));
        assert!(is_slip("\"name\": \"Brnuo\"", "\"name\": \"Bruno\""));
        assert!(is_slip("use proc_macrro2::Span;", "use proc_macro2::Span;"));
        assert!(!is_slip("fn test_1() {", "fn test_2() {"));
        assert!(!is_slip("call(name)", "call(name2)"));
        assert!(!is_slip("read(file)", "write(file)"));
        assert!(!is_slip("if a", "if b"));
        assert!(!is_slip("call(name)", "call(name_impl)"));
        assert!(!is_slip("get(itme, nmae)", "get(item, name)"));
    }

    /// `item` is a name of the file, `items` and `the_item` are others.
    #[test]
    fn only_a_whole_word_is_known() {
        let known = |file: &str| is_known(&FileIndex::new(file.as_bytes()), "get(item)", "get(iten)");
        for file in ["item", "get(item)\n", "\nx.item = 1\n", "items of item\n"] {
            assert!(known(file), "{file:?}");
        }
        for file in ["", "items\n", "the_item\n", "item2 item_\n", "get(iten)\n"] {
            assert!(!known(file), "{file:?}");
        }
    }
}

//! Characters of a reply that only look like those of the file: curly quotes, long dashes, arrows, and such as nobody sees.
//!
//! Where the old lines have one that is a plain character in the file, whatever wrote the reply exchanged it, and in the new
//! lines as well: written as they are, they would be the first of their kind. Such a hunk is in doubt until it is read with
//! the plain characters. White space is looked at elsewhere.

use std::collections::BTreeSet;

use super::index::FileIndex;
use super::key::plain;
use super::pattern::Pattern;
use super::tier::Tier;
use crate::Hunk;

/// Characters that a reply has in the place of plain ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exchanged {
    /// The first new line that has one.
    pub line: String,
    /// All of them.
    signs: BTreeSet<char>,
}

/// The characters of new lines of whose kind the file has none, while the old lines have some where the file has plain ones. `map`
/// has the place of each line of the hunk. A reply that has `“a”` for the file's `"a"`, and `say(“b”)` as its new line.
pub(crate) fn doubtful(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    map: &[Option<usize>],
    tier: Tier,
) -> Option<Exchanged> {
    if tier < Tier::LookAlikes || pattern.hunk.added_lines().all(str::is_ascii) {
        return None;
    }
    let mut spelt = BTreeSet::new();
    for (line, place) in pattern.hunk.lines.iter().zip(map) {
        let Some(place) = place.filter(|_| !line.text().is_ascii()) else { continue };
        let found = String::from_utf8_lossy(index.lines.text(place));
        let signs = line.text().chars().filter_map(|sign| Some((sign, look_alike(sign)?)));
        // What nobody sees is not in the file's line at all.
        let signs = signs.filter(|(sign, spelt)| found.contains(spelt) && !found.contains(*sign));
        spelt.extend(signs.map(|(_, spelt)| spelt));
    }
    if spelt.is_empty() {
        return None;
    }
    // Whatever exchanged quotes of one kind did so with those of the other.
    const QUOTES: [&str; 2] = ["\"", "'"];
    if QUOTES.iter().any(|quote| spelt.contains(quote)) {
        spelt.extend(QUOTES);
    }
    index.spend(index.lines.len())?;
    for text in index.lines.texts().filter(|text| !text.is_ascii()) {
        for sign in String::from_utf8_lossy(text).chars().filter_map(look_alike) {
            spelt.remove(sign);
        }
    }
    let is_exchanged = |sign: &char| look_alike(*sign).is_some_and(|sign| spelt.contains(sign));
    let line = pattern.hunk.added_lines().find(|line| line.chars().any(|sign| is_exchanged(&sign)))?;
    let signs = pattern.hunk.lines.iter().flat_map(|line| line.text().chars()).filter(is_exchanged);
    Some(Exchanged { line: line.to_owned(), signs: signs.collect() })
}

/// The hunk with plain characters; `None` where a new line has quotes of both kinds, one of which may be text, and where it has
/// dashes between words, while the lines that stay show them only within words, or the other way round.
pub(crate) fn without_look_alikes(hunk: &Hunk, exchanged: &Exchanged) -> Option<Hunk> {
    let is_mixed = |line: &str| {
        exchanged.signs.iter().any(|sign| {
            let quote = look_alike(*sign).filter(|spelt| matches!(*spelt, "\"" | "'"));
            line.contains(*sign) && quote.is_some_and(|quote| line.contains(quote))
        })
    };
    let old: BTreeSet<bool> = hunk.old_lines().flat_map(|line| dashes(line, &exchanged.signs)).collect();
    let is_other = |line: &str| dashes(line, &exchanged.signs).any(|spaced| !old.contains(&spaced));
    if hunk.added_lines().any(|line| is_mixed(line) || is_other(line)) {
        return None;
    }
    let spell = |line: &str| {
        exchanged.signs.iter().fold(line.to_owned(), |line, sign| {
            look_alike(*sign).map_or_else(|| line.clone(), |spelt| line.replace(*sign, spelt))
        })
    };
    let lines = hunk.lines.iter().map(|line| line.saying(spell(line.text())));
    Some(Hunk { lines: lines.collect(), ..hunk.clone() })
}

/// For each of these dashes in a line whether there is white space on both sides of it, as beside one that is no hyphen.
fn dashes<'l>(line: &'l str, signs: &'l BTreeSet<char>) -> impl Iterator<Item = bool> + 'l {
    let is_dash = |sign: char| signs.contains(&sign) && look_alike(sign) == Some("-");
    let dashes = line.char_indices().filter(move |(_, sign)| is_dash(*sign));
    dashes.map(|(at, sign)| {
        let (before, behind) = line.split_at_checked(at).unwrap_or_default();
        let behind = behind.strip_prefix(sign).unwrap_or_default();
        before.ends_with(char::is_whitespace) && behind.starts_with(char::is_whitespace)
    })
}

/// The plain spelling of a character that is no white space; nothing for one that cannot be seen.
fn look_alike(sign: char) -> Option<&'static str> {
    plain(sign).filter(|spelt| *spelt != " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, diff: &str, expected: Option<&str>) {
        let hunk = Hunk::of_diff(diff);
        let pattern = Pattern::new(&hunk);
        let map = pattern.spread((0..pattern.old.len()).map(Some));
        let found = doubtful(&pattern, &FileIndex::new(file.as_bytes()), &map, Tier::LookAlikes);
        let read = found.map(|found| without_look_alikes(&hunk, &found).map(|hunk| hunk.lines));
        let expected = expected.map(|diff| (!diff.is_empty()).then(|| Hunk::of_diff(diff).lines));
        assert_eq!(read, expected, "{file:?} {diff:?}");
    }

    #[test]
    fn new_lines_are_as_plain_as_the_old_ones_are_in_the_file() {
        check("say(\"a\");\n", "-say(”a”);\n+say(“b”, ”c”);", Some("-say(\"a\");\n+say(\"b\", \"c\");"));
        check("a - b\n", " a – b\n+c – d - e", Some(" a - b\n+c - d - e"));
        check("say(\"a\");\n", "-say(”a”);\n+say(‘b’);", Some("-say(\"a\");\n+say('b');"));
        // Nothing shows that the file means another one.
        check("say(\"a\");\n", "-say(\"a\");\n+say(”b”);", None);
        check("say(\"a\");\nx = '”';\n", "-say(”a”);\n+say(”b”);", None);
        check("say(“a“);\n", "-say(”a”);\n+say(”b”);", None);
        check("say(\"a\");\n", "-say(”a”);\n+tell();", None);
    }

    #[test]
    fn dashes_between_words_and_within_them_are_not_the_same() {
        check("// third-party\n", " // third—party\n+// well-known — and old", Some(""));
        check("// a - b\n", " // a — b\n+// well—known", Some(""));
        check("// third-party\n", " // third—party\n+// well—known", Some(" // third-party\n+// well-known"));
    }

    #[test]
    fn what_nobody_sees_goes_with_what_the_old_lines_show() {
        check("say(a);\n", "-say(\u{200b}a);\n+say(\u{200b}b);", Some("-say(a);\n+say(b);"));
        check("say(a);\n", "-say(a);\n+say(\u{200b}b);", None);
        check("say(a);\nx = '\u{200b}';\n", "-say(\u{200b}a);\n+say(\u{200b}b);", None);
    }

    #[test]
    fn quotes_of_both_kinds_stay_in_doubt() {
        check("say(\"a\");\n", "-say(”a”);\n+say(\"”\");", Some(""));
    }
}

//! What each tier lets pass between a line of a hunk and the line of the file it claims.

use super::key::{cost, key};
use super::reading::Read;
use crate::HunkLine;
use crate::matcher::Tier;

/// Whether a line of the file may be the line of a hunk at a tier.
pub(super) fn fits(line: &HunkLine, found: &[u8], tier: Tier) -> bool {
    let wanted = line.text().as_bytes();
    match tier {
        _ if wanted == found => true,
        // Named by number, it was quoted from the file itself; bytes that are not text are quoted as something that is.
        Tier::Anchors | Tier::Seen | Tier::LinesUnverified => {
            wanted == String::from_utf8_lossy(found).as_bytes()
        }
        Tier::Fuzzy => {
            cost(wanted, found) < Tier::Fuzzy
                || matches!(line, HunkLine::Context(_)) && similar(wanted, found)
        }
        _ => cost(wanted, found) <= tier,
    }
}

/// Whether blank lines may come and go at a tier.
pub(super) const fn tolerates_blanks(tier: Tier) -> bool {
    matches!(tier, Tier::BlankLines | Tier::Fuzzy)
}

/// At least two thirds of a line must be the same for it to pass as context.
fn similar(wanted: &[u8], found: &[u8]) -> bool {
    let (wanted, found) = (String::from_utf8_lossy(wanted), String::from_utf8_lossy(found));
    strsim::normalized_damerau_levenshtein(wanted.trim(), found.trim()) >= 0.66
}

/// Whether a context line may be there for lines that were left out: it has dots, or says so.
pub(super) fn is_elision(text: &str) -> bool {
    const SAID: [&str; 9] = ["...", "…", "⋮", "⋯", "unchanged", "the same", "as before", "omitted", "here"];
    let text = text.to_lowercase();
    SAID.iter().any(|said| text.contains(said))
}

/// Whether a line is more than brackets and blanks.
pub(super) fn is_distinctive(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// Whether a tier could not see what a hunk does, because it ignores just that: then a looser one may be claimed.
pub(super) fn is_blind(hunk: &Read<'_>, tier: Tier) -> bool {
    let blank = |text: &&str| tier == Tier::BlankLines && text.trim().is_empty();
    let old = hunk.old_lines().filter(|text| !blank(text)).map(|text| key(tier, text.as_bytes()));
    let new = hunk.new_lines().filter(|text| !blank(text)).map(|text| key(tier, text.as_bytes()));
    old.eq(new)
}
#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which lines of a file pass for a line of a hunk, context or not.
    #[track_caller]
    fn check(tier: Tier, wanted: &str, passing: &[&str], others: &[&str]) {
        for line in [HunkLine::Context(wanted.to_owned()), HunkLine::Removed(wanted.to_owned())] {
            for found in passing {
                assert!(fits(&line, found.as_bytes(), tier), "{line:?} {found:?}");
            }
            for found in others {
                assert!(!fits(&line, found.as_bytes(), tier), "{line:?} {found:?}");
            }
        }
    }

    #[test]
    fn each_tier_accepts_what_its_name_says() {
        check(Tier::Exact, "a(b)", &["a(b)"], &["a(b) ", "a (b)", ""]);
        check(Tier::LineEndings, "a(b)", &["a(b)"], &["a(b) "]);
        check(Tier::TrailingWhitespace, "a(b) ", &["a(b)", "a(b)\t"], &[" a(b)", "a (b)"]);
        check(Tier::Indentation, "  a(b)", &["a(b)", "\ta(b) "], &["a (b)", "a(c)"]);
        check(Tier::Spacing, "a b(c, d)", &["a  b( c,d )", "\ta b(c, d)"], &["ab(c, d)", "a b(c d)"]);
        check(
            Tier::LookAlikes,
            "a = \"x\"",
            &["a = “x”", "a = \"×\""],
            &["b = \"x\"", "a = \"x\";", "a + \"x\"", "a = 'x'"],
        );
        check(Tier::BlankLines, "f(é) - 1", &["f(e\u{301}) – 1"], &["f(e) - 1", "f(é) - 2"]);
    }

    #[test]
    fn binary_bytes_match_their_placeholders() {
        for tier in [Tier::Anchors, Tier::Seen, Tier::LinesUnverified] {
            check(tier, "caf\u{fffd}", &["caf\u{fffd}"], &["café", "caf"]);
            assert!(fits(&HunkLine::Removed("caf\u{fffd}".to_owned()), b"caf\xe9", tier));
        }
        assert!(!fits(&HunkLine::Removed("caf\u{fffd}".to_owned()), b"caf\xe9", Tier::Exact));
    }

    #[test]
    fn only_lines_that_stay_may_be_merely_similar() {
        let text = "let result = read(file);".to_owned();
        let (kept, gone) = (HunkLine::Context(text.clone()), HunkLine::Removed(text));
        let slip = b"let ressult = read(file);";
        assert!(fits(&kept, slip, Tier::Fuzzy) && !fits(&gone, slip, Tier::Fuzzy));
        assert!(!fits(&kept, slip, Tier::BlankLines));
        // Two letters that changed places are one slip.
        assert!(fits(&HunkLine::Context("wheer".to_owned()), b"where", Tier::Fuzzy));
        assert!(!fits(&kept, b"let other = write(name);", Tier::Fuzzy));
    }
}

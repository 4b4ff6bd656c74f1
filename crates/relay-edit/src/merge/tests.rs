//! What merges, what conflicts, and the laws that hold for all texts.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(base: &str, ours: &str, theirs: &str, expected: &str) {
    let merged = |ours: &str, theirs: &str| merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    assert_eq!(merged(ours, theirs).as_deref(), Ok(expected.as_bytes()), "ours into theirs");
    assert_eq!(merged(theirs, ours).as_deref(), Ok(expected.as_bytes()), "theirs into ours");
}

#[track_caller]
fn conflicts(base: &str, ours: &str, theirs: &str, expected: &[(Range<usize>, Range<usize>, Range<usize>)]) {
    let found = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes()).expect_err("it merged");
    let found: Vec<_> = found.into_iter().map(|found| (found.base, found.ours, found.theirs)).collect();
    assert_eq!(found, expected);
}

#[test]
fn changes_of_different_lines_merge() {
    check("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n");
    check("a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n", "a\nc\nd\n");
    check("a\nb\nc\n", "x\na\nb\nc\n", "a\nb\nc\ny\n", "x\na\nb\nc\ny\n");
}

#[test]
fn changes_of_neighbouring_lines_merge() {
    check("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nb\nC\nd\n", "a\nB\nC\nd\n");
    check("a\nb\nc\n", "a\nc\n", "a\nb\nC\n", "a\nC\n");
    // A line put after one that the other side takes away.
    check("a\nb\nc\n", "a\nb\nnew\nc\n", "a\nc\n", "a\nnew\nc\n");
    check("a\nb\nc\n", "a\nb\nnew\nc\n", "a\nB\nc\n", "a\nB\nnew\nc\n");
    check("a\nb\nc\n", "a\nnew\nb\nc\n", "a\nB\nc\n", "a\nnew\nB\nc\n");
}

#[test]
fn the_same_change_on_both_sides_is_made_once() {
    check("a\nb\nc\n", "a\nX\nc\nd\n", "a\nX\nc\n", "a\nX\nc\nd\n");
    check("a\nb\nc\nd\ne\n", "a\nc\nd\nE\n", "a\nc\nd\ne\n", "a\nc\nd\nE\n");
}

#[test]
fn different_changes_of_a_line_conflict() {
    conflicts("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", &[(1..2, 1..2, 1..2)]);
    conflicts("a\nb\nc\n", "a\nc\n", "a\nY\nc\n", &[(1..2, 1..1, 1..2)]);
    conflicts("a\nb\nc\n", "", "a\nB\nc\n", &[(0..3, 0..0, 0..3)]);
}

#[test]
fn one_long_change_meets_every_change_inside_it() {
    conflicts(
        "h\n1\n2\n3\n4\n5\nt\n",
        "h\nA\nB\nC\nD\nE\nt\n",
        "h\n1\nx\n3\ny\n5\nt\n",
        &[(1..6, 1..6, 1..6)],
    );
}

#[test]
fn all_conflicts_are_found_and_counted_in_each_version() {
    conflicts(
        "a\nb\nc\nd\ne\nf\n",
        "new\na\nX\nc\nd\nU\nf\n",
        "a\nY\nc\nd\nV\nV\nf\n",
        &[(1..2, 2..3, 1..2), (4..5, 5..6, 4..6)],
    );
}

#[test]
fn two_sides_that_both_add_lines_in_one_place_conflict() {
    conflicts("a\nb\n", "a\nX\nb\n", "a\nY\nb\n", &[(1..1, 1..2, 1..2)]);
    // Taking both would say `c` twice.
    conflicts("a\nb\n", "a\nb\nc\n", "a\nB\nc\n", &[(1..2, 1..3, 1..3)]);
}

#[test]
fn the_final_newline_is_merged_separately() {
    check("a\nb", "a\nb\nc", "A\nb", "A\nb\nc");
    check("a\nb", "a\nb\n", "A\nb", "A\nb\n");
    check("a\nb\n", "a\nb", "A\nb\n", "A\nb");
    check("a\nb", "a\nB", "x\na\nb\n", "x\na\nB\n");
    check("a", "a\nb", "A", "A\nb");
}

#[test]
fn a_conversion_of_line_endings_merges_with_changes() {
    check("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n");
    check("a\rb\rc\r", "A\rb\rc\r", "a\rb\rC\r", "A\rb\rC\r");
    check("a\nb\n", "\u{feff}a\nb\n", "A\nb\n", "\u{feff}A\nb\n");
}

#[test]
fn mixed_line_endings_survive() {
    check("a\r\nb\nc\n", "A\r\nb\nc\n", "a\r\nb\nC\n", "A\r\nb\nC\n");
    check("a\r\nb\nc", "a\r\nb\nc\nd", "A\r\nb\nc", "A\r\nb\nc\nd");
    // A last line without an ending gets one when it is no longer the last.
    check("a\r\nb\nc", "a\r\nb\nc", "a\r\nb\nc\nd", "a\r\nb\nc\nd");
}

#[test]
fn binary_files_merge_only_whole() {
    assert_eq!(merge(b"\0a", b"\0a", b"\0b").as_deref(), Ok(&b"\0b"[..]));
    assert_eq!(merge(b"\0a\nb\n", b"\0A\nb\n", b"\0a\nB\n").map_err(|found| found.len()), Err(1));
}

/// Few different lines, so that sides often change the same ones, and every kind of ending.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just("a"), Just("b"), Just("c"), Just("}"), Just("")];
    let ending = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")];
    let lines = prop::collection::vec((line, ending), 0..8);
    (lines, prop::bool::ANY, prop::bool::weighted(0.1)).prop_map(|(lines, terminated, marked)| {
        let mut text = if marked { "\u{feff}".to_owned() } else { String::new() };
        let last = lines.len().saturating_sub(1);
        for (at, (line, ending)) in lines.into_iter().enumerate() {
            text.push_str(line);
            text.push_str(if at == last && !terminated { "" } else { ending });
        }
        text
    })
}

fn plain(base: &str, ours: &str, theirs: &str) -> Result<Vec<u8>, Vec<Conflict>> {
    by_lines(&[base, ours, theirs].map(|text| Lines::new(text.as_bytes())), &AsCompared, Touching::MayNotGrow)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// The merge needs none of its shortcuts: a side that changed nothing adds nothing.
    #[test]
    fn an_unchanged_side_is_neutral(base in text(), other in text()) {
        prop_assert_eq!(plain(&base, &base, &other), Ok(other.clone().into_bytes()));
        prop_assert_eq!(plain(&base, &other, &base), Ok(other.clone().into_bytes()));
        prop_assert_eq!(plain(&base, &other, &other), Ok(other.clone().into_bytes()));
    }

    #[test]
    fn the_sides_may_be_exchanged(base in text(), ours in text(), theirs in text()) {
        let there = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
        let back = merge(base.as_bytes(), theirs.as_bytes(), ours.as_bytes());
        let exchanged = back.map_err(|found| {
            let exchange = |conflict: Conflict| Conflict { ours: conflict.theirs, theirs: conflict.ours, ..conflict };
            found.into_iter().map(exchange).collect::<Vec<_>>()
        });
        prop_assert_eq!(there, exchanged);
    }

    /// Whatever each side does to its own half of a file, both are in the result.
    #[test]
    fn halves_merge(upper in text(), lower in text(), new_upper in text(), new_lower in text()) {
        let clean = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n").replace('\u{feff}', "");
        let file = |upper: &str, lower: &str| format!("{}\n=====\n#####\n%%%%%\n{}\n", clean(upper), clean(lower));
        let merged = merge(
            file(&upper, &lower).as_bytes(),
            file(&new_upper, &lower).as_bytes(),
            file(&upper, &new_lower).as_bytes(),
        );
        let expected = file(&new_upper, &new_lower);
        prop_assert_eq!(merged.as_deref(), Ok(expected.as_bytes()));
    }

    /// No line appears from nowhere and none that both sides kept in place is lost.
    #[test]
    fn every_merged_line_is_from_one_side(base in text(), ours in text(), theirs in text()) {
        if let Ok(merged) = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes()) {
            let merged = String::from_utf8(merged).expect("text");
            let bare = |text: &str| -> Vec<String> {
                // Both characters of an ending are one, wherever the ending comes from.
                let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
                text.split(['\n', '\r']).map(str::to_owned).collect()
            };
            let known: Vec<String> = [bare(&ours), bare(&theirs)].concat();
            // Nothing is left when each side removed what the other kept; an empty text has no lines, marked or not.
            let is_empty = merged.trim_start_matches('\u{feff}').is_empty();
            prop_assert!(is_empty || bare(&merged).iter().all(|line| known.contains(line)), "{:?}", merged);
        }
    }
}

#[track_caller]
fn surely(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let merged = merge_surely(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    let other_way = merge_surely(base.as_bytes(), theirs.as_bytes(), ours.as_bytes());
    assert_eq!(merged.is_ok(), other_way.is_ok(), "whether it merges does not depend on the side");
    merged.ok().map(|bytes| String::from_utf8(bytes).unwrap())
}

#[test]
fn a_sure_merge_needs_a_line_between_the_changes() {
    let base = "a\nb\nc\nd\ne\n";
    assert_eq!(surely(base, "A\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n").as_deref(), Some("A\nb\nC\nd\ne\n"));
    assert_eq!(surely(base, "A\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n"), None);
    assert_eq!(surely(base, "a\nnew\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n"), None);
    assert_eq!(
        surely(base, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n").as_deref(),
        Some("a\nX\nc\nd\ne\n"),
        "the same change"
    );
}

#[test]
fn a_sure_merge_never_chooses_between_twins() {
    let twin = "fn t() {\n    one();\n    two();\n}\n";
    let edited = "fn t() {\n    one();\n    three();\n}\n";
    let (head, tail) = ("head();\n\n", "\ntail();\n");
    let base = format!("{head}{twin}{tail}");
    let doubled = format!("{head}{twin}{twin}{tail}");
    assert_eq!(surely(&base, &doubled, &format!("{head}{edited}{tail}")), None);
    // A first line that changes next to the inserted twin is as doubtful as one in the middle.
    assert_eq!(surely(&base, &doubled, &base.replace("fn t", "fn u")), None);
    // Of two, one is taken away: which one?
    assert_eq!(surely(&doubled, &base, &format!("{head}{twin}{edited}{tail}")), None);
    // Changes elsewhere are certain.
    assert_eq!(
        surely(&base, &doubled, &base.replace("tail()", "end()")).as_deref(),
        Some(doubled.replace("tail()", "end()").as_str())
    );
}

#[test]
fn an_ordinary_insertion_nearby_is_sure() {
    let base = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";
    let ours = "fn a() {\n    one();\n}\n\nfn c() {\n    three();\n}\n\nfn b() {\n    two();\n}\n";
    let theirs = base.replace("one()", "uno()");
    assert_eq!(surely(base, ours, &theirs).as_deref(), Some(ours.replace("one()", "uno()").as_str()));
    let theirs = base.replace("two()", "due()");
    assert_eq!(surely(base, ours, &theirs).as_deref(), Some(ours.replace("two()", "due()").as_str()));
}

/// A text in UTF-16, the low byte first.
fn wide(text: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn encodings_are_merged_like_the_rest() {
    let [base, ours, theirs, both] = ["a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"];
    let plain = |text: &str| text.as_bytes().to_vec();
    for (base, ours, theirs, expected) in [
        (wide(base), wide(ours), wide(theirs), wide(both)),
        // What was seen was shown as UTF-8; the file is what it is.
        (plain(base), wide(ours), plain(theirs), wide(both)),
        // One side converted it.
        (wide(base), plain(ours), wide(theirs), plain(both)),
        (wide(base), wide(ours), plain(theirs), plain(both)),
        (wide(base), plain(base), wide(theirs), plain(theirs)),
    ] {
        assert_eq!(merge(&base, &ours, &theirs), Ok(expected));
    }
    assert!(merge(&wide(base), &wide(ours), b"\xff\n").is_err(), "no text at all");
}

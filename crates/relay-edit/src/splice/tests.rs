//! What is written for a placement, without the matcher that finds one and the verifier that would refuse it.

use super::*;
use crate::matcher::Reindent;

/// A hunk written as a diff, and for each of its old lines the line of the file it represents, counted from 0.
type Placed<'p> = (&'p str, &'p [Option<usize>]);

fn spliced(
    before: &str,
    placed: &[Placed<'_>],
    tier: Tier,
    insert_at: usize,
    end: EndOfFile,
) -> Result<String, SpliceError> {
    let hunks: Vec<Hunk> = placed.iter().map(|(diff, _)| Hunk { end, ..Hunk::of_diff(diff) }).collect();
    let placement = |(number, (_, places)): (usize, &Placed<'_>)| {
        let mut places = places.iter().copied();
        let place = |line: &HunkLine| if line.is_old() { places.next().flatten() } else { None };
        Placement {
            hunk: number,
            tier,
            map: hunks[number].lines.iter().map(place).collect(),
            insert_at,
            readings: Vec::new(),
            reindent: Reindent::Keep,
            candidates: 1,
            tie: None,
        }
    };
    let placements: Vec<Placement> = placed.iter().enumerate().map(placement).collect();
    let after = splice(&Lines::new(before.as_bytes()), |number| hunks.get(number), &placements)?;
    Ok(String::from_utf8(after.bytes(before.as_bytes())).expect("text"))
}

#[track_caller]
fn check(before: &str, placed: &[Placed<'_>], tier: Tier, after: &str) {
    assert_eq!(spliced(before, placed, tier, 0, EndOfFile::Unsaid).as_deref(), Ok(after));
}

/// As [`check`], for new lines without old ones, or at the end of the file.
#[track_caller]
fn check_end(before: &str, placed: Placed<'_>, end: EndOfFile, after: &str) {
    let insert_at = Lines::new(before.as_bytes()).len();
    assert_eq!(spliced(before, &[placed], Tier::Exact, insert_at, end).as_deref(), Ok(after));
}

#[test]
fn new_lines_follow_the_old_line_above_or_precede_the_one_below() {
    let file = "a\nb\nc\nd\n";
    check(file, &[(" b\n+x\n+y\n c", &[Some(1), Some(2)])], Tier::Exact, "a\nb\nx\ny\nc\nd\n");
    check(file, &[("+x\n c", &[Some(2)])], Tier::Exact, "a\nb\nx\nc\nd\n");
    check(file, &[("-b\n+x\n-c\n+y\n d", &[Some(1), Some(2), Some(3)])], Tier::Exact, "a\nx\ny\nd\n");
}

/// Lines of the file lie between the two old lines, so the one that is next to the new line says where it goes.
#[test]
fn an_elision_is_not_a_neighbour_of_a_new_line() {
    let file = "a\nb\nc\nd\n";
    let places = &[Some(0), None, Some(3)];
    check(file, &[(" a\n+x\n ...\n d", places)], Tier::Exact, "a\nx\nb\nc\nd\n");
    check(file, &[(" a\n ...\n+x\n d", places)], Tier::Exact, "a\nb\nc\nx\nd\n");
    for nowhere in [" a\n ...\n+x", " a\n ...\n+x\n ...\n d"] {
        let places = &[Some(0), None, None, Some(3)];
        let found = spliced(file, &[(nowhere, places)], Tier::Exact, 0, EndOfFile::Unsaid);
        assert_eq!(found, Err(SpliceError::Unanchored(0)), "{nowhere}");
    }
}

/// A blank line of the file is a neighbour like any other; one that only the author saw says nothing.
#[test]
fn a_blank_line_the_file_does_not_have_is_passed_over() {
    let file = "a\n\nb\nc\n";
    check(file, &[(" a\n \n+x\n b", &[Some(0), Some(1), Some(2)])], Tier::BlankLines, "a\n\nx\nb\nc\n");
    check(file, &[("+x\n \n b", &[Some(1), Some(2)])], Tier::BlankLines, "a\nx\n\nb\nc\n");
    check(file, &[(" b\n \n+x\n c", &[Some(2), None, Some(3)])], Tier::BlankLines, "a\n\nb\nx\nc\n");
    check(file, &[("+x\n \n c", &[None, Some(3)])], Tier::BlankLines, "a\n\nb\nx\nc\n");
}

#[test]
fn a_line_that_only_moves_keeps_the_bytes_it_has() {
    let swap = |text: &str| format!("-{text}\n b\n+{text}");
    let places = &[Some(0), Some(1)];
    let check = |before: &str, tier: Tier, after: &str| check(before, &[(&swap("a"), places)], tier, after);
    check("a \nb\n", Tier::TrailingWhitespace, "b\na \n");
    // Placed to the letter, what the author wrote is what was meant.
    check("a \nb\n", Tier::LinesUnverified, "b\na\n");
}

/// `a` represents both, and it cannot be decided which of them goes where.
#[test]
fn lines_that_read_alike_in_the_reply_move_only_where_they_are_alike_in_the_file() {
    let places = &[Some(0), Some(1), Some(2)];
    let twice = "-a\n-a\n b\n+a\n+a";
    check("a \na \nb\n", &[(twice, places)], Tier::TrailingWhitespace, "b\na \na \n");
    check("a \na\t\nb\n", &[(twice, places)], Tier::TrailingWhitespace, "b\na\na\n");
}

/// White space alone cannot be recognised as a line.
#[test]
fn blank_lines_do_not_move() {
    check("  \nb\n", &[("-\n b\n+", &[Some(0), Some(1)])], Tier::TrailingWhitespace, "b\n\n");
}

#[test]
fn one_hunk_may_keep_what_another_keeps_and_none_may_remove_it() {
    let claim = |one: &str, other: &str| {
        let placed: [Placed<'_>; 2] = [(one, &[Some(0)]), (other, &[Some(0)])];
        spliced("a\nb\n", &placed, Tier::Exact, 0, EndOfFile::Unsaid)
    };
    assert_eq!(claim("+x\n a", " a\n+y").as_deref(), Ok("x\na\ny\nb\n"));
    for (one, other) in [("-a", "-a"), ("-a", " a"), (" a", "-a")] {
        assert_eq!(claim(one, other), Err(SpliceError::Overlap(0, 1)), "{one:?} {other:?}");
    }
}

#[test]
fn new_lines_never_continue_a_last_line_without_an_ending() {
    let unsaid = EndOfFile::Unsaid;
    check_end("a\nb", (" b\n+x\n+y", &[Some(1)]), unsaid, "a\nb\nx\ny");
    check_end("a\r\nb", (" b\n+x\n+y", &[Some(1)]), unsaid, "a\r\nb\r\nx\r\ny");
    check_end("a\nb", ("-b\n+x\n+y", &[Some(1)]), unsaid, "a\nx\ny");
    check_end("a\nb\n", (" b\n+x", &[Some(1)]), unsaid, "a\nb\nx\n");
    check_end("", ("+x\n+y", &[]), unsaid, "x\ny\n");
    check_end("\u{feff}", ("+x", &[]), unsaid, "\u{feff}x\n");
    check_end("a", ("-a\n+x", &[Some(0)]), unsaid, "x");
}

#[test]
fn the_final_newline_is_as_it_was_or_as_the_author_says() {
    let last = ("-b\n+x", &[Some(1)][..]);
    check_end("a\nb", last, EndOfFile::WithNewline, "a\nx\n");
    check_end("a\nb\n", last, EndOfFile::WithoutNewline, "a\nx");
    check_end("a\nb", last, EndOfFile::Reached, "a\nx");
    check_end("a\nb\n", last, EndOfFile::Reached, "a\nx\n");
    // It speaks of its own last line only where that is the last one of the file.
    check_end("a\nb\nc\n", last, EndOfFile::WithoutNewline, "a\nx\nc\n");
}

/// Without its ending it would not be there at all.
#[test]
fn a_blank_last_line_keeps_its_ending() {
    check_end("a\nb", ("-b\n+x\n+", &[Some(1)]), EndOfFile::Unsaid, "a\nx\n\n");
    check_end("a\r\nb", ("-b\n+x\n+", &[Some(1)]), EndOfFile::Unsaid, "a\r\nx\r\n\r\n");
    check_end("b", ("-b\n+", &[Some(0)]), EndOfFile::Unsaid, "\n");
    check_end("\u{feff}b", ("-b\n+", &[Some(0)]), EndOfFile::Unsaid, "\u{feff}\n");
    check_end("\u{feff}b", ("-b\n+c", &[Some(0)]), EndOfFile::Unsaid, "\u{feff}c");
    // A mark after text is text.
    check_end("b", ("-b\n+c\u{feff}", &[Some(0)]), EndOfFile::Unsaid, "c\u{feff}");
}

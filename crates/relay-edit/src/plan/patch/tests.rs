//! Limits of patching that whole replies are too slow to reach.

use super::*;

fn terms(work: &Rc<Cell<usize>>) -> Terms<'_> {
    Terms {
        strictness: Strictness::Fuzzy,
        literal_anchor: false,
        inline: false,
        seen: false,
        repeats: Repeats::Dropped,
        explain_failures: false,
        work,
        levels: None,
        original: None,
        numbers: Numbers::default(),
        written: &[],
    }
}

#[test]
fn a_search_in_vain_ends_when_too_much_was_read() {
    let hunks: Vec<Hunk> =
        (0..5).map(|at| Hunk::from_sides(&[&format!("no such line {at}")], &["x"], 1)).collect();
    let file = b"one\n";
    let failures = |vain_bytes: usize| {
        patch_sequential(file, &Hunks::as_written(&hunks), terms(&Rc::default()), vain_bytes)
            .expect_err("nothing fits")
    };
    let [first, second, third] = &failures(file.len()).try_into().expect("three") as &[PatchFailure; 3];
    assert!(matches!(first, PatchFailure::Hunk { hunk: 0, .. }));
    assert!(matches!(second, PatchFailure::Hunk { hunk: 1, .. }));
    assert!(matches!(third, PatchFailure::TooLarge));
    let all = failures(hunks.len() * file.len());
    assert!(all.iter().all(|failure| matches!(failure, PatchFailure::Hunk { .. })), "{all:?}");
}

/// Looking for a part of a line has read the file at every tier before.
#[test]
fn parts_of_lines_are_not_looked_for_without_end() {
    let file = b"{\"host\": 1, \"port\": 3000, \"name\": 2}\n";
    let hunk = Hunk::from_sides(&["\"port\": 3000"], &["\"port\": 8080"], 1);
    let patched = |spent: usize| {
        let work = Rc::new(Cell::new(spent));
        let terms = Terms { inline: true, ..terms(&work) };
        let hunks = std::slice::from_ref(&hunk);
        patch_sequential(file, &Hunks::as_written(hunks), terms, FAILED_BYTES)
    };
    assert!(patched(0).is_ok_and(|patched| patched.words.ends_with("within a line")));
    let failures = patched(100_000_000 - file.len() / VAIN_BYTES).expect_err("too much work");
    assert!(matches!(failures.as_slice(), [PatchFailure::Hunk { hunk: 0, failure: Failure::TooMuchWork }]));
}

#[test]
fn ranges_over_each_other_are_not_copied_for_ever() {
    let file: String = (0..2_000).map(|line| format!("{line}\n")).collect();
    let anchor = |line: usize| crate::edit::Anchor { line, hash: None };
    let mut hunk = Hunk::new(Vec::new(), 1);
    hunk.target = crate::edit::Target::Lines { first: anchor(1), last: anchor(2_000) };
    let failures = |count: usize| {
        let hunks = vec![hunk.clone(); count];
        patch_targets(
            file.as_bytes(),
            &Hunks::as_written(&hunks),
            Terms { seen: true, ..terms(&Rc::default()) },
        )
        .expect_err("they overlap")
    };
    assert!(matches!(failures(2).as_slice(), [PatchFailure::Splice(SpliceError::Overlap(0, 1))]));
    assert!(matches!(failures(600).as_slice(), [PatchFailure::NamedTwice]));
}

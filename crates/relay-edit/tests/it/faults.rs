//! Planted faults: results as a faulty matcher or splicer would make them, each of which the verifier must refuse.
//!
//! The good result passes first, so that a refusal means the fault and nothing else.

use relay_edit::{
    Base, Certificate, Dialect, Edit, Hunk, HunkLine, Operation, Snapshot, Tier, VerifyError, plan, verify,
};

const FILE: &str = "fn one() {\n    alpha();\n    beta();\n}\n\nfn two() {\n    gamma();\n    delta();\n}\n";

/// A good plan of one edit: what a fault is planted into.
struct Planned {
    before: Vec<u8>,
    hunks: Vec<Hunk>,
    certificate: Certificate,
    after: Vec<u8>,
}

impl Planned {
    fn new(before: &str, hunks: Vec<Hunk>) -> Self {
        let operation = Operation::Patch { hunks: hunks.clone(), base: Base::Original };
        let edit = Edit { path: "a".to_owned(), operation, dialect: Dialect::Unified, line: 1 };
        let files =
            Snapshot { files: [("a".to_owned(), before.as_bytes().to_vec())].into(), ..Default::default() };
        let planned = plan(&[edit], &files);
        let [change] = planned.changes.as_slice() else { panic!("{planned:#?}") };
        let certificate = planned.outcomes[0].certificates[0].clone();
        let after = change.after.clone().expect("content");
        assert_eq!(verify(before.as_bytes(), &hunks, &certificate, &after), Ok(()));
        Self { before: before.as_bytes().to_vec(), hunks, certificate, after }
    }

    /// One hunk that replaces `beta` in the first function.
    fn sample() -> Self {
        Self::new(FILE, vec![hunk(" fn one() {\n     alpha();\n-    beta();\n+    changed();\n }\n")])
    }

    /// Verifies a result that is not the good one.
    #[track_caller]
    fn check_result(&self, after: &str, expected: VerifyError) {
        assert_ne!(after.as_bytes(), self.after.as_slice(), "nothing is wrong with it");
        assert_eq!(verify(&self.before, &self.hunks, &self.certificate, after.as_bytes()), Err(expected));
    }

    /// Verifies a certificate that lies, with the result that follows from the lie.
    #[track_caller]
    fn check_lie(&self, lie: impl FnOnce(&mut Certificate), after: &str, expected: VerifyError) {
        let mut certificate = self.certificate.clone();
        lie(&mut certificate);
        assert_ne!(certificate, self.certificate, "it is no lie");
        assert_eq!(verify(&self.before, &self.hunks, &certificate, after.as_bytes()), Err(expected));
    }
}

fn hunk(diff: &str) -> Hunk {
    let line = |line: &str| match line.split_at(1) {
        ("-", text) => HunkLine::Removed(text.to_owned()),
        ("+", text) => HunkLine::Added(text.to_owned()),
        (_, text) => HunkLine::Context(text.to_owned()),
    };
    Hunk::new(diff.lines().map(line).collect(), 1)
}

fn good() -> String {
    FILE.replace("beta", "changed")
}

#[test]
fn a_hunk_in_the_wrong_place_is_caught() {
    let planned = Planned::sample();
    let wrong = FILE.replace("delta", "changed");
    // The result is wrong although the certificate is right, and the other way round.
    let at = wrong.find("    beta").expect("there");
    planned.check_result(&wrong, VerifyError::WrongResult(at));
    planned.check_lie(
        |certificate| certificate.placements[0].map.iter_mut().flatten().for_each(|line| *line += 5),
        &wrong,
        VerifyError::Mismatch { hunk: 0, file_line: 6 },
    );
}

#[test]
fn a_lost_line_is_caught_wherever_it_stood() {
    let planned = Planned::sample();
    let good = good();
    let lines: Vec<&str> = good.split_inclusive('\n').collect();
    for lost in 0..lines.len() {
        let mut left = lines.clone();
        let at: usize = lines[..lost].iter().map(|line| line.len()).sum();
        left.remove(lost);
        let after = left.concat();
        let verdict = verify(&planned.before, &planned.hunks, &planned.certificate, after.as_bytes());
        assert!(
            matches!(verdict, Err(VerifyError::WrongResult(found)) if found >= at.saturating_sub(1)),
            "line {lost}: {verdict:?}"
        );
    }
}

#[test]
fn a_doubled_and_a_moved_line_are_caught() {
    let planned = Planned::sample();
    let good = good();
    let lines: Vec<&str> = good.split_inclusive('\n').collect();
    for at in 0..lines.len() {
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        assert!(
            verify(&planned.before, &planned.hunks, &planned.certificate, doubled.concat().as_bytes())
                .is_err(),
            "{at}"
        );
        let mut moved = lines.clone();
        moved.swap(at, (at + 1) % lines.len());
        if moved != lines {
            assert!(
                verify(&planned.before, &planned.hunks, &planned.certificate, moved.concat().as_bytes())
                    .is_err(),
                "{at}"
            );
        }
    }
}

#[test]
fn context_that_was_rewritten_is_caught() {
    let planned = Planned::sample();
    let rewritten = good().replace("    alpha();", "\talpha();");
    planned.check_result(&rewritten, VerifyError::WrongResult(11));
}

#[test]
fn every_single_changed_byte_is_caught() {
    let planned = Planned::sample();
    for at in 0..planned.after.len() {
        for flip in [0x01, 0x20, 0x80] {
            let mut broken = planned.after.clone();
            broken[at] ^= flip;
            assert!(
                verify(&planned.before, &planned.hunks, &planned.certificate, &broken).is_err(),
                "byte {at}"
            );
        }
    }
}

#[test]
fn a_removed_line_must_be_the_line_that_was_named() {
    let planned = Planned::new(FILE, vec![hunk("-    gamma();\n     delta();\n")]);
    planned.check_lie(
        |certificate| certificate.placements[0].map[0] = Some(2),
        &FILE.replace("    beta();\n", ""),
        VerifyError::Mismatch { hunk: 0, file_line: 3 },
    );
    // Not even the loosest tier lets a removed line be another one.
    planned.check_lie(
        |certificate| {
            certificate.placements[0].tier = Tier::Fuzzy;
            certificate.placements[0].map[0] = Some(2);
        },
        &FILE.replace("    beta();\n", ""),
        VerifyError::Mismatch { hunk: 0, file_line: 3 },
    );
}

#[test]
fn a_line_that_is_not_accounted_for_is_caught() {
    let planned = Planned::sample();
    planned.check_lie(
        |certificate| certificate.placements[0].map[2] = None,
        &FILE.replace("}\n\nfn two", "    changed();\n}\n\nfn two"),
        VerifyError::Unaccounted { hunk: 0, line: 2 },
    );
    planned.check_lie(
        |certificate| certificate.placements[0].map.truncate(4),
        &good(),
        VerifyError::Unaccounted { hunk: 0, line: 4 },
    );
    planned.check_lie(
        |certificate| certificate.placements[0].hunk = 1,
        &good(),
        VerifyError::Unaccounted { hunk: 1, line: 0 },
    );
}

#[test]
fn lines_between_two_lines_of_a_hunk_are_not_skipped() {
    let file = "a\nb\nx\nb\nc\n";
    let planned = Planned::new(file, vec![hunk(" a\n-b\n x\n")]);
    planned.check_lie(
        |certificate| certificate.placements[0].map[1] = Some(3),
        "a\nb\nx\nc\n",
        VerifyError::Skipped { hunk: 0, file_line: 4 },
    );
}

#[test]
fn two_hunks_cannot_have_the_same_line() {
    let planned = Planned::new(FILE, vec![hunk("-    alpha();\n"), hunk("-    gamma();\n")]);
    let mut certificate = planned.certificate.clone();
    certificate.placements[1] = relay_edit::Placement { hunk: 0, ..certificate.placements[0].clone() };
    let verdict = verify(&planned.before, &planned.hunks, &certificate, &planned.after);
    assert_eq!(verdict, Err(VerifyError::ClaimedTwice(2)));
}

#[test]
fn a_hunk_that_was_left_out_is_caught() {
    let planned = Planned::new(FILE, vec![hunk("-    alpha();\n"), hunk("-    gamma();\n")]);
    let only_first = FILE.replace("    alpha();\n", "");
    let at = only_first.find("    gamma").expect("there");
    planned.check_result(&only_first, VerifyError::WrongResult(at));
}

#[test]
fn new_lines_must_stand_where_they_belong_and_as_they_were_written() {
    let planned = Planned::new(FILE, vec![hunk("     alpha();\n+    new();\n     beta();\n")]);
    for wrong in [
        FILE.replace("    alpha();\n", "    new();\n    alpha();\n"),
        FILE.replace("    beta();\n", "    beta();\n    new();\n"),
        FILE.replace("    beta();\n", "new();\n    beta();\n"),
        FILE.replace("    beta();\n", "    new();\n    new();\n    beta();\n"),
        FILE.to_owned(),
        format!("{FILE}    new();\n"),
    ] {
        let verdict = verify(&planned.before, &planned.hunks, &planned.certificate, wrong.as_bytes());
        assert!(matches!(verdict, Err(VerifyError::WrongResult(_))), "{wrong}");
    }
}

#[test]
fn a_certificate_for_another_file_is_worth_nothing() {
    let planned = Planned::sample();
    let verdict =
        verify(FILE.replace('{', "(").as_bytes(), &planned.hunks, &planned.certificate, &planned.after);
    assert_eq!(verdict, Err(VerifyError::WrongFile));
}

#[test]
fn the_byte_order_mark_and_bytes_that_are_no_text_are_guarded_too() {
    let hunks = vec![hunk("-old\n+new\n")];
    let before = b"\xef\xbb\xbfcaf\xe9\r\nold\n\xff\n".to_vec();
    let operation = Operation::Patch { hunks: hunks.clone(), base: Base::Original };
    let edit = Edit { path: "a".to_owned(), operation, dialect: Dialect::Unified, line: 1 };
    let files = Snapshot { files: [("a".to_owned(), before.clone())].into(), ..Default::default() };
    let planned = plan(&[edit], &files);
    let after = planned.changes[0].after.clone().expect("content");
    let certificate = &planned.outcomes[0].certificates[0];
    assert_eq!(verify(&before, &hunks, certificate, &after), Ok(()));
    assert!(verify(&before, &hunks, certificate, &after[3..]).is_err(), "the mark is gone");
    let lossy = String::from_utf8_lossy(&after).into_owned();
    assert!(verify(&before, &hunks, certificate, lossy.as_bytes()).is_err(), "bytes were replaced");
    let converted: Vec<u8> = after.iter().copied().filter(|byte| *byte != b'\r').collect();
    assert!(verify(&before, &hunks, certificate, &converted).is_err(), "endings were converted");
}

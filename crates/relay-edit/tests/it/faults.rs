//! Planted faults: results as a faulty matcher or splicer would make them, each of which the verifier must refuse.
//!
//! The good result passes first, so that a refusal means the fault and nothing else.

mod planted;
mod readings;

use relay_edit::{
    Base, Certificate, Dialect, Edit, Hunk, HunkLine, Operation, Snapshot, Tier, VerifyError, plan, verify,
};

const FILE: &str = "fn one() {\n    alpha();\n    beta();\n}\n\nfn two() {\n    gamma();\n    delta();\n}\n";

/// A good plan of one edit: what a fault is planted into.
#[derive(Clone, Debug)]
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

    /// The first edit of a reply, of the file `a.rs`.
    fn of_reply(name: &str, before: &str, reply: &str) -> Self {
        let edits = relay_edit::parse(reply, None).edits;
        let before = before.as_bytes().to_vec();
        let files = Snapshot { files: [("a.rs".to_owned(), before.clone())].into(), ..Default::default() };
        let planned = plan(&edits, &files);
        let [certificate] = planned.outcomes[0].certificates.as_slice() else {
            panic!("{name}: {planned:#?}")
        };
        let after = planned.changes.first().map_or(&before, |change| change.after.as_ref().expect("content"));
        let Operation::Patch { hunks, .. } = &edits[0].operation else { panic!("{name}: {edits:?}") };
        let planned =
            Self { hunks: hunks.clone(), certificate: certificate.clone(), after: after.clone(), before };
        assert_eq!(planned.verdict(), Ok(()), "{name}: {planned:?}");
        planned
    }

    fn verdict(&self) -> Result<(), VerifyError> {
        verify(&self.before, &self.hunks, &self.certificate, &self.after)
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
        VerifyError::NotOnce { hunk: 1 },
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
    certificate.placements[1] = relay_edit::Placement { hunk: 1, ..certificate.placements[0].clone() };
    let hunks = [planned.hunks[0].clone(), planned.hunks[0].clone()];
    let verdict = verify(&planned.before, &hunks, &certificate, &planned.after);
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
fn the_byte_order_mark_and_binary_bytes_are_guarded_too() {
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

#[test]
fn context_that_is_not_accounted_for_is_caught() {
    let planned = Planned::sample();
    planned.check_lie(
        |certificate| certificate.placements[0].map[1] = None,
        &good(),
        VerifyError::Unaccounted { hunk: 0, line: 1 },
    );
    // Where blank lines may differ, others may not.
    planned.check_lie(
        |certificate| {
            certificate.placements[0].tier = Tier::BlankLines;
            certificate.placements[0].map[1] = None;
        },
        &good(),
        VerifyError::Unaccounted { hunk: 0, line: 1 },
    );
    // And where they may not differ, blank ones must be there as well.
    let planned = Planned::new("a\n\nb\n", vec![hunk(" a\n \n-b\n+c\n")]);
    planned.check_lie(
        |certificate| certificate.placements[0].map[1] = None,
        "a\n\nc\n",
        VerifyError::Unaccounted { hunk: 0, line: 1 },
    );
}

#[test]
fn only_blank_lines_are_skipped_and_only_where_they_may_differ() {
    let planned = Planned::new("a\nx\n", vec![hunk(" a\n-x\n")]);
    let check = |before: &str, tier: Tier, allowed: bool| {
        let mut certificate = planned.certificate.clone();
        certificate.file = Certificate::fingerprint(before.as_bytes());
        certificate.placements[0].tier = tier;
        certificate.placements[0].map = vec![Some(0), Some(2)];
        let after = before.replace("x\n", "");
        let verdict = verify(before.as_bytes(), &planned.hunks, &certificate, after.as_bytes());
        let expected = if allowed { Ok(()) } else { Err(VerifyError::Skipped { hunk: 0, file_line: 3 }) };
        assert_eq!(verdict, expected, "{before:?} at {tier:?}");
    };
    check("a\n\nx\n", Tier::Exact, false);
    check("a\n\nx\n", Tier::BlankLines, true);
    check("a\nb\nx\n", Tier::BlankLines, false);
    check("a\nb\nx\n", Tier::Fuzzy, false);
}

#[test]
fn a_line_that_one_hunk_removes_is_not_context_of_another() {
    let planned = Planned::new(FILE, vec![hunk("-    alpha();\n"), hunk("     beta();\n+    new();\n")]);
    for swap in [false, true] {
        let mut certificate = planned.certificate.clone();
        let mut hunks = planned.hunks.clone();
        hunks[1] = hunk("     alpha();\n+    new();\n");
        certificate.placements[1].map = vec![Some(1), None];
        if swap {
            certificate.placements.swap(0, 1);
        }
        let after = FILE.replace("    alpha();\n", "    new();\n");
        let verdict = verify(&planned.before, &hunks, &certificate, after.as_bytes());
        assert_eq!(verdict, Err(VerifyError::ClaimedTwice(2)));
    }
}

#[test]
fn new_lines_that_nothing_places_are_caught() {
    // Below lines that were left out, nothing says where they go.
    let mut planned = Planned::new(FILE, vec![hunk("     alpha();\n+    new();\n")]);
    planned.hunks = vec![hunk("     alpha();\n ...\n+    new();\n")];
    planned.certificate.placements[0].map = vec![Some(1), None, None];
    let verdict = verify(&planned.before, &planned.hunks, &planned.certificate, &planned.after);
    assert_eq!(verdict, Err(VerifyError::Unaccounted { hunk: 0, line: 0 }));
    // And behind the end of the file there is nothing.
    planned.hunks = vec![hunk("+    new();\n")];
    planned.certificate.placements[0].map = vec![None];
    planned.certificate.placements[0].insert_at = 99;
    let verdict = verify(&planned.before, &planned.hunks, &planned.certificate, &planned.after);
    assert_eq!(verdict, Err(VerifyError::Unaccounted { hunk: 0, line: 0 }));
}

#[test]
fn new_lines_end_as_their_neighbours_do() {
    let check = |before: &str, wrong: &[&str]| {
        let planned = Planned::new(before, vec![hunk(" a\n+n\n b\n")]);
        for wrong in wrong {
            let verdict = verify(&planned.before, &planned.hunks, &planned.certificate, wrong.as_bytes());
            assert!(matches!(verdict, Err(VerifyError::WrongResult(_))), "{before:?} {wrong:?} {verdict:?}");
        }
    };
    check("a\r\nb\r\n", &["a\r\nn\nb\r\n", "a\r\nn\rb\r\n", "a\nn\nb\n"]);
    check("a\nb\n", &["a\nn\r\nb\n", "a\nn\rb\n"]);
    check("a\rb\r", &["a\rn\nb\r", "a\rn\r\nb\r"]);
    check("a\r\nb\n", &["a\r\nn\nb\n"]);
    check("x\na\r\nb", &["x\na\r\nn\nb", "x\na\r\nn\r\nb\n"]);
}

#[test]
fn indentation_follows_the_rule_of_the_certificate() {
    let before = "if x:\n    one()\n    two()\n";
    let planned = Planned::new(before, vec![hunk(" one()\n-two()\n+three()\n")]);
    assert_eq!(planned.after, b"if x:\n    one()\n    three()\n");
    for wrong in ["three()", "  three()", "     three()", "\tthree()"] {
        planned.check_result(&format!("if x:\n    one()\n{wrong}\n"), VerifyError::WrongResult(16));
    }
}

/// Whether the verifier lets one line of a hunk claim one line of the file at a tier, as context and as removed. At the
/// next looser tier it is a lie, because the stricter one is enough.
#[track_caller]
fn check_tier(tier: Tier, written: &str, found: &str, [context, removed]: [bool; 2]) {
    let before = format!("{found}\nx\n");
    for (sign, allowed) in [(' ', context), ('-', removed)] {
        let planned = Planned::new("y\nx\n", vec![hunk(" y\n-x\n")]);
        let mut certificate = planned.certificate.clone();
        certificate.file = Certificate::fingerprint(before.as_bytes());
        certificate.placements[0].tier = tier;
        let hunks = [hunk(&format!("{sign}{written}\n-x\n"))];
        let after = if sign == ' ' { format!("{found}\n") } else { String::new() };
        let verdict = verify(before.as_bytes(), &hunks, &certificate, after.as_bytes());
        let expected = if allowed { Ok(()) } else { Err(VerifyError::Mismatch { hunk: 0, file_line: 1 }) };
        assert_eq!(verdict, expected, "{sign}{written:?} for {found:?} at {tier:?}");
        let looser =
            [Tier::TrailingWhitespace, Tier::Spacing, Tier::LookAlikes, Tier::BlankLines, Tier::Fuzzy];
        for looser in looser.into_iter().filter(|looser| allowed && *looser > tier) {
            certificate.placements[0].tier = looser;
            let verdict = verify(before.as_bytes(), &hunks, &certificate, after.as_bytes());
            assert_eq!(verdict, Err(VerifyError::WrongTier { hunk: 0, needed: tier }), "{looser:?}");
        }
    }
}

#[test]
fn each_tier_allows_what_its_name_says_and_no_more() {
    use Tier::*;
    const NEVER: [bool; 2] = [false, false];
    const ALWAYS: [bool; 2] = [true, true];
    check_tier(Exact, "a b", "a b", ALWAYS);
    for tier in [Exact, LineEndings, Anchors, Seen, LinesUnverified] {
        check_tier(tier, "a b", "a b ", NEVER);
    }
    check_tier(TrailingWhitespace, "a b", "a b\t", ALWAYS);
    check_tier(TrailingWhitespace, "a b", " a b", NEVER);
    check_tier(Indentation, "a b", "\ta b ", ALWAYS);
    check_tier(Indentation, "a b", "a  b", NEVER);
    check_tier(Spacing, "a b", " a  b", ALWAYS);
    check_tier(Spacing, "a b", "ab", NEVER);
    check_tier(Spacing, "a b", "a c", NEVER);
    check_tier(LookAlikes, "say \"a\" - b", "say \u{201c}a\u{201d} \u{2013} b", ALWAYS);
    for tier in [LookAlikes, BlankLines] {
        check_tier(tier, "say (a)", "say [a]", NEVER);
        check_tier(tier, "say a1", "say a2", NEVER);
    }
    // Only lines that stay may differ by more than that, and not by much.
    check_tier(Fuzzy, "let total = sum(items);", "let totals = sum(items);", [true, false]);
    check_tier(Fuzzy, "let total = sum(items);", "return None;", NEVER);
}

/// The same change in every dialect that names or quotes lines.
fn families() -> Vec<(&'static str, String)> {
    let anchor = |line: usize| {
        let text = FILE.lines().nth(line - 1).expect("a line");
        format!("{line}{}", relay_edit::anchors::LineHash::of(text.as_bytes()))
    };
    let diff = "@@ -2,2 +2,2 @@\n     alpha();\n-    beta();\n+    changed();\n";
    let (old, new) = ("    alpha();\n    beta();\n", "    alpha();\n    changed();\n");
    let sections = format!("<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n");
    vec![
        ("new-unified", format!("```rust // {{a.rs}} new-unified\n{diff}```\n")),
        ("multi-search-replace", format!("```rust // {{a.rs}} multi-search-replace\n{sections}```\n")),
        ("unified", format!("--- a/a.rs\n+++ b/a.rs\n{diff}")),
        ("search-replace", format!("`a.rs`\n```\n{sections}```\n")),
        ("apply-patch", format!("*** Begin Patch\n*** Update File: a.rs\n{diff}*** End Patch\n")),
        ("edit-repl", format!("a.rs\n««« EDIT\n{old}═══════ REPL\n{new}»»» EDIT END\n")),
        ("hashline", format!("§a.rs\n≔{}..{}\n{new}", anchor(2), anchor(3))),
        (
            "commands",
            format!("[EDIT_FILE path=\"a.rs\" start_line=\"2\" end_line=\"3\"]\n{new}[/EDIT_FILE]\n"),
        ),
    ]
}

#[test]
fn faults_are_caught_in_every_dialect() {
    let before = format!("\u{feff}{}", FILE.replace('\n', "\r\n"));
    for (name, reply) in families() {
        let edits = relay_edit::parse(&reply, None).edits;
        let files = Snapshot {
            files: [("a.rs".to_owned(), before.clone().into_bytes())].into(),
            ..Default::default()
        };
        let planned = plan(&edits, &files);
        let [change] = planned.changes.as_slice() else { panic!("{name}: {planned:#?}") };
        let after = String::from_utf8(change.after.clone().expect("content")).expect("text");
        let certificate = &planned.outcomes[0].certificates[0];
        let Operation::Patch { hunks, .. } = &edits[0].operation else { panic!("{name}: {edits:?}") };
        let verdict = |after: &str| verify(before.as_bytes(), hunks, certificate, after.as_bytes());
        assert_eq!(verdict(&after), Ok(()), "{name}: {after}");
        let faults = [
            ("in the wrong place", before.replace("delta", "changed")),
            ("a line is lost", after.replace("    alpha();\r\n", "")),
            ("another line is lost", after.replace("    gamma();\r\n", "")),
            ("the new line is lost", after.replace("    changed();\r\n", "")),
            ("the old line is still there", after.replace("    changed", "    beta();\r\n    changed")),
            ("context changed", after.replace("alpha", "Alpha")),
            ("context is written as the reply has it", after.replace("    alpha();\r\n", "    alpha();\n")),
            ("all endings changed", after.replace("\r\n", "\n")),
            ("the new ending is another", after.replace("changed();\r\n", "changed();\n")),
            ("the mark is gone", after.replace('\u{feff}', "")),
            ("an elision is written", after.replace("    changed();", "    // ... existing code ...")),
            ("an elision stands for the rest", format!("{}...\r\n", after.split_at(40).0)),
            ("the final newline is gone", after.trim_end().to_owned()),
            ("nothing was done", before.clone()),
        ];
        for (fault, wrong) in faults {
            assert_ne!(wrong, after, "{name}: nothing is wrong");
            assert!(matches!(verdict(&wrong), Err(VerifyError::WrongResult(_))), "{name}: {fault}");
        }
    }
}

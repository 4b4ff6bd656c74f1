//! What holds for every input: nothing panics, pieces do not matter, untouched bytes stay, faults are caught.

use proptest::prelude::*;
use relay_edit::{Edit, EditStatus, Hunk, Operation, Snapshot, Strictness, parse, plan, plan_with, verify};

use crate::support::parse_in_pieces;

/// Lines of which some are alike, so that places come into question more than once.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-c]{1,2}",
        3 => "    [a-c]{1,3}\\(\\);",
        2 => "[a-z]{4,9} = \"[a-z]{1,6}\"",
        1 => Just(String::new()),
        1 => Just("}".to_owned()),
        1 => Just("\tx: \u{201c}y\u{201d}, ".to_owned()),
        1 => Just("...".to_owned()),
    ]
}

fn ending() -> impl Strategy<Value = &'static str> {
    prop_oneof![6 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r")]
}

/// A file with its own line endings, and perhaps no final newline.
fn file() -> impl Strategy<Value = String> {
    (prop::collection::vec(line(), 1..30), ending(), any::<bool>()).prop_map(|(lines, ending, finished)| {
        let mut text = lines.join(ending);
        if finished {
            text.push_str(ending);
        }
        text
    })
}

/// A change of a file: where it begins, how many lines go, and what comes.
fn change() -> impl Strategy<Value = (prop::sample::Index, usize, Vec<String>, usize)> {
    (any::<prop::sample::Index>(), 0..4_usize, prop::collection::vec(line(), 0..4), 0..4_usize)
}

fn split(text: &str) -> Vec<&str> {
    let ending = if text.contains("\r\n") {
        "\r\n"
    } else if text.contains('\n') {
        "\n"
    } else {
        "\r"
    };
    let mut lines: Vec<&str> = text.split(ending).collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// The hunk a good author would write for a change, with context around it.
fn hunk(
    text: &str,
    (at, removed, added, context): &(prop::sample::Index, usize, Vec<String>, usize),
) -> Hunk {
    let lines = split(text);
    let start = at.index(lines.len() + 1);
    let end = (start + removed).min(lines.len());
    let above = &lines[start.saturating_sub(*context)..start];
    let below = &lines[end..(end + context).min(lines.len())];
    let old: Vec<&str> = above.iter().chain(&lines[start..end]).chain(below).copied().collect();
    let new: Vec<&str> =
        above.iter().copied().chain(added.iter().map(String::as_str)).chain(below.iter().copied()).collect();
    Hunk::from_sides(&old, &new, 1)
}

fn edit(hunks: Vec<Hunk>) -> Edit {
    let operation = Operation::Patch { hunks, base: relay_edit::Base::Original };
    Edit { path: "a".to_owned(), operation, dialect: relay_edit::Dialect::Unified, line: 1 }
}

fn snapshot(text: &[u8]) -> Snapshot {
    Snapshot { files: [("a".to_owned(), text.to_vec())].into(), ..Default::default() }
}

/// Fragments of every dialect, to be put together at random.
fn reply() -> impl Strategy<Value = String> {
    let fragments = prop::sample::select(vec![
        "```",
        "````",
        "~~~",
        "```ts // {a.ts}",
        "```ts // {a.ts} new-unified",
        "```diff",
        "```diff // {b} multi-search-replace",
        "```json // rename-file",
        "{\"from\": \"a\", \"to\": \"b\"}",
        "// START",
        "// END",
        "//TODO: delete this file",
        "a.ts",
        "src/b.rs",
        "**src/b.rs**",
        "--- a/x",
        "+++ b/x",
        "--- /dev/null",
        "+++ /dev/null",
        "@@ -1,2 +1,3 @@",
        "@@ ... @@",
        "@@",
        "+a",
        "-b",
        " c",
        "\\ No newline at end of file",
        "diff --git a/x b/x",
        "rename from x",
        "rename to y",
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "------- SEARCH",
        "-------",
        "*** Begin Patch",
        "*** Update File: a",
        "*** Add File: b",
        "*** Delete File: c",
        "*** Move to: d",
        "*** End of File",
        "*** End Patch",
        "*** Abort",
        "««« EDIT",
        "═══════ REPL",
        "»»» EDIT END",
        "§a",
        "»1aa",
        "«EOF",
        "≔1aa..2bb",
        "≔3cc",
        "[CREATE_FILE path=\"a\"]",
        "[/CREATE_FILE]",
        "[EDIT_FILE path=\"a\" start_line=\"1\" end_line=\"2\"]",
        "[/EDIT_FILE]",
        "[DELETE_FILE path=\"a\"]",
        "[RUN_COMMAND]",
        "projectId: x",
        "uuid: y",
        "changeSummary:",
        "  - edit: a",
        "",
        "",
        "text",
        "  indented",
        "...",
        "// ... existing code ...",
        "\u{feff}",
        "\u{2026}",
        "}",
        "- item",
    ]);
    let line = prop_oneof![20 => fragments.prop_map(str::to_owned), 1 => "\\PC{0,12}", 1 => "[ -~]{0,20}"];
    (prop::collection::vec(line, 0..40), prop_oneof![Just("\n"), Just("\r\n")])
        .prop_map(|(lines, ending)| lines.join(ending))
}

proptest! {
    // `PROPTEST_CASES` makes the run longer.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_reply_is_read_the_same_in_pieces_and_never_panics(text in reply(), before in file()) {
        let parsed = parse_in_pieces(&text);
        let mut files = snapshot(before.as_bytes());
        files.files.insert("a.ts".to_owned(), before.clone().into_bytes());
        files.files.insert("x".to_owned(), before.into_bytes());
        let planned = plan(&parsed.edits, &files);
        prop_assert_eq!(planned.outcomes.len(), parsed.edits.len());
        let failed = planned.outcomes.iter().any(|outcome| outcome.status == EditStatus::Failed);
        prop_assert!(!failed || planned.changes.is_empty());
        prop_assert!(!failed || planned.diagnostics.iter().any(relay_edit::Diagnostic::is_error));
        for finding in parsed.diagnostics.iter().chain(&planned.diagnostics) {
            prop_assert!(finding.hint.is_some() && finding.line.is_some(), "{:?}", finding);
        }
    }

    #[test]
    fn a_hunk_that_lands_exactly_once_does_what_it_says(before in file(), change in change()) {
        let hunk = hunk(&before, &change);
        if !(hunk.old_lines().next().is_some() && (hunk.adds() || hunk.removes())) { return Ok(()) }
        let planned = plan_with(&[edit(vec![hunk.clone()])], &snapshot(before.as_bytes()), &relay_edit::Options { strictness: Strictness::Exact, ..Default::default() });
        if let [outcome] = planned.outcomes.as_slice() && outcome.status == EditStatus::Applied {
            let after = String::from_utf8(planned.changes[0].after.clone().expect("content")).expect("text");
            let placement = &outcome.certificates[0].placements[0];
            let (lines, old_len) = (split(&before), hunk.old_lines().count());
            let start = placement.first_line();
            let new: Vec<&str> = hunk.new_lines().collect();
            let expected: Vec<&str> = lines[..start].iter().chain(&new).chain(&lines[start + old_len..]).copied().collect();
            // An empty file has no lines, and neither has one whose only line lost its ending.
            let joined = |lines: &[&str]| lines.concat();
            prop_assert_eq!(joined(&split(&after)), joined(&expected));
        }
    }

    #[test]
    fn bytes_outside_the_placed_lines_are_the_same(before in file(), first in change(), second in change()) {
        let hunks = vec![hunk(&before, &first), hunk(&before, &second)];
        let planned = plan(&[edit(hunks)], &snapshot(before.as_bytes()));
        let Some(change) = planned.changes.first() else { return Ok(()) };
        let after = change.after.clone().expect("content");
        let placements = planned.outcomes.iter().flat_map(|outcome| &outcome.certificates).flat_map(|certificate| &certificate.placements);
        let (mut low, mut high) = (usize::MAX, 0);
        for placement in placements {
            low = low.min(placement.first_line());
            high = high.max(placement.end_line());
        }
        let ending = if before.contains("\r\n") { "\r\n" } else if before.contains('\n') { "\n" } else { "\r" };
        let pieces: Vec<&str> = before.split_inclusive(ending).collect();
        let head: String = pieces[..low.min(pieces.len())].concat();
        prop_assert!(after.starts_with(head.trim_end_matches(['\r', '\n']).as_bytes()));
        let tail: String = pieces[high.min(pieces.len())..].concat();
        prop_assert!(after.ends_with(tail.as_bytes()), "{:?} {:?}", String::from_utf8_lossy(&after), tail);
    }

    #[test]
    fn applying_an_addition_twice_is_applying_it_once(before in file(), change in change()) {
        let hunk = hunk(&before, &change);
        if !(hunk.adds()) { return Ok(()) }
        let edits = [edit(vec![hunk])];
        let once = plan(&edits, &snapshot(before.as_bytes()));
        let Some(first) = once.changes.first() else { return Ok(()) };
        let tied = once.outcomes.iter().flat_map(|outcome| &outcome.certificates).flat_map(|certificate| &certificate.placements).any(|placement| placement.tie.is_some());
        // New text that is nothing but brackets cannot be recognised again.
        let Operation::Patch { hunks, .. } = &edits[0].operation else { return Ok(()) };
        let recognisable = hunks[0].new_lines().any(|line| line.chars().any(char::is_alphanumeric));
        if tied || !recognisable { return Ok(()) }
        let after = first.after.clone().expect("content");
        let twice = plan(&edits, &snapshot(&after));
        prop_assert!(twice.changes.is_empty(), "{:?} -> {:?} -> {:?}", before, String::from_utf8_lossy(&after), twice);
    }

    #[test]
    fn the_verifier_catches_planted_faults(before in file(), change in change(), fault in any::<prop::sample::Index>(), kind in 0..6_usize) {
        let hunk = hunk(&before, &change);
        if !(hunk.adds() || hunk.removes()) { return Ok(()) }
        let planned = plan(&[edit(vec![hunk.clone()])], &snapshot(before.as_bytes()));
        let Some(change) = planned.changes.first() else { return Ok(()) };
        let after = change.after.clone().expect("content");
        let certificate = &planned.outcomes[0].certificates[0];
        let hunks = [hunk];
        prop_assert_eq!(verify(before.as_bytes(), &hunks, certificate, &after), Ok(()));
        let mut broken = after.clone();
        let mut lying = certificate.clone();
        match kind {
            // A changed byte, a lost one, a doubled one.
            0 if !broken.is_empty() => { let at = fault.index(broken.len()); broken[at] ^= 0x15; }
            1 if !broken.is_empty() => { broken.remove(fault.index(broken.len())); }
            2 if !broken.is_empty() => { let at = fault.index(broken.len()); let byte = broken[at]; broken.insert(at, byte); }
            // A line that moved, a wrong place, the certificate of another file.
            3 => {
                let mut lines: Vec<&[u8]> = after.split_inclusive(|byte| *byte == b'\n').collect();
                if lines.len() <= 1 { return Ok(()) }
                let at = fault.index(lines.len() - 1);
                lines.swap(at, at + 1);
                broken = lines.concat();
            }
            4 => {
                let placed: Vec<usize> = lying.placements[0].map.iter().enumerate().filter(|(_, line)| line.is_some()).map(|(at, _)| at).collect();
                if placed.is_empty() { return Ok(()) }
                for slot in lying.placements[0].map.iter_mut().flatten() { *slot += 1; }
            }
            _ => lying.file ^= 1,
        }
        if !(broken != after || lying != *certificate) { return Ok(()) }
        let verdict = verify(before.as_bytes(), &hunks, &lying, &broken);
        // Moved by one line a hunk can come to stand on equal lines; then the result must still be the same bytes.
        if verdict.is_ok() {
            prop_assert!(kind == 4 && broken == after, "{:?} {:?}", String::from_utf8_lossy(&before.clone().into_bytes()), String::from_utf8_lossy(&broken));
        }
    }
}

#[test]
fn parsing_at_once_is_parsing_in_pieces_for_a_long_mixed_reply() {
    let reply = "Why.\n\n```ts // {a.ts}\nx\n```\n--- a/b\n+++ b/b\n@@\n-1\n+2\n\nc.rs\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\n```yaml\nprojectId: p\nuuid: u\n```\n";
    let parsed = parse_in_pieces(reply);
    assert_eq!(parsed.edits.len(), 3, "{parsed:#?}");
    assert_eq!(parsed, parse(reply, None));
}

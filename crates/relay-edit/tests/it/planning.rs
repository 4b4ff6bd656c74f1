//! Several edits together: the virtual state, renames, failures.

use relay_edit::{EditStatus, codes};

use crate::support::{check_fails, files, parse_ok, plan_reply, search_replace};

const RENAME: &str = "```json // rename-file\n{\"from\": \"a.txt\", \"to\": \"b.txt\"}\n```\n";
const DELETE: &str = "```text // {a.txt}\n//TODO: delete this file\n```\n";

fn write(path: &str, content: &str) -> String {
    format!("```text // {{{path}}}\n{content}```\n")
}

#[test]
fn files_are_created_changed_deleted_and_renamed() {
    let plan = plan_reply(&[("a.txt", "a\n")], &write("new/b.txt", "b\n"));
    assert_eq!(plan.outcomes[0].placement, "new file");
    assert_eq!((plan.changes[0].path.as_str(), plan.changes[0].before.clone()), ("new/b.txt", None));
    let plan = plan_reply(&[("a.txt", "a\n")], DELETE);
    assert_eq!((plan.changes[0].path.as_str(), plan.changes[0].after.clone()), ("a.txt", None));
    let plan = plan_reply(&[("a.txt", "a\n")], RENAME);
    assert_eq!(plan.changes.len(), 2);
    assert_eq!(plan.changes[1].renamed_from.as_deref(), Some("a.txt"));
    assert_eq!(plan.changes[1].after.as_deref(), Some(&b"a\n"[..]));
}

#[test]
fn a_file_can_be_renamed_and_then_edited() {
    let edit = search_replace("a\n", "x\n").replace("{a.txt}", "{b.txt}");
    let plan = plan_reply(&[("a.txt", "a\n")], &format!("{RENAME}{edit}"));
    assert_eq!(plan.changes[1].after.as_deref(), Some(&b"x\n"[..]));
    assert_eq!(plan.changes[1].renamed_from.as_deref(), Some("a.txt"));
    assert_eq!(
        plan.outcomes.iter().map(|outcome| outcome.status).collect::<Vec<_>>(),
        [EditStatus::Applied; 2]
    );
}

#[test]
fn several_edits_of_one_file_follow_each_other() {
    let plan = plan_reply(
        &[("a.txt", "a\nb\n")],
        &format!("{}{}", search_replace("a\n", "x\n"), search_replace("x\nb\n", "y\n")),
    );
    assert_eq!(plan.changes.len(), 1);
    assert_eq!(plan.changes[0].before.as_deref(), Some(&b"a\nb\n"[..]));
    assert_eq!(plan.changes[0].after.as_deref(), Some(&b"y\n"[..]));
}

#[test]
fn a_file_that_ends_as_it_began_is_unchanged() {
    let plan = plan_reply(&[("a.txt", "a\n")], &write("a.txt", "a\n"));
    assert_eq!((plan.changes.len(), plan.outcomes[0].status), (0, EditStatus::Unchanged));
    let plan = plan_reply(
        &[("a.txt", "a\n")],
        &format!("{}{}", search_replace("a\n", "b\n"), search_replace("b\n", "a\n")),
    );
    assert!(plan.changes.is_empty() && plan.diagnostics.is_empty());
}

#[test]
fn an_empty_search_creates_and_fills_and_nothing_else() {
    let plan = plan_reply(&[], &search_replace("", "x\n"));
    assert_eq!(plan.changes[0].after.as_deref(), Some(&b"x\n"[..]));
    let plan = plan_reply(&[("a.txt", "")], &search_replace("", "x\n"));
    assert_eq!(plan.changes[0].after.as_deref(), Some(&b"x\n"[..]));
    check_fails(&[("a.txt", "a\n")], &search_replace("", "x\n"), codes::NO_ANCHOR);
}

#[test]
fn missing_and_taken_names_are_reported() {
    let finding = check_fails(&[("src/a.txt", "a\n")], &search_replace("a\n", "b\n"), codes::MISSING_FILE);
    assert!(finding.hint.expect("a hint").contains("`src/a.txt`"));
    check_fails(&[], DELETE, codes::MISSING_FILE);
    check_fails(&[], RENAME, codes::MISSING_FILE);
    check_fails(&[("a.txt", "a\n"), ("b.txt", "b\n")], RENAME, codes::FILE_EXISTS);
}

#[test]
fn one_failure_empties_the_plan_and_all_are_reported() {
    let reply =
        format!("{}{}{}", write("n.txt", "n\n"), search_replace("x\n", "y\n"), search_replace("z\n", "y\n"));
    let plan = plan_reply(&[("a.txt", "a\n")], &reply);
    assert!(plan.changes.is_empty());
    let statuses: Vec<_> = plan.outcomes.iter().map(|outcome| outcome.status).collect();
    assert_eq!(statuses, [EditStatus::Applied, EditStatus::Failed, EditStatus::Failed]);
    assert_eq!(plan.diagnostics.iter().map(|finding| finding.line).collect::<Vec<_>>(), [Some(5), Some(12)]);
}

#[test]
fn placements_carry_certificates_the_verifier_accepts() {
    let before = b"a\nb\n".to_vec();
    let reply = parse_ok(&search_replace("b\n", "c\n"));
    let plan = relay_edit::plan(&reply.edits, &files(&[("a.txt", "a\nb\n")]));
    let relay_edit::Operation::Patch { hunks, .. } = &reply.edits[0].operation else { panic!("a patch") };
    let certificate = &plan.outcomes[0].certificates[0];
    let after = plan.changes[0].after.as_deref().expect("content");
    assert_eq!(relay_edit::verify(&before, hunks, certificate, after), Ok(()));
    assert!(relay_edit::verify(&before, hunks, certificate, b"a\nc\nx\n").is_err());
    assert!(relay_edit::verify(b"a\nb\nc\n", hunks, certificate, after).is_err());
}

#[test]
fn very_many_failures_are_counted_and_not_listed() {
    let edit = |at: usize| format!("a.txt\n<<<<<<< SEARCH\nno line {at}\n=======\nx\n>>>>>>> REPLACE\n\n");
    let reply: String = (0..1000).map(edit).collect();
    let plan = plan_reply(&[("a.txt", "one\ntwo\n")], &reply);
    assert_eq!(plan.outcomes.iter().filter(|outcome| outcome.status == EditStatus::Failed).count(), 1000);
    assert_eq!(plan.diagnostics.len(), 201);
    let last = plan.diagnostics.last().expect("a finding");
    assert_eq!(last.message, "… and 800 more edits that failed or were not tried any more");
}

/// The nearest hunks with one place each decide, however many without one stand between.
#[test]
fn the_order_of_hunks_decides_across_thousands_of_them() {
    let file = format!("wanted\nfirst\n{}wanted\n", "same\n".repeat(2000));
    let between = |at: usize| format!("@@ -{0},1 +{0},1 @@\n-same\n+other {at}\n", at + 3);
    let reply = format!(
        "--- a/a.txt\n+++ b/a.txt\n@@\n-first\n+FIRST\n{}@@\n-wanted\n+WANTED\n",
        (0..2000).map(between).collect::<String>()
    );
    let plan = plan_reply(&[("a.txt", &file)], &reply);
    let after = plan.changes[0].after.as_deref().expect("a file");
    assert!(after.ends_with(b"other 1999\nWANTED\n"), "{:?}", plan.diagnostics);
}

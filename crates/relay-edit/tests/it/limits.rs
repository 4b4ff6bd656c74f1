//! What is too much is refused with the limit in the message, and costs no more than its size.

use relay_edit::{EditStatus, Reply, codes, parse};

use crate::support::plan_reply;

/// Checks that a reply is refused as a whole, for one reason that names the limit.
#[track_caller]
fn check_too_long(text: &str, limit: &str) {
    let Reply { edits, diagnostics, reasoning, .. } = parse(text, None);
    let [only] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
    assert_eq!(only.code, codes::REPLY_TOO_LONG);
    assert!(only.is_error() && only.message.contains(limit) && only.hint.is_some(), "{only:?}");
    assert!(edits.is_empty() && reasoning.is_empty());
}

#[test]
fn a_reply_has_a_limit_on_lines_and_edits() {
    check_too_long(&"\n".repeat(2_000_001), "2000000 lines");
    let envelope = |count: usize| format!("{}*** End Patch\n", "*** Delete File: a\n".repeat(count));
    check_too_long(&envelope(100_001), "100000 edits");
    assert_eq!(parse(&envelope(100_000), None).edits.len(), 100_000);
    let sections: String = (0..100_100).map(|at| format!("§f{at}\n»EOF\nx\n")).collect();
    check_too_long(&sections, "100000 edits");
}

#[test]
fn hundreds_of_findings_are_counted() {
    for text in [
        format!("*** Add File: a\n{}", "no sign\n".repeat(1_000)),
        format!("```text // {{a}} multi-search-replace\n{}```\n", "=======\n".repeat(1_000)),
        format!("```diff // {{a}} new-unified\n{}@@\n-a\n```\n", "no hunk\n".repeat(1_000)),
        format!("§a\n{}", "»EOF\n".repeat(1_000)),
    ] {
        let diagnostics = parse(&text, None).diagnostics;
        assert_eq!(diagnostics.len(), 201, "{text}");
        let last = diagnostics.last().expect("a finding");
        assert_eq!(last.code, codes::NOT_LISTED);
        assert!(last.is_error() && last.message.contains("800 more"), "{last:?}");
    }
}

/// Each block may have ended at its first fence, so that all that follows is read again, and again.
#[test]
fn blocks_inside_each_other_are_not_read_again_for_ever() {
    let blocks = |count: usize| {
        let inner = "p.txt\n```\n// START\n```\n".repeat(count);
        format!("```text // {{a}}\n// START\n```\n{inner}```text // {{b}}\nx\n```\n")
    };
    let codes = |count: usize| -> Vec<_> {
        parse(&blocks(count), None).diagnostics.iter().map(|finding| finding.code).collect()
    };
    assert!(codes(20).is_empty(), "{:?}", codes(20));
    assert!(codes(2_000).contains(&codes::AMBIGUOUS_FENCE));
}

#[test]
fn after_hundreds_of_lost_hunks_the_others_are_not_looked_for() {
    let hunks: String = (0..300).map(|at| format!("@@\n-no such line {at}\n+x\n")).collect();
    let plan =
        plan_reply(&[("a.txt", "one\n")], &format!("--- a/a.txt\n+++ b/a.txt\n{hunks}@@\n-one\n+two\n"));
    assert_eq!(plan.outcomes[0].status, EditStatus::Failed);
    let last = plan.diagnostics.last().expect("a finding");
    assert!(last.message.starts_with("201 more hunks"), "{last:?}");
    assert!(plan.changes.is_empty());
}

/// Trying to apply them together fails at their first pair; what can be applied one by one still is.
#[test]
fn edits_that_cannot_be_applied_together_are_applied_one_by_one() {
    let file: String = (0..400).map(|at| format!("line {at}\n")).collect();
    let section = |at: usize| section(&format!("line {at}"), &format!("new {at}"));
    let reply: String = (0..400).map(|at| format!("a.txt\n{}", section(at))).collect();
    let plan = plan_reply(&[("a.txt", &file)], &reply);
    assert!(plan.outcomes.iter().all(|outcome| outcome.status == EditStatus::Applied));
    let after = plan.changes[0].after.clone().expect("a file");
    assert_eq!(String::from_utf8(after).expect("text"), file.replace("line", "new"));
}

fn section(old: &str, new: &str) -> String {
    format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
}

/// What stands in the file already leaves it as it is, however large that is and in however many sections it is said.
#[test]
fn very_many_sections_that_are_applied_already_change_nothing() {
    let lines: String = (0..200).map(|at| format!("line {at}\n")).collect();
    let file = format!("{lines}{}\n", "x".repeat(2_000_000));
    let done = |at: usize| section(&format!("line was {at}"), &format!("line {at}"));
    let sections = (0..200).map(done).collect::<String>().repeat(5);
    let fenced = format!("```text // {{a.txt}} multi-search-replace\n{sections}```\n");
    for reply in [format!("a.txt\n{sections}"), fenced] {
        let plan = plan_reply(&[("a.txt", &file)], &reply);
        assert_eq!(plan.diagnostics, []);
        let outcomes = plan.outcomes.iter().map(|outcome| (outcome.status, outcome.placement.as_str()));
        let mut others = outcomes.filter(|outcome| *outcome != (EditStatus::Unchanged, "already applied"));
        assert_eq!(others.next(), None);
        assert!(plan.changes.is_empty());
    }
}

#[test]
fn sections_behind_those_that_are_applied_already_are_applied() {
    let file: String = (0..20).map(|at| format!("line {at}\n")).collect();
    let done = |at: usize| section(&format!("line was {at}"), &format!("line {at}"));
    let open = section("line 15", "new 15");
    let reply = format!("a.txt\n{}{open}{}", (0..15).map(done).collect::<String>(), done(17));
    let plan = plan_reply(&[("a.txt", &file)], &reply);
    let mut expected = [EditStatus::Unchanged; 17];
    expected[15] = EditStatus::Applied;
    let statuses: Vec<EditStatus> = plan.outcomes.iter().map(|outcome| outcome.status).collect();
    assert_eq!(statuses, expected);
    let after = plan.changes[0].after.clone().expect("a file");
    assert_eq!(String::from_utf8(after).expect("text"), file.replace("line 15", "new 15"));
}

#[test]
fn a_file_of_very_many_lines_is_not_edited_but_deleted() {
    let file = "\n".repeat(4_000_001);
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,2 @@\n \n+x\n";
    for reply in [patch, "a.txt\n```\nx\n```\n", "§a.txt\n»EOF\nx\n"] {
        let plan = plan_reply(&[("a.txt", &file)], reply);
        assert_eq!(plan.outcomes[0].status, EditStatus::Failed, "{reply}");
        let [only] = plan.diagnostics.as_slice() else { panic!("{:?}", plan.diagnostics) };
        assert_eq!(only.code, codes::TOO_LARGE);
        assert!(only.message.contains("4000000 lines") && only.hint.is_some(), "{only:?}");
        assert!(plan.changes.is_empty());
    }
    let deleted = plan_reply(&[("a.txt", &file)], "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n");
    assert_eq!(deleted.outcomes[0].status, EditStatus::Applied);
    let shorter = plan_reply(&[("a.txt", &file[1..])], patch);
    assert_eq!(shorter.outcomes[0].status, EditStatus::Applied, "{:?}", shorter.diagnostics);
}

#[test]
fn for_few_of_many_misspelt_paths_a_better_one_is_named() {
    let missing = |at: usize| format!("*** Delete File: src/mian{at}.rs\n");
    let reply = format!("*** Begin Patch\n{}*** End Patch\n", (0..60).map(missing).collect::<String>());
    let plan = plan_reply(&[("src/main.rs", "")], &reply);
    let named = plan
        .diagnostics
        .iter()
        .filter(|finding| finding.hint.as_deref() == Some("did you mean `src/main.rs`?"));
    assert_eq!((plan.diagnostics.len(), named.count()), (60, 50));
}

/// Small files too: it is the number of files that counts then.
#[test]
fn the_file_that_was_meant_is_not_looked_for_without_end() {
    let named = |count: usize| {
        let names: Vec<String> = (0..count).map(|at| format!("f{at:04}")).collect();
        let others = names.iter().map(|name| (name.as_str(), "a\n"));
        let files: Vec<(&str, &str)> = others.chain([("z", "wanted line\n")]).collect();
        let hunk = |name: &String| format!("--- a/{name}\n+++ b/{name}\n@@\n-wanted line\n+x\n");
        let plan = plan_reply(&files, &names.iter().take(150).map(hunk).collect::<String>());
        assert_eq!(plan.diagnostics.len(), 150);
        let hints = plan.diagnostics.iter().filter_map(|finding| finding.hint.as_deref());
        hints.filter(|hint| hint.contains("`z`")).count()
    };
    assert_eq!(named(400), 150);
    // 100 MB are as much as a hundred thousand looks into such files.
    assert_eq!(named(2_000), 49);
}

//! The control block: where it is found and how leniently it is read.

use relay_edit::{Control, codes, parse};

use crate::support::{parse_in_pieces, parse_ok};

const BLOCK: &str = "```ts // {a.ts}\nx\n```\n\n";
const YAML: &str = "projectId: shop\nuuid: 4f9c2c1e-6c1b-4e0a-9a53-0d3f6b7e8a21\n";

fn control(yaml: &str) -> Control {
    parse_ok(&format!("{BLOCK}```yaml\n{yaml}```\n")).control.expect("a control block")
}

#[test]
fn is_found_fenced_or_bare() {
    for (open, close) in
        [("```yaml\n", "```\n"), ("```yml\n", "```\n"), ("```\n", "```"), ("", ""), ("---\n", "")]
    {
        let reply = parse_in_pieces(&format!("Why.\n\n{BLOCK}{open}{YAML}{close}"));
        assert!(reply.diagnostics.is_empty(), "{:#?}", reply.diagnostics);
        let control = reply.control.expect("a control block");
        assert_eq!(control.project_id.as_deref(), Some("shop"));
        assert_eq!(control.uuid.as_deref(), Some("4f9c2c1e-6c1b-4e0a-9a53-0d3f6b7e8a21"));
        assert_eq!(reply.reasoning, "Why.", "{open:?}");
    }
}

#[test]
fn other_yaml_is_not_a_control_block() {
    assert!(parse_ok(&format!("{BLOCK}```yaml\nname: x\n```\n")).control.is_none());
    assert!(parse_ok(&format!("```yaml // {{a.yml}}\n{YAML}```\n")).control.is_none());
    assert!(parse_ok("No changes.\n").control.is_none());
}

#[test]
fn the_last_one_counts() {
    let reply = parse_in_pieces(&format!("```yaml\nprojectId: other\n```\n\n{BLOCK}```yaml\n{YAML}```\n"));
    assert_eq!(reply.control.expect("a control block").project_id.as_deref(), Some("shop"));
}

#[test]
fn every_key_is_read() {
    let control = control(&format!(
        "{YAML}changeSummary:\n  - edit: a.ts\n  - new: \"b c.ts\"\n  - delete: c.ts\n  - rename: {{from: d.ts, to: e.ts}}\n  - rename: f.ts -> g.ts\n  - edit h.ts\ngitCommitMsg: \"fix: a thing\"\npromptSummary: do it\nunknown: [1, 2]\n"
    ));
    let items: Vec<_> =
        control.change_summary.iter().map(|item| (item.verb.as_str(), item.path.as_str())).collect();
    assert_eq!(
        items,
        [
            ("edit", "a.ts"),
            ("new", "b c.ts"),
            ("delete", "c.ts"),
            ("rename", "d.ts -> e.ts"),
            ("rename", "f.ts -> g.ts"),
            ("edit", "h.ts")
        ]
    );
    assert_eq!(control.git_commit_msg.as_deref(), Some("fix: a thing"));
    assert_eq!(control.prompt_summary.as_deref(), Some("do it"));
    assert_eq!(control.line, 5);
}

#[test]
fn a_commit_message_may_be_a_list() {
    assert_eq!(
        control(&format!("{YAML}gitCommitMsg:\n  - one\n  - two\n")).git_commit_msg.as_deref(),
        Some("one\ntwo")
    );
}

#[test]
fn numbers_and_words_stay_texts() {
    let control = control("projectId: 42\nuuid: no\n");
    assert_eq!(control.project_id.as_deref(), Some("42"));
    assert_eq!(control.uuid.as_deref(), Some("no"));
}

#[track_caller]
fn check_bad(yaml: &str, line: usize) {
    let reply = parse_in_pieces(&format!("{BLOCK}```yaml\n{yaml}```\n"));
    let finding = reply.diagnostics.iter().find(|finding| finding.code == codes::BAD_CONTROL);
    let finding = finding.unwrap_or_else(|| panic!("{:#?}", reply.diagnostics));
    assert_eq!(finding.line, Some(line), "{finding:#?}");
    assert!(finding.is_error() && finding.hint.is_some());
}

#[test]
fn broken_yaml_is_reported_with_its_line_in_the_reply() {
    check_bad("projectId: shop\nuuid: [a\nx: 1\n", 8);
    check_bad("projectId: shop\nuuid: {a: 1}\n", 5);
}

#[test]
fn anchors_and_aliases_are_refused() {
    check_bad("projectId: &a shop\nuuid: *a\n", 6);
}

#[test]
fn text_after_it_is_a_warning() {
    for after in ["Bye.\n", BLOCK] {
        let reply = parse_in_pieces(&format!("```yaml\n{YAML}```\n\n{after}"));
        assert_eq!(reply.diagnostics.len(), 1);
        assert_eq!(reply.diagnostics[0].code, codes::CONTROL_NOT_LAST);
        assert!(!reply.diagnostics[0].is_error());
        assert!(reply.control.is_some());
    }
}

#[test]
fn a_name_that_looks_like_a_number_stays_a_name() {
    let read = control("projectId: 007   # the film\nuuid: 1234567812345678\n");
    assert_eq!((read.project_id.as_deref(), read.uuid.as_deref()), (Some("007"), Some("1234567812345678")));
    assert_eq!(control("projectId: 1e3\nuuid: x\n").project_id.as_deref(), Some("1e3"));
}

#[test]
fn the_receipt_is_read_from_the_block_or_from_a_line_however_decorated() {
    let found = |text: &str| parse(text, None).receipt;
    let block = |line: &str| format!("Done.\n\n```yaml\nprojectId: x\nuuid: y\n{line}\n```\n");
    for line in ["receipt: r-0f3c9a17b2", "receipt: \"R-0F3C9A17B2\"", "receipt: <r-0f3c9a17b2>"] {
        assert_eq!(found(&block(line)).as_deref(), Some("r-0f3c9a17b2"), "{line}");
    }
    for line in [
        "Receipt: r-0f3c9a17b2",
        "**Receipt:** `r-0f3c9a17b2`",
        "> receipt id = R-0F3C9A17B2.",
        "<!-- receipt: r-0f3c9a17b2 -->",
    ] {
        assert_eq!(found(&format!("Hello.\n\n{line}\n")).as_deref(), Some("r-0f3c9a17b2"), "{line}");
    }
    assert_eq!(
        found("receipt: r-0f3c9a17b2\nuuid: x\n").as_deref(),
        Some("r-0f3c9a17b2"),
        "bare YAML at the end"
    );
    for text in ["Keep the receipt r-0f3c9a17b2.\n", "Receipt: none\n", "Receipt: r-12\n", ""] {
        assert_eq!(found(text), None, "{text}");
    }
    let two = "Receipt: r-0f3c9a17b2\nReceipt: r-1111111111\n";
    assert_eq!(found(two).as_deref(), Some("r-1111111111"), "the last one counts");
    assert_eq!(
        found(&block("receipt: gone")).as_deref(),
        Some("gone"),
        "what is no id is told as it was written"
    );
}

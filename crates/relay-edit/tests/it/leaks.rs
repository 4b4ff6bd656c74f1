//! Replies into which a model's own routing leaked: cut at the last clean edit, in every dialect.

use relay_edit::{Dialect, Parser, Reply, codes, parse};

/// What a leak looks like behind good code.
const JUNK: &str = "】【\"】【analysis to=functions.edit code above เงินไทยฟรีuser to=functions.edit code …";

/// A document about leaks, in which every kind of quoting occurs.
const ERRATA: &str = include_str!("leaks/errata.md");

fn paths(reply: &Reply) -> Vec<&str> {
    reply.edits.iter().map(|edit| edit.path.as_str()).collect()
}

fn leaks(reply: &Reply) -> Vec<Option<usize>> {
    let found = reply.diagnostics.iter().filter(|finding| finding.code == codes::LEAKED_ROUTING);
    found.map(|finding| finding.line).collect()
}

/// A reply with one line for each of these files, in each dialect.
fn written(dialect: Dialect, lines: &[(&str, &str)]) -> String {
    let one = |(path, line): &(&str, &str)| match dialect {
        Dialect::Fenced => format!("```ts // {{{path}}}\n{line}\n```\n\n"),
        Dialect::Unified => {
            format!("```diff\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+{line}\n```\n\n")
        }
        Dialect::SearchReplace => {
            format!("{path}\n```\n<<<<<<< SEARCH\nold\n=======\n{line}\n>>>>>>> REPLACE\n```\n\n")
        }
        Dialect::ApplyPatch => {
            format!("*** Begin Patch\n*** Update File: {path}\n@@\n-old\n+{line}\n*** End Patch\n\n")
        }
        Dialect::EditRepl => {
            format!("{path}\n««« EDIT\nold\n═══════ REPL\n{line}\n»»» EDIT END\n\n")
        }
        Dialect::Hashline => format!("§{path}\n≔1ab\n{line}\n"),
        Dialect::Commands => format!("[CREATE_FILE path=\"{path}\"]\n{line}\n[/CREATE_FILE]\n\n"),
        Dialect::WholeFile => format!("`{path}`:\n```ts\n{line}\n```\n\n"),
        other => panic!("nobody writes {other:?}"),
    };
    lines.iter().map(one).collect()
}

#[test]
fn the_edits_before_a_leak_are_kept_and_no_others() {
    for dialect in Dialect::ALL {
        let reply =
            |line: &str| written(*dialect, &[("a.ts", "one();"), ("b.ts", line), ("c.ts", "three();")]);
        assert_eq!(paths(&parse(&reply("good();"), None)), ["a.ts", "b.ts", "c.ts"], "{dialect:?}");
        let leaked = parse(&reply(&format!("good();{JUNK}")), None);
        assert_eq!((paths(&leaked), leaks(&leaked).len()), (vec!["a.ts"], 1), "{dialect:?}: {leaked:?}");
    }
}

#[test]
fn a_file_is_cut_at_its_last_clean_operation() {
    let sections = format!("§a.ts\n≔1ab..1ab\none();\n≔2cd..2cd\ntwo();{JUNK}\n≔3ef..3ef\nthree();\n");
    let reply = parse(&sections, None);
    let Some(relay_edit::Operation::Patch { hunks, .. }) = reply.edits.first().map(|edit| &edit.operation)
    else {
        panic!("{reply:?}");
    };
    assert_eq!((hunks.len(), leaks(&reply)), (1, vec![Some(4)]), "{reply:?}");
}

#[test]
fn a_leak_that_swallows_the_end_of_its_block_is_reported_as_a_leak() {
    let clean = "```ts // {a.ts}\none();\n```\n\n";
    for reply in [
        format!("{clean}```ts // {{b.ts}}\ntwo();{JUNK}\n"),
        format!("{clean}*** Begin Patch\n*** Update File: b.ts\n@@\n-old\n+two();{JUNK}\n"),
        format!("{clean}b.ts\n<<<<<<< SEARCH\nold\n=======\ntwo();{JUNK}"),
    ] {
        let parsed = parse(&reply, None);
        assert_eq!((paths(&parsed), leaks(&parsed).len()), (vec!["a.ts"], 1), "{reply}: {parsed:?}");
    }
}

#[test]
fn a_leak_between_edits_ends_the_reply() {
    let reply =
        "```ts // {a.ts}\none();\n```\n\nassistant to=functions.edit code\n\n```ts // {b.ts}\ntwo();\n```\n";
    let parsed = parse(reply, None);
    assert_eq!((paths(&parsed), leaks(&parsed)), (vec!["a.ts"], vec![Some(5)]));
}

#[test]
fn how_a_reply_is_cut_into_pieces_makes_no_difference() {
    let reply =
        written(Dialect::Fenced, &[("a.ts", "one();"), ("b.ts", &format!("two();{JUNK}")), ("c.ts", "x")]);
    for bytes in [1, 7, 64] {
        let mut parser = Parser::new(None);
        let mut pieces = Vec::new();
        let mut rest = reply.as_str();
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at(rest.ceil_char_boundary(bytes.min(rest.len())));
            pieces.extend(parser.push(piece));
            rest = tail;
        }
        assert_eq!(pieces.len(), 1, "nothing from the leak on is handed out");
        assert_eq!(parser.finish(), parse(&reply, None));
    }
}

#[test]
fn quoted_leaks_are_not_reported() {
    let edit = "```ts // {a.ts}\none();\n```\n";
    let as_prose = parse(&format!("{ERRATA}\n{edit}"), None);
    assert_eq!((paths(&as_prose), leaks(&as_prose)), (vec!["a.ts"], vec![]), "{as_prose:?}");
    let as_file = parse(&format!("````md // {{ERRATA.md}}\n{ERRATA}````\n\n{edit}"), None);
    assert_eq!((paths(&as_file), leaks(&as_file)), (vec!["ERRATA.md", "a.ts"], vec![]), "{as_file:?}");
    let lines: String = ERRATA.lines().map(|line| format!("+{line}\n")).collect();
    let count = ERRATA.lines().count();
    let as_diff = parse(&format!("--- /dev/null\n+++ b/ERRATA.md\n@@ -0,0 +1,{count} @@\n{lines}"), None);
    assert_eq!((paths(&as_diff), leaks(&as_diff)), (vec!["ERRATA.md"], vec![]), "{as_diff:?}");
    // A file that had a leak in it is mended.
    let mended = format!("--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-two();{JUNK}\n+two();\n");
    assert_eq!(leaks(&parse(&mended, None)), []);
}

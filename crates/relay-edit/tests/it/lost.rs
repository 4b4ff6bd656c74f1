//! Replies from which a marker, a fence or half a header was lost: what is left lands as the whole reply would have, or
//! not at all.
//!
//! The replies are the cases that `relay apply` is scored on. Half of what was asked for must never look like all of it.

use std::collections::BTreeMap;

use relay_edit::{Snapshot, parse, plan};
use serde_json::Value;

/// Path to content.
type Files = BTreeMap<String, Vec<u8>>;

/// One case in each line.
const CASES: &str = include_str!("../../../relay/tests/fixtures/peers.jsonl");

/// Cases whose content holds markers and fences, so that a line less is another text.
const QUOTING: &[&str] = &[
    "fence-in-content", "fences-inside", "plain-dashes", "conflict-head", "markers-in-replace", "plus-lines",
    "shows-edits", "rules-are",
];

#[test]
fn the_rest_of_a_damaged_reply_lands_like_the_whole_or_not_at_all() {
    let mut tried = 0;
    for case in CASES.lines().map(|line| serde_json::from_str::<Value>(line).expect("a case")) {
        let (id, reply) = (case["id"].as_str().expect("an id"), case["response"].as_str().expect("a reply"));
        let before = files(&case["files"]);
        let Some(whole) = apply(&before, reply) else { continue };
        if QUOTING.iter().any(|noise| id.contains(noise)) {
            continue;
        }
        let lines: Vec<&str> = reply.split('\n').collect();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| holds_together(line)) {
            // Half of a path is another path, so a line with one is lost as a whole.
            let half: String = line.chars().take(line.chars().count() / 2).collect();
            let half = Some(half.as_str()).filter(|_| !names_file(line));
            for damaged in [None].into_iter().chain(half.map(Some)) {
                let rest = lines.iter().enumerate();
                let left: Vec<&str> = rest
                    .filter_map(|(other, line)| if other == at { damaged } else { Some(*line) })
                    .collect();
                let left = left.join("\n");
                let after = apply(&before, &left);
                let fine = after.as_ref().is_none_or(|after| *after == whole || *after == before);
                assert!(fine, "{id}, line {}: {line}\n{left}\n{after:#?}", at + 1);
                tried += 1;
            }
        }
    }
    assert!(tried > 3_000, "{tried}");
}

/// Whether a line is a marker, a fence or a header, without which the lines around it mean something else.
fn holds_together(line: &str) -> bool {
    const STARTS: &[&str] =
        &["```", "~~~", "<<<<", ">>>>", "====", "------- ", "+++++++ ", "«««", "═══", "»»»"];
    const PATCH: &[&str] = &["*** Begin", "*** End P", "*** Update", "--- ", "+++ "];
    STARTS.iter().chain(PATCH).any(|start| line.trim().starts_with(start))
}

fn names_file(line: &str) -> bool {
    line.contains(['/', '.']) || line.starts_with("***")
}

fn files(value: &Value) -> Files {
    let texts = value.as_object().into_iter().flatten();
    texts.map(|(path, text)| (path.clone(), text.as_str().unwrap_or_default().into())).collect()
}

/// The files afterwards; `None` when the reply is refused.
fn apply(before: &Files, reply: &str) -> Option<Files> {
    let reply = parse(reply, None);
    let snapshot = Snapshot { files: before.clone(), ..Snapshot::default() };
    let plan = plan(&reply.edits, &snapshot);
    let mut findings = reply.diagnostics.iter().chain(&plan.diagnostics);
    let reviewed = plan.outcomes.iter().any(|outcome| outcome.needs_review);
    if reply.edits.is_empty() || reviewed || findings.any(relay_edit::Diagnostic::is_error) {
        return None;
    }
    let mut after = before.clone();
    for change in plan.changes {
        match change.after {
            Some(bytes) => after.insert(change.path, bytes),
            None => after.remove(&change.path),
        };
    }
    Some(after)
}

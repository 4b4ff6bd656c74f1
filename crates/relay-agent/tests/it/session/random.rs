//! Random logs and trees: nothing is ever changed or lost, every entry has one parent, and what a model sees at any leaf is
//! what the simple reference says.

use proptest::prelude::*;
use relay_agent::session::body::{
    Compaction, Custom, McpToolSelection, ModeChange, ModelChange, ServiceTierChange, ThinkingLevelChange,
    TtsrInjection,
};
use relay_agent::session::message::CustomMessage;
use relay_agent::session::{Body, Entry, Leaf, Message, SessionLog, Summary, context};
use serde_json::{Value, json};

use super::reference::{reference, said};
use super::support::{Counting, Home, answer, tool_result};

/// Something that happens to a session. Numbers choose among the entries there are.
#[derive(Clone, Debug)]
enum Step {
    Append(u8, String),
    Compact(usize),
    Branch(usize),
    Reset,
    BranchWithSummary(Option<usize>),
    Label(usize, bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..13_u8, "[a-zé\n\"]{0,8}").prop_map(|(kind, text)| Step::Append(kind, text)),
        1 => any::<usize>().prop_map(Step::Compact),
        3 => any::<usize>().prop_map(Step::Branch),
        1 => Just(Step::Reset),
        1 => proptest::option::of(any::<usize>()).prop_map(Step::BranchWithSummary),
        1 => (any::<usize>(), any::<bool>()).prop_map(|(entry, set)| Step::Label(entry, set)),
    ]
}

fn body(kind: u8, text: &str) -> Body {
    let text = text.to_owned();
    match kind {
        0..=2 => Message::user(&text).into(),
        3..=4 => answer(&text).into(),
        5 => tool_result("bash", &text).into(),
        6 => ModelChange {
            model: format!("p/{text}"),
            role: Some("smol".to_owned()),
            ..ModelChange::default()
        }
        .into(),
        7 => ThinkingLevelChange { thinking_level: Some(text) }.into(),
        8 => ServiceTierChange { service_tier: Some(json!(text)) }.into(),
        9 => ModeChange { mode: text, data: None }.into(),
        10 => TtsrInjection { injected_rules: vec!["a".to_owned(), text] }.into(),
        11 => McpToolSelection { selected_tool_names: vec![text] }.into(),
        _ => match text.len() % 3 {
            0 => Custom { custom_type: text, data: Some(json!(1)) }.into(),
            1 => Body::ResetBoundary,
            _ => CustomMessage {
                custom_type: "x".to_owned(),
                content: text.as_str().into(),
                display: true,
                ..CustomMessage::default()
            }
            .into(),
        },
    }
}

fn chosen(log: &SessionLog, number: usize) -> Option<String> {
    let entries = log.entries();
    (!entries.is_empty()).then(|| entries[number % entries.len()].id().to_owned())
}

/// Does a step and checks what it may change.
fn take(log: &mut SessionLog, step: &Step) {
    let before: Vec<String> = log.entries().iter().map(|entry| entry.line().to_owned()).collect();
    let leaf = log.leaf().cloned();
    let (count, parent) = match step {
        Step::Append(kind, text) => {
            log.append(body(*kind, text)).unwrap();
            (1, leaf.clone())
        }
        Step::Compact(number) => {
            let kept = chosen(log, *number);
            let compaction =
                Compaction { summary: "s".to_owned(), first_kept_entry_id: kept, ..Compaction::default() };
            log.append(compaction).unwrap();
            (1, leaf.clone())
        }
        Step::Branch(number) => {
            if let Some(id) = chosen(log, *number) {
                log.branch(&id).unwrap();
                assert_eq!(log.leaf().unwrap().as_str(), id);
            }
            (0, None)
        }
        Step::Reset => {
            log.reset_leaf();
            (0, None)
        }
        Step::BranchWithSummary(number) => {
            let to = number.and_then(|number| chosen(log, number));
            let summary = Summary { text: "left".to_owned(), ..Summary::default() };
            log.branch_with_summary(to.as_deref(), summary).unwrap();
            (1, to.as_deref().map(Into::into))
        }
        Step::Label(number, set) => match chosen(log, *number) {
            Some(id) => {
                log.set_label(&id, set.then_some("name")).unwrap();
                assert_eq!(log.labels().get(&id), set.then_some("name"));
                (1, leaf.clone())
            }
            None => (0, None),
        },
    };
    let after: Vec<&str> = log.entries().iter().map(Entry::line).collect();
    assert_eq!(after.len(), before.len() + count);
    assert_eq!(&after[..before.len()], &before, "entries never change");
    if count == 1 {
        let new = log.entries().last().unwrap();
        assert_eq!(new.parent_id(), parent.as_deref());
        assert_eq!(log.leaf().unwrap().as_str(), new.id(), "a new entry is the leaf");
        assert!(
            new.id().len() == 8
                && before.iter().all(|line| !line.contains(&format!("\"id\":\"{}\"", new.id())))
        );
    }
}

/// What a model sees at every leaf, and at none, is what the reference says.
fn check_contexts(log: &SessionLog) {
    let lines: Vec<Value> =
        log.entries().iter().map(|entry| serde_json::from_str(entry.line()).unwrap()).collect();
    assert!(context(log.entries(), Leaf::Root).messages.is_empty());
    for entry in log.entries() {
        let found = context(log.entries(), Leaf::Entry(entry.id()));
        assert_eq!(said(&found), reference(&lines, Some(entry.id())), "at {}", entry.id());
    }
    assert_eq!(
        said(&log.context()),
        reference(&lines, log.leaf().map(relay_agent::session::EntryId::as_str))
    );
    if let Some(last) = log.entries().last() {
        let fallback = context(log.entries(), Leaf::Entry("missing"));
        assert_eq!(fallback, context(log.entries(), Leaf::Entry(last.id())));
        assert_eq!(fallback, context(log.entries(), Leaf::Last));
    }
}

/// Every entry is in the tree once, after its parent.
fn check_tree(log: &SessionLog) {
    let tree = log.tree();
    let order = tree.in_order();
    assert_eq!(order.len(), log.entries().len());
    let mut passed: Vec<(usize, &str)> = Vec::new();
    for (depth, node) in order {
        while passed.last().is_some_and(|(above, _)| *above >= depth) {
            passed.pop();
        }
        assert_eq!(passed.last().map(|(_, id)| *id), node.entry.parent_id());
        assert_eq!(node.label, log.labels().get(node.entry.id()));
        passed.push((depth, node.entry.id()));
    }
}

fn check(mut log: SessionLog, steps: &[Step]) -> SessionLog {
    for step in steps {
        take(&mut log, step);
    }
    check_contexts(&log);
    check_tree(&log);
    log
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn a_log_only_grows_and_every_context_is_the_references(steps in proptest::collection::vec(step(), 0..40)) {
        let stamps = Box::new(Counting::default());
        check(SessionLog::in_memory_with(std::path::Path::new("/p"), stamps), &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_log_is_the_same_after_a_restart(steps in proptest::collection::vec(step(), 0..25)) {
        let home = Home::new();
        let mut log = SessionLog::create_with(&home.store, &home.project(), Box::new(Counting::default()));
        log.persist().unwrap();
        let path = log.path().unwrap().to_path_buf();
        let log = check(log, &steps);
        let entries = log.entries().to_vec();
        let labels = log.labels().clone();
        drop(log);
        let again = SessionLog::open(&home.store, &path).unwrap();
        prop_assert!(again.damage().is_empty());
        prop_assert_eq!(again.entries(), &entries[..]);
        prop_assert_eq!(again.labels(), &labels);
        check_contexts(&again);
    }
}

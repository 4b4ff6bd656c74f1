//! Navigating a session's tree, and copying it.

use relay_agent::session::body::{Custom, ROOT};
use relay_agent::session::message::CustomMessage;
use relay_agent::session::{Body, Entry, EntryId, Message, Selection, SessionError, SessionLog, Summary};

use super::support::{Home, answer, texts};

/// Question, answer, and a second question with an answer.
fn conversation(log: &mut SessionLog) -> [EntryId; 4] {
    let bodies = vec![
        Message::user("one").into(),
        answer("first").into(),
        Message::user("two").into(),
        answer("second").into(),
    ];
    log.append_all(bodies).unwrap().try_into().unwrap()
}

#[test]
fn branching_moves_the_leaf_and_writes_nothing() {
    let home = Home::new();
    let mut log = SessionLog::create(&home.store, &home.project());
    let [_, first, ..] = conversation(&mut log);
    let path = log.path().unwrap().to_path_buf();
    let before = std::fs::read(&path).unwrap();
    log.branch(&first).unwrap();
    assert_eq!(
        (texts(&log), std::fs::read(&path).unwrap()),
        (vec!["one".to_owned(), "first".to_owned()], before)
    );
    log.append(Message::user("other")).unwrap();
    assert_eq!(texts(&log), ["one", "first", "other"]);
    assert_eq!(log.children(Some(&first)).len(), 2);
    log.reset_leaf();
    assert!(log.context().messages.is_empty() && log.path_to_leaf().is_empty());
    log.append(Message::user("afresh")).unwrap();
    assert_eq!(texts(&log), ["afresh"]);
    assert_eq!(log.children(None).len(), 2);
    assert!(matches!(log.branch("gone"), Err(SessionError::NoEntry { .. })));
}

#[test]
fn a_summary_is_attached_at_the_new_place() {
    let mut log = SessionLog::in_memory(std::path::Path::new("/p"));
    let [_, first, two, second] = conversation(&mut log);
    let abandoned: Vec<&str> = log.abandoned_by(Some(&first)).iter().map(|entry| entry.id()).collect();
    assert_eq!(abandoned, [two.as_str(), second.as_str()]);
    assert!(log.abandoned_by(Some(&second)).is_empty(), "nothing to summarise");
    let id = log
        .branch_with_summary(Some(&first), Summary { text: "went wrong".to_owned(), ..Summary::default() })
        .unwrap();
    assert_eq!(log.entry(&id).unwrap().parent_id(), Some(first.as_str()));
    assert_eq!(texts(&log), ["one", "first", "went wrong"]);
    let id = log.branch_with_summary(None, Summary { text: "all".to_owned(), ..Summary::default() }).unwrap();
    let Body::BranchSummary(summary) = log.entry(&id).unwrap().body() else { panic!("not a summary") };
    assert_eq!((summary.from_id.as_str(), log.entry(&id).unwrap().parent_id()), (ROOT, None));
    let leaf = log.leaf().cloned();
    assert!(log.branch_with_summary(Some("gone"), Summary::default()).is_err());
    assert_eq!(log.leaf().cloned(), leaf, "a refused move moves nothing");
}

#[test]
fn selecting_a_message_of_the_user_puts_it_into_the_editor() {
    let mut log = SessionLog::in_memory(std::path::Path::new("/p"));
    let [one, first, two, second] = conversation(&mut log);
    let note =
        CustomMessage { custom_type: "x".to_owned(), content: "note".into(), ..CustomMessage::default() };
    let note = log.append(note).unwrap();
    let state = log.append(Custom { custom_type: "x".to_owned(), data: None }).unwrap();
    let select = |id: &EntryId| log.select(id).unwrap();
    let editor = |leaf: Option<&EntryId>, text: &str| {
        Some(Selection { leaf: leaf.cloned(), editor_text: Some(text.to_owned()) })
    };
    assert_eq!(select(&one), editor(None, "one"), "a root resets the leaf");
    assert_eq!(select(&two), editor(Some(&first), "two"));
    assert_eq!(select(&note), editor(Some(&second), "note"));
    assert_eq!(select(&second), Some(Selection { leaf: Some(second.clone()), editor_text: None }));
    assert_eq!(select(&state), None, "already there");
    assert!(log.select("gone").is_err());
}

#[test]
fn labels_are_set_cleared_and_read_again() {
    let home = Home::new();
    let mut log = SessionLog::create(&home.store, &home.project());
    let [one, first, ..] = conversation(&mut log);
    log.set_label(&one, Some(" start ")).unwrap();
    log.set_label(&first, Some("good")).unwrap();
    log.set_label(&first, Some("")).unwrap();
    assert_eq!((log.labels().get(&one), log.labels().get(&first)), (Some("start"), None));
    assert_eq!(log.labels().named("start").collect::<Vec<_>>(), [one.as_str()]);
    let path = log.path().unwrap().to_path_buf();
    assert!(
        std::fs::read_to_string(&path).unwrap().contains(&format!("\"targetId\":\"{first}\"}}\n")),
        "cleared"
    );
    drop(log);
    let log = SessionLog::open(&home.store, &path).unwrap();
    assert_eq!((log.labels().get(&one), log.labels().get(&first)), (Some("start"), None));
    assert!(log.tree().in_order().iter().any(|(_, node)| node.label == Some("start")));
}

#[test]
fn a_fork_is_the_whole_session_under_a_new_id() {
    let home = Home::new();
    let mut log = SessionLog::create(&home.store, &home.project());
    conversation(&mut log);
    log.artifacts().unwrap().save("bash", b"output").unwrap();
    let mut fork = log.fork(&home.store, &home.project()).unwrap();
    assert_ne!(fork.id(), log.id());
    assert_eq!(fork.header().parent_session(), log.path().unwrap().to_str());
    assert_eq!(fork.entries(), log.entries());
    assert_eq!(fork.artifacts().unwrap().read(0, 100).unwrap().unwrap(), b"output");
    fork.append(Message::user("only here")).unwrap();
    assert_eq!(log.entries().len() + 1, fork.entries().len());
}

#[test]
fn a_branch_becomes_a_file_of_its_own_with_its_labels() {
    let home = Home::new();
    let mut log = SessionLog::create(&home.store, &home.project());
    let [one, first, two, second] = conversation(&mut log);
    log.set_label(&one, Some("start")).unwrap();
    log.set_label(&second, Some("lost")).unwrap();
    log.branch(&first).unwrap();
    log.set_label(&first, Some("middle")).unwrap();
    let after_label = log.append(Message::user("three")).unwrap();
    let branch = log.branch_into_new(&home.store, Some(&after_label)).unwrap();
    assert_eq!(texts(&branch), ["one", "first", "three"]);
    assert_eq!((branch.labels().get(&one), branch.labels().get(&first)), (Some("start"), Some("middle")));
    assert!(branch.labels().get(&second).is_none() && branch.entry(&two).is_none());
    let parents: Vec<Option<&str>> = branch.entries().iter().map(|entry| entry.parent_id()).collect();
    let ids: Vec<&str> = branch.entries().iter().map(Entry::id).collect();
    assert_eq!(parents[0], None);
    assert!(
        parents[1..].iter().zip(&ids).all(|(parent, id)| *parent == Some(*id)),
        "one chain without holes"
    );
    assert!(branch.path().is_some_and(std::path::Path::exists));
    assert_eq!(branch.header().parent_session(), log.path().unwrap().to_str());
    let empty = log.branch_into_new(&home.store, None).unwrap();
    assert!(empty.entries().is_empty() && empty.path().is_none());
    assert_eq!(empty.header().parent_session(), log.path().unwrap().to_str());
    assert!(log.branch_into_new(&home.store, Some("gone")).is_err());
}

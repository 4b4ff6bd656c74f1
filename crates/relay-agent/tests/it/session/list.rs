//! Lists of sessions: right, and still right when files change under them.

use relay_agent::session::{Message, SessionLog, TitleSource, list, recent};

use super::support::{Home, answer};

#[test]
fn a_list_counts_what_was_added_and_forgets_what_is_gone() {
    let home = Home::new();
    let path = home.answered();
    let listed = || list(&home.store, Some(&home.project())).unwrap().sessions;
    assert_eq!((listed().len(), listed()[0].messages), (1, 2));
    assert_eq!(listed()[0].first_message, "question");
    assert_eq!(listed()[0].model.as_deref(), Some("anthropic/claude-sonnet-4-5"));
    let mut log = SessionLog::open(&home.store, &path).unwrap();
    log.append(Message::user("more")).unwrap();
    assert_eq!((listed()[0].messages, listed()[0].name.clone()), (3, None));
    log.set_name("a name", TitleSource::User).unwrap();
    assert_eq!(listed()[0].name.as_deref(), Some("a name"), "a rewritten file is read again");
    log.append(answer("end")).unwrap();
    assert_eq!((listed()[0].messages, listed()[0].name.as_deref()), (4, Some("a name")));
    drop(log);
    std::fs::remove_file(path).unwrap();
    assert!(listed().is_empty());
}

#[test]
fn sessions_without_messages_are_left_out_and_broken_ones_reported() {
    let home = Home::new();
    home.session_file("empty", &[]);
    home.raw_file("2026_broken.jsonl", b"{}\n");
    let found = list(&home.store, None).unwrap();
    assert!(found.sessions.is_empty());
    assert_eq!(found.unreadable.len(), 1);
}

#[test]
fn a_lost_or_damaged_table_changes_nothing() {
    let home = Home::new();
    home.answered();
    let before = list(&home.store, None).unwrap();
    std::fs::remove_dir_all(home.store.cache_dir()).unwrap();
    assert_eq!(list(&home.store, None).unwrap(), before);
    for name in ["sessions.db-wal", "sessions.db-shm"] {
        std::fs::remove_file(home.store.cache_dir().join(name)).ok();
    }
    std::fs::write(home.store.cache_dir().join("sessions.db"), vec![b'x'; 8192]).unwrap();
    assert_eq!(list(&home.store, None).unwrap(), before);
}

#[test]
fn recent_sessions_are_named_by_title_prompt_or_id() {
    let home = Home::new();
    let path = home.answered();
    home.session_file("0000aaaa", &[]);
    let long = format!(
        "{{\"type\":\"message\",\"id\":\"a\",\"message\":{{\"role\":\"user\",\"content\":\"\\u001b]0;{}\"}}}}",
        "x y ".repeat(30)
    );
    home.session_file("0000bbbb", &[&long]);
    let names = || {
        let mut names: Vec<String> = recent(&home.store, &home.project(), 9)
            .unwrap()
            .into_iter()
            .map(|session| session.name)
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["0000aaaa", "]0;x y x y x y x y x y x y x y x y x y x", "question"]);
    SessionLog::open(&home.store, &path).unwrap().set_name("my name", TitleSource::User).unwrap();
    assert!(names().contains(&"my name".to_owned()));
    assert_eq!(recent(&home.store, &home.project(), 1).unwrap().len(), 1);
}

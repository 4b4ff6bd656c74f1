//! Finding sessions again: by id, by its beginning, by terminal.

use relay_agent::session::{Message, Recent, SessionError, SessionLog};
use relay_store::Breadcrumb;

use super::support::{Home, answer};

#[test]
fn an_id_or_its_beginning_finds_a_session_of_this_project_first() {
    let home = Home::new();
    let one = home.session_file("aaaa1111", &[]);
    let two = home.session_file("aaaa2222", &[]);
    let find = |query: &str| SessionLog::find(&home.store, query, &home.project());
    assert_eq!(find("aaaa1").unwrap(), one);
    assert_eq!(find("aaaa2222").unwrap(), two);
    let Err(SessionError::Ambiguous { candidates, .. }) = find("aaaa") else { panic!("not ambiguous") };
    assert_eq!(candidates.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["aaaa1111", "aaaa2222"]);
    assert_eq!(find("bbbb").unwrap_err().to_string(), "Session \"bbbb\" not found.");
    assert_eq!(find(one.to_str().unwrap()).unwrap(), one, "a path is a path");
}

#[test]
fn a_session_of_another_project_is_named_and_can_be_forked() {
    let home = Home::new();
    let other = home.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let mut log = SessionLog::create(&home.store, &other);
    log.append_all(vec![Message::user("q").into(), answer("a").into()]).unwrap();
    let (id, path) = (log.id().to_owned(), log.path().unwrap().to_path_buf());
    drop(log);
    let error = SessionLog::resume(&home.store, &id, &home.project()).unwrap_err();
    let expected = format!("Session \"{id}\" is in another project ({})", other.display());
    assert_eq!(error.to_string(), expected);
    let SessionError::OtherProject { path: found, .. } = error else { panic!("{error}") };
    assert_eq!(found, path);
    let fork = SessionLog::fork_from(&home.store, &found, &home.project()).unwrap();
    assert_eq!((fork.cwd(), fork.entries().len()), (home.project().as_path(), 2));
    assert_eq!(SessionLog::resume(&home.store, &id, &other).unwrap().id(), id);
}

#[test]
fn two_terminals_each_continue_their_own_session() {
    let home = Home::new();
    let project = home.project();
    let (one, two) = (home.answered(), home.answered());
    let sessions = home.store.sessions();
    for (terminal, session) in [("/dev/pts/1", &one), ("/dev/pts/2", &two)] {
        let crumb = Breadcrumb { cwd: project.clone(), session: session.clone() };
        sessions.leave_breadcrumb(terminal, &crumb).unwrap();
    }
    let continued = |terminal: Option<&str>, cwd: &std::path::Path| {
        let (log, how) = SessionLog::continue_recent_in(&home.store, cwd, terminal).unwrap();
        (log.path().map(std::path::Path::to_path_buf), how)
    };
    assert_eq!(continued(Some("/dev/pts/1"), &project), (Some(one.clone()), Recent::OfTerminal));
    assert_eq!(continued(Some("/dev/pts/2"), &project), (Some(two.clone()), Recent::OfTerminal));
    assert_eq!(continued(Some("/dev/pts/3"), &project), (Some(two.clone()), Recent::Newest));
    assert_eq!(continued(None, &project), (Some(two.clone()), Recent::Newest));
    assert_eq!(continued(Some("/dev/pts/1"), home.path()), (None, Recent::New), "another folder");
    std::fs::remove_file(&one).unwrap();
    assert_eq!(
        continued(Some("/dev/pts/1"), &project),
        (Some(two.clone()), Recent::Newest),
        "the file is gone"
    );
    home.raw_file("2099_garbage.jsonl", b"not a session");
    assert_eq!(continued(None, &project), (Some(two), Recent::Newest), "a broken file is not in the way");
}

#[test]
fn projects_that_share_a_folder_are_distinguished() {
    let home = Home::new();
    let (one, other) = (home.path().join("a/b"), home.path().join("a-b"));
    for folder in [&one, &other] {
        std::fs::create_dir_all(folder).unwrap();
    }
    assert_eq!(home.store.sessions().folder_of(&one), home.store.sessions().folder_of(&other));
    let mut log = SessionLog::create(&home.store, &one);
    log.append_all(vec![Message::user("q").into(), answer("a").into()]).unwrap();
    drop(log);
    let (_, how) = SessionLog::continue_recent_in(&home.store, &other, None).unwrap();
    assert_eq!(how, Recent::New);
    assert!(relay_agent::session::list(&home.store, Some(&other)).unwrap().sessions.is_empty());
    assert_eq!(relay_agent::session::list(&home.store, Some(&one)).unwrap().sessions.len(), 1);
}

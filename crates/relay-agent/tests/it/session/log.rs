//! Writing sessions: when a file appears, what is in it, and what refuses to be written.

use relay_agent::session::body::{Custom, ModelChange};
use relay_agent::session::{Body, Entry, Message, SessionError, SessionLog};
use relay_store::StoreError;

use super::support::{Counting, Home, answer, texts, tool_result};

fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn nothing_is_written_before_the_first_answer() {
    let home = Home::new();
    let mut log = SessionLog::create_with(&home.store, &home.project(), Box::new(Counting::default()));
    log.append(Message::user("question")).unwrap();
    log.append(ModelChange { model: "p/m".to_owned(), ..ModelChange::default() }).unwrap();
    assert!(log.path().is_none() && !home.store.data_dir().exists(), "nothing was made");
    let id = log.append(answer("answer")).unwrap();
    let path = log.path().unwrap().to_path_buf();
    assert_eq!(path.file_name().unwrap(), "2025-10-09T08-53-21-000Z_0000000100000000.jsonl");
    let text = read(&path);
    let cwd = serde_json::Value::from(home.project().to_str().unwrap());
    let expected = [
        format!(
            r#"{{"type":"session","version":3,"id":"0000000100000000","timestamp":"2025-10-09T08:53:21.000Z","cwd":{cwd}}}"#
        ),
        r#"{"type":"message","id":"00000002","parentId":null,"timestamp":"2025-10-09T08:53:22.000Z","message":{"role":"user","content":"question"}}"#.to_owned(),
        r#"{"type":"model_change","id":"00000003","parentId":"00000002","timestamp":"2025-10-09T08:53:23.000Z","model":"p/m"}"#.to_owned(),
    ];
    for (line, expected) in text.lines().zip(&expected) {
        assert_eq!(line, expected);
    }
    assert!(text.lines().last().unwrap().contains(&format!(r#""id":"{id}","parentId":"00000003""#)));
    log.append(tool_result("bash", "done")).unwrap();
    assert_eq!(read(&path).lines().count(), 5);
    assert!(read(&path).starts_with(&text), "only appended");
}

#[test]
fn a_session_in_memory_leaves_no_file() {
    let home = Home::new();
    let mut log = SessionLog::in_memory(&home.project());
    log.append_all(vec![Message::user("q").into(), answer("a").into()]).unwrap();
    assert_eq!(texts(&log), ["q", "a"]);
    assert!(log.path().is_none() && log.artifacts().is_none() && !home.path().join("user").exists());
    assert!(matches!(log.fork(&home.store, &home.project()), Err(SessionError::InMemory { .. })));
}

#[test]
fn a_session_continues_where_it_ended() {
    let home = Home::new();
    let path = home.answered();
    let mut log = SessionLog::open(&home.store, &path).unwrap();
    assert_eq!(texts(&log), ["question", "answer"]);
    let last = log.leaf().unwrap().clone();
    log.append(Message::user("more")).unwrap();
    drop(log);
    let log = SessionLog::open(&home.store, &path).unwrap();
    assert_eq!(log.entries().last().unwrap().parent_id(), Some(last.as_str()));
    assert_eq!(texts(&log), ["question", "answer", "more"]);
}

#[test]
fn a_second_process_is_refused_with_the_first_ones_number() {
    let home = Home::new();
    let path = home.answered();
    let log = SessionLog::open(&home.store, &path).unwrap();
    let Err(SessionError::Store(error @ StoreError::InUse { .. })) = SessionLog::open(&home.store, &path)
    else {
        panic!("opened twice")
    };
    assert!(error.to_string().ends_with(&format!("(process {})", std::process::id())), "{error}");
    assert!(SessionLog::fork_from(&home.store, &path, &home.project()).is_ok(), "a copy can be made");
    drop(log);
    assert!(SessionLog::open(&home.store, &path).is_ok());
    let locks = home.store.state_dir().join("session-locks");
    assert_eq!(std::fs::read_dir(locks).unwrap().count(), 0, "locks of closed sessions are removed");
}

#[test]
fn writes_of_other_programs_are_not_overwritten() {
    let home = Home::new();
    let path = home.answered();
    let mut log = SessionLog::open(&home.store, &path).unwrap();
    let mut text = read(&path);
    text.push_str("{\"type\":\"custom\",\"id\":\"x\",\"parentId\":null,\"customType\":\"pi\"}\n");
    std::fs::write(&path, &text).unwrap();
    let refused = log.append(Message::user("more"));
    assert!(matches!(refused, Err(SessionError::Store(StoreError::ChangedElsewhere { .. }))), "{refused:?}");
    assert_eq!((read(&path), log.entries().len()), (text, 2), "nothing was added anywhere");
    drop(log);
    assert_eq!(SessionLog::open(&home.store, &path).unwrap().entries().len(), 3);
}

#[test]
fn a_file_that_is_not_a_session_stays_as_it_is() {
    let home = Home::new();
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("garbage", b"\x00\xff garbage\n"),
        ("headless", b"{\"type\":\"message\",\"id\":\"a\"}\n"),
        ("newer", b"{\"type\":\"session\",\"version\":4,\"id\":\"a\"}\n"),
    ] {
        let path = home.raw_file(&format!("2026_{name}.jsonl"), bytes);
        let error = SessionLog::open(&home.store, &path).unwrap_err();
        assert!(matches!(error, SessionError::Invalid { .. }), "{name}: {error}");
        assert!(error.hint().is_some());
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
    }
    let missing = SessionLog::open(&home.store, &home.path().join("missing.jsonl")).unwrap_err();
    assert!(matches!(missing, SessionError::NotFound { .. }));
}

#[test]
fn a_torn_last_line_stays_a_line_of_its_own() {
    let home = Home::new();
    let path = home.session_file("s", &[r#"{"type":"custom","id":"a","parentId":null,"customType":"t"}"#]);
    let mut text = read(&path);
    text.push_str(r#"{"type":"custom","id":"b","par"#);
    std::fs::write(&path, &text).unwrap();
    let mut log = SessionLog::open(&home.store, &path).unwrap();
    assert_eq!((log.entries().len(), log.damage().len()), (1, 1));
    log.append(Message::user("on")).unwrap();
    let now = read(&path);
    assert!(now.starts_with(&format!("{text}\n{{\"type\":\"message\"")), "{now}");
    drop(log);
    let log = SessionLog::open(&home.store, &path).unwrap();
    assert_eq!((log.entries().len(), log.damage().len()), (2, 1));
}

#[test]
fn an_old_session_is_brought_up_to_date_at_once() {
    let home = Home::new();
    let old = concat!(
        "{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"T\",\"cwd\":\"/p\",\"odd\":1}\n",
        "{\"type\":\"message\",\"timestamp\":\"T\",\"message\":{\"role\":\"hookMessage\",\"content\":\"b\"}}\n",
    );
    let path = home.raw_file("2024_s.jsonl", old.as_bytes());
    let log = SessionLog::open_with(&home.store, &path, Box::new(Counting::default())).unwrap();
    drop(log);
    assert_eq!(read(&path.with_extension("jsonl.old")), old, "the old file is kept");
    assert_eq!(
        read(&path),
        concat!(
            "{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"T\",\"cwd\":\"/p\",\"odd\":1,\"version\":3}\n",
            "{\"type\":\"message\",\"id\":\"00000001\",\"parentId\":null,\"timestamp\":\"T\",\"message\":{\"role\":\"custom\",\"content\":\"b\"}}\n",
        )
    );
}

#[test]
fn a_rewrite_keeps_every_other_line() {
    let home = Home::new();
    let lines = [
        r#"{"type":"future","id":"a","parentId":null, "odd" : [1]}"#,
        "not json",
        r#"{"type":"custom","id":"b","parentId":"a","customType":"t","extra":true}"#,
    ];
    let path = home.session_file("s", &lines);
    let mut log = SessionLog::open(&home.store, &path).unwrap();
    let prune = |entry: &Entry| {
        let changed = entry.patched(|object| drop(object.insert("data".to_owned(), 7.into())));
        (entry.id() == "b").then_some(changed.unwrap())
    };
    assert_eq!(log.rewrite(prune).unwrap(), 1);
    let rest: Vec<String> = read(&path).lines().skip(1).map(str::to_owned).collect();
    assert_eq!(&rest[..2], &lines[..2]);
    assert_eq!(
        rest[2],
        r#"{"type":"custom","id":"b","parentId":"a","customType":"t","extra":true,"data":7}"#
    );
    log.append(Custom { custom_type: "t".to_owned(), data: None }).unwrap();
    assert_eq!(read(&path).lines().count(), 5);
    let moved = log.rewrite(|_| Some(Entry::new("b", None, "T", Body::ResetBoundary)));
    assert!(matches!(moved, Err(SessionError::Unwritable { .. })));
}

//! Damaged files: a clear report, no panic, and the original bytes stay.

use relay_agent::session::{Message, SessionError, SessionLog};

use super::support::{Home, answer, is_long, texts};

/// A session of a few entries, with text that is more than ASCII.
fn sample(home: &Home) -> (std::path::PathBuf, Vec<u8>) {
    let mut log = SessionLog::create(&home.store, &home.project());
    log.append(Message::user("Grüße \u{1F600} \"quoted\"\n")).unwrap();
    log.append(answer("answer")).unwrap();
    log.append(Message::user("more")).unwrap();
    let path = log.path().unwrap().to_path_buf();
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}

/// Opens a file, adds to it if that is possible, and checks that everything that was in it still is.
fn open_and_append(home: &Home, path: &std::path::Path, bytes: &[u8]) -> usize {
    std::fs::write(path, bytes).unwrap();
    match SessionLog::open(&home.store, path) {
        Ok(mut log) => {
            let entries = log.entries().len();
            assert!(log.context().messages.len() <= entries);
            log.append(Message::user("after")).unwrap();
            drop(log);
            let now = std::fs::read(path).unwrap();
            let old = path.with_extension("jsonl.old");
            if !now.starts_with(bytes) {
                assert_eq!(std::fs::read(&old).unwrap(), bytes, "the original bytes stay");
                std::fs::remove_file(old).unwrap();
            }
            let again = SessionLog::open(&home.store, path).unwrap();
            assert_eq!(again.entries().len(), entries + 1);
            entries
        }
        Err(SessionError::Invalid { .. }) => {
            assert_eq!(std::fs::read(path).unwrap(), bytes, "the original bytes stay");
            0
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_file_cut_off_anywhere_opens_with_every_whole_line() {
    let home = Home::new();
    let (path, bytes) = sample(&home);
    let header = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    for end in 0..=bytes.len() {
        let entries = open_and_append(&home, &path, &bytes[..end]);
        let ended = bytes[..end].iter().filter(|byte| **byte == b'\n').count();
        let is_line_end = end < bytes.len() && bytes[end] == b'\n';
        let whole = if end < header { 0 } else { (ended + usize::from(is_line_end)).saturating_sub(1) };
        assert_eq!(entries, whole, "cut at {end}");
    }
}

#[test]
fn flipped_bytes_cost_at_most_their_line() {
    let home = Home::new();
    let (path, bytes) = sample(&home);
    let header = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    // The long run looks at every byte.
    for at in (0..bytes.len()).step_by(if is_long() { 1 } else { 5 }) {
        for flip in [0x01, 0x20, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            let entries = open_and_append(&home, &path, &damaged);
            assert!(entries >= 1 || at <= header, "byte {at} ^ {flip:#x} left {entries} entries");
        }
    }
}

#[test]
fn invalid_text_and_blank_lines_are_reported_by_line() {
    let home = Home::new();
    let (path, mut bytes) = sample(&home);
    bytes.extend_from_slice(b"\n\xff\xfe\xfd\n{\"type\":\"message\",\"id\":\"aaaa0001\",\"message\":{\"role\":\"user\",\"content\":\"fine\"}}\n");
    std::fs::write(&path, &bytes).unwrap();
    let log = SessionLog::open(&home.store, &path).unwrap();
    assert_eq!(log.entries().len(), 4);
    let [damage] = log.damage() else { panic!("{:?}", log.damage()) };
    assert_eq!(damage.to_string(), "line 6: it is not UTF-8 text");
}

#[test]
fn a_line_of_ten_megabytes_is_read_and_kept() {
    let home = Home::new();
    let (path, mut bytes) = sample(&home);
    let long = "x".repeat(10 << 20);
    bytes.extend_from_slice(format!("{{\"type\":\"message\",\"id\":\"aaaa0001\",\"parentId\":null,\"message\":{{\"role\":\"user\",\"content\":\"{long}\"}}}}\n").as_bytes());
    bytes.extend_from_slice(format!("{long}\n").as_bytes());
    assert_eq!(open_and_append(&home, &path, &bytes), 4);
    let mut log = SessionLog::open(&home.store, &path).unwrap();
    assert_eq!(texts(&log)[0].len(), 10 << 20, "a line that is there is not cut");
    log.set_name("named", relay_agent::session::TitleSource::User).unwrap();
    let now = std::fs::read(&path).unwrap();
    assert!(now.len() > bytes.len() && memchr::memmem::find(&now, long.as_bytes()).is_some());
}

#[test]
fn appended_texts_are_cut_the_same_in_memory_and_on_disk() {
    let home = Home::new();
    let mut log = SessionLog::create(&home.store, &home.project());
    log.append(Message::user(&"x".repeat(600_000))).unwrap();
    log.append(answer("a")).unwrap();
    let before = texts(&log);
    let path = log.path().unwrap().to_path_buf();
    drop(log);
    assert_eq!(texts(&SessionLog::open(&home.store, &path).unwrap()), before);
    assert!(
        before[0].len() == 500_000 && before[0].ends_with("[Session persistence truncated large content]")
    );
}

#[test]
fn a_hundred_thousand_entries_in_one_chain() {
    let home = Home::new();
    let lines: Vec<String> = (0..100_000)
        .map(|n: u32| {
            let parent = n.checked_sub(1).map_or("null".to_owned(), |n| format!("\"{n:08x}\""));
            format!(r#"{{"type":"message","id":"{n:08x}","parentId":{parent},"timestamp":"2026-02-16T10:20:30.000Z","message":{{"role":"user","content":"{n}"}}}}"#)
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let path = home.session_file("s", &lines);
    let mut log = SessionLog::open(&home.store, &path).unwrap();
    assert_eq!((log.entries().len(), log.path_to_leaf().len()), (100_000, 100_000));
    assert_eq!(log.tree().in_order().last().unwrap().0, 99_999);
    log.append(Message::user("on")).unwrap();
    assert_eq!(log.context().messages.len(), 100_001);
}

#[test]
fn circles_missing_parents_and_doubled_ids_do_no_harm() {
    let home = Home::new();
    let line = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"T","message":{{"role":"user","content":"{id}"}}}}"#
        )
    };
    let lines = [
        line("a", "c"),
        line("b", "a"),
        line("c", "b"),
        line("d", "d"),
        line("e", "gone"),
        line("a", "e"),
        line("f", "c"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let path = home.session_file("s", &lines);
    let mut log = SessionLog::open(&home.store, &path).unwrap();
    assert_eq!((log.entries().len(), log.damage().len()), (6, 1));
    assert_eq!(log.tree().in_order().len(), 6);
    assert_eq!(texts(&log), ["a", "b", "c", "f"]);
    for id in ["a", "b", "c", "d", "e"] {
        log.branch(id).unwrap();
        assert!(texts(&log).ends_with(&[id.to_owned()]), "{id}: {:?}", texts(&log));
    }
}

#[test]
fn deeply_nested_json_is_kept() {
    let home = Home::new();
    let deep = format!(
        r#"{{"type":"future","id":"a","parentId":null,"x":{}1{}}}"#,
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let path = home.session_file("s", &[&deep]);
    let mut log = SessionLog::open(&home.store, &path).unwrap();
    log.append(Message::user("on")).unwrap();
    log.set_name("n", relay_agent::session::TitleSource::User).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().contains(&deep));
}

//! What sessions cost: lists, opening, appending, contexts, and the search over prompts.
//!
//! `cargo bench -p relay-agent --bench sessions` prints a table with the limit for each number.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark is run by people who want to see it fail"
)]

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use relay_agent::session::{Leaf, Message, SessionLog, context, list, recent, search};
use relay_store::Store;

/// The best of this many runs counts, because other programs use the machine too.
const RUNS: usize = 7;

fn main() {
    println!("{:<58} {:>10} {:>10}", "what", "best", "limit");
    lists();
    long_session();
    contexts();
    prompts();
}

fn report(what: &str, limit_ms: u64, mut run: impl FnMut()) {
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
    }
    print(what, best, limit_ms);
}

fn print(what: &str, best: Duration, limit_ms: u64) {
    let limit = if limit_ms == 0 { String::new() } else { format!("{limit_ms} ms") };
    let verdict = if limit_ms > 0 && best > Duration::from_millis(limit_ms) { "  TOO SLOW" } else { "" };
    println!("{what:<58} {best:>10.2?} {limit:>10}{verdict}");
}

/// A store on the disk that `target` is on.
fn store() -> (tempfile::TempDir, Store) {
    let folder =
        tempfile::tempdir_in(std::env::var_os("CARGO_TARGET_TMPDIR").unwrap_or_else(|| ".".into())).unwrap();
    let store = Store::at(folder.path());
    (folder, store)
}

fn header(id: &str, cwd: &Path) -> String {
    let cwd = cwd.display();
    format!(
        r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-02-16T10:20:30.000Z","cwd":"{cwd}"}}"#
    ) + "\n"
}

/// A conversation of this many entries, in one chain: a question, answers with tool calls, and their results.
fn conversation(entries: u32, output_bytes: usize) -> String {
    let output = "let value = compute(index) + 1;\\n".repeat(output_bytes / 33 + 1);
    let mut text = String::new();
    for n in 0..entries {
        let parent = n.checked_sub(1).map_or("null".to_owned(), |n| format!("\"{n:08x}\""));
        let message = match n % 3 {
            0 => format!(
                r#"{{"role":"user","content":"question {n}: please look at the parser","timestamp":1}}"#
            ),
            1 => format!(
                r#"{{"role":"assistant","content":[{{"type":"text","text":"I look at it."}},{{"type":"toolCall","id":"call_{n}","name":"bash","arguments":{{"command":"cat src/main.rs"}}}}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120,"cost":{{"input":0.1,"output":0.1,"cacheRead":0,"cacheWrite":0,"total":0.2}}}},"stopReason":"toolUse","timestamp":2}}"#
            ),
            _ => format!(
                r#"{{"role":"toolResult","toolCallId":"call_{}","toolName":"bash","content":[{{"type":"text","text":"{output}"}}],"isError":false,"timestamp":3}}"#,
                n - 1
            ),
        };
        let place = format!(r#""id":"{n:08x}","parentId":{parent},"timestamp":"2026-02-16T10:20:30.000Z""#);
        writeln!(text, r#"{{"type":"message",{place},"message":{message}}}"#).unwrap();
    }
    text
}

fn lists() {
    let (_folder, store) = store();
    let project = Path::new("/bench/project");
    let folder = store.sessions().folder_of(project);
    std::fs::create_dir_all(&folder).unwrap();
    let lines = conversation(30, 200);
    for n in 0..10_000_u32 {
        let id = format!("{n:016x}");
        let text = header(&id, project) + &lines;
        std::fs::write(folder.join(format!("2026-02-16T10-20-30-000Z_{id}.jsonl")), text).unwrap();
    }
    let start = Instant::now();
    assert_eq!(list(&store, Some(project)).unwrap().sessions.len(), 10_000);
    print("list 10,000 sessions, never listed before", start.elapsed(), 0);
    report("list 10,000 sessions", 100, || {
        assert_eq!(list(&store, Some(project)).unwrap().sessions.len(), 10_000);
    });
    report("list 10,000 sessions of all projects", 100, || {
        assert_eq!(list(&store, None).unwrap().sessions.len(), 10_000);
    });
    report("the 20 most recent of 10,000 sessions", 100, || {
        assert_eq!(recent(&store, project, 20).unwrap().len(), 20);
    });
    report("find an id among 10,000 sessions", 100, || {
        SessionLog::find(&store, "00000000000000ff", project).unwrap();
    });
    report("search 10,000 sessions for words that are nowhere", 0, || {
        assert!(search(&store, None, "nowhere tobefound", 50).unwrap().is_empty());
    });
}

fn long_session() {
    let (_folder, store) = store();
    let project = Path::new("/bench/project");
    let folder = store.sessions().folder_of(project);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("2026_long.jsonl");
    let text = header("long", project) + &conversation(60_000, 4_400);
    let megabytes = text.len() / 1_000_000;
    std::fs::write(&path, &text).unwrap();
    drop(text);
    report(&format!("open a session of {megabytes} MB, 60,000 entries"), 500, || {
        assert_eq!(SessionLog::open(&store, &path).unwrap().entries().len(), 60_000);
    });
    let mut log = SessionLog::open(&store, &path).unwrap();
    report("append to it, durably", 0, || drop(log.append(Message::user("more")).unwrap()));
    drop(log);
    let mut log = SessionLog::create(&store, project);
    log.persist().unwrap();
    report("append to an empty session, durably", 0, || drop(log.append(Message::user("more")).unwrap()));
}

fn contexts() {
    let (_folder, store) = store();
    let project = Path::new("/bench/project");
    let folder = store.sessions().folder_of(project);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("2026_path.jsonl");
    std::fs::write(&path, header("path", project) + &conversation(5_000, 400)).unwrap();
    let fresh = || SessionLog::open(&store, &path).unwrap();
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let log = fresh();
        let start = Instant::now();
        assert_eq!(context(log.entries(), Leaf::Last).messages.len(), 5_000);
        best = best.min(start.elapsed());
    }
    print("the context of 5,000 entries, just opened", best, 10);
    let log = fresh();
    drop(log.context());
    report("the context of 5,000 entries, in a running session", 10, || {
        assert_eq!(log.context().messages.len(), 5_000);
    });
    report("the same as messages for a model", 0, || {
        assert!(log.context().to_llm(None).0.len() > 1_000);
    });
}

fn prompts() {
    const WORDS: [&str; 10] =
        ["parser", "session", "tree", "cache", "lexer", "branch", "commit", "socket", "thread", "window"];
    let (_folder, store) = store();
    let history = store.history();
    let writer = history.writer();
    let start = Instant::now();
    for n in 0..100_000_usize {
        let word = |step: usize| WORDS.get(n / step % 10).copied().unwrap_or_default();
        let text =
            format!("fix the {} in {} number {n}, then run the {} tests again", word(1), word(10), word(100));
        writer.add(&text, Path::new("/p"), 1);
    }
    print("hand over 100,000 prompts", start.elapsed(), 0);
    drop(writer);
    for (what, text) in [
        ("search 100,000 prompts: a word in all of them", "fix"),
        ("search 100,000 prompts: the beginning of a word", "pa"),
        ("search 100,000 prompts: three words", "parser tree 4321"),
        ("search 100,000 prompts: a part of a word", "umber 9999"),
        ("search 100,000 prompts: nothing", "nowhere"),
    ] {
        report(what, 20, || drop(history.search(text, 50).unwrap()));
    }
}

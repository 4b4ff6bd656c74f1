//! Damaged state: every file of `.relaycode` and of the user's data gets a flipped bit, is cut off, emptied, removed or
//! replaced by another one's copy, and every command that reads it is run.
//!
//! Whatever is damaged: nothing panics, no project file changes unless a command reports success, no command calls damaged
//! state fine, and the originals stay recoverable. In the short form, each file is damaged in one way, in rotation;
//! `RELAY_LONG_TESTS=yes` damages each in every way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use testkit::{Run, TestEnv};

use crate::{json, project, reply, wait_for};

const CONFIG: &str = r#"{"projectId": "shop", "postCommand": "sh ../check.sh"}"#;
const ORIGINAL: &str = "original\n";
const WRITTEN: &str = "written by a reply\n";

#[derive(Debug, Clone, Copy)]
enum Damage {
    /// One bit, at this many sixteenths of the file.
    Flip(usize),
    Truncate,
    Empty,
    Remove,
    Swap,
}

/// One of each kind, for the short form.
const DAMAGES: [Damage; 5] = [Damage::Flip(8), Damage::Truncate, Damage::Empty, Damage::Remove, Damage::Swap];

/// The ways in which the `n`-th file is damaged.
fn ways(n: usize) -> Vec<Damage> {
    if std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes") {
        let flips = (0..16).filter(|place| *place != 8).map(Damage::Flip);
        DAMAGES.into_iter().chain(flips).collect()
    } else {
        vec![DAMAGES[n % DAMAGES.len()]]
    }
}

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Every file below a folder, by its path from there.
fn files(folder: &Path) -> Files {
    fn walk(folder: &Path, top: &Path, found: &mut Files) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, top, found);
            } else if path.is_file() {
                found.insert(path.strip_prefix(top).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    let mut found = Files::new();
    walk(folder, folder, &mut found);
    found
}

/// Restores these files below a folder.
fn put_back(folder: &Path, files: &Files) {
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if std::fs::read(&path).ok().as_ref() != Some(bytes) {
            std::fs::write(&path, bytes).unwrap();
        }
    }
    for name in self::files(folder).keys().filter(|name| !files.contains_key(*name)) {
        std::fs::remove_file(folder.join(name)).unwrap();
    }
}

/// Damages a file; returns false if it cannot be damaged this way.
fn damage(folder: &Path, files: &Files, name: &Path, how: Damage) -> bool {
    let path = folder.join(name);
    let mut bytes = files[name].clone();
    match how {
        Damage::Remove => {
            std::fs::remove_file(&path).unwrap();
            return true;
        }
        Damage::Flip(_) if bytes.is_empty() => return false,
        Damage::Flip(place) => {
            let at = bytes.len() * place / 16;
            bytes[at] ^= 4;
        }
        Damage::Truncate | Damage::Empty if bytes.is_empty() => return false,
        Damage::Truncate => bytes.truncate(bytes.len() / 2),
        Damage::Empty => bytes.clear(),
        Damage::Swap => {
            let other = files.iter().find(|(other, content)| {
                other.as_path() != name && other.parent() == name.parent() && **content != bytes
            });
            let Some((_, content)) = other else { return false };
            bytes.clone_from(content);
        }
    }
    std::fs::write(&path, bytes).unwrap();
    true
}

/// A project with a history of replies, a rollback that kept something, an undo, and a transaction that was killed.
fn prepared() -> TestEnv {
    let env = project(CONFIG);
    env.write("a.txt", ORIGINAL);
    env.write("b.bin", "b\n");
    env.write("../check.sh", "");
    env.relay(&["trust", "--yes"]).success();
    let apply = |number, path, text: &str| {
        env.relay(&["apply", "--yes"]).stdin(&reply(number, path, text)).success();
    };
    apply(1, "a.txt", "one");
    apply(2, "b.bin", &"x".repeat(70_000));
    apply(3, "c.txt", "three");
    env.relay(&["undo", "3", "--yes"]).success();
    env.write("../check.sh", "test ! -e bad");
    let run = env.relay(&["wrap", "--yes", "--", "sh", "-c", "printf 'mine\\000' > d.bin; touch bad"]).run();
    assert_eq!((run.code, run.stderr.contains("taken-back.yml")), (1, true), "{}", run.stderr);
    env.relay(&["undo", "1", "--yes"]).success();
    env.write("../check.sh", "echo $$ > ../pid; touch ../started; exec sleep 60");
    let child = env.relay(&["apply", "--yes"]).stdin(&reply(9, "a.txt", WRITTEN.trim())).spawn();
    wait_for("the check", || env.exists("../started"));
    child.signal("KILL");
    assert_eq!(env.shell("kill -KILL $(cat ../pid)").code, 0);
    assert_eq!(child.wait().code, 128 + 9);
    env.write("../check.sh", "");
    env
}

/// What a person would run next. None of them may panic.
fn look_around(env: &TestEnv, context: &str) -> Run {
    let recovered = env.relay(&["recover", "--json"]).run();
    let commands: &[&[&str]] = &[
        &["log", "--json"],
        &["show", "1"],
        &["blame", "a.txt"],
        &["recover", "--list"],
        &["gc", "--yes"],
        &["doctor"],
    ];
    let runs = commands.iter().map(|arguments| env.relay(arguments).run());
    for run in runs.chain([env.relay(&["undo", "--since", "1", "--dry-run"]).run()]) {
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(run.code != 101 && !said.contains("panicked"), "{context}: {said}");
    }
    assert_ne!(recovered.code, 101, "{context}: {}", recovered.stderr);
    recovered
}

/// The original is in its place or below `.relaycode`, and the file holds only content that was written to it.
fn check(env: &TestEnv, recovered: &Run, context: &str) {
    let now = env.read("a.txt");
    assert!(now == ORIGINAL || now == WRITTEN, "{context}: a.txt holds {now:?}");
    if now == ORIGINAL {
        return;
    }
    assert_ne!(
        recovered.code, 0,
        "{context}: the file is not what it was, and that is called fine: {}",
        recovered.stdout
    );
    let is_kept = |bytes: &Vec<u8>| {
        let text = String::from_utf8_lossy(bytes);
        text.lines().any(|line| line.trim() == ORIGINAL.trim())
    };
    assert!(files(&env.path(".relaycode")).values().any(is_kept), "{context}: the original is out of reach");
}

#[test]
fn whatever_is_damaged_nothing_panics_nothing_is_lost_and_nothing_is_called_fine() {
    let env = prepared();
    let (project, state) = (files(&env.root()), files(&env.path(".relaycode")));
    let home = env.home_path(".local/share/relay");
    let user = files(&home);
    let targets = [(env.path(".relaycode"), state), (home.clone(), user.clone())];
    let (mut tried, mut kinds) = (0, 0);
    for (folder, files) in &targets {
        for name in files.keys() {
            kinds += 1;
            for how in ways(kinds) {
                put_back(&env.root(), &project);
                put_back(&home, &user);
                if !damage(folder, files, name, how) {
                    continue;
                }
                tried += 1;
                let context = format!("{how:?} {}", name.display());
                let recovered = look_around(&env, &context);
                check(&env, &recovered, &context);
            }
        }
    }
    assert!(tried > 15, "{tried} kinds of damage");
    // Without damage, the killed transaction is rolled back.
    put_back(&env.root(), &project);
    put_back(&home, &user);
    let recovered = look_around(&env, "no damage");
    assert_eq!((recovered.code, env.read("a.txt").as_str()), (0, ORIGINAL), "{}", recovered.stdout);
    assert_eq!(json(&recovered)["status"], "recovered");
}

/// The folders of a user's data.
const USER_FOLDERS: [&str; 3] = [".local/share/relay", ".local/state/relay", ".config/relay"];

/// The user's data with a file of every kind in it, and a project with a check that leaves a mark.
fn with_user_data() -> TestEnv {
    let env =
        project(r#"{"projectId": "shop", "postCommand": "touch ../ran", "linter": "echo 'a.txt:1:1: x'"}"#);
    env.write("a.txt", ORIGINAL);
    env.git(&["init", "-q"]);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-qm", "first"]);
    env.write("a.txt", "changed\n");
    env.write("../answer", r#"{"findings": []}"#);
    let command = serde_json::json!(["cat", env.path("../answer").to_str().unwrap()]).to_string();
    env.relay(&["config", "set", "backends.one.command", &command]).success();
    std::fs::write(env.home_path(".config/relay/models.toml"), "# none\n").unwrap();
    env.relay(&["trust", "--yes"]).success();
    env.relay(&["auth", "login", "anthropic"]).stdin("sk-ant-1234\n").success();
    env.relay(&["context", "add", "a.txt"]).success();
    env.relay(&["read", "a.txt"]).success();
    env.relay(&["pack", "a.txt"]).success();
    env.relay(&["apply", "--yes"]).stdin(&reply(1, "b.txt", "one")).success();
    let refused = reply(2, "a.txt", "<<<<<<< SEARCH\nnot there\n=======\nx\n>>>>>>> REPLACE").replacen(
        "{a.txt}",
        "{a.txt} multi-search-replace",
        1,
    );
    assert_eq!(env.relay(&["apply", "--repair-prompt"]).stdin(&refused).run().code, 1);
    env.relay(&["mail", "start", "task"]).success();
    let job = env.relay(&["ask", "--to", "one", "--background", "question"]).success().stdout;
    env.relay(&["jobs", "wait", job.trim()]).success();
    env.relay(&["review", "--to", "one", "--uncommitted"]).success();
    let conversations =
        serde_json::json!({"version": 1, "entries": [{"name": "s1", "backend": "one", "id": "x"}]});
    std::fs::write(env.home_path(".local/state/relay/ask-sessions.json"), conversations.to_string()).unwrap();
    std::fs::remove_file(env.path("../ran")).unwrap();
    env
}

/// Everything that reads the user's data. None of it may panic.
fn use_user_data(env: &TestEnv, context: &str) {
    let commands: &[&[&str]] = &[
        &["log"],
        &["doctor", "--offline"],
        &["context", "list"],
        &["read", "a.txt"],
        &["pack", "a.txt"],
        &["mail", "list"],
        &["mail", "resume"],
        &["jobs", "list"],
        &["session", "list"],
        &["backends"],
        &["models", "--offline"],
        &["auth", "status"],
        &["config", "show"],
        &["ask", "--to", "one", "question"],
        &["review", "--to", "one", "--uncommitted", "--apply"],
        &["apply", "--repair-prompt", "--dry-run"],
        &["apply", "--yes"],
        &["gc", "--yes"],
    ];
    for arguments in commands {
        let run = env.relay(arguments).stdin(&reply(3, "c.txt", "three")).run();
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(run.code != 101 && !said.contains("panicked"), "{context}, {arguments:?}: {said}");
    }
}

#[test]
fn damaged_user_data_runs_nothing_is_never_overwritten_and_makes_nothing_panic() {
    let env = with_user_data();
    let project = files(&env.root());
    let folders: Vec<(PathBuf, Files)> =
        USER_FOLDERS.map(|folder| (env.home_path(folder), files(&env.home_path(folder)))).into();
    let restore = || folders.iter().for_each(|(folder, files)| put_back(folder, files));
    let mut names: Vec<String> = Vec::new();
    for (folder, files) in &folders {
        for name in files.keys() {
            names.push(name.display().to_string());
            for how in ways(names.len()) {
                put_back(&env.root(), &project);
                restore();
                if !damage(folder, files, name, how) {
                    continue;
                }
                let context = format!("{how:?} {}", name.display());
                let damaged = std::fs::read(folder.join(name)).ok();
                use_user_data(&env, &context);
                let is_flipped = matches!(how, Damage::Flip(_));
                // What a flipped bit leaves valid, such as a command's text beside its digest, still counts.
                if name.ends_with("trust.json") && !is_flipped {
                    assert!(!env.exists("../ran"), "{context}: the check ran without trust");
                }
                let is_precious = ["trust.json", "credentials.json", "ledger.key", "config.toml"]
                    .iter()
                    .any(|precious| name.ends_with(precious));
                if is_precious && !matches!(how, Damage::Remove) {
                    assert_eq!(std::fs::read(folder.join(name)).ok(), damaged, "{context}: it was replaced");
                }
                if name.ends_with("credentials.json") && !is_flipped && !matches!(how, Damage::Remove) {
                    let run = env.relay(&["auth", "login", "openai"]).stdin("sk-1234\n").run();
                    assert_ne!(run.code, 0, "{context}: the other keys would be lost");
                    assert_eq!(std::fs::read(folder.join(name)).ok(), damaged, "{context}");
                }
                if env.exists("../ran") {
                    std::fs::remove_file(env.path("../ran")).unwrap();
                }
            }
        }
    }
    for kind in [
        "ledger.key",
        "trust.json",
        "credentials.json",
        "views-",
        "repairs-",
        "receipts-",
        "selection-",
        "lint-",
        "reviews-",
        "ask-sessions.json",
        "jobs/",
        "mail/",
        "config.toml",
        "models.toml",
    ] {
        assert!(names.iter().any(|name| name.contains(kind)), "no {kind} among {names:?}");
    }
}

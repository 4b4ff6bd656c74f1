//! Damaged state: every file of `.relaycode` and of the user's data gets a flipped bit, is cut off, emptied, removed or
//! replaced by another one's copy, and every command that reads it is run.
//!
//! Whatever is damaged: nothing panics, no file of the project changes unless a command says that it succeeded, nothing is
//! called fine that is not, and the originals stay within reach. In short form each file is damaged in one way, which
//! goes round; `RELAY_LONG_TESTS=yes` damages each in every way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use testkit::{Run, TestEnv};

use crate::{json, project, reply, wait_for};

const CONFIG: &str = r#"{"projectId": "shop", "postCommand": "sh ../check.sh"}"#;
const ORIGINAL: &str = "original\n";
const WRITTEN: &str = "written by a reply\n";

#[derive(Debug, Clone, Copy)]
enum Damage {
    Flip,
    Truncate,
    Empty,
    Remove,
    Swap,
}

const DAMAGES: [Damage; 5] = [Damage::Flip, Damage::Truncate, Damage::Empty, Damage::Remove, Damage::Swap];

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

/// Makes the files below a folder these again.
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

/// Does the damage; false if this file cannot be damaged so.
fn damage(folder: &Path, files: &Files, name: &Path, how: Damage) -> bool {
    let path = folder.join(name);
    let mut bytes = files[name].clone();
    match how {
        Damage::Remove => {
            std::fs::remove_file(&path).unwrap();
            return true;
        }
        Damage::Flip if bytes.is_empty() => return false,
        Damage::Flip => {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 4;
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

/// The original is at its place, or somewhere below `.relaycode`, and the file holds nothing but what somebody wrote.
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
    let is_long = std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes");
    let env = prepared();
    let (project, state) = (files(&env.root()), files(&env.path(".relaycode")));
    let home = env.home_path(".local/share/relay");
    let user = files(&home);
    let targets = [(env.path(".relaycode"), state), (home.clone(), user.clone())];
    let (mut tried, mut kinds) = (0, 0);
    for (folder, files) in &targets {
        for name in files.keys() {
            let ways: Vec<Damage> =
                if is_long { DAMAGES.to_vec() } else { vec![DAMAGES[kinds % DAMAGES.len()]] };
            kinds += 1;
            for how in ways {
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
    // Without any damage the transaction that was killed is rolled back.
    put_back(&env.root(), &project);
    put_back(&home, &user);
    let recovered = look_around(&env, "no damage");
    assert_eq!((recovered.code, env.read("a.txt").as_str()), (0, ORIGINAL), "{}", recovered.stdout);
    assert_eq!(json(&recovered)["status"], "recovered");
}

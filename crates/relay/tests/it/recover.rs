//! `relay recover`: it names damage, lists what can be restored, and never calls damaged state fine.

use std::path::PathBuf;

use serde_json::Value;
use testkit::TestEnv;

use crate::{PLAIN, apply, codes, json, project, reply, uuid, wait_for};

/// A project in which Relay was killed during a check, with `a.txt` changed.
fn killed() -> TestEnv {
    let env = project(r#"{"projectId": "shop", "postCommand": "sh ../check.sh"}"#);
    env.write("../check.sh", "echo $$ > ../pid; touch ../started; exec sleep 60");
    env.write("a.txt", "original\n");
    let child = env.relay(&["apply", "--trust"]).stdin(&reply(1, "a.txt", "new")).spawn();
    wait_for("the check starts", || env.exists("../started"));
    child.signal("KILL");
    assert_eq!(env.shell("kill -KILL $(cat ../pid)").code, 0);
    assert_eq!(child.wait().code, 128 + 9);
    env.write("../check.sh", "");
    env
}

fn recover(env: &TestEnv, arguments: &[&str]) -> (i32, Value) {
    let run = env.relay(&[&["recover", "--json"], arguments].concat()).run();
    (run.code, json(&run))
}

fn staged(env: &TestEnv) -> PathBuf {
    env.path(&format!(".relaycode/stage/{}/0", uuid(1)))
}

/// Flips a bit in the middle of a file.
fn flip(path: &PathBuf) {
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_file_that_a_check_wrote_into_the_stage_is_not_taken_for_the_original() {
    let line = "for f in .relaycode/stage/*/0; do echo planted > $f; done; exit 1";
    let env = project(&format!(r#"{{"projectId": "shop", "postCommand": "{line}"}}"#));
    env.write("a.txt", "original\n");
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rolled_back")), "{document:#}");
    assert_eq!(codes(&document), ["post-command-failed", "original-damaged"]);
    assert_eq!(env.read("a.txt"), "original\n");
    let (_, list) = recover(&env, &["--list"]);
    let kept = list["contents"][0]["keptIn"].as_str().unwrap();
    assert_eq!(env.read(kept), "planted\n", "both versions are there");
}

#[test]
fn a_staged_original_damaged_after_a_kill_is_reported_and_restored_from_the_record() {
    let env = killed();
    flip(&staged(&env));
    let (code, document) = recover(&env, &[]);
    assert_eq!((code, document["status"].as_str()), (1, Some("recovery_needed")), "{document:#}");
    assert_eq!(codes(&document), ["recovered", "original-damaged"]);
    assert_eq!(env.read("a.txt"), "original\n");
}

#[test]
fn a_damaged_pending_record_is_not_called_nothing_to_recover() {
    let env = killed();
    let pending = env.path(&format!(".relaycode/{}.pending.yml", uuid(1)));
    flip(&pending);
    let (code, document) = recover(&env, &[]);
    assert_eq!((code, document["status"].as_str()), (1, Some("recovery_needed")), "{document:#}");
    assert_eq!(codes(&document), ["damaged-state"]);
    let run = env.relay(&["log"]).run();
    assert!(run.stderr.contains("cannot be verified"), "every command says so: {}", run.stderr);
    assert_eq!(env.read("a.txt"), "new\n", "nothing is touched on the word of such a record");
    let doctor = env.relay(&["doctor", "--offline"]).run();
    assert_eq!((doctor.code, doctor.stdout.contains("✗ state")), (1, true), "{}", doctor.stdout);

    let (code, list) = recover(&env, &["--list"]);
    assert_eq!(code, 1);
    assert_eq!(list["contents"][0]["origin"], "staged", "{list:#}");
    let id = list["contents"][0]["id"].as_str().unwrap();
    let (code, document) = recover(&env, &["--restore", id]);
    assert_eq!((code, codes(&document).contains(&"no-such-content".to_owned())), (1, true), "{document:#}");
    let (code, document) = recover(&env, &["--restore", id, "--to", "a.txt"]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!(env.read("a.txt"), "original\n");
    env.relay(&["undo", "--yes"]).success();
    assert_eq!(env.read("a.txt"), "new\n", "it is a transaction like any other");
}

#[test]
fn the_originals_survive_a_missing_pending_record() {
    let env = killed();
    std::fs::remove_file(env.path(&format!(".relaycode/{}.pending.yml", uuid(1)))).unwrap();
    let (code, document) = recover(&env, &[]);
    assert_eq!((code, codes(&document)), (1, vec!["damaged-state".to_owned()]), "{document:#}");
    assert_eq!(std::fs::read_to_string(staged(&env)).unwrap(), "original\n");
}

#[test]
fn a_lost_ledger_key_is_reported_and_changes_nothing() {
    let env = killed();
    std::fs::remove_file(env.home_path(".local/share/relay/ledger.key")).unwrap();
    let (code, document) = recover(&env, &[]);
    assert_eq!(code, 1, "{document:#}");
    assert!(codes(&document).contains(&"damaged-state".to_owned()), "{document:#}");
    let message = document["diagnostics"].to_string();
    assert!(message.contains("ledger.key"), "{message}");
    assert_eq!(std::fs::read_to_string(staged(&env)).unwrap(), "original\n");
}

#[test]
fn a_damaged_journal_of_an_interrupted_command_is_reported_and_kept() {
    let env = project(PLAIN);
    env.write("a.txt", "original\n");
    let line = "echo $$ > ../pid; echo new > a.txt; touch ../started; exec sleep 60";
    let child = env.relay(&["wrap", "--yes", "--", "sh", "-c", line]).spawn();
    wait_for("the command starts", || env.exists("../started"));
    child.signal("KILL");
    assert_eq!(env.shell("kill -KILL $(cat ../pid)").code, 0);
    assert_eq!(child.wait().code, 128 + 9);
    let names = std::fs::read_dir(env.path(".relaycode/capture")).unwrap();
    let journal =
        names.map(|entry| entry.unwrap().path()).find(|path| path.to_string_lossy().contains("open-"));
    let journal = journal.unwrap();
    flip(&journal);
    let (code, document) = recover(&env, &[]);
    assert_eq!((code, codes(&document)), (1, vec!["damaged-state".to_owned()]), "{document:#}");
    assert!(journal.exists());
    flip(&journal);
    let (code, document) = recover(&env, &[]);
    assert_eq!((code, codes(&document)), (0, vec!["interrupted-command".to_owned()]), "{document:#}");
}

#[test]
fn gc_keeps_rolled_back_contents_and_they_can_be_restored() {
    let env = project(r#"{"projectId": "shop", "postCommand": "test ! -e bad"}"#);
    env.write("a.bin", "original\n");
    let line = "printf 'mine\\000' > a.bin; touch bad";
    let run = env.relay(&["wrap", "--yes", "--trust", "--", "sh", "-c", line]).run();
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(env.read("a.bin"), "original\n");
    let run = env.relay(&["gc", "--yes", "--json"]).run();
    assert_eq!((run.code, json(&run)["blobs"].as_u64()), (0, Some(0)), "{}", run.stdout);
    let (code, list) = recover(&env, &["--list"]);
    let contents = list["contents"].as_array().unwrap();
    let mine = contents.iter().find(|kept| kept["path"] == "a.bin").unwrap_or_else(|| panic!("{list:#}"));
    assert_eq!((code, mine["origin"].as_str()), (0, Some("rolled_back")));
    let id = mine["id"].as_str().unwrap();
    env.relay(&["recover", "--restore", id, "--to", "copy.bin"]).success();
    assert_eq!(std::fs::read(env.path("copy.bin")).unwrap(), b"mine\0");
    env.write("bad", "");
    env.write("relaycode.config.json", PLAIN);
    env.relay(&["recover", "--restore", id]).success();
    assert_eq!(std::fs::read(env.path("a.bin")).unwrap(), b"mine\0");
    let text = env.relay(&["recover", "--list"]).success().stdout;
    assert!(text.contains("a.bin") && text.contains("written by a command"), "{text}");
    let (code, document) = recover(&env, &["--restore", "nothing"]);
    assert_eq!((code, codes(&document)), (1, vec!["no-such-content".to_owned()]));
}

#[test]
fn gc_removes_no_content_while_a_record_cannot_be_verified() {
    let env = project(PLAIN);
    let large = "x".repeat(100_000);
    apply(&env, &reply(1, "a.txt", &large), &[]);
    let record = env.path(&format!(".relaycode/{}.yml", uuid(1)));
    flip(&record);
    std::fs::remove_file(env.path(".relaycode/index")).unwrap();
    let run = env.relay(&["gc", "--yes", "--json"]).run();
    assert_eq!(json(&run)["blobs"], 0, "{}", run.stdout);
    assert_eq!(codes(&json(&run)), ["damaged-state"]);
    flip(&record);
    env.relay(&["undo", "--yes"]).success();
}

#[test]
fn a_damaged_record_is_listed_and_blocks_what_depends_on_it() {
    for with_index in [true, false] {
        let env = project(PLAIN);
        apply(&env, &reply(1, "a.txt", "one"), &[]);
        apply(&env, &reply(2, "a.txt", "two"), &[]);
        apply(&env, &reply(3, "b.txt", "three"), &[]);
        flip(&env.path(&format!(".relaycode/{}.yml", uuid(2))));
        if !with_index {
            std::fs::remove_file(env.path(".relaycode/index")).unwrap();
        }
        let log = json(&env.relay(&["log", "--json"]).run());
        let listed = log.as_array().unwrap().iter().find(|entry| entry["uuid"] == uuid(2).as_str());
        assert_eq!(listed.unwrap()["status"], "damaged", "{log:#}");
        let run = env.relay(&["log"]).run();
        assert!(format!("{}{}", run.stdout, run.stderr).contains("damaged"), "{}{}", run.stdout, run.stderr);
        let refused: &[&[&str]] = match with_index {
            true => &[
                &["show", "2"],
                &["undo", "2", "--yes"],
                &["undo", "--since", "1", "--yes"],
                &["blame", "a.txt"],
            ],
            false => &[&["show", "00000000-0000-4000-8000-000000000002"], &["undo", "--since", "1", "--yes"]],
        };
        for arguments in refused {
            let run = env.relay(arguments).run();
            assert_eq!(run.code, 1, "{arguments:?}: {}", run.stdout);
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(said.contains("damaged-state"), "{arguments:?}: {said}");
        }
        assert_eq!((env.read("a.txt").as_str(), env.read("b.txt").as_str()), ("two\n", "three\n"));
        let (code, document) = recover(&env, &[]);
        assert_eq!(
            (code == 1, codes(&document)),
            (with_index, vec!["damaged-state".to_owned()]),
            "{document:#}"
        );
        let doctor = env.relay(&["doctor", "--offline"]).run();
        let (code, what) = if with_index { (1, "1 of them damaged") } else { (0, "cannot be verified") };
        assert_eq!((doctor.code, doctor.stdout.contains(what)), (code, true), "{}", doctor.stdout);
        // Everything else continues, and no number is used twice.
        env.relay(&["undo", "3", "--yes"]).success();
        assert_eq!(json(&env.relay(&["log", "--json"]).run())[0]["number"], 4);
    }
}

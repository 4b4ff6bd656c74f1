//! Several `relay` processes on one workspace.

use crate::{PLAIN, json, project, reply, uuid, wait_for};

#[test]
fn many_at_once_all_land_and_the_ledger_is_linear() {
    let env = project(PLAIN);
    let children: Vec<_> = (1..=8)
        .map(|number| env.relay(&["apply"]).stdin(&reply(number, &format!("f{number}.txt"), "x")).spawn())
        .collect();
    for child in children {
        let run = child.wait();
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    let log = json(&env.relay(&["log", "--json"]).run());
    let numbers: Vec<u64> =
        log.as_array().unwrap().iter().map(|entry| entry["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [8, 7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn the_same_reply_at_once_lands_once() {
    let env = project(PLAIN);
    let text = reply(1, "a.txt", "x");
    let children: Vec<_> = (0..6).map(|_| env.relay(&["apply", "--json"]).stdin(&text).spawn()).collect();
    let documents: Vec<_> = children.into_iter().map(|child| json(&child.wait())).collect();
    let mut statuses: Vec<&str> =
        documents.iter().map(|document| document["status"].as_str().unwrap()).collect();
    statuses.sort();
    assert_eq!(statuses.iter().filter(|status| **status == "committed").count(), 1, "{documents:#?}");
    assert!(
        statuses.iter().all(|status| *status == "committed" || *status == "already_processed"),
        "{documents:#?}"
    );
}

#[test]
fn the_same_reply_that_no_longer_fits_waits_for_its_twin() {
    let check = "touch started; while [ ! -e go ]; do sleep 0.05; done";
    let env = project(&serde_json::json!({"projectId": "shop", "postCommand": check}).to_string());
    env.write("a.txt", "one\ntwo\nthree\n");
    let text = reply(1, "a.txt multi-search-replace", "<<<<<<< SEARCH\ntwo\n=======\n>>>>>>> REPLACE")
        .replace("{a.txt multi-search-replace}", "{a.txt} multi-search-replace");
    let land = || env.relay(&["apply", "--trust", "--json"]).stdin(&text).spawn();
    let first = land();
    wait_for("the first one's check", || env.exists("started"));
    let second = land();
    // Usually it has looked at the file by then; if not, it finds the reply on the ledger, which is as good.
    std::thread::sleep(std::time::Duration::from_millis(500));
    env.write("go", "");
    for (child, status) in [(first, "committed"), (second, "already_processed")] {
        let run = child.wait();
        assert_eq!(json(&run)["status"], status, "{}{}", run.stdout, run.stderr);
    }
    assert_eq!(env.read("a.txt"), "one\nthree\n");
}

#[test]
fn relay_waits_visibly_for_a_file_in_use() {
    let env = project(
        r#"{"projectId": "shop", "postCommand": "touch started; while [ ! -e go ]; do sleep 0.05; done"}"#,
    );
    let first = env.relay(&["apply", "--trust"]).stdin(&reply(1, "a.txt", "one")).spawn();
    wait_for("the first one's check", || env.exists("started"));
    env.write("second.md", &reply(2, "a.txt", "two"));
    let mut second = env.pty(&["apply", "--trust", "second.md"]);
    second.expect("waiting:");
    second.expect(&uuid(1));
    assert_eq!(env.read("a.txt"), "one\n");
    env.write("go", "");
    assert_eq!(first.wait().code, 0);
    // It was planned on the file as the first one left it, and lands; it overwrites nothing that it has not read.
    assert_eq!(second.wait(), 0, "{}", second.text());
    assert_eq!(env.read("a.txt"), "two\n", "{}", second.text());
}

#[test]
fn an_edit_is_not_refused_because_of_a_change_that_may_be_rolled_back() {
    let check = "touch ~/started; while [ ! -e ~/go ]; do sleep 0.05; done; ! grep -q wrong a.txt";
    let env = project(&serde_json::json!({"projectId": "shop", "postCommand": check}).to_string());
    let patch = |old: &str, new: &str| {
        format!(
            "```text // {{a.txt}} multi-search-replace\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n"
        )
    };
    // The second edit does not fit the first one's content, or is planned on it.
    for old in ["two", "three"] {
        env.write("a.txt", "one\ntwo\nthree\n");
        let first = env.relay(&["apply", "--trust"]).stdin(&patch("two", "wrong")).spawn();
        wait_for("the first one's check", || env.exists("../home/started"));
        env.write("second.md", &patch(old, "right"));
        let mut second = env.pty(&["apply", "--trust", "second.md"]);
        second.expect("waiting:");
        env.write("../home/go", "");
        assert_eq!(first.wait().code, 1, "it is rolled back");
        assert_eq!(second.wait(), 0, "{}", second.text());
        assert_eq!(env.read("a.txt"), "one\ntwo\nthree\n".replace(old, "right"), "{}", second.text());
        for left in ["started", "go"] {
            std::fs::remove_file(env.home_path(left)).unwrap();
        }
    }
}

#[test]
fn waiting_for_a_stopped_process_is_visible() {
    let env = project(PLAIN);
    env.relay(&["apply"]).stdin(&reply(1, "a.txt", "one")).success();
    let lock = std::fs::File::open(env.path(".relaycode/lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(env.relay(&["log"]).run().code, 0, "who reads does not wait");
    env.write("second.md", &reply(2, "b.txt", "two"));
    let mut waiting = env.pty(&["apply", "second.md"]);
    waiting.expect("another relay process holds the ledger; waiting");
    assert!(!env.exists("b.txt"));
    lock.unlock().unwrap();
    assert_eq!(waiting.wait(), 0, "{}", waiting.text());
    assert_eq!(env.read("b.txt"), "two\n");
}

#[test]
fn relay_inside_a_check_works_on_other_files_and_is_refused_on_these() {
    let env = project(r#"{"projectId": "shop", "postCommand": "sh inner.sh"}"#);
    env.write(
        "inner.sh",
        "[ -n \"$INNER\" ] && exit 0\nexport INNER=1\n\
         printf '```text // {other.txt}\\nx\\n```\\n' | \"$TESTED_BINARY\" apply --trust > ../inner-other.txt 2>&1\n\
         printf '```text // {a.txt}\\ny\\n```\\n' | \"$TESTED_BINARY\" apply --trust > ../inner-same.txt 2>&1\ntrue\n",
    );
    let run = env.relay(&["apply", "--trust", "--json"]).stdin(&reply(1, "a.txt", "one")).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(env.read("../inner-other.txt").contains("landed"), "{}", env.read("../inner-other.txt"));
    assert!(
        env.read("../inner-same.txt").contains("in use by transaction"),
        "{}",
        env.read("../inner-same.txt")
    );
    assert_eq!((env.read("a.txt").as_str(), env.read("other.txt").as_str()), ("one\n", "x\n"));
    let files =
        json(&run)["files"].as_array().unwrap().iter().map(|file| file["path"].clone()).collect::<Vec<_>>();
    assert_eq!(files, ["a.txt"], "what the inner transaction did is its own");
}

#[test]
fn eight_writers_of_one_file_all_land() {
    let env = project(PLAIN);
    let lines: String = (1..=80).map(|n| format!("line {n}\n")).collect();
    env.write("shared.txt", &lines);
    let children: Vec<_> = (1..=8)
        .map(|n| {
            let at = n * 10;
            let text = format!(
                "```text // {{shared.txt}} multi-search-replace\n<<<<<<< SEARCH\nline {at}\n=======\nLINE {at}\n>>>>>>> REPLACE\n```\n"
            );
            env.relay(&["apply"]).stdin(&text).spawn()
        })
        .collect();
    for child in children {
        let run = child.wait();
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    }
    let text = env.read("shared.txt");
    assert_eq!(text.lines().filter(|line| line.starts_with("LINE ")).count(), 8, "{text}");
}

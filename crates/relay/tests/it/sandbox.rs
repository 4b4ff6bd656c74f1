//! The sandbox around the agent's commands: what they may write, reach and leave running.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::model::Reply;

use crate::tool_bash::Lab;

/// Whether bubblewrap works here; where everything must be there, it has to.
fn has_bubblewrap(lab: &Lab) -> bool {
    let said = lab.env.relay(&["doctor"]).run().stdout;
    let works = said.contains("bubblewrap: works");
    assert!(works || std::env::var_os("CI").is_none(), "bubblewrap does not work: {said}");
    works
}

#[test]
fn commands_write_in_the_workspace_alone() {
    let lab = Lab::new();
    let outside = lab.env.home_path("outside.txt");
    let line = format!("echo in > in.txt; echo x | tee {} && echo escaped", outside.display());
    let said = lab.bash(&["--allow", "outside"], &[json!({ "command": "true" })]);
    assert_eq!(said, ["(no output)"]);
    // Of code in another language no reader of commands can say what it does.
    let hidden =
        format!("python3 -c \"open('{}', 'w')\" && echo escaped; echo in > in.txt", outside.display());
    let said = lab.one(&[], &hidden);
    assert!(!said.contains("escaped") && !outside.exists(), "{said}");
    assert_eq!(lab.env.read("in.txt"), "in\n");
    let said = lab.one(&["--policy", "full"], &line);
    assert!(said.contains("escaped") && outside.exists(), "{said}");
}

#[test]
fn a_read_only_policy_gets_a_read_only_sandbox() {
    let lab = Lab::new();
    lab.env.write("a.txt", "one\n");
    let before = lab.env.tree();
    let said = lab.one(&["--policy", "read-only"], "cat a.txt");
    assert_eq!(said, "one");
    let said = lab.one(&["--policy", "read-only"], "echo x >> a.txt");
    assert!(said.contains("read-only"), "{said}");
    assert_eq!(lab.env.tree(), before);
}

#[test]
fn secrets_of_the_environment_do_not_reach_commands() {
    let lab = Lab::new();
    lab.server.queue(Reply::text("").tool("c", "bash", &json!({ "command": "env" }).to_string()));
    lab.server.queue(Reply::text("Done."));
    let run = lab
        .env
        .relay(&["run", "--model", "lab/m", "go"])
        .env("FAKE_API_KEY", "sk-1234567890")
        .env("PLAIN", "seen");
    let run = run.run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let told = lab.server.requests().pop().unwrap().body.to_string();
    assert!(
        told.contains("PLAIN=seen") && !told.contains("FAKE_API_KEY") && !told.contains("1234567890"),
        "{told}"
    );
}

#[test]
fn what_others_execute_is_kept_or_put_back() {
    let lab = Lab::new();
    lab.env.git(&["init", "-q"]);
    lab.env.write(".git/hooks/pre-push", "#!/bin/sh\n");
    let config = lab.env.read(".git/config");
    let line = "p=.git/hooks; echo evil > $p/post-commit; echo evil >> $p/pre-push; q=.git/config; echo evil >> $q; \
                r=relaycode.config; echo '{}' > $r.json; s=.relay; echo x > ${s}code/x; true";
    let relay_config = lab.env.read("relaycode.config.json");
    lab.one(&[], line);
    assert!(!lab.env.exists(".git/hooks/post-commit") && !lab.env.exists(".relaycode/x"));
    assert_eq!(lab.env.read(".git/hooks/pre-push"), "#!/bin/sh\n");
    assert_eq!(lab.env.read(".git/config"), config);
    assert_eq!(lab.env.read("relaycode.config.json"), relay_config);
}

#[test]
fn plain_git_works_and_hooks_of_the_repository_do_not_run() {
    let lab = Lab::new();
    lab.env.git(&["init", "-q"]);
    lab.env.write(".git/hooks/pre-commit", "#!/bin/sh\ntouch hooked\n");
    lab.env.write("a.txt", "one\n");
    let chmod =
        std::process::Command::new("chmod").arg("+x").arg(lab.env.path(".git/hooks/pre-commit")).status();
    assert!(chmod.unwrap().success());
    let said = lab.bash(
        &[],
        &[
            json!({ "command": "git add a.txt && git -c user.name=a -c user.email=a@b commit -qm one && git log --oneline" }),
            json!({ "command": "git switch -qc other && git branch --show-current" }),
        ],
    );
    assert!(said[0].ends_with(" one"), "{}", said[0]);
    assert_eq!(said[1], "other");
    assert!(!lab.env.exists("hooked"));
}

#[test]
fn the_network_is_off_on_or_a_list_of_domains() {
    let lab = Lab::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut head = [0; 2048];
            if stream.read(&mut head).is_ok() {
                stream
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nreached")
                    .ok();
            }
        }
    });
    let fetch = format!(
        "python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}/', timeout=5).read().decode())\""
    );
    let said = lab.one(&[], &fetch);
    assert!(!said.contains("reached"), "off: {said}");
    let said = lab.one(&["--allow", "network"], &fetch);
    assert_eq!(said, "reached", "on");
    if !has_bubblewrap(&lab) {
        return;
    }
    let settings = "[sandbox]\nnetwork = \"allowlist\"\ndomains = [\"127.0.0.1\"]\n";
    std::fs::write(lab.env.home_path(".config/relay/config.toml"), settings).unwrap();
    let through = fetch.replace(
        "import urllib.request as u;",
        "import os, urllib.request as u; os.environ.pop('no_proxy', 0); os.environ.pop('NO_PROXY', 0);",
    );
    assert_eq!(lab.one(&[], &through), "reached", "a domain of the list");
    let other = through.replace("127.0.0.1", "localhost");
    let said = lab.one(&[], &other);
    assert!(said.contains("403"), "another domain: {said}");
    let said = lab.one(&[], &fetch.replace("u.urlopen", "u.build_opener(u.ProxyHandler({})).open"));
    assert!(!said.contains("reached"), "past the proxy: {said}");
}

#[test]
fn a_fork_bomb_ends_with_its_command() {
    let lab = Lab::new();
    let began = Instant::now();
    let call = json!({ "command": "b() { sleep 30 & sleep 30 & b & b; }; b", "timeout": 2 });
    let said = lab.bash(&[], &[call, json!({ "command": "echo alive" })]);
    assert!(said[0].contains("timed out") || said[0].contains("code"), "{}", said[0]);
    assert_eq!(said[1], "alive");
    assert!(began.elapsed() < Duration::from_secs(60));
}

/// The processes that have this word in their command line.
fn processes_with(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(word) && !line.contains("--test") {
            found.push(line);
        }
    }
    found
}

/// Starts a session with a command that leaves a daemon, waits for the daemon, ends Relay, and looks again.
fn nothing_is_left(policy: &[&str], number: u32, signal: &str) {
    let lab = Lab::new();
    let line = format!("env -i setsid sh -c 'exec 1>&- 2>&-; sleep {number}' & sleep {number}");
    lab.server.queue(Reply::text("").tool("c", "bash", &json!({ "command": line }).to_string()));
    let arguments = [&["run", "--model", "lab/m"], policy, &["go"]].concat();
    let relay = lab.env.relay(&arguments).spawn();
    let word = format!("sleep {number}");
    let until = Instant::now() + Duration::from_secs(60);
    while processes_with(&word).len() < 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(processes_with(&word).len() >= 2, "{:?}", processes_with(&word));
    relay.signal(signal);
    drop(relay.wait());
    let until = Instant::now() + Duration::from_secs(15);
    while !processes_with(&word).is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(processes_with(&word), [""; 0]);
}

#[test]
fn nothing_outlives_a_relay_that_was_killed() {
    nothing_is_left(&[], 4_801, "KILL");
    nothing_is_left(&["--policy", "full"], 4_802, "KILL");
}

#[test]
fn nothing_outlives_a_relay_that_was_interrupted() {
    nothing_is_left(&[], 4_803, "INT");
    nothing_is_left(&["--policy", "full"], 4_804, "TERM");
}

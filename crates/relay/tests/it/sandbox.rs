//! The sandbox around the agent's commands: what they may write, reach and leave running.

#![allow(clippy::print_stdout, reason = "says what could not be tested on this machine")]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::model::Reply;

use crate::tool_bash::Lab;

/// Whether bubblewrap works here; where everything must be installed, it has to.
fn has_bubblewrap(lab: &Lab) -> bool {
    let said = lab.env.relay(&["doctor"]).run().stdout;
    let works = said.contains("bubblewrap: works");
    assert!(works || std::env::var_os("CI").is_none(), "bubblewrap does not work: {said}");
    works
}

#[test]
fn commands_write_only_in_the_workspace() {
    let lab = Lab::new();
    let outside = lab.env.home_path("outside.txt");
    let line = format!("echo in > in.txt; echo x | tee {} && echo escaped", outside.display());
    let said = lab.bash(&["--allow", "outside"], &[json!({ "command": "true" })]);
    assert_eq!(said, ["(no output)"]);
    // The shell parser cannot judge code in another language.
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
fn files_that_other_tools_execute_are_protected_or_restored() {
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

/// Programs without bubblewrap, for a Relay that must not find it.
fn without_bubblewrap(lab: &Lab) -> String {
    let folder = lab.env.home_path("programs");
    std::fs::create_dir_all(&folder).unwrap();
    for place in ["/bin", "/usr/bin", "/usr/local/bin"] {
        for program in std::fs::read_dir(place).into_iter().flatten().filter_map(Result::ok) {
            let link = folder.join(program.file_name());
            if program.file_name() != "bwrap" && link.symlink_metadata().is_err() {
                std::os::unix::fs::symlink(program.path(), link).unwrap();
            }
        }
    }
    folder.display().to_string()
}

#[test]
fn without_bubblewrap_the_ledger_is_restored() {
    let lab = Lab::new();
    let programs = without_bubblewrap(&lab);
    let run = |line: &str| {
        lab.server.queue(Reply::text("").tool("c", "bash", &json!({ "command": line }).to_string()));
        lab.server.queue(Reply::text("Done."));
        let run = lab.env.relay(&["run", "--model", "lab/m", "go"]).env("PATH", &programs).run();
        assert!(run.stdout.contains("Done."), "{}{}", run.stdout, run.stderr);
        lab.server.requests().pop().unwrap().body.to_string()
    };
    run("echo one > a.txt");
    // The shell parser cannot judge code in another language.
    let line = "python3 -c \"import glob, os; [os.remove(f) for f in glob.glob('.relaycode/*.yml')]; \
                open('relaycode.config.json', 'w').write('{}')\"";
    let config = lab.env.read("relaycode.config.json");
    let said = run(line);
    assert!(
        said.contains(".yml was restored") && said.contains("relaycode.config.json was restored"),
        "{said}"
    );
    assert_eq!(lab.env.read("relaycode.config.json"), config);
    lab.env.relay(&["undo", "--yes"]).success();
    assert!(!lab.env.exists("a.txt"));
}

/// A repository with a hook, a filter, an alias and a diff program of its own, each of which leaves a file.
fn hostile_repository() -> Lab {
    let lab = Lab::new();
    lab.env.git(&["init", "-q"]);
    lab.env.write_program(".git/hooks/pre-commit", "#!/bin/sh\ntouch hooked\n");
    lab.env.write("a.txt", "one\n");
    lab.env.write(".gitattributes", "*.txt filter=evil diff=evil\n");
    for (key, value) in [
        ("user.name", "a"),
        ("user.email", "a@b"),
        ("filter.evil.clean", "touch filtered; cat"),
        ("diff.evil.textconv", "touch converted; cat"),
        ("alias.st", "!touch aliased"),
        ("core.fsmonitor", "touch monitored; false"),
    ] {
        lab.env.git(&["config", key, value]);
    }
    lab
}

#[test]
fn plain_git_works_and_runs_no_program_of_the_repository() {
    let lab = hostile_repository();
    let said = lab.bash(
        &[],
        &[
            json!({ "command": "git add a.txt && git commit -qm one && git log --format=%s" }),
            json!({ "command": "git switch -qc other && git branch --show-current" }),
            json!({ "command": "echo two >> a.txt; git diff; git st; (cd / && git -C \"$OLDPWD\" diff --stat)" }),
        ],
    );
    assert_eq!((said[0].as_str(), said[1].as_str()), ("one", "other"));
    assert!(said[2].contains(" one\n+two") && said[2].contains("1 insertion(+)"), "{}", said[2]);
    for made in ["hooked", "filtered", "converted", "aliased", "monitored"] {
        assert!(!lab.env.exists(made), "{made}");
    }
}

#[test]
fn hooks_run_only_after_the_user_trusts_exactly_these() {
    let lab = hostile_repository();
    let commit = "git add . && git commit -qm one --allow-empty; ls";
    let said = lab.one(&[], commit);
    assert!(!said.contains("hooked"), "{said}");
    let trusted = lab.env.relay(&["trust", "--yes"]).success();
    assert!(
        trusted.stderr.contains("touch hooked") && trusted.stdout.contains("trusted: .git/hooks"),
        "{}",
        trusted.stderr
    );
    let said = lab.one(&[], commit);
    assert!(said.contains("hooked") && !said.contains("filtered"), "{said}");
    std::fs::remove_file(lab.env.path("hooked")).unwrap();
    lab.env.write_program(".git/hooks/pre-commit", "#!/bin/sh\ntouch hooked\ntouch more\n");
    let said = lab.one(&[], commit);
    assert!(!said.contains("hooked") && !said.contains("more"), "{said}");
    lab.env.relay(&["trust", "--yes"]).success();
    lab.env.relay(&["trust", "--revoke"]).success();
    let said = lab.one(&[], commit);
    assert!(!said.contains("hooked"), "{said}");
}

#[test]
fn a_linked_work_tree_can_commit() {
    let lab = Lab::new();
    let other = lab.env.home_path("main");
    let folder = other.display().to_string();
    let root = lab.env.root();
    let config = lab.env.read("relaycode.config.json");
    std::fs::remove_dir_all(&root).unwrap();
    for arguments in [
        vec!["init", "-q", &folder],
        vec!["-C", &folder, "config", "user.name", "a"],
        vec!["-C", &folder, "config", "user.email", "a@b"],
        vec!["-C", &folder, "commit", "-q", "--allow-empty", "-m", "first"],
        vec!["-C", &folder, "worktree", "add", "-q", root.to_str().unwrap()],
    ] {
        let made = std::process::Command::new("git").args(&arguments).current_dir("/").status().unwrap();
        assert!(made.success(), "{arguments:?}");
    }
    lab.env.write("relaycode.config.json", &config);
    lab.env.write("a.txt", "one\n");
    let said = lab.bash(
        &[],
        &[
            json!({ "command": "git add a.txt && git commit -qm second && git log --format=%s" }),
            json!({ "command": "python3 -c \"import subprocess; d = subprocess.check_output(['git', 'rev-parse', '--git-common-dir'], text=True).strip(); open(d + '/hooks/post-commit', 'w').write('evil'); open(d + '/config', 'a').write('evil')\"; true" }),
        ],
    );
    assert_eq!(said[0], "second\nfirst", "{said:?}");
    assert!(!other.join(".git/hooks/post-commit").exists());
    assert!(!std::fs::read_to_string(other.join(".git/config")).unwrap().contains("evil"));
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
    let call = json!({ "command": "b() { sleep 30 & sleep 30 & b & b; }; b", "timeout": 2 });
    let said = lab.bash(&[], &[call, json!({ "command": "echo alive" })]);
    assert!(said[0].contains("timed out") || said[0].contains("code"), "{}", said[0]);
    assert_eq!(said[1], "alive");
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

/// Starts a session with a command that leaves a daemon, waits for the daemon, ends Relay, and checks again.
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
    let until = Instant::now() + Duration::from_secs(60);
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

/// Not a test: what [`nothing_outlives_a_relay_that_panicked`] starts. A shell has left a daemon and is running a
/// command when another thread panics, which ends the process.
#[test]
#[ignore = "started by another test"]
fn a_process_that_panics() {
    use relay_exec::sandbox::{Limits, Network, Rules};
    let Some(number) = std::env::var_os("PANICKING") else { return };
    let number = number.into_string().unwrap();
    let temp = std::env::temp_dir();
    let rules = Rules {
        writable: vec![temp.clone()],
        network: Network::Off,
        limits: Limits::usual(),
        ..Rules::default()
    };
    let start = relay_exec::Start {
        relay: Some(env!("CARGO_BIN_EXE_relay").as_ref()),
        rules,
        program: "bash",
        args: &[],
        cwd: &temp,
        env: &[],
        without: &[],
    };
    let cancel = relay_diagnostics::Cancel::new();
    let mut session = relay_exec::Session::start(&start, relay_exec::Boot::default(), &cancel).unwrap();
    let line = format!("env -i setsid sh -c 'exec 1>&- 2>&-; sleep {number}' & sleep {number}");
    std::thread::spawn(move || {
        session.run(relay_exec::Turn {
            before: "",
            command: &line,
            after: "",
            timeout: None,
            cancel: &cancel,
            on_output: &mut |_| {},
        });
    });
    let word = format!("sleep {number}");
    testkit::wait_for("the daemon", || processes_with(&word).len() >= 2);
    panic!("as planned");
}

#[test]
fn nothing_outlives_a_relay_that_panicked() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sandbox::a_process_that_panics", "--ignored", "--test-threads=1"])
        .env("PANICKING", "4805")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("as planned") && !output.status.success(), "{said}");
    testkit::wait_for("the end of the daemon", || processes_with("sleep 4805").is_empty());
}

/// `npm install` of a real package through the proxy, with the one question answered.
#[test]
fn npm_install_works_with_one_answer() {
    if std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes") {
        npm_install();
    }
}

fn npm_install() {
    let lab = Lab::new();
    if !has_bubblewrap(&lab) {
        return;
    }
    let reaches = std::process::Command::new("npm").args(["view", "is-number", "version"]).output();
    if !reaches.is_ok_and(|output| output.status.success()) {
        // A failure of the registry or the network is not Relay's.
        return println!("NOT TESTED: npm reaches no registry");
    }
    if !is_registry_public() {
        return println!(
            "NOT TESTED: npm's registry has an address of this network, which the proxy refuses"
        );
    }
    std::fs::write(lab.env.home_path(".config/relay/config.toml"), "[sandbox]\nnetwork = \"allowlist\"\n")
        .unwrap();
    lab.env.write("package.json", "{ \"name\": \"x\", \"version\": \"1.0.0\" }\n");
    let call = json!({ "command": "npm install --no-audit --no-update-notifier is-number@7.0.0" });
    lab.server.queue(Reply::text("").tool("c", "bash", &call.to_string()));
    lab.server.queue(Reply::text("Done."));
    let mut relay = lab.env.relay(&["rpc", "--model", "lab/m"]).talk();
    relay.say(&json!({ "id": 1, "type": "prompt", "message": "go" }).to_string());
    let mut questions = Vec::new();
    loop {
        let line: serde_json::Value = serde_json::from_str(&relay.line()).unwrap();
        if line["type"] == "extension_ui_request" {
            questions.push(line["message"].as_str().unwrap_or_default().to_owned());
            let answer = json!({ "type": "extension_ui_response", "id": line["id"], "value": "session" });
            relay.say(&answer.to_string());
        }
        if line["type"] == "agent_end" {
            break;
        }
    }
    let told = lab.server.requests().pop().unwrap().body.to_string();
    assert_eq!(questions.len(), 1, "{questions:?} {told}");
    assert!(lab.env.exists("node_modules/is-number/package.json"), "{told}");
}

/// Whether npm's registry is on the internet, and not a mirror in this network.
fn is_registry_public() -> bool {
    let output = std::process::Command::new("npm").args(["config", "get", "registry"]).output().unwrap();
    let address = String::from_utf8(output.stdout).unwrap();
    let host =
        address.trim().split("//").nth(1).unwrap_or_default().split(['/', ':']).next().unwrap_or_default();
    let mut found = std::net::ToSocketAddrs::to_socket_addrs(&(host, 443)).into_iter().flatten();
    found.all(|address| match address.ip() {
        std::net::IpAddr::V4(ip) => !ip.is_private() && !ip.is_loopback() && !ip.is_documentation(),
        std::net::IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unique_local(),
    })
}

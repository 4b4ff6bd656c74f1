//! `bash` of the agent: a shell that stays, in its sandbox, captured.

use serde_json::{Value, json};
use testkit::TestEnv;
use testkit::model::{ModelServer, Reply};

/// A project and a model that says what the test wants.
pub struct Lab {
    pub env: TestEnv,
    pub server: ModelServer,
}

impl Lab {
    pub fn new() -> Self {
        let crate::lab::Lab { env, server } = crate::lab::Lab::plain("openai-chat", "/v1");
        Self { env, server }
    }

    /// Runs a session in which the model makes these calls of `bash`, one after another, and returns their results.
    pub fn bash(&self, arguments: &[&str], calls: &[Value]) -> Vec<String> {
        for call in calls {
            self.server.queue(Reply::text("").tool("call_0", "bash", &call.to_string()));
        }
        self.server.queue(Reply::text("Done."));
        let all = [&["run", "--model", "lab/m"], arguments, &["go"]].concat();
        let run = self.env.relay(&all).run();
        assert!(run.stdout.contains("Done."), "{}{}", run.stdout, run.stderr);
        let last = self.server.requests().pop().unwrap().body;
        let results = last["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
        let texts: Vec<String> = results.map(|message| text_of(&message["content"])).collect();
        assert_eq!(texts.len(), calls.len(), "{last}");
        texts
    }

    /// One command.
    pub fn one(&self, arguments: &[&str], command: &str) -> String {
        self.bash(arguments, &[json!({ "command": command })]).remove(0)
    }
}

/// The text of a message, however the wire writes it.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

fn command(line: &str) -> Value {
    json!({ "command": line })
}

#[test]
fn folder_variables_and_functions_are_kept() {
    let lab = Lab::new();
    lab.env.write("sub/a.txt", "x\n");
    let said = lab.bash(
        &[],
        &[
            command("cd sub"),
            command("export COLOUR=blue; plain=1; greet() { echo \"hello $1\"; }"),
            command("pwd; echo $COLOUR $plain; greet you; ls"),
        ],
    );
    assert_eq!(said[0], "(no output)");
    let root = lab.env.path("sub").canonicalize().unwrap();
    assert_eq!(said[2], format!("{}\nblue 1\nhello you\na.txt", root.display()));
}

#[test]
fn a_call_has_its_own_folder_and_variables() {
    let lab = Lab::new();
    lab.env.write("sub/a.txt", "x\n");
    let said = lab.bash(
        &[],
        &[
            command("export A=kept"),
            json!({ "command": "echo $A $B; basename $PWD", "env": { "A": "mine", "B": "it's" }, "cwd": "sub" }),
            command("echo $A ${B-unset}; basename $PWD"),
        ],
    );
    assert_eq!(said[1], "mine it's\nsub");
    assert!(said[2].starts_with("kept unset\n") && !said[2].ends_with("sub"), "{}", said[2]);
}

#[test]
fn ends_are_told_in_the_words_that_models_know() {
    let lab = Lab::new();
    let said = lab.bash(
        &[],
        &[
            command("echo out; echo err >&2; false"),
            command("(exit 7)"),
            command("if"),
            json!({ "command": "sleep 60", "timeout": 1 }),
            command("exit 3"),
            command("echo again"),
            json!({ "command": "x", "cwd": "nowhere" }),
            json!({ "command": "x", "env": { "a-b": "" } }),
            json!({ "command": "true", "async": true }),
        ],
    );
    assert_eq!(said[0], "out\nerr\nCommand exited with code 1");
    assert!(said[1].ends_with("Command exited with code 7"), "{}", said[1]);
    assert!(said[3].contains("Command timed out after 1 seconds"), "{}", said[3]);
    assert!(said[4].ends_with("Command exited with code 3"), "{}", said[4]);
    assert_eq!(said[5], "again");
    assert_eq!(said[6], "Working directory does not exist: nowhere");
    assert_eq!(said[7], "Invalid bash env name: a-b");
    assert_eq!(said[8], "Async bash execution is disabled. Enable async.enabled to use async mode.");
}

#[test]
fn nothing_a_command_prints_is_taken_for_its_end() {
    let lab = Lab::new();
    let said = lab.bash(
        &[],
        &[
            command("printf 'E0\\0/tmp\\0' >&2; printf 'R\\0'; echo real >&9; echo $?"),
            command("cat; read x; echo input is empty"),
            command("set -e; set -u; true"),
            command("printf 'a\\0b\\xff\\x1b[31mred\\x1b[0m\\n'"),
        ],
    );
    assert!(said[0].contains("Bad file descriptor") && said[0].ends_with('1'), "{}", said[0]);
    assert_eq!(said[1], "input is empty");
    assert_eq!(said[3], "ab\u{fffd}red");
}

#[test]
fn what_a_command_leaves_running_is_ended_and_named() {
    let lab = Lab::new();
    let said = lab.one(&["--policy", "full"], "sleep 4217 & setsid sleep 4217 & echo started");
    assert!(said.starts_with("started\n[Ended with the command: ") && said.contains("sleep 4217"), "{said}");
}

#[test]
fn what_a_command_changes_is_one_transaction() {
    let lab = Lab::new();
    lab.env.write("a.txt", "one\n");
    lab.one(&[], "echo two >> a.txt; echo new > b.txt");
    assert_eq!(lab.env.read("a.txt"), "one\ntwo\n");
    lab.env.relay(&["undo", "--yes"]).success();
    assert_eq!(lab.env.read("a.txt"), "one\n");
    assert!(!lab.env.exists("b.txt"));
}

#[test]
fn ignored_files_come_back_after_a_command_that_destroys_them() {
    let lab = Lab::new();
    lab.env.write(".gitignore", "secret.txt\nbuild/\n");
    lab.env.write("secret.txt", "only copy\n");
    lab.env.write("build/deep/out", "built\n");
    let said = lab.one(&[], "rm -rf build secret.txt");
    assert!(said.contains("Denied"), "it is asked about: {said}");
    assert!(lab.env.exists("secret.txt"));
    lab.one(&["--allow", "destructive"], "rm -rf build secret.txt");
    assert!(!lab.env.exists("secret.txt") && !lab.env.exists("build/deep/out"));
    lab.env.relay(&["undo", "--yes"]).success();
    assert_eq!(lab.env.read("secret.txt"), "only copy\n");
    assert_eq!(lab.env.read("build/deep/out"), "built\n");
}

#[test]
fn long_output_is_cut_and_whole_in_its_artifact() {
    let lab = Lab::new();
    let said = lab.bash(
        &[],
        &[
            command("seq 1 200000"),
            command("tail -n 1 artifact://0; wc -l < artifact://0"),
            command("cat artifact://9"),
        ],
    );
    assert!(said[0].starts_with("1\n2\n") && said[0].contains("left out") && said[0].contains("\n200000\n"));
    assert!(
        said[0].ends_with("[Output cut: 200000 lines, 1288895 bytes. Full: artifact://0]"),
        "{}",
        said[0]
    );
    assert_eq!(said[1], "200000\n200000");
    assert_eq!(said[2], "Artifact 9 not found. Available: 0");
}

#[test]
fn progress_is_left_out_and_kept() {
    let lab = Lab::new();
    lab.env.write("bin/cargo", "#!/bin/sh\nfor n in $(seq 60); do echo \"   Compiling crate-$n v1.0.0\"; done; echo 'error: broken'\n");
    let said = lab.bash(
        &[],
        &[
            command("chmod +x bin/cargo"),
            command("bin/cargo build"),
            command("grep -c Compiling artifact://0"),
        ],
    );
    assert_eq!(said[1], "[60 lines of progress left out]\nerror: broken\n[raw output: artifact://0]");
    assert_eq!(said[2], "60");
}

#[test]
fn a_command_in_the_background_is_a_job_and_captured_when_it_ends() {
    for settings in
        ["[async]\nenabled = true\n", "[bash.autoBackground]\nenabled = true\nthresholdMs = 100\n"]
    {
        let lab = Lab::new();
        std::fs::write(lab.env.home_path(".config/relay/config.toml"), settings).unwrap();
        let is_async = settings.contains("async");
        let line = "echo begun; sleep 1; echo made > made.txt; echo over";
        let call = json!({ "command": line, "async": is_async });
        lab.server.queue(Reply::text("").tool("c", "bash", &call.to_string()));
        let other = json!({ "command": "echo meanwhile > other.txt" });
        lab.server.queue(Reply::text("").tool("d", "bash", &other.to_string()));
        for _ in 0..3 {
            lab.server.queue(Reply::text("Done."));
        }
        let run = lab.env.relay(&["run", "--model", "lab/m", "go"]).run();
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        let told = lab.server.requests().pop().unwrap().body.to_string();
        assert!(told.contains("Background job ") && told.contains("over"), "{told}");
        assert_eq!(
            (lab.env.read("made.txt"), lab.env.read("other.txt")),
            ("made\n".into(), "meanwhile\n".into())
        );
        lab.env.relay(&["undo", "--yes"]).success();
        assert!(
            !lab.env.exists("made.txt") && lab.env.exists("other.txt"),
            "the last transaction is the job's"
        );
        lab.env.relay(&["undo", "--yes"]).success();
        assert!(!lab.env.exists("other.txt"));
    }
}

#[test]
fn a_better_tool_is_named_where_the_user_wants_that() {
    let lab = Lab::new();
    lab.env.write("a.txt", "one\n");
    assert_eq!(lab.one(&[], "cat a.txt"), "one");
    std::fs::write(lab.env.home_path(".config/relay/config.toml"), "[bashInterceptor]\nenabled = true\n")
        .unwrap();
    let said = lab.one(&[], "cat a.txt");
    assert!(
        said.starts_with("Blocked: Use the `read` tool") && said.ends_with("Original command: cat a.txt"),
        "{said}"
    );
}

#[test]
fn rules_and_filters_of_the_users_own_are_used() {
    let lab = Lab::new();
    let filters = lab.env.home_path("filters.toml");
    std::fs::write(&filters, "[[filters]]\nname = \"seq\"\ncommands = [\"seq\"]\ndrop = [\"^[0-9]+0$\"]\n")
        .unwrap();
    let settings = format!(
        "[shellMinimizer]\nsettingsPath = '{}'\n[bashInterceptor]\nenabled = true\n\
         [[bashInterceptor.patterns]]\npattern = '^ls\\b'\ntool = 'find'\nmessage = 'Find it.'\n",
        filters.display()
    );
    std::fs::write(lab.env.home_path(".config/relay/config.toml"), settings).unwrap();
    let said =
        lab.bash(&[], &[command("seq 10 10 900"), command("ls"), command("cat relaycode.config.json")]);
    assert_eq!(said[0], "[90 lines of progress left out]\n[raw output: artifact://0]");
    assert_eq!(said[1], "Blocked: Find it.\n\nOriginal command: ls");
    assert!(said[2].contains("projectId"), "the built-in rules are replaced: {}", said[2]);
}

/// What a command of the shell says with these settings and variables.
fn with_settings(settings: &str, variables: &[(&str, &str)], line: &str) -> String {
    let lab = Lab::new();
    std::fs::write(lab.env.home_path(".config/relay/config.toml"), settings).unwrap();
    std::fs::write(lab.env.home_path(".bash_profile"), "export FROM_PROFILE=yes\n").unwrap();
    lab.server.queue(Reply::text("").tool("c", "bash", &command(line).to_string()));
    lab.server.queue(Reply::text("Done."));
    let mut relay = lab.env.relay(&["run", "--model", "lab/m", "go"]);
    for (name, value) in variables {
        relay = relay.env(name, value);
    }
    let run = relay.run();
    assert!(run.stdout.contains("Done."), "{}{}", run.stdout, run.stderr);
    let last = lab.server.requests().pop().unwrap().body;
    let result =
        last["messages"].as_array().unwrap().iter().find(|message| message["role"] == "tool").unwrap();
    text_of(&result["content"])
}

#[test]
fn prefix_login_shell_and_ci_can_be_switched() {
    let line = "echo ${CI-none} ${FROM_PROFILE-none}";
    for (settings, variables, expected) in [
        ("", &[][..], "1 none"),
        ("[bash]\nnoCi = true\n", &[], "none none"),
        ("", &[("CLAUDE_BASH_NO_CI", "1")], "none none"),
        ("", &[("RELAY_BASH_NO_CI", "true")], "none none"),
        ("[bash]\nlogin = true\n", &[], "1 yes"),
        ("", &[("RELAY_BASH_LOGIN", "1")], "1 yes"),
        ("", &[("CLAUDE_CODE_SHELL_PREFIX", "time -p")], "1 none"),
    ] {
        let said = with_settings(settings, variables, line);
        assert_eq!(said.lines().next(), Some(expected), "{settings} {variables:?}: {said}");
    }
    let said = with_settings("", &[("RELAY_SHELL_PREFIX", "time -p")], "true");
    assert!(said.contains("real "), "{said}");
    let said = with_settings("[bash]\nnoPty = true\n", &[], "tty");
    assert!(said.contains("not a tty"), "{said}");
}

/// How much a flood is: the full size takes minutes.
fn flood_megabytes() -> u64 {
    if std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes") { 1024 } else { 64 }
}

/// The most memory that a process has had so far, in bytes.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.trim().parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Runs a session with these calls: their results, and the most memory that Relay had.
fn watched(calls: &[Value]) -> (Vec<String>, u64) {
    let lab = Lab::new();
    for call in calls {
        lab.server.queue(Reply::text("").tool("call_0", "bash", &call.to_string()));
    }
    lab.server.queue(Reply::text("Done."));
    let relay = lab.env.relay(&["run", "--model", "lab/m", "go"]).spawn();
    let process = relay.id();
    let watcher = std::thread::spawn(move || {
        let mut highest = 0;
        // A process that has ended has no memory any more.
        while let seen @ 1.. = peak(process) {
            highest = highest.max(seen);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        highest
    });
    let run = relay.wait();
    assert!(run.stdout.contains("Done."), "{}{}", run.stdout, run.stderr);
    let last = lab.server.requests().pop().unwrap().body;
    let results = last["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    (results.map(|message| text_of(&message["content"])).collect(), watcher.join().unwrap())
}

#[test]
fn a_flood_is_whole_in_its_artifact_and_not_in_memory() {
    let bytes = flood_megabytes() << 20;
    let check =
        "wc -c < artifact://0; tr -d '0123456789abcdef\\n' < artifact://0 | wc -c; head -c 34 artifact://0";
    let (said, highest) = watched(&[
        json!({ "command": format!("yes 0123456789abcdef | head -c {bytes}"), "timeout": 3600 }),
        json!({ "command": check, "timeout": 3600 }),
    ]);
    assert!(said[0].contains("Full: artifact://0") && said[0].len() < 60_000, "{}", said[0].len());
    assert_eq!(said[1], format!("{bytes}\n0\n0123456789abcdef\n0123456789abcdef"));
    let (_, usual) = watched(&[command("true")]);
    assert!(highest < usual + (32 << 20), "{highest} bytes of memory, without the flood {usual}");
}

/// A million lines, as fast as they come: every one is in the artifact, and those that are shown and left out are all of them.
#[test]
fn every_line_of_a_flood_is_counted_and_kept() {
    const LINES: u64 = 1_000_000;
    let (said, highest) = watched(&[
        json!({ "command": format!("seq 1 {LINES}"), "timeout": 3600 }),
        json!({ "command": format!("wc -l < artifact://0; seq 1 {LINES} | cmp - artifact://0 && echo same"), "timeout": 3600 }),
    ]);
    assert_eq!(said[1], format!("{LINES}\nsame"));
    // The sink leaves some out, and so may the bound on the lines of every result.
    let gaps = said[0].split("[… ").skip(1).filter_map(|gap| gap.split(" lines").next()?.parse::<u64>().ok());
    let missing: u64 = gaps.sum();
    let shown = said[0].lines().filter(|line| line.parse::<u64>().is_ok()).count() as u64;
    assert_eq!(missing + shown, LINES, "{}", said[0]);
    let (_, usual) = watched(&[command("true")]);
    assert!(highest < usual + (32 << 20), "{highest} bytes of memory, without the flood {usual}");
}

#[test]
fn whatever_bytes_come_are_whole_in_the_artifact() {
    let lab = Lab::new();
    let place = lab.env.home_path("soup");
    let mut soup = Vec::new();
    let mut state = 1_u32;
    while soup.len() < 2 << 20 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        match state >> 29 {
            0 => soup.extend_from_slice(b"\x1b[31m\x1b[2J\x1b]0;title\x07\x1b[999;999H"),
            1 => soup.extend_from_slice(&[0; 7]),
            2 => soup.extend_from_slice(b"\xff\xfe\xc3\x28\xed\xa0\x80"),
            3 => soup.extend_from_slice("é🙂\u{202e}".as_bytes()),
            4 => soup.extend_from_slice(b"\r\x08\x08line\n"),
            5 => soup.push(b'\n'),
            _ => soup.extend_from_slice(&state.to_le_bytes()),
        }
    }
    std::fs::write(&place, &soup).unwrap();
    let said = lab.bash(
        &[],
        &[
            command(&format!("cat {}", place.display())),
            command(&format!("cmp artifact://0 {} && echo same", place.display())),
        ],
    );
    assert!(said[0].contains("Full: artifact://0"), "{}", said[0].len());
    assert!(
        said[0].chars().all(|c| c == '\n' || c == '\t' || !c.is_control()),
        "control characters are shown"
    );
    assert_eq!(said[1], "same");
}

//! Sessions of pi and oh-my-pi, made by the programs themselves against a scripted model: they open here, grow, and
//! continue in the program they came from.
//!
//! `./test --long` installs the programs and sets `RELAY_SESSION_PROGRAMS` to the folder. If that fails, `./test` says so,
//! and these tests do nothing.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use testkit::TestEnv;
use testkit::model::{Answer, ModelServer, Reply};

use crate::env;

/// A program that writes sessions, a project, and the model that it asks.
struct Program {
    name: &'static str,
    env: TestEnv,
    server: ModelServer,
    path: String,
}

/// The program of this name; `None` where it is not installed.
fn program(name: &'static str) -> Option<Program> {
    let programs = PathBuf::from(std::env::var_os("RELAY_SESSION_PROGRAMS")?).join("node_modules/.bin");
    if !programs.join(name).exists() {
        return None;
    }
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let program = Program { name, env: env(), server: ModelServer::start(), path };
    let folder = if name == "pi" { ".pi/agent" } else { ".omp/agent" };
    let models = json!({ "providers": { "scripted": {
        "baseUrl": format!("{}/v1", program.server.url()),
        "api": "openai-completions",
        "apiKey": "sk-test",
        "models": [{ "id": "scripted-model", "name": "scripted", "reasoning": false, "input": ["text"],
            "contextWindow": 128_000, "maxTokens": 4_000,
            "cost": { "input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0 } }],
    } } });
    let home = program.env.home_path(folder);
    std::fs::create_dir_all(&home).unwrap();
    // JSON is also YAML, which the other program reads.
    for file in ["models.json", "models.yml"] {
        std::fs::write(home.join(file), models.to_string()).unwrap();
    }
    Some(program)
}

impl Program {
    /// Makes the program answer a prompt, in this session's file if one is given.
    fn ask(&self, prompt: &str, session: Option<&Path>) {
        let resume = if self.name == "pi" { "--session" } else { "--resume" };
        let mut command = Command::new("timeout");
        command.args([
            "-k",
            "5",
            "120",
            self.name,
            "-p",
            "--provider",
            "scripted",
            "--model",
            "scripted-model",
        ]);
        command.arg("--session-dir").arg(self.sessions());
        if let Some(session) = session {
            command.arg(resume).arg(session);
        }
        let output = command
            .arg(prompt)
            .current_dir(self.env.root())
            .env("HOME", self.env.home_path(""))
            .env("PATH", &self.path)
            .env("PI_OFFLINE", "1")
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} {prompt}: {said}", self.name);
    }

    fn sessions(&self) -> PathBuf {
        self.env.home_path("made")
    }

    /// The only session that was created.
    fn session(&self) -> PathBuf {
        let files = std::fs::read_dir(self.sessions()).unwrap().map(|file| file.unwrap().path());
        let mut files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
        let found = files.next().unwrap_or_else(|| panic!("{} made no session", self.name));
        assert_eq!(files.next(), None, "one session");
        found
    }

    fn relay(&self, arguments: &[&str]) -> String {
        self.env.relay(arguments).success().stdout
    }

    fn document(&self, session: &Path) -> Value {
        serde_json::from_str(&self.relay(&["sessions", "show", session.to_str().unwrap(), "--json"])).unwrap()
    }
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// The whole round trip.
fn check(name: &'static str) {
    let Some(program) = program(name) else { return };
    program.server.respond(|request| {
        let text = request.body.to_string();
        Answer::from(
            if text.contains("tool-output-here")
                || !text.contains("\"tools\"")
                || !text.contains("use the shell")
            {
                Reply::text("All done here.")
            } else {
                Reply::text("Looking.").tool("call_1", "bash", r#"{"command":"echo tool-output-here"}"#)
            },
        )
    });
    program.ask("please use the shell", None);
    let session = program.session();
    let before = lines(&session);
    let document = program.document(&session);
    assert_eq!(document["damage"], json!([]), "everything is understood");
    let roles: Vec<&str> = document["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["message"]["role"].as_str())
        .filter(|role| ["user", "assistant", "toolResult"].contains(role))
        .collect();
    assert_eq!(roles, ["user", "assistant", "toolResult", "assistant"], "{document:#}");
    let shown = program.relay(&["sessions", "show", session.to_str().unwrap()]);
    assert!(shown.contains("please use the shell") && shown.contains("All done here."), "{shown}");
    assert!(shown.contains("scripted/scripted-model") && shown.contains("tool-output-here"), "{shown}");
    assert_eq!(lines(&session), before, "looking changes nothing");

    let first = document["entries"][0]["id"].as_str().unwrap().to_owned();
    program.relay(&["sessions", "label", session.to_str().unwrap(), &first, "start"]);
    program.relay(&["sessions", "rename", session.to_str().unwrap(), "named", "here"]);
    let renamed = lines(&session);
    assert_eq!(renamed.len(), before.len() + 1, "a label was added");
    let is_kept = |line: &&String| renamed.contains(line);
    assert!(before.iter().filter(is_kept).count() >= before.len() - 2, "only the name's lines changed");

    program.ask("and once more", Some(&session));
    let after = program.document(&program.session());
    let said: Vec<&str> = after["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["message"]["role"] == "user")
        .filter_map(|entry| {
            entry["message"]["content"][0]["text"].as_str().or(entry["message"]["content"].as_str())
        })
        .collect();
    assert_eq!(said, ["please use the shell", "and once more"]);
    let asked = program.server.prompts();
    let last = asked.last().unwrap().body.to_string();
    assert!(last.contains("please use the shell") && last.contains("and once more"), "it went on: {last}");
    assert_eq!(after["name"], "named here");
    let page = program.relay(&["sessions", "export", session.to_str().unwrap(), "--format", "html"]);
    assert!(page.contains("All done here.") && page.contains("tool-output-here"), "{page}");
}

#[test]
fn a_session_of_pi_opens_continues_and_returns() {
    check("pi");
}

#[test]
fn a_session_of_oh_my_pi_opens_continues_and_returns() {
    check("omp");
}

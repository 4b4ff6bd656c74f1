//! Every command in the README and the guide, run in the order in which a reader would type it.
//!
//! Each block of commands gets a project of its own with everything the page mentions: sources, a ledger of twelve
//! transactions, a reply, a clipboard, other agents, a model server. A command that fails, or that the page no longer
//! shows although it is listed here, fails the test.

use serde_json::json;
use testkit::model::{ModelServer, Reply};
use testkit::{TestEnv, XDisplay};

use crate::{apply, project};

/// Commands that are about this repository or the reader's machine, and are not run here.
const NOT_RUN: [&str; 4] = [
    "cargo run --release -- demo", // `relay demo` is run; building it again here would take minutes.
    "./test",                      // Runs this test.
    "cargo install --path crates/relay --locked",
    "cd your-project", // The test is there already.
];

/// Commands that exit with a code other than 0 here, and why that is correct.
const EXPECTED: [(&str, i32, &str); 2] = [
    ("relay apply --repair-prompt reply.md", 1, "Send only"),
    ("relay apply --clipboard --repair-prompt --copy", 1, "on the clipboard"),
];

/// Commands that wait for a person, each with what that person would do: the text to type or save, or the signal to
/// stop.
const STDIN: [(&str, &str); 1] = [("relay auth login anthropic", "sk-from-a-pipe\n")];

/// Commands that run until they are stopped.
const STOPPED: [&str; 3] = ["relay watch", "relay watch --file replies.md", "relay mail run"];

/// The commands of each `sh` block of a page, without their comments.
fn blocks(page: &str) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line == "```sh" {
            let block = lines.by_ref().take_while(|line| *line != "```");
            blocks.push(block.map(command).filter(|command| !command.is_empty()).collect());
        }
    }
    blocks
}

/// A line without its comment. Two spaces precede each comment, to distinguish it from a `#` in a command.
fn command(line: &str) -> String {
    line.split("  #").next().unwrap_or_default().trim().to_owned()
}

struct Reader {
    env: TestEnv,
    display: XDisplay,
    models: ModelServer,
}

impl Reader {
    fn new(block: &[String]) -> Self {
        let env = project(r#"{"projectId": "shop"}"#);
        let reader = Self { env, display: XDisplay::start(), models: ModelServer::start() };
        reader.models.respond(|_| Reply::text(r#"{"risks": []}"#).into());
        reader.agents();
        reader.sources();
        reader.ledger();
        reader.commit("second");
        reader.env.write("src/a.rs", "fn a() { work() }\n");
        reader.replies(block);
        reader
    }

    /// Stand-ins for the programs that the page calls.
    fn agents(&self) {
        let fix = "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-const a = 15;\n+const a = 2;\n";
        let review = json!({"findings": [
            {"file": "src/a.ts", "line": 1, "severity": "nit", "message": "fine", "fix": null},
            {"file": "src/a.ts", "line": 1, "severity": "nit", "message": "a name", "fix": fix},
        ]});
        // Prose over several lines, which no agent's event format resembles.
        self.env.write("../home/answer", &format!("My findings:\n{review:#}\n"));
        let answer = self.env.home_path("answer").display().to_string();
        for name in ["codex", "claude", "gemini"] {
            let program = format!(
                "#!/bin/sh\n[ \"$1\" = --version ] && echo 1.0 && exit\ncat > /dev/null\ncat {answer}\n"
            );
            self.env.write_program(&format!("../home/bin/{name}"), &program);
        }
        self.env.write_program("../home/bin/some-agent", "#!/bin/sh\necho worked > by-agent.txt\n");
        self.env.write_program("../home/bin/some-program", "#!/bin/sh\ncat reply.md\n");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_relay"), self.env.home_path("bin/relay")).unwrap();
    }

    fn sources(&self) {
        self.env.write("src/a.rs", "fn a() {}\n");
        self.env.write("src/a.ts", "const a = 1;\n");
        self.env.write("tests/a.rs", "fn t() {}\n");
        self.env.write("docs/guide.md", "# Guide\n");
        self.env.write("risks.json", r#"{"type": "object", "required": ["risks"]}"#);
        self.env.write_program("migrate.sh", "#!/bin/sh\necho migrated > migrated.txt\n");
        self.env.write(".gitignore", "/.relaycode/\n");
        self.env.git(&["init", "-q", "-b", "main"]);
        self.commit("first");
        self.env.git(&["checkout", "-q", "-b", "work"]);
    }

    fn commit(&self, message: &str) {
        self.env.git(&["add", "-A"]);
        self.env.git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", message]);
    }

    /// Twelve transactions, among them those that the guide names.
    fn ledger(&self) {
        for number in 1..=12 {
            let (uuid, path) = match number {
                5 => ("6f2a1c9e-3b7d-4e58-9a40-1d2c3b4a5f60".to_owned(), "src/a.ts".to_owned()),
                8 => ("3f2a1c9e-3b7d-4e58-9a40-1d2c3b4a5f60".to_owned(), "src/api/user.ts".to_owned()),
                other => (crate::uuid(other), format!("src/n{other}.ts")),
            };
            let content = format!("const a = {};\nconst b = {number};", number + 10);
            let reply = format!(
                "Because.\n\n```ts // {{{path}}}\n{content}\n```\n\n```yaml\nprojectId: shop\nuuid: {uuid}\n```\n"
            );
            let group: &[&str] = if number == 12 { &["--group", "mail:a1:7"] } else { &[] };
            assert_eq!(apply(&self.env, &reply, &[&["--allow-shrink"], group].concat()).0, 0, "{number}");
        }
    }

    /// The reply to land, or, where the page shows a refusal, one that is refused and its answer.
    fn replies(&self, block: &[String]) {
        let section = |search: &str| {
            format!(
                "```ts // {{src/a.ts}} multi-search-replace\n<<<<<<< SEARCH\n{search}\n=======\nconst b = 99;\n>>>>>>> REPLACE\n```\n\n\
                 ```yaml\nprojectId: shop\nuuid: {}\n```\n",
                crate::uuid(77)
            )
        };
        let is_refused = block.iter().any(|command| command.contains("--repair-prompt"));
        let reply = section(if is_refused { "const c = 7;" } else { "const b = 5;" });
        self.env.write("reply.md", &reply);
        self.env.write("answer.md", &section("const b = 5;"));
        self.env.write("replies.md", "");
        self.copy(&reply);
    }

    fn copy(&self, text: &str) {
        self.env.write("../home/copied", text);
        let place = self.env.home_path("copied");
        let script = format!(
            "DISPLAY={} timeout 20 xclip -selection clipboard {} > /dev/null 2>&1",
            self.display.name(),
            place.display()
        );
        assert_eq!(self.env.shell(&script).code, 0);
    }

    /// Runs one command as a shell would, and says what is wrong with its result.
    fn run(&self, command: &str) -> Option<String> {
        if command.starts_with("relay review --apply") {
            // The previous review was of other changes, so first run the one that the fix belongs to.
            self.shell("relay review --transaction 6f2a --to codex");
        }
        let input = STDIN.iter().find(|(known, _)| *known == command).map_or("", |(_, input)| input);
        self.env.write("../home/typed", input);
        let typed = self.env.home_path("typed").display().to_string();
        let piped = if command.contains('<') || command.contains('|') {
            String::new()
        } else {
            format!(" < {typed}")
        };
        let is_stopped = STOPPED.contains(&command);
        let line = if is_stopped {
            format!("timeout -s INT 2 {command}{piped}")
        } else {
            format!("{command}{piped}")
        };
        let run = self.shell(&line);
        let (code, words) = EXPECTED
            .iter()
            .find(|(known, _, _)| *known == command)
            .map_or((if is_stopped { 124 } else { 0 }, ""), |(_, code, words)| (*code, words));
        let said = format!("{}{}", run.stdout, run.stderr);
        let is_right =
            (run.code == code || is_stopped && [0, 130].contains(&run.code)) && said.contains(words);
        (!is_right).then(|| format!("`{command}` exits with {} instead of {code}:\n{said}", run.code))
    }

    fn shell(&self, line: &str) -> testkit::Run {
        let script = format!(
            "export PATH={}:$PATH DISPLAY={} ANTHROPIC_BASE_URL={} ANTHROPIC_API_KEY=sk-x\n{line}",
            self.env.home_path("bin").display(),
            self.display.name(),
            self.models.url()
        );
        self.env.shell(&script)
    }
}

#[track_caller]
fn check(page: &str) {
    let mut faults = Vec::new();
    for block in blocks(page) {
        if block.iter().all(|command| NOT_RUN.contains(&command.as_str())) {
            continue;
        }
        let reader = Reader::new(&block);
        let commands = block.iter().filter(|command| !NOT_RUN.contains(&command.as_str()));
        faults.extend(commands.filter_map(|command| reader.run(command)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

fn page(path: &str) -> String {
    std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path))
        .unwrap()
}

#[test]
fn every_command_in_the_readme_works() {
    check(&page("README.md"));
}

/// Every reply on the page of shapes does what its section says.
#[test]
fn every_shape_on_the_page_lands_or_is_refused() {
    let page = page("docs/replies.md");
    let before =
        page.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("greet.py");
    let after = before.replace("\"Hello, \" + name", "f\"Hello, {name}!\"");
    let section = |heading: &str| {
        let text = page.split(heading).nth(1).expect(heading).split("\n## ").next().unwrap_or_default();
        text.split("````text\n").skip(1).filter_map(|rest| rest.split("````").next()).collect::<Vec<_>>()
    };
    let (landing, refused) = (section("## Shapes that land"), section("## Shapes that are refused"));
    assert!(landing.len() >= 5 && refused.len() >= 4, "{} {}", landing.len(), refused.len());
    for (shape, (code, expected)) in landing
        .iter()
        .map(|shape| (shape, (0, after.as_str())))
        .chain(refused.iter().map(|shape| (shape, (1, before))))
    {
        let env = crate::env();
        env.write("greet.py", before);
        let run = env.relay(&["apply"]).stdin(shape).run();
        assert_eq!(run.code, code, "{shape}\n{}{}", run.stdout, run.stderr);
        assert_eq!(env.read("greet.py"), expected, "{shape}");
    }
}

#[test]
fn every_command_in_the_guide_works() {
    check(&page("docs/guide.md"));
}

#[test]
fn a_command_that_does_not_work_is_found() {
    let reader = Reader::new(&[]);
    assert!(reader.run("relay log --no-such-flag").is_some());
    assert!(reader.run("relay shwo 12").is_some());
    assert_eq!(reader.run("relay log"), None);
}

#[test]
fn listed_commands_are_on_a_page() {
    let all: Vec<String> =
        [page("README.md"), page("docs/guide.md")].iter().flat_map(|page| blocks(page)).flatten().collect();
    let listed = NOT_RUN.iter().chain(STOPPED.iter()).chain(STDIN.iter().map(|(command, _)| command));
    for command in listed.chain(EXPECTED.iter().map(|(command, _, _)| command)) {
        assert!(all.iter().any(|known| known == command), "{command} is on no page");
    }
}

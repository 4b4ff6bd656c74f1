//! A repository that tries to make git start programs, each of which leaves a mark.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use testkit::{Run, TestEnv};

use super::table::{Kind, Row, rows};
use crate::reply;

/// The ways a hostile config reaches the folder where Relay works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// `.git/config`, as in an unpacked archive.
    Config,
    /// `.git/config.worktree`.
    WorkTreeConfig,
    /// A file that `.git/config` includes.
    Include,
    /// The same, under a condition.
    IncludeIf,
    /// A folder of an honest clone that looks like a bare repository.
    EmbeddedBare,
    /// `.git` is a file that names the repository.
    GitFile,
    /// `.git` is a link to the repository.
    Link,
    /// A linked work tree of the repository.
    LinkedWorkTree,
    /// A submodule of an honest repository.
    Submodule,
    /// A clone that lacks objects, with a remote that is a program.
    PartialClone,
}

pub const SITES: [Site; 10] = [
    Site::Config,
    Site::WorkTreeConfig,
    Site::Include,
    Site::IncludeIf,
    Site::EmbeddedBare,
    Site::GitFile,
    Site::Link,
    Site::LinkedWorkTree,
    Site::Submodule,
    Site::PartialClone,
];

/// The folder Relay works in, below the environment's project.
const WORK: &str = "work";
const CONFIG: &str = r#"{"projectId": "shop", "gitStage": true}"#;

/// A hostile repository.
pub struct Hostile {
    pub env: TestEnv,
    rows: Vec<Row>,
}

impl Hostile {
    /// One with these rows planted at a site.
    pub fn new(site: Site, rows: &[Row]) -> Self {
        let env = crate::env();
        let hostile = Self { env, rows: rows.to_vec() };
        hostile.fill(WORK);
        hostile.place(site);
        hostile.programs();
        hostile.plant(site);
        hostile.backend();
        hostile
    }

    /// The names of the programs that were started.
    pub fn marks(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.env.home_path("marks")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// A Relay command in the work tree, with the variables of the rows.
    pub fn relay(&self, arguments: &[&str], stdin: &str) -> Run {
        let mut command = self.env.relay(arguments).current_dir(WORK).stdin(stdin);
        for (name, value) in self.variables() {
            command = command.env(&name, &value);
        }
        command.run()
    }

    /// A plain git command in the work tree, with the variables of the rows.
    pub fn git(&self, line: &str) -> Run {
        let mut script = String::from("cd work; export GIT_TERMINAL_PROMPT=0;");
        for (name, value) in self.variables() {
            script.push_str(&format!(" export {name}=\"{value}\";"));
        }
        self.env.shell(&format!("{script} printf 'protocol=https\\nhost=localhost\\n\\n' | exec git {line}"))
    }

    /// A git command as the agent's shell calls it, with the variables of such a shell.
    pub fn agents_git(&self, line: &str) -> Run {
        let quiet = "export GIT_TERMINAL_PROMPT=0 GIT_PAGER=cat GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true GIT_ASKPASS=false";
        let settings = "GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=false \
                        GIT_CONFIG_KEY_1=core.hooksPath GIT_CONFIG_VALUE_1=/dev/null";
        let relay = env!("CARGO_BIN_EXE_relay");
        self.env.shell(&format!(
            "cd work; {quiet} {settings}; printf 'protocol=https\\nhost=localhost\\n\\n' | exec '{relay}' __git {line}"
        ))
    }

    /// A reply that changes a plain file and one with a filter.
    pub fn reply(number: u32) -> String {
        let two = reply(number, "a.txt", &format!("landed {number}"));
        two.replacen("```yaml", &format!("```text // {{b.evil}}\nlanded {number}\n```\n\n```yaml"), 1)
    }

    /// A script that prepares something, and must succeed.
    fn shell(&self, script: &str) {
        let run = self.env.shell(script);
        assert_eq!(run.code, 0, "{script}: {}{}", run.stdout, run.stderr);
    }

    /// Two commits, two branches, and changes that are not committed.
    fn fill(&self, folder: &str) {
        let write = |name: &str, text: &str| self.env.write(&format!("{folder}/{name}"), text);
        write("relaycode.config.json", CONFIG);
        write(".gitattributes", "*.evil filter=evil diff=evil merge=evil\n");
        write("a.txt", "one\n");
        write("b.evil", "one\n");
        let git = |arguments: &[&str]| self.env.git(&[&["-C", folder], arguments].concat());
        git(&["init", "-q", "-b", "main"]);
        git(&["add", "-A"]);
        git(&["commit", "-qm", "first"]);
        git(&["checkout", "-qb", "topic"]);
        write("a.txt", "two\n");
        write("b.evil", "two\n");
        git(&["commit", "-qam", "second"]);
        write("a.txt", "three\n");
        git(&["add", "a.txt"]);
        write("b.evil", "three\n");
        // A file whose time differs from the index, so that git reads it.
        self.shell(&format!("touch -d 2001-01-01 {folder}/b.evil {folder}/.gitattributes"));
    }

    /// Moves the repository to where this site needs it.
    fn place(&self, site: Site) {
        let script = match site {
            Site::Config | Site::WorkTreeConfig | Site::Include | Site::IncludeIf => "",
            Site::EmbeddedBare => {
                "cd work && mv .git/* . && rmdir .git && cd .. && git init -q . && git add -A . && \
                 git commit -qm outer && echo four >work/a.txt && echo four >work/b.evil"
            }
            Site::GitFile => "mv work/.git hostile && echo 'gitdir: ../hostile' >work/.git",
            Site::Link => "mv work/.git hostile && ln -s ../hostile work/.git",
            Site::LinkedWorkTree => {
                "mv work main && git -C main worktree add -q ../work -b other && \
                 cp main/a.txt main/b.evil work/"
            }
            Site::Submodule => {
                "mv work sub && mkdir work && cp sub/relaycode.config.json sub/.gitattributes sub/*.txt sub/*.evil work/ && \
                 cd work && git init -q -b main . && \
                 git -c protocol.file.allow=always submodule --quiet add ../sub sub && git add -A && \
                 git commit -qm first && git checkout -qb topic && git commit -q --allow-empty -m second && \
                 echo four | tee a.txt b.evil sub/a.txt sub/b.evil >/dev/null"
            }
            // A tree's files are all missing, so that every diff needs them.
            Site::PartialClone => {
                "cd work && for file in a.txt b.evil; do for at in main topic; do \
                 id=$(git rev-parse $at:$file) && rm -f .git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-); \
                 done; done && git config core.repositoryFormatVersion 1 && \
                 git config extensions.partialClone origin && git config remote.origin.promisor true && \
                 git config remote.origin.url \"ext::$HOME/programs/promisor\" && git config protocol.ext.allow always"
            }
        };
        self.shell(script);
    }

    /// One program for each row, and the folders of hooks. A shell writes them: see `TestEnv::write_program`.
    fn programs(&self) {
        let promisor = Row { kind: Kind::Setting, name: "promisor", value: "", trigger: None };
        let marks = self.env.home_path("marks").display().to_string();
        let hooks: Vec<&str> =
            rows().iter().filter(|row| row.kind == Kind::Hook).map(|row| row.name).collect();
        let mut script = String::from("set -e; mkdir -p \"$HOME/programs\"\n");
        for row in self.rows.iter().chain([&promisor]) {
            let program = self.program(row).display().to_string();
            script.push_str(&format!(
                "printf '#!/bin/sh\\necho \"{}\" >>\"{marks}\"\\nexit 1\\n' >'{program}'; chmod +x '{program}'\n",
                row.name
            ));
            if row.value.contains("HOOKS") || row.value.contains("TEMPLATE") {
                let folder = self.hooks(row).display().to_string();
                script.push_str(&format!(
                    "for folder in '{folder}' '{folder}/template/hooks'; do mkdir -p \"$folder\"; \
                     for hook in {}; do ln -s '{program}' \"$folder/$hook\"; done; done\n",
                    hooks.join(" ")
                ));
            }
            if row.name == "PATH" {
                script.push_str(&format!("cp '{program}' work/git\n"));
            }
        }
        self.shell(&script);
        for row in &self.rows {
            let program = self.program(row).display().to_string();
            let text = config(&[("core.fsmonitor".to_owned(), program)]);
            if row.value.contains("CONFIG") {
                self.env.write("work/hostile.gitconfig", &text);
            }
            if row.value.contains("HOSTILE") {
                self.shell("rm -rf other && cp -r work/.git other");
                self.env.write("other/config", &text);
            }
        }
    }

    /// Writes the settings and the hooks.
    fn plant(&self, site: Site) {
        let of = |kind| self.rows.iter().filter(move |row| row.kind == kind);
        let settings: Vec<(String, String)> = of(Kind::Setting)
            .filter(|row| site != Site::PartialClone || !row.name.starts_with("remote.origin."))
            .map(|row| (self.text(row, row.name), self.text(row, row.value)))
            .collect();
        let text = config(&settings);
        let dir = self.git_dir(site);
        let append = |path: PathBuf, more: &str| {
            let old = std::fs::read_to_string(&path).unwrap_or_default();
            std::fs::write(path, old + more).unwrap();
        };
        match site {
            Site::WorkTreeConfig => {
                append(
                    dir.join("config"),
                    "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n",
                );
                append(dir.join("config.worktree"), &text);
            }
            Site::Include => {
                append(dir.join("config"), "[include]\n\tpath = ../hostile.inc\n");
                self.env.write("work/hostile.inc", &text);
            }
            Site::IncludeIf => {
                append(dir.join("config"), "[includeIf \"gitdir:**\"]\n\tpath = ../hostile.inc\n");
                self.env.write("work/hostile.inc", &text);
            }
            Site::EmbeddedBare => append(dir.join("config"), &format!("[core]\n\tworktree = .\n{text}")),
            _ => append(dir.join("config"), &text),
        }
        for row in of(Kind::Hook) {
            std::fs::create_dir_all(dir.join("hooks")).unwrap();
            let hook = dir.join("hooks").join(row.name);
            std::fs::copy(self.program(row), &hook).unwrap();
            std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// The folder with the hostile config.
    fn git_dir(&self, site: Site) -> PathBuf {
        self.env.path(match site {
            Site::EmbeddedBare => "work",
            Site::GitFile | Site::Link => "hostile",
            Site::LinkedWorkTree => "main/.git",
            Site::Submodule => "work/.git/modules/sub",
            _ => "work/.git",
        })
    }

    /// A backend that answers and reviews.
    fn backend(&self) {
        let answer = self.env.home_path("answer");
        std::fs::write(&answer, r#"{"findings": []}"#).unwrap();
        let command = serde_json::json!(["cat", answer.to_str().unwrap()]).to_string();
        self.env.relay(&["config", "set", "backends.one.command", &command]).success();
    }

    fn variables(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for row in self.rows.iter().filter(|row| row.kind == Kind::Variable) {
            let text = format!("{}={}", row.name, self.text(row, row.value));
            for one in text.split(' ') {
                let (name, value) = one.split_once('=').unwrap();
                found.push((name.to_owned(), value.to_owned()));
            }
        }
        found
    }

    fn text(&self, row: &Row, text: &str) -> String {
        let hooks = self.hooks(row);
        text.replace("PROGRAM", self.program(row).to_str().unwrap())
            .replace("TEMPLATE", hooks.join("template").to_str().unwrap())
            .replace("HOOKS", hooks.to_str().unwrap())
            .replace("CONFIG", if text == "CONFIG" { "hostile.gitconfig" } else { "CONFIG" })
            .replace("HOSTILE", self.env.path("other").to_str().unwrap())
            .replace("MARKS", self.env.home_path("marks").to_str().unwrap())
    }

    fn program(&self, row: &Row) -> PathBuf {
        let name: String =
            row.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        self.env.home_path("programs").join(name)
    }

    fn hooks(&self, row: &Row) -> PathBuf {
        self.program(row).with_extension("hooks")
    }
}

/// A config with these settings.
fn config(settings: &[(String, String)]) -> String {
    let one = |(key, value): &(String, String)| {
        let (section, rest) = key.split_once('.').unwrap();
        let head = match rest.rsplit_once('.') {
            Some((middle, _)) => format!("[{section} \"{middle}\"]"),
            None => format!("[{section}]"),
        };
        let name = rest.rsplit('.').next().unwrap();
        format!("{head}\n\t{name} = \"{}\"\n", value.replace('\\', "\\\\").replace('"', "\\\""))
    };
    settings.iter().map(one).collect()
}

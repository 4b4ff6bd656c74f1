//! A hermetic environment: a project folder, a home of its own, and nothing of the machine's settings.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;

use crate::run::{Command, Run};
use crate::screen::Screen;

/// Every file and link below the project's root: path to mode and bytes. Folders are there too, without bytes.
pub type Tree = BTreeMap<String, (u32, Vec<u8>)>;

/// A temporary project and home.
pub struct TestEnv {
    folder: TempDir,
    relay: PathBuf,
}

impl TestEnv {
    /// An empty project, for the binary at this path.
    #[must_use]
    pub fn new(relay: impl Into<PathBuf>) -> Self {
        let folder = tempfile::Builder::new().prefix("relay-test-").tempdir().unwrap();
        for name in ["project", "home", "tmp"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, relay: relay.into() }
    }

    /// The absolute path of a file in the project.
    #[must_use]
    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// The project's root.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The absolute path of a file in the home folder.
    #[must_use]
    pub fn home_path(&self, path: &str) -> PathBuf {
        self.folder.path().join("home").join(path)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Writes a file that can be run. It is not written from here: what another test is just starting would have it open
    /// for writing too, for a moment in which the system refuses to run it.
    pub fn write_program(&self, path: &str, text: &str) {
        let script = r#"mkdir -p "$(dirname "$1")" && cat > "$1" && chmod +x "$1""#;
        self.program(&["sh", "-c", script, "sh", path]).stdin(text).success();
    }

    /// Whether the process with the number in a file of the project runs. Zombies do not count.
    #[must_use]
    pub fn is_running(&self, path: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.read(path).trim()));
        stat.is_ok_and(|stat| stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z")))
    }

    /// The text of a file.
    #[must_use]
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Whether something is there, be it a broken link.
    #[must_use]
    pub fn exists(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    /// Everything in the project but git's and Relay's own folders.
    #[must_use]
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        collect(&self.root(), "", &mut tree);
        tree
    }

    /// The binary under test, in the project, with the hermetic environment.
    pub fn relay(&self, arguments: &[&str]) -> Command {
        let mut command = std::process::Command::new(&self.relay);
        command.args(arguments);
        self.prepare(command)
    }

    /// A shell script in the same surroundings; `$RELAY` is the binary.
    #[must_use]
    pub fn shell(&self, script: &str) -> Run {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script]);
        self.prepare(command).run()
    }

    /// The binary under test.
    pub(crate) fn binary(&self) -> &Path {
        &self.relay
    }

    /// Any program with its arguments, in the same surroundings.
    pub(crate) fn program(&self, words: &[&str]) -> Command {
        let (name, arguments) = words.split_first().unwrap();
        let mut command = std::process::Command::new(name);
        command.args(arguments);
        self.prepare(command)
    }

    /// Runs git, which must succeed; returns what it printed.
    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = std::process::Command::new("git");
        command.args(arguments);
        let run = self.prepare(command).run();
        assert_eq!(run.code, 0, "git {arguments:?}: {}{}", run.stdout, run.stderr);
        run.stdout
    }

    /// The binary in a real pseudo-terminal.
    #[must_use]
    pub fn pty(&self, arguments: &[&str]) -> Screen {
        let relay = self.relay.to_str().unwrap();
        self.screen(&[&[relay], arguments].concat())
    }

    /// A shell script in a real pseudo-terminal; `$RELAY` is the binary.
    #[must_use]
    pub fn pty_shell(&self, script: &str) -> Screen {
        self.screen(&["sh", "-c", script])
    }

    fn screen(&self, arguments: &[&str]) -> Screen {
        // setsid makes the pseudo-terminal the controlling one, so that Ctrl-C becomes a signal and /dev/tty opens.
        let mut command = std::process::Command::new("setsid");
        // What runs in the background of a script ignores Ctrl-C, and hands that down.
        command.args(["--ctty", "--wait", "env", "--default-signal=INT"]).args(arguments);
        self.hermetic(&mut command);
        command.env("TERM", "xterm-256color");
        Screen::start(command)
    }

    fn prepare(&self, mut command: std::process::Command) -> Command {
        self.hermetic(&mut command);
        Command::new(command, self.root())
    }

    fn hermetic(&self, command: &mut std::process::Command) {
        let home = self.folder.path().join("home");
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("TMPDIR", self.folder.path().join("tmp"))
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", home.join(".gitconfig"))
            .env("GIT_AUTHOR_NAME", "Test")
            .env("GIT_AUTHOR_EMAIL", "test@example.com")
            .env("GIT_COMMITTER_NAME", "Test")
            .env("GIT_COMMITTER_EMAIL", "test@example.com")
            .env("RELAY", &self.relay)
            .env("TESTED_BINARY", &self.relay)
            .current_dir(self.root())
            .stdin(Stdio::null());
    }
}

fn collect(folder: &Path, prefix: &str, tree: &mut Tree) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if name == ".git" || name == ".relaycode" {
            continue;
        }
        let facts = entry.path().symlink_metadata().unwrap();
        let mode = facts.permissions().mode();
        if facts.is_dir() {
            tree.insert(format!("{name}/"), (mode, Vec::new()));
            collect(&entry.path(), &format!("{name}/"), tree);
        } else if facts.is_symlink() {
            let target = std::fs::read_link(entry.path()).unwrap();
            tree.insert(name, (mode, target.to_string_lossy().into_owned().into_bytes()));
        } else if facts.is_file() {
            tree.insert(name, (mode, std::fs::read(entry.path()).unwrap()));
        } else {
            tree.insert(name, (mode, Vec::new()));
        }
    }
}

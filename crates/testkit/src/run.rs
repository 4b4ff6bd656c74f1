//! Running a program to its end, or beside the test.

use std::io::{BufRead as _, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// A program about to run.
#[must_use = "a command does nothing until it is run"]
pub struct Command {
    command: std::process::Command,
    root: PathBuf,
    stdin: Option<String>,
}

/// What a program did.
#[derive(Debug)]
pub struct Run {
    /// What it wrote on standard output.
    pub stdout: String,
    /// What it wrote on standard error.
    pub stderr: String,
    /// Its exit code; 128 and the signal's number when one ended it.
    pub code: i32,
}

/// A program that runs beside the test.
pub struct Running(Child);

impl Command {
    pub(crate) fn new(command: std::process::Command, root: PathBuf) -> Self {
        Self { command, root, stdin: None }
    }

    /// Gives it this on standard input.
    pub fn stdin(mut self, text: &str) -> Self {
        self.stdin = Some(text.to_owned());
        self
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it in a folder of the project.
    pub fn current_dir(mut self, path: &str) -> Self {
        self.command.current_dir(self.root.join(path));
        self
    }

    /// Starts it and goes on.
    pub fn spawn(mut self) -> Running {
        let stdin = if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
        self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap_or_else(|error| panic!("{:?}: {error}", self.command));
        if let (Some(text), Some(mut pipe)) = (self.stdin, child.stdin.take()) {
            // A program that does not read everything closes the pipe; that is its decision.
            std::thread::spawn(move || drop(pipe.write_all(text.as_bytes())));
        }
        Running(child)
    }

    /// Starts it and talks with it, line by line. What it writes on standard error is dropped.
    pub fn talk(mut self) -> Talk {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = self.command.spawn().unwrap_or_else(|error| panic!("{:?}: {error}", self.command));
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Talk { input: child.stdin.take(), child, lines }
    }

    /// Runs it to its end.
    pub fn run(self) -> Run {
        self.spawn().wait()
    }

    /// Runs it to its end, which must be a success.
    pub fn success(self) -> Run {
        let run = self.run();
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        run
    }
}

/// A program that reads and writes lines beside the test. It is killed when this is dropped.
pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Talk {
    /// How long a line may take.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Says a line.
    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").and_then(|()| input.flush()).unwrap();
    }

    /// The next line it says.
    ///
    /// # Panics
    /// It says nothing for a minute, or has ended.
    #[must_use]
    pub fn line(&self) -> String {
        self.lines.recv_timeout(Self::PATIENCE).unwrap_or_else(|error| panic!("no line came: {error}"))
    }

    /// Ends its input and waits for its end; its exit code.
    #[must_use]
    pub fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, which is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Running {
    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Sends it a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        let sent = std::process::Command::new("kill").args(["-s", name, &id]).status().unwrap();
        assert!(sent.success(), "kill -s {name} {id}");
    }

    /// How long it may take: nothing takes that long, but a test that hangs hides what every other test says.
    const PATIENCE: Duration = Duration::from_secs(600);

    /// Waits for its end, and kills it when that does not come.
    #[must_use]
    pub fn wait(self) -> Run {
        use std::os::unix::process::ExitStatusExt;
        let id = self.0.id().to_string();
        let (ended, watch) = channel::<()>();
        std::thread::spawn(move || {
            if watch.recv_timeout(Self::PATIENCE) == Err(RecvTimeoutError::Timeout) {
                drop(std::process::Command::new("kill").args(["-s", "KILL", &id]).status());
            }
        });
        let output = self.0.wait_with_output().unwrap();
        drop(ended);
        Run {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0)),
        }
    }
}

//! Runs an agent's program: found, confined where it must not write, limited in time and output, and read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use relay_exec::sandbox::{self, Confined, Strength};
use relay_exec::{Cancel, End, Output, Program, find_program};
use relay_llm::{Budget, Spending, Spent};

use super::cli::{Agent, Call, Surroundings};
use super::lines::Lines;
use super::{
    Answer, Availability, Backend, BackendError, Capabilities, Link, Presence, Question, Sandbox, Scope,
};

/// The longest answer: more than any model writes at once.
pub const ANSWER_LIMIT_BYTES: usize = 16 << 20;

/// How much is kept of a program's own output and errors, to say what went wrong.
const KEPT_BYTES: usize = 1 << 16;

/// How much of that is told.
const TOLD_CHARS: usize = 600;

/// How long a program may take to tell its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(20);

/// Where every program may write, whatever it is: terminals and the like.
const DEVICES: &str = "/dev";

/// An agent that is a program on this machine.
pub(super) struct ProgramBackend {
    pub name: String,
    pub program: String,
    pub agent: Box<dyn Agent>,
    pub capabilities: Capabilities,
    pub remedy: String,
    pub surroundings: Arc<Surroundings>,
}

impl Backend for ProgramBackend {
    fn name(&self) -> &str {
        &self.name
    }

    fn sandboxes(&self) -> &[Sandbox] {
        &Sandbox::ALL
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn presence(&self) -> Presence {
        let is_there = find_program(&self.program).is_some();
        Presence { is_there, logged_in: self.agent.is_logged_in(&self.surroundings) }
    }

    fn availability(&self, cancel: &Cancel) -> Availability {
        let output = Program {
            program: &self.program,
            args: &["--version"],
            cwd: self.surroundings.store.cache_dir().ancestors().last().unwrap_or(Path::new("/")),
            timeout: VERSION_TIMEOUT,
            output_limit_bytes: KEPT_BYTES,
            env: &[],
            stdin: None,
        }
        .run(cancel);
        let found = match output.end {
            End::NotStarted(_) => None,
            _ => Some(version(&output.stdout.text())),
        };
        let logged_in = found.as_ref().and_then(|_| self.agent.is_logged_in(&self.surroundings));
        Availability { found, logged_in, remedy: self.remedy.clone() }
    }

    fn keeps_read_only(&self, repo: &Path) -> bool {
        self.can_confine(repo) && sandbox::strength() == Strength::Full
    }

    fn run(&self, question: &Question<'_>, link: &mut Link<'_>) -> Result<Answer, BackendError> {
        let question = &self.within(question, link.budget)?;
        self.answer(self.agent.call(question, self.is_confined(question)), question, link)
    }

    fn review(
        &self,
        scope: Scope<'_>,
        question: &Question<'_>,
        link: &mut Link<'_>,
    ) -> Option<Result<Answer, BackendError>> {
        let call = self.agent.review_call(scope, question, self.is_confined(question))?;
        let question = self.within(question, link.budget);
        Some(question.and_then(|question| self.answer(call, &question, link)))
    }
}

impl ProgramBackend {
    /// The question with what is left of the budget. A program makes its requests itself, so the end of the time is its own.
    fn within<'q>(&self, question: &Question<'q>, budget: &Budget) -> Result<Question<'q>, BackendError> {
        let spent = |source| BackendError::Budget { backend: self.name.clone(), source, was_running: false };
        let limit = budget.left().map_err(spent)?;
        let timeout = limit.time.map_or(question.timeout, |left| left.min(question.timeout));
        Ok(Question { limit, timeout, ..*question })
    }

    fn answer(
        &self,
        mut call: Call,
        question: &Question<'_>,
        link: &mut Link<'_>,
    ) -> Result<Answer, BackendError> {
        let place = find_program(&self.program).ok_or_else(|| BackendError::NotFound {
            backend: self.name.clone(),
            program: self.program.clone(),
            remedy: self.remedy.clone(),
        })?;
        let scratch = self.surroundings.store.scratch().map_err(|error| self.not_started(&error))?;
        if let Some((flag, name, content)) = call.file.take() {
            let file = scratch.write(name, content.as_bytes()).map_err(|error| self.not_started(&error))?;
            call.args.splice(1..1, [flag.to_owned(), text_of(&file)]);
        }
        let (program, args) = self.confined(&place, call.args, question, scratch.path())?;
        let scratch_path = text_of(scratch.path());
        let mut env: Vec<(&str, &str)> = question.env.to_vec();
        env.extend(call.env.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        // Other folders for temporary files may hold the repository itself, and must not become writable with it.
        env.extend(["TMPDIR", "TMP", "TEMP"].map(|name| (name, scratch_path.as_str())));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let program = Program {
            program: &program,
            args: &args,
            cwd: question.repo,
            timeout: question.timeout,
            output_limit_bytes: KEPT_BYTES,
            env: &env,
            stdin: Some(call.stdin.as_bytes()),
        };
        let limit = link.budget.limit().time.filter(|_| question.limit.time == Some(question.timeout));
        self.read(&program, link).map_err(|error| match (error, limit) {
            (BackendError::TimedOut { backend, .. }, Some(limit)) => {
                BackendError::Budget { backend, source: Spent::Time { limit }, was_running: true }
            }
            (error, _) => error,
        })
    }

    /// Runs the program and reads what it says.
    fn read(&self, program: &Program<'_>, link: &mut Link<'_>) -> Result<Answer, BackendError> {
        let mut reader = self.agent.reader();
        let (mut lines, mut said_bytes) = (Lines::default(), 0);
        let stop = link.cancel.child();
        let mut on_line = |line: &str| {
            if let Some(piece) = reader.line(line) {
                said_bytes += piece.len();
                if said_bytes > ANSWER_LIMIT_BYTES {
                    stop.cancel();
                } else {
                    (link.on_text)(&piece);
                }
            }
        };
        let output = program.stream(&stop, &mut |bytes| lines.push(bytes, &mut on_line));
        lines.finish(&mut on_line);
        let said = reader.finish();
        if !matches!(output.end, End::NotStarted(_)) {
            link.budget.add(said.spending.unwrap_or(Spending { turns: 1, ..Spending::default() }));
        }
        if said_bytes > ANSWER_LIMIT_BYTES {
            let backend = self.name.clone();
            return Err(BackendError::TooLarge { backend, limit_bytes: ANSWER_LIMIT_BYTES });
        }
        self.judge(&output, said.error, program.timeout)?;
        if said.answer.text.trim().is_empty() {
            return Err(BackendError::Empty { backend: self.name.clone(), said: told(&output) });
        }
        Ok(said.answer)
    }

    /// Whether the program ended well.
    fn judge(&self, output: &Output, error: Option<String>, limit: Duration) -> Result<(), BackendError> {
        let backend = self.name.clone();
        match &output.end {
            End::Exited(0) if error.is_none() => Ok(()),
            End::Exited(code) => {
                let said = error.map_or_else(|| told(output), |error| shorten(&error));
                Err(BackendError::Failed { backend, code: Some(*code).filter(|code| *code != 0), said })
            }
            End::Signalled(signal) => {
                let said = format!("signal {signal} ended it. {}", told(output));
                Err(BackendError::Failed { backend, code: None, said })
            }
            End::TimedOut => Err(BackendError::TimedOut { backend, limit }),
            End::Cancelled => Err(BackendError::Cancelled { backend }),
            End::NotStarted(error) => Err(BackendError::NotStarted { backend, reason: error.to_string() }),
        }
    }

    /// The program and its arguments, started through Relay where it must not write to the repository.
    fn confined(
        &self,
        place: &Path,
        args: Vec<String>,
        question: &Question<'_>,
        scratch: &Path,
    ) -> Result<(String, Vec<String>), BackendError> {
        let (Some(relay), true) = (&self.surroundings.relay, self.is_confined(question)) else {
            return Ok((text_of(place), args));
        };
        // A program that runs for the first time could not make them itself: their parents are not its own.
        for folder in self.agent.own_folders(&self.surroundings) {
            self.surroundings.store.make_folder(&folder).map_err(|error| self.not_started(&error))?;
        }
        let mut writable = self.writable();
        writable.push(scratch.to_path_buf());
        let args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
        let confined = Confined { writable: &writable, program: place.as_os_str(), args: &args };
        let arguments = confined.arguments();
        let arguments = arguments.iter().map(|argument| argument.to_string_lossy().into_owned());
        Ok((text_of(relay), arguments.collect()))
    }

    /// Whether Relay keeps the program from writing.
    fn is_confined(&self, question: &Question<'_>) -> bool {
        question.sandbox == Sandbox::ReadOnly && self.can_confine(question.repo)
    }

    /// Whether Relay can keep the program from writing to a repository. Rights can only be given, not taken: in a
    /// repository that lies in one of the program's own folders, or among the devices (`/dev/shm`), it may write.
    fn can_confine(&self, repo: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let repo = real(repo);
        self.surroundings.relay.is_some()
            && sandbox::strength() != Strength::Nothing
            && !self.writable().iter().any(|folder| repo.starts_with(real(folder)))
    }

    /// Where the program may write in every sandbox.
    fn writable(&self) -> Vec<PathBuf> {
        let own = self.agent.own_folders(&self.surroundings).into_iter();
        own.chain(self.agent.own_files(&self.surroundings)).chain([PathBuf::from(DEVICES)]).collect()
    }

    fn not_started(&self, error: &dyn std::error::Error) -> BackendError {
        BackendError::NotStarted { backend: self.name.clone(), reason: error.to_string() }
    }
}

/// Programs take their arguments as text; names that are none do not occur in the folders of users.
fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The first thing that looks like a version.
fn version(said: &str) -> String {
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    said.split_whitespace().find(is_version).unwrap_or("unknown version").to_owned()
}

/// What a program said last: its errors, else its output.
fn told(output: &Output) -> String {
    let errors = output.stderr.text();
    if errors.trim().is_empty() { shorten(&output.stdout.text()) } else { shorten(&errors) }
}

/// The end of a text, on one screen.
fn shorten(text: &str) -> String {
    let text = text.trim();
    let skipped = text.chars().count().saturating_sub(TOLD_CHARS);
    if skipped == 0 {
        text.to_owned()
    } else {
        format!("… {}", text.chars().skip(skipped).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found() {
        assert_eq!(version("codex-cli 0.166.0\n"), "0.166.0");
        assert_eq!(version("2.1.197 (Claude Code)"), "2.1.197");
        assert_eq!(version("hello"), "unknown version");
    }

    #[test]
    fn the_end_of_a_long_text_is_told() {
        let long = format!("{}the cause", "x".repeat(5_000));
        assert!(shorten(&long).ends_with("the cause") && shorten(&long).chars().count() <= TOLD_CHARS + 2);
    }
}

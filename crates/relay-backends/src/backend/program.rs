//! Runs an agent's program: found, confined where it must not write, limited in time and output, and read.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_exec::sandbox::{self, Confined, Strength};
use relay_exec::{End, Output, Program, find_program};
use relay_llm::{Budget, Spending, Spent};

use super::cli::{Agent, Call, Surroundings};
use super::last_words::{shorten, told, version};
use super::lines::Lines;
use super::plain::PlainText;
use super::{
    Answer, Availability, Backend, BackendError, Capabilities, Link, Presence, Question, Sandbox, Scope,
};

/// The longest answer: more than any model writes at once.
pub const ANSWER_LIMIT_BYTES: usize = 16 << 20;

/// How much of a program's output and errors is kept, to report what went wrong.
const KEPT_BYTES: usize = 1 << 16;

/// How long a program may take to print its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(20);

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

    fn check_sandbox(&self, sandbox: Sandbox) -> Result<(), BackendError> {
        let is_enforced = self.surroundings.relay.is_some() && sandbox::strength() == Strength::Full;
        if sandbox != Sandbox::WorkspaceWrite || is_enforced {
            return Ok(());
        }
        Err(BackendError::Unconfined { backend: self.name.clone() })
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
    /// The question, with the rest of the budget. A program makes its own requests, so its deadline is the end of the
    /// budget's time.
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
        let writable = self.writable(question, scratch.path())?;
        let (place, scratch_path) = (text_of(&place), text_of(scratch.path()));
        let mut env: Vec<(&str, &str)> = question.env.to_vec();
        env.extend(call.env.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        // Other folders for temporary files may hold the repository itself, and must not become writable with it.
        env.extend(["TMPDIR", "TMP", "TEMP"].map(|name| (name, scratch_path.as_str())));
        let args: Vec<&str> = call.args.iter().map(String::as_str).collect();
        let program = Program {
            program: &place,
            args: &args,
            cwd: question.repo,
            timeout: question.timeout,
            output_limit_bytes: KEPT_BYTES,
            env: &env,
            stdin: Some(call.stdin.as_bytes()),
        };
        let limit = link.budget.limit().time.filter(|_| question.limit.time == Some(question.timeout));
        self.read(&program, writable.as_deref(), link).map_err(|error| match (error, limit) {
            (BackendError::TimedOut { backend, .. }, Some(limit)) => {
                BackendError::Budget { backend, source: Spent::Time { limit }, was_running: true }
            }
            (error, _) => error,
        })
    }

    /// Runs the program, confined to its writable folders if any are set, and reads its output.
    fn read(
        &self,
        program: &Program<'_>,
        writable: Option<&[PathBuf]>,
        link: &mut Link<'_>,
    ) -> Result<Answer, BackendError> {
        let mut reader = self.agent.reader();
        let (mut lines, mut said_bytes) = (Lines::default(), 0);
        let stop = link.cancel.child();
        let mut plain = PlainText::up_to(ANSWER_LIMIT_BYTES);
        let mut on_line = |line: &str| {
            plain.line(line);
            if let Some(piece) = reader.line(line) {
                said_bytes += piece.len();
                if said_bytes > ANSWER_LIMIT_BYTES {
                    stop.cancel();
                } else {
                    (link.on_text)(&piece);
                }
            }
        };
        let mut on_output = |bytes: &[u8]| lines.push(bytes, &mut on_line);
        let output = match (writable, &self.surroundings.relay) {
            (Some(writable), Some(relay)) => {
                Confined { relay, writable, network: true, program: *program }.stream(&stop, &mut on_output)
            }
            _ => program.stream(&stop, &mut on_output),
        };
        lines.finish(&mut on_line);
        let mut said = reader.finish();
        if !output.ended.is_empty() {
            let ended = output.ended.join(", ");
            (link.on_note)(&format!("{} left something running, and Relay stopped it: {ended}", self.name));
        }
        if !matches!(output.end, End::NotStarted(_)) {
            link.budget.add(said.spending.unwrap_or(Spending { turns: 1, ..Spending::default() }));
        }
        if said_bytes > ANSWER_LIMIT_BYTES {
            let backend = self.name.clone();
            return Err(BackendError::TooLarge { backend, limit_bytes: ANSWER_LIMIT_BYTES });
        }
        self.judge(&output, said.error, program.timeout)?;
        if said.answer.text.trim().is_empty()
            && let Some(text) = plain.answer()
        {
            (link.on_text)(&text);
            said.answer.text = text;
        }
        if said.answer.text.trim().is_empty() {
            return Err(BackendError::Empty { backend: self.name.clone(), said: told(&output) });
        }
        Ok(said.answer)
    }

    /// Whether the program succeeded.
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

    /// Where the program may write, if Relay confines it.
    fn writable(
        &self,
        question: &Question<'_>,
        scratch: &Path,
    ) -> Result<Option<Vec<PathBuf>>, BackendError> {
        self.check_sandbox(question.sandbox)?;
        if !self.is_confined(question) {
            return Ok(None);
        }
        // On its first run, a program could not create them itself, because it may not write to their parents.
        for folder in self.agent.own_folders(&self.surroundings) {
            self.surroundings.store.make_folder(&folder).map_err(|error| self.not_started(&error))?;
        }
        let mut writable = self.own_places();
        writable.push(scratch.to_path_buf());
        if question.sandbox == Sandbox::WorkspaceWrite {
            writable.push(question.repo.to_path_buf());
        }
        Ok(Some(writable))
    }

    /// Whether Relay keeps the program inside its sandbox.
    fn is_confined(&self, question: &Question<'_>) -> bool {
        match question.sandbox {
            Sandbox::ReadOnly => self.can_confine(question.repo),
            Sandbox::WorkspaceWrite => true,
            Sandbox::DangerFullAccess => false,
        }
    }

    /// Whether Relay can keep the program from writing to a repository. Landlock can only grant rights, so a program
    /// may write to a repository inside one of its own folders.
    fn can_confine(&self, repo: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let repo = real(repo);
        self.surroundings.relay.is_some()
            && sandbox::strength() != Strength::Nothing
            && !self.own_places().iter().any(|place| repo.starts_with(real(place)))
    }

    /// Where the program may write in every sandbox.
    fn own_places(&self) -> Vec<PathBuf> {
        let own = self.agent.own_folders(&self.surroundings).into_iter();
        own.chain(self.agent.own_files(&self.surroundings)).collect()
    }

    fn not_started(&self, error: &dyn std::error::Error) -> BackendError {
        BackendError::NotStarted { backend: self.name.clone(), reason: error.to_string() }
    }
}

/// Arguments are text; folders of users do not have names that are not.
fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If it cannot be enforced, a sandbox that lets a program write is refused; others are not.
    #[test]
    fn a_program_that_cannot_be_kept_in_the_workspace_is_not_started() {
        let store = relay_store::Store::at(Path::new("/nonexistent"));
        let surroundings = Surroundings { variables: Default::default(), relay: None, store };
        let backend = ProgramBackend {
            name: "one".to_owned(),
            program: "true".to_owned(),
            agent: Box::new(crate::backend::codex::Codex),
            capabilities: crate::backend::codex::CAPABILITIES,
            remedy: String::new(),
            surroundings: Arc::new(surroundings),
        };
        let error = backend.check_sandbox(Sandbox::WorkspaceWrite).unwrap_err();
        assert!(error.hint().unwrap().contains("danger-full-access"), "{error}");
        for sandbox in [Sandbox::ReadOnly, Sandbox::DangerFullAccess] {
            assert!(backend.check_sandbox(sandbox).is_ok());
        }
    }
}

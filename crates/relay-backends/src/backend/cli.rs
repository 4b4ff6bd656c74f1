//! What each command-line agent defines: how to call it, and how to read its output.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use relay_llm::Spending;
use relay_store::Store;

use super::{Answer, Question, Scope};

/// Facts about the machine from the binary, so that nothing here reads the environment.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The environment.
    pub variables: BTreeMap<String, OsString>,
    /// The `relay` program itself, which confines others; `None` if it cannot be found.
    pub relay: Option<PathBuf>,
    /// The user's data, where temporary files go.
    pub store: Store,
}

impl Surroundings {
    /// The folder in a variable, or else one below the user's home.
    pub(super) fn folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let absolute =
            |name: &str| self.variables.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        absolute(variable).or_else(|| Some(absolute("HOME")?.join(below_home)))
    }

    /// Whether a variable is set and not empty.
    pub(super) fn has(&self, variable: &str) -> bool {
        self.variables.get(variable).is_some_and(|value| !value.is_empty())
    }
}

/// How a program is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables for it.
    pub env: Vec<(String, String)>,
    /// Its standard input. Prompts are not passed as arguments, because every user of the machine can see those and
    /// their size is limited.
    pub stdin: String,
    /// A file that the call needs: the argument before it, its name and its content.
    pub file: Option<(&'static str, &'static str, String)>,
}

/// Reads a program's output line by line.
pub(super) trait Reader {
    /// Takes one line; returns what it adds to the visible text.
    fn line(&mut self, line: &str) -> Option<String>;

    /// Returns the result of all lines.
    fn finish(self: Box<Self>) -> Said;
}

/// The result of a program's output.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    /// The answer.
    pub answer: Answer,
    /// Why there is no answer, in the program's own words.
    pub error: Option<String>,
    /// The usage, if it reports any.
    pub spending: Option<Spending>,
}

/// An agent with a command line.
pub(super) trait Agent: Send + Sync {
    /// How to ask a question. Relay already keeps a `confined` program from writing.
    fn call(&self, question: &Question<'_>, confined: bool) -> Call;

    /// How to ask for the program's own review; `None` if it has none that can do what is asked.
    fn review_call(&self, _scope: Scope<'_>, _question: &Question<'_>, _confined: bool) -> Option<Call> {
        None
    }

    /// How to read its output.
    fn reader(&self) -> Box<dyn Reader>;

    /// The folders for its own data, where it may write in every sandbox.
    fn own_folders(&self, surroundings: &Surroundings) -> Vec<PathBuf>;

    /// Its own files outside those folders.
    fn own_files(&self, _surroundings: &Surroundings) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Whether it has credentials, as far as Relay can see without calling it.
    fn is_logged_in(&self, surroundings: &Surroundings) -> Option<bool>;
}

/// Parses a line of a stream of JSON events; anything else a program prints is ignored.
pub(super) fn event(line: &str) -> Option<serde_json::Value> {
    serde_json::from_str(line).ok().filter(serde_json::Value::is_object)
}

/// A text inside a value.
pub(super) fn text(value: &serde_json::Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

#[cfg(test)]
pub(super) fn read(agent: &dyn Agent, lines: &[&str]) -> (Vec<String>, Said) {
    let mut reader = agent.reader();
    let pieces = lines.iter().filter_map(|line| reader.line(line)).collect();
    (pieces, reader.finish())
}

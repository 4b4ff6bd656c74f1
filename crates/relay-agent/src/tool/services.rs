//! What a tool can access outside its call.

use std::fmt;
use std::sync::Arc;

use relay_diagnostics::Cancel;
use relay_engine::Engine;
use relay_store::Artifacts;
use serde_json::Value;

use super::Gate;
use crate::jobs::Jobs;
use crate::policy::Rule;
use crate::resources::Resources;

/// Looks a setting up by its key.
pub type Settings = Arc<dyn Fn(&str) -> Option<Value> + Send + Sync>;

/// Everything outside a call. Clones share it.
#[derive(Clone)]
pub struct Services {
    /// The workspace, its ledger, and the only way to change a file.
    pub engine: Arc<Engine>,
    /// The session's id.
    pub session: String,
    /// Where output is kept that is too long for the model; none for a session that keeps nothing.
    pub artifacts: Option<Artifacts>,
    /// Addresses that are not files: notes of the session, rules, skills, those of the host.
    pub resources: Resources,
    /// Asks a person.
    pub ui: Arc<dyn Ui>,
    /// The program that confines commands: Relay itself.
    pub relay: Option<std::path::PathBuf>,
    /// Where commands may write besides the workspace.
    pub temp: std::path::PathBuf,
    /// Folders besides the workspace that the user added: they may be read, and commands may write there.
    pub added: Vec<std::path::PathBuf>,
    /// The user's settings.
    pub settings: Settings,
    /// Work that goes on in the background, of the agent that the call belongs to.
    pub jobs: Jobs,
    /// Keeps a policy rule that the user wants for good.
    pub keep_rule: Arc<dyn Fn(&Rule) + Send + Sync>,
    /// The user's home folder, for paths that begin with `~`.
    pub home: Option<std::path::PathBuf>,
    /// A model that looks at pictures.
    pub vision: Arc<dyn Vision>,
    /// Lets commands reach the domains the user allows, and no others; none where connections are all or nothing.
    pub gate: Option<Arc<dyn Gate>>,
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services").field("session", &self.session).finish_non_exhaustive()
    }
}

impl Services {
    /// Services of a program that only calls tools: no person, no settings, and nothing is kept. Change the fields that the
    /// program has more for.
    #[must_use]
    pub fn alone(engine: Arc<Engine>, session: &str, temp: std::path::PathBuf) -> Self {
        Self {
            engine,
            session: session.to_owned(),
            artifacts: None,
            resources: Resources::default(),
            ui: Arc::new(Unattended),
            relay: None,
            temp,
            added: Vec::new(),
            settings: Arc::new(|_| None),
            jobs: Jobs::default(),
            keep_rule: Arc::new(|_| {}),
            home: None,
            vision: Arc::new(Blind),
            gate: None,
        }
    }

    /// A setting that is true or false.
    #[must_use]
    pub fn is_on(&self, key: &str, default: bool) -> bool {
        match (self.settings)(key) {
            Some(Value::Bool(is_on)) => is_on,
            // As variables of the environment say it.
            Some(Value::Number(number)) => number.as_f64() != Some(0.0),
            _ => default,
        }
    }

    /// A setting that is a number.
    #[must_use]
    pub fn number(&self, key: &str, default: f64) -> f64 {
        (self.settings)(key).and_then(|value| value.as_f64()).unwrap_or(default)
    }

    /// A setting that is a text.
    #[must_use]
    pub fn text(&self, key: &str, default: &str) -> String {
        (self.settings)(key)
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_else(|| default.to_owned())
    }
}

/// Looks at pictures.
pub trait Vision: Send + Sync {
    /// What a model answers to a question about a picture, and which model that is.
    ///
    /// # Errors
    /// No model can look at pictures, or it failed. The message says what to do.
    fn look(&self, question: &str, picture: &Picture, cancel: &Cancel) -> Result<(String, String), String>;
}

/// A picture, as models accept it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// `image/png` and the like.
    pub mime_type: String,
    /// The bytes in base64.
    pub data: String,
}

/// Where no model looks at pictures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Vision for Blind {
    fn look(&self, _: &str, _: &Picture, _: &Cancel) -> Result<(String, String), String> {
        Err("No model that looks at pictures is set up. Set `modelRoles.vision` to one that does.".to_owned())
    }
}

/// What the conversation is like when a call starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The prompt's entry, which groups everything that happens because of it on the ledger.
    pub turn: String,
    /// How deep among subagents: zero for the session a person talks to.
    pub depth: usize,
    /// The session's mode: `none`, `plan`, `goal`, ….
    pub mode: String,
    /// The goal as the session keeps it.
    pub goal: Option<Value>,
    /// What the open checkpoint is about.
    pub checkpoint: Option<String>,
    /// The action that waits to be resolved: its tool, label and data.
    pub pending: Option<(String, String, Value)>,
    /// Session entries that tools keep, newest of each kind.
    pub kept: std::collections::BTreeMap<String, Value>,
    /// The model that made the call, as `provider/model`.
    pub model: String,
    /// The tools the model is offered.
    pub tools: Vec<String>,
    /// The only commands that `bash` may begin with, for a role that is restricted to them.
    pub bash_prefixes: Vec<String>,
}

impl Facts {
    /// The group on the ledger of everything that happens because of this prompt.
    #[must_use]
    pub fn group(&self, session: &str) -> String {
        format!("agent:{session}:{}", self.turn)
    }
}

/// A question to the person in front of the front end.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What it is about, in a few words.
    pub title: String,
    /// The question itself; may have several lines.
    pub message: String,
    /// How it is answered.
    pub form: Form,
    /// How long to wait for an answer.
    pub timeout_ms: Option<u64>,
    /// What front ends may show besides, such as the diff of a change.
    pub details: Option<Value>,
}

/// How a question is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// By one or more of these.
    Select {
        /// The choices.
        options: Vec<Choice>,
        /// Whether several may be chosen.
        several: bool,
        /// Whether words of the person's own are an answer too.
        other: bool,
    },
    /// By yes or no.
    Confirm,
    /// By a line of text.
    Line {
        /// What is there already.
        preset: String,
    },
    /// By a text of several lines.
    Text {
        /// What is there already.
        preset: String,
    },
}

/// One choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What it is called in the answer.
    pub id: String,
    /// What the person reads.
    pub label: String,
    /// More about it.
    pub description: Option<String>,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UiAnswer {
    /// The ids that were chosen, and words of the person's own.
    Chosen {
        /// The ids.
        ids: Vec<String>,
        /// The person's own words.
        words: Option<String>,
    },
    /// A text.
    Text(String),
    /// Yes or no.
    Confirmed(bool),
    /// The person dismissed the question.
    Cancelled,
    /// The time ran out.
    TimedOut,
    /// There is no one to ask.
    Unattended,
}

/// A program in a terminal of its own, for a person who looks at it.
pub trait Console: Send + Sync {
    /// Types bytes into it.
    fn write(&self, bytes: &[u8]);

    /// Gives it another size, in characters.
    fn resize(&self, columns: u16, rows: u16);

    /// Ends it, with everything it started.
    fn kill(&self);
}

/// Where a person sees what a program writes into its terminal; it closes when it is dropped.
pub trait Shown: Send {
    /// The program wrote this.
    fn show(&mut self, bytes: &[u8]);
}

/// Asks a person. Front ends implement it.
pub trait Ui: Send + Sync {
    /// Shows a program's terminal, in which the person may type. `None` where no one can look at it.
    fn open_console(&self, _command: &str, _console: Arc<dyn Console>) -> Option<Box<dyn Shown>> {
        None
    }

    /// Asks, and waits for the answer, the end of the time or the cancel.
    fn ask(&self, question: &Question, cancel: &Cancel) -> UiAnswer;

    /// Whether there is a person at all.
    fn is_attended(&self) -> bool;
}

/// Without a person: every question stays open.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unattended;

impl Ui for Unattended {
    fn ask(&self, _: &Question, _: &Cancel) -> UiAnswer {
        UiAnswer::Unattended
    }

    fn is_attended(&self) -> bool {
        false
    }
}

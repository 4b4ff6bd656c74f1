//! What is known about the agent: its model, its session, and what it is doing.

use serde_json::Value;

use crate::conversation::{Usage, number};

/// The agent's state, as far as it is shown.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// The agent answers commands.
    pub is_ready: bool,
    /// `provider/model`.
    pub model: String,
    /// How many tokens fit into its context.
    pub window: u64,
    /// How hard it thinks.
    pub thinking: String,
    /// The session's id.
    pub id: String,
    /// The session's name.
    pub name: Option<String>,
    /// `plan` or another mode; empty for the normal one.
    pub mode: String,
    /// What may happen without asking.
    pub policy: String,
    /// Messages that wait: between tools, and after the answer.
    pub steering: Vec<String>,
    /// Messages that wait until the agent is done.
    pub follow_up: Vec<String>,
    /// What the session used up.
    pub used: Usage,
    /// Tokens in the context, by the last answer.
    pub context: u64,
    /// The folder, as it is shown.
    pub cwd: String,
    /// The state of git, if the folder has one.
    pub git: Option<Git>,
    /// What is remembered until a command is answered, or a run is over.
    pub meanwhile: Meanwhile,
}

/// The branch of git, and how many files differ from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Git {
    /// The branch, or the commit.
    pub branch: String,
    /// Files with changes that will be committed.
    pub staged: u64,
    /// Files with other changes.
    pub changed: u64,
    /// Files that git does not know.
    pub untracked: u64,
}

/// What the interface remembers between a command and what comes of it.
#[derive(Clone, Debug, Default)]
pub struct Meanwhile {
    /// The prompt may only be answered: nothing can be changed until the run is over.
    pub is_read_only: bool,
    /// The policy that holds again once the run is over.
    pub policy_after: Option<String>,
    /// The page that is being written is for others.
    pub is_sharing: bool,
    /// Answers come faster, at a higher price.
    pub is_fast: bool,
    /// What the person's editor is open for.
    pub editing: Editing,
}

/// What the person's own editor is open for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Editing {
    /// A prompt.
    #[default]
    Prompt,
    /// The todo list.
    Todos,
}

impl Session {
    /// Takes what `get_state` says.
    pub fn take_state(&mut self, state: &Value) {
        let text = |name: &str| state.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(model) = state.get("model") {
            self.take_model(model);
        }
        self.thinking = text("thinkingLevel");
        self.id = text("sessionId");
        self.name = state.get("sessionName").and_then(Value::as_str).map(str::to_owned);
        self.mode = text("mode");
        self.policy = text("policy");
    }

    /// Takes a model as the agent describes it.
    pub fn take_model(&mut self, model: &Value) {
        if let Some(selector) = model.get("selector").and_then(Value::as_str) {
            self.model = selector.to_owned();
            self.window = number(model, "contextWindow");
        }
    }

    /// Takes what `get_session_stats` says.
    pub fn take_stats(&mut self, stats: &Value) {
        let tokens = stats.get("tokens").cloned().unwrap_or_default();
        self.used = Usage {
            input: number(&tokens, "input"),
            output: number(&tokens, "output"),
            cached: number(&tokens, "cacheRead"),
            cost: stats.get("cost").and_then(Value::as_f64).unwrap_or_default(),
        };
    }
}

/// What a message used up.
#[must_use]
pub fn usage(message: &Value) -> Usage {
    let usage = message.get("usage").cloned().unwrap_or_default();
    let cost =
        usage.get("cost").and_then(|cost| cost.get("total")).and_then(Value::as_f64).unwrap_or_default();
    Usage {
        input: number(&usage, "input") + number(&usage, "cacheWrite"),
        output: number(&usage, "output"),
        cached: number(&usage, "cacheRead"),
        cost,
    }
}

/// What the agent is doing.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// It works since this moment.
    pub since: Option<u64>,
    /// What this run used up.
    pub used: Usage,
    /// What it waits for, such as another try.
    pub note: Option<String>,
    /// It waits until this moment.
    pub until: Option<u64>,
    /// It was asked to stop.
    pub is_stopping: bool,
    /// Characters of the answer that have arrived, for an estimate of tokens.
    pub characters: u64,
    /// When the answer that arrives began.
    pub answering: Option<u64>,
}

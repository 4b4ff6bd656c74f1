//! Tools: what a model can use, one trait for all of them.
//!
//! A tool declares its [`Spec`] and, for every call, the [`Access`] it needs. Policy decides from that, never from a
//! tool's name. A tool changes files only through the engine that [`Services`] hands it, so whatever it does is on the
//! ledger; what it wants of the conversation itself (a checkpoint, a goal, a todo list) it asks for by a [`Signal`],
//! which the turn loop carries out.
//!
//! The tools themselves live in `relay-tools`; this module must not know any of them.

mod access;
mod adapt;
mod arguments;
mod gate;
mod landing;
mod output;
mod registry;
mod services;

use std::borrow::Cow;

use relay_diagnostics::Cancel;
use serde_json::{Map, Value};

use crate::policy::Permit;

pub use access::{Access, Reach};
pub use adapt::for_wire;
pub use arguments::{complain, validate, with_defaults};
pub use gate::Gate;
pub use landing::{Landing, is_failure};
pub use output::{Bounds, Output, PlanChoice, Signal, ToolError};
pub use registry::{Registry, Selection, UnknownTool};
pub use services::{
    Blind, Choice, Console, Facts, Form, Picture, Question, Services, Settings, Shown, Ui, UiAnswer,
    Unattended, Vision,
};

/// What a tool declares about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Its name, as the model calls it.
    pub name: Cow<'static, str>,
    /// What it is for, as the model reads it. A text file beside the tool's code.
    pub description: Cow<'static, str>,
    /// The JSON schema of its arguments, an object.
    pub parameters: Value,
    /// Whether calls may run beside others.
    pub concurrency: Concurrency,
    /// Whether models see it only when something asks for it, such as a preview that must be resolved.
    pub hidden: bool,
}

/// Whether calls of a tool may run beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// Beside other shared calls.
    Shared,
    /// Alone: it changes something that others might look at.
    Exclusive,
}

/// One use of a tool.
pub struct Call<'a> {
    /// The call's id.
    pub id: &'a str,
    /// What it is called with; checked against the schema.
    pub arguments: &'a Map<String, Value>,
    /// Set when the call should end.
    pub cancel: &'a Cancel,
    /// Everything outside the call.
    pub services: &'a Services,
    /// How it may run.
    pub permit: Permit,
    /// The current state of the conversation.
    pub facts: &'a Facts,
    /// Receives interim output of the call; each one replaces the previous one.
    pub update: &'a (dyn Fn(Output) + Sync),
}

impl Call<'_> {
    /// An argument that is a text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }

    /// An argument that is a whole number, not negative.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.arguments.get(name).and_then(Value::as_u64)
    }

    /// An argument that is true or false; false if left out.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.arguments.get(name).and_then(Value::as_bool).unwrap_or_default()
    }
}

/// The model that would call a tool, and its environment.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The model, as `provider/model`.
    pub model: &'a str,
    /// Everything outside the call.
    pub services: &'a Services,
}

/// A tool, which a model can use.
pub trait Tool: Send + Sync {
    /// What it declares about itself.
    fn spec(&self) -> &Spec;

    /// What it declares to this model: a tool that has several forms shows each model the one it writes best.
    fn spec_for(&self, _asking: Asking<'_>) -> &Spec {
        self.spec()
    }

    /// The grammar (Lark) of its one argument, `input`, for models that can be held to one while they write.
    fn grammar_for(&self, _asking: Asking<'_>) -> Option<&'static str> {
        None
    }

    /// The schema that these arguments are checked against: a tool may read more forms than it declares.
    fn schema_for(&self, asking: Asking<'_>, _arguments: &Map<String, Value>) -> &Value {
        &self.spec_for(asking).parameters
    }

    /// What a call would do, as far as its arguments, a text of JSON, are written. Front ends show it while the model still
    /// writes; nothing happens because of it.
    fn preview_partial(&self, _arguments: &str, _asking: Asking<'_>) -> Option<Output> {
        None
    }

    /// Why a call cannot work, as far as its arguments, a text of JSON, are written: the model is then stopped and reads it.
    /// Nothing may be said about what is not complete yet.
    fn objection(&self, _arguments: &str, _asking: Asking<'_>) -> Option<String> {
        None
    }

    /// What a call with these arguments needs. The arguments were checked against the schema.
    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access>;

    /// What a call would change, as a unified diff, for a person who is asked about it. None if that cannot be said
    /// without carrying it out.
    fn preview(&self, arguments: &Map<String, Value>, services: &Services) -> Option<String> {
        let _unused = (arguments, services);
        None
    }

    /// Carries out a call.
    ///
    /// # Errors
    /// It failed, or it was cancelled. The model reads the message, so it says what to do instead.
    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError>;
}

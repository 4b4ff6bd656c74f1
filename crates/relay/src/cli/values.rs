//! The values that options take: how they are read, and how a shell completes them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap_complete::engine::ArgValueCandidates;
use relay_edit::{Dialect, Strictness};
use relay_engine::EntryStatus;

use crate::completion;

/// A dialect, by name.
pub fn dialects() -> impl TypedValueParser<Value = Dialect> {
    one_of(Dialect::ALL, Dialect::name)
}

/// How much may differ.
pub fn strictness() -> impl TypedValueParser<Value = Strictness> {
    one_of(Strictness::ALL, Strictness::name)
}

/// The state of a transaction. `partly-undone` is accepted for `partly_undone`.
pub fn statuses() -> impl TypedValueParser<Value = EntryStatus> {
    one_of(&EntryStatus::ALL, EntryStatus::name)
}

/// One of these, by its name.
fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = all.iter().map(|value| PossibleValue::new(name(*value)).aliases(alias(name(*value))));
    PossibleValuesParser::new(names).try_map(move |given| {
        let is_meant = |value: &T| name(*value) == given || alias(name(*value)) == Some(given.as_str());
        let found = all.iter().copied().find(is_meant);
        found.ok_or_else(|| format!("unknown value `{given}`"))
    })
}

/// Another accepted spelling of a name.
fn alias(name: &str) -> Option<&'static str> {
    (name == "partly_undone").then_some("partly-undone")
}

/// Completes transactions of the project's ledger.
pub fn transactions() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::transactions)
}

/// Completes the models that can be asked.
pub fn models() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::models)
}

/// Completes the backends and models that can be asked.
pub fn backends() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::backends)
}

/// Completes the names of conversations.
pub fn conversations() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::conversations)
}

/// Completes providers of models.
pub fn providers() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::providers)
}

/// Completes settings.
pub fn settings() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::settings)
}

/// Completes the project's sessions.
pub fn sessions() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::sessions)
}

/// Completes background jobs.
pub fn jobs() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::jobs)
}

/// Completes themes.
pub fn themes() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::themes)
}

/// Completes commands and topics of help.
pub fn topics() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::topics)
}

/// Completes commands.
pub fn commands() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::commands)
}

/// Completes policies.
pub fn policies() -> ArgValueCandidates {
    ArgValueCandidates::new(completion::policies)
}

/// A whole number, with a message that says so.
pub fn whole_number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

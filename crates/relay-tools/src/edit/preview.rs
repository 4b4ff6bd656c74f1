//! What a call would change, while the model is still writing it.
//!
//! The edits so far are placed on the files as they are, in memory; those that have no place yet are passed over. Nothing is
//! asked, remembered or written.

use std::collections::BTreeSet;

use relay_agent::tool::{Asking, Output, Services};
use relay_edit::{Edit, Options, Snapshot, plan_with};
use relay_engine::{Engine, views};
use serde_json::{Value, json};

use super::mode::Mode;
use super::notebooks;
use super::partial;
use super::unified;
use super::wanted::Wanted;

/// Of larger files no preview is made: placing edits in them takes time that the model's text is waiting for.
const FILE_BYTES: usize = 1 << 20;
/// How many files are looked at.
const FILES: usize = 20;

/// The difference that a call would make, as far as its arguments are written.
pub fn preview(arguments: &str, asking: Asking<'_>) -> Option<Output> {
    let mut arguments = partial::object(arguments)?;
    let mode = Mode::written(&arguments).unwrap_or_else(|| Mode::of(asking));
    settle(mode, &mut arguments);
    let (diff, paths) = difference(mode, &arguments, asking.services)?;
    Some(Output::text(diff.clone()).with_details(json!({ "preview": true, "diff": diff, "paths": paths })))
}

/// The difference that arguments would make now, and the files it is about.
pub fn difference(
    mode: Mode,
    arguments: &serde_json::Map<String, Value>,
    services: &Services,
) -> Option<(String, Vec<String>)> {
    let engine = &services.engine;
    let wanted = Wanted::read(mode, arguments, services);
    let files = files(engine, &wanted)?;
    let names = wanted.edits.iter().map(|edit| edit.path.as_str());
    let seen = match mode {
        Mode::Hashline => views::in_session(engine, &services.session, names),
        _ => views::Views::default(),
    };
    let options = Options { partial: true, views: seen.contents, shown: seen.shown, ..Options::default() };
    let plan = plan_with(&wanted.edits, &files, &options);
    let mut diff = String::new();
    let mut paths = Vec::new();
    for change in &plan.changes {
        let before = files.files.get(&change.path).map(Vec::as_slice);
        diff.push_str(&unified(&change.path, before, change.after.as_deref()));
        paths.push(change.path.clone());
    }
    (!diff.is_empty()).then_some((diff, paths))
}

/// Leaves out the last line or edit, where it is only the beginning of one.
fn settle(mode: Mode, arguments: &mut serde_json::Map<String, Value>) {
    if let Some(Value::String(input)) = arguments.get_mut("input") {
        let whole = input.rfind('\n').map_or(0, |end| end + 1);
        input.truncate(whole);
        if mode == Mode::ApplyPatch && !input.contains("*** End Patch") {
            input.push_str("*** End Patch\n");
        }
    }
    let Some(Value::Array(edits)) = arguments.get_mut("edits") else { return };
    edits.retain(|edit| edit.get("new_text").is_some() || edit.get("op").is_some());
    for diff in edits.iter_mut().filter_map(|edit| edit.get_mut("diff")) {
        let whole = diff.as_str().and_then(|diff| diff.rfind('\n').and_then(|end| diff.get(..=end)));
        *diff = Value::from(whole.unwrap_or_default());
    }
}

/// The files that the edits name; nothing if one of them is too large.
pub fn files(engine: &Engine, wanted: &Wanted) -> Option<Snapshot> {
    let mut snapshot = Snapshot::default();
    let names: BTreeSet<&str> = wanted.edits.iter().flat_map(Edit::paths).collect();
    if names.is_empty() || names.len() > FILES {
        return None;
    }
    for name in names {
        let path = engine.workspace().path(name).ok()?;
        if let Some(file) = engine.workspace().read(&path).ok()? {
            if file.bytes.len() > FILE_BYTES {
                return None;
            }
            snapshot.files.insert(name.to_owned(), notebooks::as_edited(name, file.bytes));
        }
    }
    Some(snapshot)
}

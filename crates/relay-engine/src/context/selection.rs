//! The selection: the files that go into the next pack, kept for each project in the user's data.

use std::collections::BTreeSet;

use relay_diagnostics::Diagnostic;
use relay_diagnostics::display::visible_line;
use relay_edit::Edit;
use relay_store::{Shelf, StoreError};

use crate::codes;
use crate::engine::Engine;
use crate::intake::submission::LandOptions;
use crate::outcome::{FileReport, FileStatus};
use crate::plan::contain::did_you_mean;

/// The name on the shelf; there is one selection in a project.
const NAME: &str = "files";

/// The project's own folder, as `--context` names it.
const EVERYTHING: &str = ".";

/// The selected paths, sorted.
///
/// # Errors
/// The user's data cannot be read.
pub fn list(engine: &Engine) -> Result<Vec<String>, StoreError> {
    engine.store().look_up(Shelf::Selection, engine.workspace().root(), NAME)
}

/// Adds paths; returns those that were not in it.
///
/// # Errors
/// The user's data cannot be read or written.
pub fn add(engine: &Engine, paths: impl IntoIterator<Item = String>) -> Result<Vec<String>, StoreError> {
    let mut selected: BTreeSet<String> = list(engine)?.into_iter().collect();
    let added: Vec<String> = paths.into_iter().filter(|path| selected.insert(path.clone())).collect();
    if !added.is_empty() {
        put(engine, selected)?;
    }
    Ok(added)
}

/// Removes paths; returns those that were in it.
///
/// # Errors
/// The user's data cannot be read or written.
pub fn remove(engine: &Engine, paths: &BTreeSet<String>) -> Result<Vec<String>, StoreError> {
    let (gone, kept): (Vec<String>, Vec<String>) =
        list(engine)?.into_iter().partition(|path| paths.contains(path));
    if !gone.is_empty() {
        put(engine, kept)?;
    }
    Ok(gone)
}

/// Empties it; returns how many paths were in it.
///
/// # Errors
/// The user's data cannot be read or written.
pub fn clear(engine: &Engine) -> Result<usize, StoreError> {
    let count = list(engine)?.len();
    if count > 0 {
        put(engine, [])?;
    }
    Ok(count)
}

/// Adds the files of deferred edits, which the model had not seen: the next pack shows them.
pub(crate) fn add_put_off(engine: &Engine, files: &[FileReport]) -> Option<Diagnostic> {
    let put_off = files.iter().filter(|file| file.status == FileStatus::NotInContext);
    // A deferred rename selects the file under its current name.
    let paths = put_off.map(|file| file.renamed_from.as_ref().unwrap_or(&file.path).clone());
    let error = add(engine, paths).err()?;
    let message = format!(
        "the files that were not in the context cannot be selected: {}",
        crate::outcome::stop::with_sources(&error)
    );
    Some(Diagnostic::warning(codes::NOT_SELECTED, message).hinted("Name them to `relay pack` yourself."))
}

/// The files and folders that `--context` names, in the spelling that edits have.
pub(crate) fn in_view(engine: &Engine, options: &LandOptions) -> Option<BTreeSet<String>> {
    let normal = |raw: &String| match raw.trim_end_matches('/') {
        "" | "." => EVERYTHING.to_owned(),
        name => engine.workspace().path(name).map_or_else(|_| name.to_owned(), |path| path.to_string()),
    };
    options.context.as_ref().map(|list| list.iter().map(normal).collect())
}

/// Warnings about missing files in `--context`: a misspelt name would defer the edits of the intended file.
pub(crate) fn not_there(engine: &Engine, options: &LandOptions, edits: &[Edit]) -> Vec<Diagnostic> {
    let workspace = engine.workspace();
    let finding = |name: &String| {
        let path = workspace.path(name).ok();
        let is_there = path.as_ref().is_some_and(|path| matches!(workspace.facts(path), Ok(Some(_))));
        let is_named = || edits.iter().flat_map(Edit::paths).any(|named| named == name);
        if name == EVERYTHING || is_there || is_named() {
            return None;
        }
        let hint = path.and_then(|path| did_you_mean(workspace, &path)).unwrap_or_else(|| {
            "Give paths from the root of the project, with commas between them.".to_owned()
        });
        let message = format!("{} of --context does not exist", visible_line(name));
        Some(Diagnostic::warning(codes::NO_SUCH_FILE, message).on(name.as_str()).hinted(hint))
    };
    in_view(engine, options).iter().flatten().filter_map(finding).collect()
}

fn put(engine: &Engine, paths: impl IntoIterator<Item = String>) -> Result<(), StoreError> {
    engine.store().put(Shelf::Selection, engine.workspace().root(), NAME, paths.into_iter().collect())
}

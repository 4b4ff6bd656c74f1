//! Notebooks are edited as the text that `read` shows of them: every cell below its marker. Cells that an edit does not touch
//! keep every byte of theirs.

use relay_agent::tool::{Call, Output, ToolError};
use relay_diagnostics::Diagnostic;
use relay_edit::{Edit, Operation, Options, Snapshot, plan_with};
use relay_engine::Engine;
use relay_engine::views::{self, Seen, Views};
use relay_workspace::RelPath;
use serde_json::json;

use super::land::{errors, known_after, no_change, repeats, strictness, warnings};
use super::mode::Mode;
use super::{compact, first_changed_line, unified};
use crate::landing::land_bytes;
use crate::notebook;

/// A notebook whose cells a call changes.
pub struct Notebook {
    path: RelPath,
    bytes: Vec<u8>,
    text: String,
}

fn is_named_so(path: &str) -> bool {
    path.to_ascii_lowercase().ends_with(".ipynb")
}

/// The content of a file as edits see it.
pub fn as_edited(path: &str, bytes: Vec<u8>) -> Vec<u8> {
    match is_named_so(path).then(|| notebook::as_text(&bytes)) {
        Some(Ok(text)) => text.into_bytes(),
        _ => bytes,
    }
}

/// The text of a file as edits see it, with lines that end in `\n`; nothing if it is not there or not a text.
pub fn text(engine: &Engine, path: &str) -> Option<String> {
    let file = engine.workspace().read(&engine.workspace().path(path).ok()?).ok()??;
    let text = relay_edit::text(&as_edited(path, file.bytes))?;
    Some(text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n"))
}

/// The notebook that edits change cells of; nothing where they change other files, or a notebook that is damaged.
///
/// # Errors
/// They change other files too.
pub fn of(engine: &Engine, mode: Mode, edits: &[Edit]) -> Result<Option<Notebook>, ToolError> {
    let is_of_cells =
        |edit: &Edit| is_named_so(&edit.path) && matches!(edit.operation, Operation::Patch { .. });
    let Some(first) = edits.iter().find(|edit| is_of_cells(edit)).filter(|_| mode != Mode::Vim) else {
        return Ok(None);
    };
    let found = || {
        let path = engine.workspace().path(&first.path).ok()?;
        let bytes = engine.workspace().read(&path).ok()??.bytes;
        let text = notebook::as_text(&bytes).ok()?;
        Some(Notebook { path, bytes, text })
    };
    let Some(notebook) = found() else { return Ok(None) };
    if edits.iter().any(|edit| edit.path != first.path || !is_of_cells(edit)) {
        return Err(ToolError::Failed(format!(
            "Change the cells of {} in a call of their own.\nNo file was changed.",
            first.path
        )));
    }
    Ok(Some(notebook))
}

impl Notebook {
    /// Places the edits on the text and lands the notebook that it then is.
    pub fn land(
        self,
        call: &Call<'_>,
        mode: Mode,
        edits: &[Edit],
        seen: &Views,
    ) -> Result<Output, ToolError> {
        let Self { path, bytes, text } = self;
        let name = path.as_str();
        let basis = if mode == Mode::Hashline { seen.clone() } else { Views::default() };
        let options = Options {
            strictness: strictness(call),
            views: basis.contents,
            shown: basis.shown,
            repeats: repeats(call, mode),
            ..Options::default()
        };
        let files = [(name.to_owned(), text.clone().into_bytes())].into();
        let plan = plan_with(edits, &Snapshot { files, ..Snapshot::default() }, &options);
        if plan.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(errors(mode, &plan.diagnostics));
        }
        let after = plan.changes.into_iter().find_map(|change| change.after);
        let after = after.filter(|after| *after != text.as_bytes());
        let after = after.ok_or_else(|| no_change(&[name.to_owned()]))?;
        let new = String::from_utf8_lossy(&after);
        let refused = |why: String| ToolError::Failed(format!("{why}\nNo file was changed."));
        let written = notebook::from_text(&bytes, &new).map_err(refused)?;
        let transactions = land_bytes(call, &path, Some(&bytes), written, &format!("edit cells of {path}"))?;
        let lines = known_after(seen, name, text.as_bytes(), &after);
        let view = Seen { path: &path, content: &after, lines: lines.as_deref() };
        // A view that is lost costs a question to the model, never a change.
        drop(views::remember_in(&call.services.engine, &call.services.session, &[view]));
        let (old, new) = (text.as_bytes(), after.as_slice());
        let mut said =
            compact(old, new).map_or_else(|| format!("Updated {path}"), |diff| format!("{path}:\n{diff}"));
        said.push_str(&warnings(plan.diagnostics.iter()));
        let details = json!({
            "path": name, "op": "update", "diff": unified(name, Some(old), Some(new)),
            "firstChangedLine": first_changed_line(old, new), "status": "committed",
        });
        Ok(Output { transactions, ..Output::text(said).with_details(details) })
    }
}

//! The buffers of a process, by session and file: what was typed is landed after all steps of a call.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use relay_agent::tool::{Call, Output, ToolError};
use relay_edit::anchors::anchored;
use relay_edit::{Base, Dialect, Edit, Operation};
use relay_engine::views::{self, Seen, Views};
use relay_workspace::RelPath;
use serde_json::{Value, json};

use super::keys::Keys;
use super::state::{Mode as State, Vim, Wish};
use crate::edit::by_anchor;
use crate::edit::land::land_seen;
use crate::edit::mode::Mode;
use crate::edit::relative;
use crate::edit::wanted::Wanted;

/// How many buffers are kept; the oldest go.
const BUFFERS: usize = 32;
/// How many lines are shown of a file.
const SHOWN: usize = 300;
/// Larger files are not edited by keys: every change keeps a copy for undo.
const FILE_BYTES: usize = 2 << 20;

/// A file that is being edited.
#[derive(Clone, Debug)]
struct Buffer {
    vim: Vim,
    /// What the file held when the buffer was loaded or written; none where there was no file.
    disk: Option<Vec<u8>>,
    /// When it was last used, in calls.
    used: usize,
}

/// By session and path.
type Key = (String, String);

#[derive(Debug, Default)]
struct Kept {
    calls: usize,
    buffers: BTreeMap<Key, Buffer>,
}

/// The buffers of a process.
#[derive(Debug, Default)]
pub struct Buffers {
    kept: Mutex<Kept>,
}

impl Buffers {
    /// Carries out a call.
    pub fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let engine = &call.services.engine;
        let name = relative(engine, call.text("file").unwrap_or_default());
        let path =
            engine.workspace().path(&name).map_err(|refusal| ToolError::failed(refusal.to_string()))?;
        let file = engine.workspace().read(&path).map_err(|error| ToolError::failed(error.to_string()))?;
        let disk = file.map(|file| file.bytes);
        let key = (call.services.session.clone(), path.to_string());
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).buffers.get(&key).cloned();
        let mut buffer = match kept.filter(|buffer| buffer.disk == disk) {
            Some(buffer) => buffer,
            None => Buffer { vim: Vim::new(&text(disk.as_deref())?), disk, used: 0 },
        };
        let steps = call.arguments.get("steps").and_then(Value::as_array);
        let (output, quits) = match steps.filter(|steps| !steps.is_empty()) {
            None => (show(call, &path, &buffer)?, false),
            Some(steps) => buffer.edit(call, &path, steps)?,
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Kept { calls, buffers } = &mut *kept;
        *calls += 1;
        buffer.used = *calls;
        match quits {
            true => drop(buffers.remove(&key)),
            false => drop(buffers.insert(key, buffer)),
        }
        if buffers.len() > BUFFERS {
            let oldest = buffers.iter().min_by_key(|(_, buffer)| buffer.used).map(|(key, _)| key.clone());
            oldest.and_then(|key| buffers.remove(&key));
        }
        Ok(output)
    }
}

/// The text of a file.
fn text(disk: Option<&[u8]>) -> Result<String, ToolError> {
    let bytes = disk.unwrap_or_default();
    if bytes.len() > FILE_BYTES {
        return Err(ToolError::failed(format!(
            "The file has more than {} MiB; edit it by anchors.",
            FILE_BYTES >> 20
        )));
    }
    let text = String::from_utf8(bytes.to_vec()).ok().filter(|text| !text.contains('\0'));
    let text = text
        .ok_or_else(|| ToolError::failed("The file is not a text in UTF-8; it cannot be edited by keys."))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

fn show(call: &Call<'_>, path: &RelPath, buffer: &Buffer) -> Result<Output, ToolError> {
    let disk = buffer.disk.as_deref().ok_or_else(|| ToolError::failed(format!("File not found: {path}")))?;
    let total = buffer.vim.text.len();
    let shown = (total > SHOWN).then_some([(1, SHOWN)]);
    // A view that is lost costs a question to the model, never a change.
    let seen = Seen { path, content: disk, lines: shown.as_ref().map(<[_; 1]>::as_slice) };
    drop(views::remember_in(&call.services.engine, &call.services.session, &[seen]));
    let mut text = anchored(disk, 1, SHOWN);
    if total > SHOWN {
        text.push_str(&format!("[{} more lines; go there with keys]\n", total - SHOWN));
    }
    text.push_str(&place(&buffer.vim));
    Ok(Output::text(text).with_details(json!({ "path": path.as_str() })))
}

fn place(vim: &Vim) -> String {
    format!("Cursor: line {} of {}, column {}", vim.cursor.line + 1, vim.text.len(), vim.cursor.col + 1)
}

impl Buffer {
    /// Types the steps and lands what comes of them. Where one fails, the buffer stays as it was.
    fn edit(
        &mut self,
        call: &Call<'_>,
        path: &RelPath,
        steps: &[Value],
    ) -> Result<(Output, bool), ToolError> {
        let mut vim = self.vim.clone();
        for (number, step) in (1..).zip(steps) {
            ToolError::check(call.cancel)?;
            type_step(&mut vim, step).map_err(|why| {
                ToolError::failed(format!(
                    "Step {number}: {why}\nThe buffer is as it was; no file was changed."
                ))
            })?;
        }
        let wishes = std::mem::take(&mut vim.wishes);
        let quits = wishes.contains(&Wish::Quit) || wishes.contains(&Wish::Discard);
        let before = text(self.disk.as_deref())?;
        let after = vim.text.content();
        if Vim::new(&before).text == vim.text {
            let note = place(&vim);
            self.vim = vim;
            return Ok((Output::text(format!("{path} is unchanged.\n{note}")), quits));
        }
        let wanted =
            Wanted { mode: Mode::Vim, edits: vec![self.change(path, &before, &after)], findings: Vec::new() };
        let contents = self.disk.iter().map(|disk| (path.to_string(), disk.clone())).collect();
        let seen = Views { contents, ..Views::default() };
        let mut output = land_seen(call, wanted, &seen)?;
        let now = call.services.engine.workspace().read(path).ok().flatten().map(|file| file.bytes);
        let is_as_typed = text(now.as_deref()).is_ok_and(|now| Vim::new(&now).text == vim.text);
        self.vim = if is_as_typed { vim } else { Vim::new(&text(now.as_deref())?) };
        self.vim.written();
        self.disk = now;
        output.content.push(relay_agent::session::Block::text(place(&self.vim)));
        Ok((output, quits))
    }

    /// The change as an edit by anchors, so that it is proved like all others.
    fn change(&self, path: &RelPath, before: &str, after: &str) -> Edit {
        let edit = |operation: Operation| Edit {
            path: path.to_string(),
            operation,
            dialect: Dialect::Hashline,
            line: 1,
        };
        if self.disk.is_none() {
            let write = Operation::Write { content: after.to_owned() };
            return Edit { dialect: Dialect::ToolCall, ..edit(write) };
        }
        edit(Operation::Patch { hunks: by_anchor::hunks(before, after), base: Base::Original })
    }
}

/// Types the keys of a step, and its text.
fn type_step(vim: &mut Vim, step: &Value) -> Result<(), String> {
    let keys: Vec<&str> =
        step.get("kbd").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let insert = step.get("insert").and_then(Value::as_str);
    for (at, written) in keys.iter().enumerate() {
        vim.type_keys(&mut Keys::named(written)).map_err(|why| format!("`{written}`: {why}"))?;
        let is_open = matches!(vim.mode, State::Insert | State::Replace);
        if at + 1 == keys.len() && insert.is_some() {
            if !is_open {
                return Err(format!(
                    "`{written}` must leave insert mode open, because the step has `insert`"
                ));
            }
        } else if vim.mode != State::Normal {
            return Err(format!(
                "`{written}` must end in normal mode; add <Esc>, or put the text into `insert`"
            ));
        }
    }
    match insert {
        Some(_) if keys.is_empty() => {
            Err("`insert` needs keys that open insert mode, such as `o`".to_owned())
        }
        Some(text) => {
            vim.type_keys(&mut Keys::verbatim(text)).map_err(|why| why.to_string())?;
            vim.leave();
            Ok(())
        }
        None => Ok(()),
    }
}

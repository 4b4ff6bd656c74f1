//! Packs: one text with everything a chat needs to write a change, and a receipt of what it was shown.
//!
//! [`select`] decides which files go in, [`make`] reads, masks and renders them. Only this text leaves the machine:
//! secrets are masked before anything is rendered, and files that do not fit are listed, not cut.

mod budget;
mod generated;
mod render;
pub mod select;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use relay_diagnostics::Diagnostic;
use relay_edit::Dialect;
use serde::Serialize;

use crate::codes;
use crate::context::receipt::Receipt;
use crate::context::tokens;
use crate::engine::{Engine, EngineError};
use crate::plan::contain::unreadable;
use crate::secrets::{Found, Vault, mask};
use select::Wanted;

pub use render::is_pack;

/// The largest pack, in bytes of shown text. No chat takes more, and its receipt has to be kept.
pub const PACK_LIMIT_BYTES: usize = 4 << 20;

/// How much of the project's tree is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tree {
    /// Every file, as long as there are not too many: then large folders are only counted.
    #[default]
    Folded,
    /// Every file.
    Full,
    /// Nothing.
    None,
}

/// What to put into a pack.
#[derive(Clone, Debug)]
pub struct Request {
    /// The files, in the order of their importance.
    pub files: Vec<Wanted>,
    /// What the model is asked to do.
    pub task: Option<String>,
    /// What changed since the last commit, as a git diff.
    pub diff: Option<String>,
    /// How much of the tree is shown.
    pub tree: Tree,
    /// The most tokens the pack may have.
    pub budget_tokens: Option<usize>,
    /// The dialect the model is taught.
    pub dialect: Dialect,
    /// Whether secrets are masked. Off only if a person asked for it.
    pub mask: bool,
}

/// A pack, and what is in it.
#[derive(Clone, Debug)]
pub struct Pack {
    /// The text to hand to a model.
    pub text: String,
    /// What it was shown.
    pub receipt: Receipt,
    /// How many tokens the text has, by estimate.
    pub tokens: usize,
    /// The files that are in it.
    pub files: Vec<Packed>,
    /// The files that are not, each with the reason.
    pub left_out: Vec<LeftOut>,
    /// What was masked, by the file (or part of the pack) it was in.
    pub masked: Vec<(String, Found)>,
}

/// A file in a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Packed {
    /// Its path.
    pub path: String,
    /// How many lines it has.
    pub lines: usize,
    /// How many tokens, by estimate.
    pub tokens: usize,
}

/// A requested file that is not in a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
    /// How many tokens it would have taken, if known.
    pub tokens: Option<usize>,
}

/// A file as it is shown.
struct Shown {
    path: String,
    text: String,
    tokens: usize,
}

/// Makes a pack and keeps its receipt.
///
/// # Errors
/// There is nothing to show, it is too large, or the user's data cannot be used.
pub fn make(engine: &Engine, request: &Request) -> Result<Pack, Vec<Diagnostic>> {
    let user_data = |error| EngineError::from(error).diagnostics();
    let mut vault = Vault::new(&engine.store().ledger_key().map_err(user_data)?);
    let mut masked = Vec::new();
    let (texts, left_out) = read(engine, &request.files);
    let texts = if request.mask { mask_all(texts, &mut vault, &mut masked) } else { texts };
    let mut hide = |name: &str, text: &String| {
        if !request.mask {
            return text.clone();
        }
        let found = mask(name, text, &mut vault);
        masked.extend(found.found.into_iter().map(|found| (name.to_owned(), found)));
        found.text
    };
    let mut frame = render::Frame {
        project_id: engine.config().project_id.as_deref(),
        dialect: request.dialect,
        tree: tree::of(engine.workspace(), request.tree),
        diff: request.diff.as_ref().map(|diff| hide("git diff", diff)),
        task: request.task.as_ref().map(|task| hide("the task", task)),
    };
    let shown = texts.into_iter().map(|(path, text)| {
        let tokens = tokens::estimate(&render::file(&path, &text, request.dialect));
        Shown { path, text, tokens }
    });
    let budget::Fitted { shown, left_out, named } =
        budget::fit(&mut frame, shown.collect(), left_out, request.budget_tokens)
            .map_err(|error| vec![*error])?;
    if shown.is_empty() && frame.task.is_none() && frame.diff.is_none() {
        return Err(vec![nothing(&left_out)]);
    }
    masked.retain(|(path, _)| !left_out.iter().any(|left| left.path == *path));
    let receipt =
        Receipt::new(shown.iter().map(|file| (file.path.clone(), file.text.clone())).collect(), vault);
    let text = frame.render(receipt.id(), &shown, (&left_out, named), !masked.is_empty());
    if text.len() > PACK_LIMIT_BYTES {
        return Err(vec![too_large(text.len())]);
    }
    receipt.keep(engine).map_err(user_data)?;
    let files = shown.into_iter().map(|file| Packed {
        lines: file.text.lines().count(),
        path: file.path,
        tokens: file.tokens,
    });
    Ok(Pack { tokens: tokens::estimate(&text), text, receipt, files: files.collect(), left_out, masked })
}

/// The files' texts, and why some of them have none.
fn read(engine: &Engine, wanted: &[Wanted]) -> (Vec<(String, String)>, Vec<LeftOut>) {
    let (mut texts, mut left_out) = (Vec::new(), Vec::new());
    for Wanted { path, by_name } in wanted {
        let mut leave =
            |reason: String| left_out.push(LeftOut { path: path.to_string(), reason, tokens: None });
        match engine.workspace().read(path) {
            Err(error) => leave(unreadable(&error).message),
            Ok(None) => leave("does not exist".to_owned()),
            Ok(Some(file)) => match relay_edit::text(&file.bytes).filter(|text| !text.contains('\0')) {
                None if file.bytes.contains(&0) => leave("is binary".to_owned()),
                None => leave("is neither UTF-8 nor UTF-16 text".to_owned()),
                Some(text) if !by_name && generated::says_so(path.as_str(), &text) => {
                    leave("is generated; name it explicitly to pack it".to_owned());
                }
                // It cannot be packed, so it need not be searched.
                Some(text) if text.len() > PACK_LIMIT_BYTES => {
                    leave(format!("is larger than a pack may be ({PACK_LIMIT_BYTES} bytes)"));
                }
                Some(text) => texts.push((path.to_string(), text)),
            },
        }
    }
    (texts, left_out)
}

/// Masks every text, twice: what the first round finds in one file the second finds in all of them.
fn mask_all(
    texts: Vec<(String, String)>,
    vault: &mut Vault,
    masked: &mut Vec<(String, Found)>,
) -> Vec<(String, String)> {
    for (path, text) in &texts {
        drop(mask(path, text, vault));
    }
    let hide = |(path, text): (String, String)| {
        let found = mask(&path, &text, vault);
        masked.extend(found.found.into_iter().map(|found| (path.clone(), found)));
        (path, found.text)
    };
    texts.into_iter().map(hide).collect()
}

fn nothing(left_out: &[LeftOut]) -> Diagnostic {
    let mut reasons = BTreeMap::new();
    for left in left_out {
        reasons.entry(left.reason.as_str()).or_insert_with(BTreeSet::new).insert(left.path.as_str());
    }
    let one = |(reason, paths): (&&str, &BTreeSet<&str>)| {
        format!("{} {reason}", paths.iter().copied().take(5).collect::<Vec<_>>().join(", "))
    };
    let listed: Vec<String> = reasons.iter().map(one).collect();
    let why = if listed.is_empty() { String::new() } else { format!(": {}", listed.join("; ")) };
    Diagnostic::error(codes::NOTHING_TO_PACK, format!("there is nothing to pack{why}"))
        .hinted("Name files, folders or globs, or select them with `relay context add`.")
}

fn too_large(bytes: usize) -> Diagnostic {
    Diagnostic::error(
        codes::PACK_TOO_LARGE,
        format!("the pack would have {bytes} bytes, {PACK_LIMIT_BYTES} are allowed"),
    )
    .hinted("Name fewer files, or give a --budget: what does not fit is listed and left out.")
}

//! Receipts: what a pack showed to a model, so that its reply is resolved against exactly that.
//!
//! A receipt maps each path to the text the model saw, secrets masked, and holds the vault that knows them. When a reply
//! names it, the edits are placed on those texts, the secrets are put back, and the result is merged onto the files as
//! they are by then. A reply that landed moves the receipt on: the model knows what it wrote, and its next reply in the
//! same conversation builds on that.

mod resolve;
#[cfg(test)]
mod tests;

pub(crate) use resolve::Resolved;

use std::collections::{BTreeMap, BTreeSet};

use relay_diagnostics::Diagnostic;
use relay_edit::Reply;
use relay_store::{Shelf, StoreError};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::codes;
use crate::engine::Engine;
use crate::intake::submission::{LandOptions, ReceiptUse};
use crate::outcome::stop::{Stop, with_sources};
use crate::secrets::{Vault, mask};

/// How many texts of one file are remembered: the text shown, and those after the model's latest replies.
const VERSIONS: usize = 6;

/// The format that is written.
const VERSION: u64 = 1;

/// What a pack showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    id: String,
    /// Path to the texts the model knows of it, the oldest first.
    files: BTreeMap<String, Vec<String>>,
    /// Whether these are all the files the model saw. A message about a few of them shows only those.
    is_whole: bool,
    vault: Vault,
}

/// The header before the texts.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    version: u64,
    /// Paths, each with how many texts it has.
    files: Vec<(String, usize)>,
    is_whole: bool,
    vault: String,
}

impl Receipt {
    /// A new receipt for texts as they are shown, masked with this vault.
    #[must_use]
    pub fn new(files: BTreeMap<String, String>, vault: Vault) -> Self {
        let digits: String = Uuid::new_v4().simple().to_string().chars().take(10).collect();
        let files = files.into_iter().map(|(path, text)| (path, vec![text])).collect();
        Self { id: format!("r-{digits}"), files, is_whole: true, vault }
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Stores it in the user's data.
    ///
    /// # Errors
    /// The user's data cannot be written.
    pub fn keep(&self, engine: &Engine) -> Result<(), StoreError> {
        engine.store().put(Shelf::Receipts, engine.workspace().root(), &self.id, self.texts())
    }

    /// The receipt with this name; `None` if there is none, it was dropped to make room, or this Relay cannot read it.
    ///
    /// # Errors
    /// The user's data cannot be read.
    pub fn find(engine: &Engine, id: &str) -> Result<Option<Self>, StoreError> {
        let texts = engine.store().look_up(Shelf::Receipts, engine.workspace().root(), id)?;
        let key = engine.store().ledger_key()?;
        Ok(Self::read(id, &key, texts))
    }

    fn texts(&self) -> Vec<String> {
        let head = Head {
            version: VERSION,
            files: self.files.iter().map(|(path, texts)| (path.clone(), texts.len())).collect(),
            is_whole: self.is_whole,
            vault: self.vault.to_json().unwrap_or_default(),
        };
        let head = serde_json::to_string(&head).unwrap_or_default();
        std::iter::once(head).chain(self.files.values().flatten().cloned()).collect()
    }

    fn read(id: &str, key: &[u8; 32], texts: Vec<String>) -> Option<Self> {
        let mut texts = texts.into_iter();
        let head: Head =
            serde_json::from_str(&texts.next()?).ok().filter(|head: &Head| head.version == VERSION)?;
        let vault = Vault::from_json(key, &head.vault).ok()?;
        let is_whole = head.is_whole;
        let files = head.files.into_iter().map(|(path, count)| (path, texts.by_ref().take(count).collect()));
        let files: BTreeMap<String, Vec<String>> = files.collect();
        files.values().all(|texts| !texts.is_empty()).then(|| Self {
            id: id.to_owned(),
            files,
            is_whole,
            vault,
        })
    }

    /// Records texts that the model wrote (`None` for a deleted file) and so knows from now on.
    fn advance(&mut self, written: &BTreeMap<String, Option<String>>) {
        for (path, text) in written {
            let Some(text) = text else {
                self.files.remove(path);
                continue;
            };
            let known = self.files.entry(path.clone()).or_default();
            known.retain(|earlier| earlier != text);
            known.push(text.clone());
            let surplus = known.len().saturating_sub(VERSIONS);
            known.drain(..surplus);
        }
    }

    /// The files the model had in view; `None` when it may have seen others.
    fn context(&self) -> Option<BTreeSet<String>> {
        self.is_whole.then(|| self.files.keys().cloned().collect())
    }
}

/// The receipt to resolve a reply against: the one of the options, else the one the replies name. If it is no longer
/// known, a diagnostic says so, and the edits are matched against the current files.
pub(crate) fn of_replies(
    engine: &Engine,
    options: &LandOptions,
    replies: &[Reply],
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Option<Receipt>, Stop> {
    let id = match &options.receipt {
        ReceiptUse::Ignored => return Ok(None),
        ReceiptUse::Named(id) => Some(id.as_str()),
        ReceiptUse::FromReply => replies.iter().rev().find_map(|reply| reply.receipt.as_deref()),
    };
    let Some(id) = id else { return Ok(None) };
    let message = match Receipt::find(engine, id) {
        Ok(Some(receipt)) => return Ok(Some(receipt)),
        Ok(None) => format!("there is no receipt `{id}` here"),
        Err(error) => format!("the receipt `{id}` cannot be read: {}", with_sources(&error)),
    };
    if matches!(options.receipt, ReceiptUse::Named(_)) {
        return Err(Stop::refused(
            Diagnostic::error(codes::UNKNOWN_RECEIPT, message)
                .hinted("Receipts are kept for each project until newer packs need the room. Pack again."),
        ));
    }
    diagnostics.push(
        Diagnostic::warning(
            codes::UNKNOWN_RECEIPT,
            format!("{message}; the edits are matched against the files as they are now"),
        )
        .hinted("Review the change closely, or pack again and repeat the request."),
    );
    Ok(None)
}

/// Prepares the current files for showing them to the model again, with findings that may quote them: returns the
/// masked texts and their receipt. There is no receipt if nothing was masked and nothing was shown before.
pub(crate) fn shown_again(
    engine: &Engine,
    receipt: Option<&Receipt>,
    files: BTreeMap<String, String>,
    findings: &mut [Diagnostic],
) -> (BTreeMap<String, String>, Option<String>) {
    let fresh =
        || engine.store().ledger_key().ok().map(|key| Receipt::new(BTreeMap::new(), Vault::new(&key)));
    let is_new = receipt.is_none();
    let Some(mut receipt) = receipt.cloned().or_else(fresh) else { return (BTreeMap::new(), None) };
    receipt.is_whole &= !is_new;
    let mut has_secrets = false;
    let mut shown = BTreeMap::new();
    for (path, text) in files {
        let masked = mask(&path, &text, &mut receipt.vault);
        has_secrets |= masked.text != text;
        shown.insert(path, masked.text);
    }
    for finding in findings {
        let name = finding.path.clone().unwrap_or_default();
        for said in std::iter::once(&mut finding.message).chain(&mut finding.hint) {
            *said = mask(&name, said, &mut receipt.vault).text;
        }
    }
    if is_new && !has_secrets {
        return (shown, None);
    }
    receipt.advance(&shown.iter().map(|(path, text)| (path.clone(), Some(text.clone()))).collect());
    drop(receipt.keep(engine));
    (shown, Some(receipt.id))
}

/// Records what landed as known to the model. If the receipt cannot be stored, the only cost is a later question.
pub(crate) fn landed(engine: &Engine, receipt: &Receipt, written: &BTreeMap<String, Option<String>>) {
    if written.is_empty() {
        return;
    }
    let mut receipt = receipt.clone();
    receipt.advance(written);
    drop(receipt.keep(engine));
}

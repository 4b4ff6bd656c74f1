//! Navigates the tree of an open session.

use serde_json::Value;

use super::super::body::{BranchSummary, Label, ROOT};
use super::super::context::{self, Context};
use super::super::entry::Entry;
use super::super::error::SessionError;
use super::super::labels::Labels;
use super::super::tree::{self, Tree};
use super::{EntryId, SessionLog};

/// A summary of a branch that is left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// What happened there.
    pub text: String,
    /// What the maker of the summary wants to know next time.
    pub details: Option<Value>,
    /// Whether an extension wrote it.
    pub from_extension: Option<bool>,
}

/// What selecting an entry in the tree means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Where the leaf goes; none for the very beginning.
    pub leaf: Option<EntryId>,
    /// What belongs into the editor, to be changed and sent again.
    pub editor_text: Option<String>,
}

impl SessionLog {
    /// Moves the leaf to an entry; the next one follows it. Nothing is written.
    ///
    /// # Errors
    /// There is no such entry.
    pub fn branch(&mut self, id: &str) -> Result<(), SessionError> {
        let entry = self.existing(id)?;
        self.leaf = Some(EntryId::from(entry.id()));
        Ok(())
    }

    /// Moves the leaf before the first entry; the next one begins a tree of its own. Nothing is written.
    pub fn reset_leaf(&mut self) {
        self.leaf = None;
    }

    /// Moves the leaf to an entry, or before the first one, and adds what happened on the branch that was left there.
    ///
    /// # Errors
    /// There is no such entry, or the summary cannot be written; then the leaf is where it was.
    pub fn branch_with_summary(
        &mut self,
        to: Option<&str>,
        summary: Summary,
    ) -> Result<EntryId, SessionError> {
        let before = self.leaf.clone();
        match to {
            Some(id) => self.branch(id)?,
            None => self.reset_leaf(),
        }
        let body = BranchSummary {
            from_id: to.unwrap_or(ROOT).to_owned(),
            summary: summary.text,
            details: summary.details,
            from_extension: summary.from_extension,
        };
        self.append(body).inspect_err(|_| self.leaf = before)
    }

    /// Names an entry; no name, or an empty one, takes it away. The label is an entry of its own after the leaf.
    ///
    /// # Errors
    /// There is no such entry, or the label cannot be written.
    pub fn set_label(&mut self, id: &str, label: Option<&str>) -> Result<EntryId, SessionError> {
        let target_id = self.existing(id)?.id().to_owned();
        let label = label.map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
        self.append(Label { target_id, label })
    }

    /// The names of entries.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The entries from the root to the leaf.
    #[must_use]
    pub fn path_to_leaf(&self) -> Vec<&Entry> {
        match &self.leaf {
            Some(leaf) => self.branch_of(leaf),
            None => Vec::new(),
        }
    }

    /// The entries from the root to an entry; empty if there is no such entry.
    #[must_use]
    pub fn branch_of(&self, id: &str) -> Vec<&Entry> {
        tree::branch(id, self.entries().len(), |id| self.entry(id))
    }

    /// The entries that directly follow an entry, or the roots.
    #[must_use]
    pub fn children(&self, parent: Option<&str>) -> Vec<&Entry> {
        self.entries().iter().filter(|entry| entry.parent_id() == parent).collect()
    }

    /// The whole tree, with names.
    #[must_use]
    pub fn tree(&self) -> Tree<'_> {
        Tree::of(self.entries(), &self.labels)
    }

    /// What selecting an entry means: a message of the user, or of an extension, is written anew, so the leaf goes before
    /// it; any other entry is gone on from. None if it is the leaf already.
    ///
    /// # Errors
    /// There is no such entry.
    pub fn select(&self, id: &str) -> Result<Option<Selection>, SessionError> {
        let entry = self.existing(id)?;
        if self.leaf.as_deref() == Some(id) {
            return Ok(None);
        }
        Ok(Some(match tree::editable_text(entry) {
            Some(text) => Selection { leaf: entry.parent_id().map(EntryId::from), editor_text: Some(text) },
            None => Selection { leaf: Some(EntryId::from(entry.id())), editor_text: None },
        }))
    }

    /// The entries that are left when the leaf moves to an entry, oldest first: those after the last common one. They are
    /// what a branch summary is about; none means that there is nothing to summarise.
    #[must_use]
    pub fn abandoned_by(&self, target: Option<&str>) -> Vec<&Entry> {
        let old = self.path_to_leaf();
        let new = target.map(|id| self.branch_of(id)).unwrap_or_default();
        let common = old.iter().zip(&new).take_while(|(one, other)| one.id() == other.id()).count();
        old.into_iter().skip(common).collect()
    }

    /// What the model sees at the leaf, and the state there.
    #[must_use]
    pub fn context(&self) -> Context<'_> {
        context::of_path(&self.path_to_leaf())
    }

    fn existing(&self, id: &str) -> Result<&Entry, SessionError> {
        self.entry(id).ok_or_else(|| SessionError::NoEntry { id: id.to_owned() })
    }
}

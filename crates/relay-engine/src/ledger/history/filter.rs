//! Choosing from the ledger: by file, channel, state and time.

use jiff::Timestamp;

use super::{Entry, EntryStatus, History};
use crate::ledger::group::contains;

/// The limits of a list; `None` means no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Transactions that changed this file, also under an earlier name, or a file in this folder.
    pub path: Option<String>,
    /// Transactions that came through this channel.
    pub channel: Option<String>,
    /// Transactions of this group, and of groups that are parts of it.
    pub group: Option<String>,
    /// Transactions in this state.
    pub status: Option<EntryStatus>,
    /// Transactions from this moment on.
    pub since: Option<Timestamp>,
    /// Transactions up to this moment.
    pub until: Option<Timestamp>,
}

impl Filter {
    /// The fitting transactions, newest first.
    #[must_use]
    pub fn choose<'a>(&self, history: &'a History) -> Vec<&'a Entry> {
        let mut names: Vec<String> = self.path.iter().cloned().collect();
        history
            .entries
            .iter()
            // Names are followed through all transactions, also those that other limits leave out.
            .filter(|entry| self.path.is_none() || touches(entry, &mut names))
            .filter(|entry| {
                self.channel.as_ref().is_none_or(|channel| entry.record.header.channel == *channel)
            })
            .filter(|entry| {
                self.group.as_ref().is_none_or(|group| contains(group, entry.record.header.group.as_deref()))
            })
            .filter(|entry| self.status.is_none_or(|status| entry.status == status))
            .filter(|entry| self.since.is_none_or(|since| entry.record.created_at >= since))
            .filter(|entry| self.until.is_none_or(|until| entry.record.created_at <= until))
            .collect()
    }
}

/// Whether the transaction changed one of the files; going back in time, a renamed file continues under its old name.
fn touches(entry: &Entry, names: &mut Vec<String>) -> bool {
    let mut found = false;
    let mut earlier = Vec::new();
    for change in &entry.record.changes {
        if names.iter().any(|name| is_at_or_below(&change.path, name)) {
            found = true;
            earlier.extend(change.renamed_from.clone());
        }
    }
    for name in earlier {
        if !names.iter().any(|known| is_at_or_below(&name, known)) {
            names.push(name);
        }
    }
    found
}

fn is_at_or_below(path: &str, name: &str) -> bool {
    path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

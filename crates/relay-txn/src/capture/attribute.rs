//! Whose a change is: what another transaction did is not the command's, and a file that moved is one file.

use std::collections::{BTreeSet, HashMap};

use relay_workspace::RelPath;

use super::{Effects, Unattributed};
use crate::disk::Disk;
use crate::draft::{FileChange, Image};
use crate::error::TxnError;
use crate::protocol::Protocol;
use crate::record::Record;

/// Takes out what other transactions did between the scans. Where a command went on from what such a transaction had
/// left, only the rest is the command's.
pub(super) fn attribute(
    protocol: &Protocol<Disk>,
    others: &[Record],
    found: &mut Effects,
) -> Result<(), TxnError> {
    let mut last = HashMap::new();
    for record in others {
        for change in &record.changes {
            last.insert(change.path.as_str(), (record.uuid, change.after.as_ref()));
        }
    }
    if last.is_empty() {
        return Ok(());
    }
    let mut changes = Vec::with_capacity(found.changes.len());
    for mut change in std::mem::take(&mut found.changes) {
        let Some((uuid, left)) = last.get(change.path.as_str()) else {
            changes.push(change);
            continue;
        };
        found.unattributed.push(Unattributed { path: change.path.to_string(), uuid: *uuid });
        let is_as_left = match (left, &change.after) {
            (None, None) => true,
            (Some(left), Some(is)) => left.holds(&is.bytes) && Some(left.mode) == is.mode,
            _ => false,
        };
        if !is_as_left {
            change.before = match left {
                Some(left) => Some(Image { bytes: protocol.content(left)?, mode: left.mode }),
                None => None,
            };
            changes.push(change);
        }
    }
    found.changes = changes;
    let theirs: BTreeSet<&str> = others
        .iter()
        .flat_map(|record| {
            let removed = record.removed_folders.iter().map(|folder| folder.path.as_str());
            record.folders.iter().map(String::as_str).chain(removed)
        })
        .collect();
    found.made_folders.retain(|folder| !theirs.contains(folder.as_str()));
    found.removed_folders.retain(|folder| !theirs.contains(folder.path.as_str()));
    Ok(())
}

/// A new file with exactly the content of one that is gone continues it, if there is only one of each.
pub(super) fn mark_renames(changes: &mut [FileChange]) {
    let mut gone: HashMap<blake3::Hash, Vec<RelPath>> = HashMap::new();
    for change in changes.iter() {
        if let (Some(image), None) = (&change.before, &change.after)
            && !image.bytes.is_empty()
        {
            gone.entry(blake3::hash(&image.bytes)).or_default().push(change.path.clone());
        }
    }
    if gone.is_empty() {
        return;
    }
    let mut new: HashMap<blake3::Hash, Vec<&mut FileChange>> = HashMap::new();
    for change in changes.iter_mut() {
        if let (None, Some(target)) = (&change.before, &change.after)
            && !target.bytes.is_empty()
        {
            new.entry(blake3::hash(&target.bytes)).or_default().push(change);
        }
    }
    for (hash, mut created) in new {
        if let (Some([from]), [change]) = (gone.get(&hash).map(Vec::as_slice), created.as_mut_slice()) {
            change.renamed_from = Some(from.clone());
        }
    }
}

//! Attributes changes: what another transaction did is not the command's, and a file that moved is one file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use relay_workspace::{RelPath, Workspace};

use super::{Effects, Overtaken, Scan, Unattributed};
use crate::disk::Disk;
use crate::draft::{FileChange, Image, Target};
use crate::error::TxnError;
use crate::protocol::Protocol;
use crate::record::{ChangeRecord, Record, Stored};

/// Parts what the command did from what other transactions did between the scans.
///
/// The records say what each of them found and left, so a file's way from the first scan to the second is known: whatever
/// no record accounts for is the command's. What it did before a transaction landed on the file has been overtaken by
/// that; where it went on from what the last one left, the rest is an ordinary change.
pub(super) fn attribute(
    protocol: &Protocol<Disk>,
    others: &[Record],
    (workspace, before): (&Workspace, &Scan),
    found: &mut Effects,
) -> Result<(), TxnError> {
    let mut landed: BTreeMap<&str, Vec<(usize, &ChangeRecord)>> = BTreeMap::new();
    for (at, record) in others.iter().enumerate() {
        for change in &record.changes {
            landed.entry(change.path.as_str()).or_default().push((at, change));
        }
    }
    if landed.is_empty() {
        return Ok(());
    }
    let mut overtaken: Vec<Vec<FileChange>> = others.iter().map(|_| Vec::new()).collect();
    let mut changes: BTreeMap<String, FileChange> = std::mem::take(&mut found.changes)
        .into_iter()
        .map(|change| (change.path.to_string(), change))
        .collect();
    for (path, landings) in landed {
        let own = changes.remove(path);
        if let (Some(_), Some((last, _))) = (&own, landings.last())
            && let Some(record) = others.get(*last)
        {
            found.unattributed.push(Unattributed { path: path.to_owned(), uuid: record.uuid });
        }
        let Some((mut now, end)) = ends(workspace, before, path, own, found) else { continue };
        let Ok(name) = RelPath::new(path) else { continue };
        for (at, change) in landings {
            let met = image(protocol, change.before.as_ref())?;
            if now != met
                && let Some(overtaken) = overtaken.get_mut(at)
            {
                overtaken.push(change_between(&name, now, met));
            }
            now = image(protocol, change.after.as_ref())?;
        }
        if now != end {
            changes.insert(path.to_owned(), change_between(&name, now, end));
        }
    }
    found.changes = changes.into_values().collect();
    found.changes.sort_by(|a, b| a.path.cmp(&b.path));
    let by = |record: &Record, changes| Overtaken { by: record.uuid, by_sequence: record.sequence, changes };
    let overtaken = others.iter().zip(overtaken).filter(|(_, changes)| !changes.is_empty());
    found.overtaken = overtaken.map(|(record, changes)| by(record, changes)).collect();
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

/// A file in the first scan and in the second.
type Ends = (Option<Image>, Option<Image>);

/// What was at a path in the first scan, and what is there in the second; `None` where that is not known. `own` is how
/// they differ.
fn ends(
    workspace: &Workspace,
    before: &Scan,
    path: &str,
    own: Option<FileChange>,
    found: &Effects,
) -> Option<Ends> {
    if let Some(own) = own {
        let end =
            own.after.map(|target| Image { mode: target.mode.unwrap_or(0o100_644), bytes: target.bytes });
        return Some((own.before, end));
    }
    if found.uncaptured.iter().any(|missed| missed.path == path) {
        return None;
    }
    // Both scans agree. Something that is in neither was not there, or is ignored.
    let Some(same) = before.image(path) else {
        return before.survey.would_hold(workspace.root(), path).then_some((None, None));
    };
    same.map(|same| (Some(same.clone()), Some(same)))
}

/// A file as a record has it.
fn image(protocol: &Protocol<Disk>, stored: Option<&Stored>) -> Result<Option<Image>, TxnError> {
    let Some(stored) = stored else { return Ok(None) };
    Ok(Some(Image { bytes: protocol.content(stored)?.into(), mode: stored.mode }))
}

fn change_between(path: &RelPath, before: Option<Image>, after: Option<Image>) -> FileChange {
    let after = after.map(|image| Target { bytes: image.bytes, mode: Some(image.mode) });
    FileChange { path: path.clone(), before, after, renamed_from: None, added: 0, removed: 0 }
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

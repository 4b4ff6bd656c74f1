//! Where things are inside `.relaycode/`.

use uuid::Uuid;

/// The state folder.
pub(crate) const STATE: &str = ".relaycode";
/// Held for milliseconds by the process that changes the ledger.
pub(crate) const LOCK: &str = ".relaycode/lock";
/// Keeps the folder out of version control, wherever it is copied to.
pub(crate) const GITIGNORE: &str = ".relaycode/.gitignore";
/// Contents that are not kept inside a record, named by their hash.
pub(crate) const BLOBS: &str = ".relaycode/blobs";
/// What the records say, without contents, for reading many of them quickly. Can be removed at any time.
pub(crate) const INDEX: &str = ".relaycode/index";
/// One folder per unfinished transaction.
pub(crate) const STAGE: &str = ".relaycode/stage";
/// Contents of workspace files, kept for capturing what commands do. Can be removed at any time.
pub(crate) const CAPTURE: &str = ".relaycode/capture";
/// Foreign bytes that a rollback had to move out of the way, one folder per transaction.
pub(crate) const RESCUED: &str = ".relaycode/rescued";

/// The name of a record of captured changes that were undone, in its folder.
pub(crate) const TAKEN_BACK: &str = "taken-back.yml";

/// Whether a path is the state folder, or something in it.
pub(crate) fn is_state(path: &str) -> bool {
    path.strip_prefix(STATE).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The record of a transaction in the ledger.
pub(crate) fn record(uuid: Uuid) -> String {
    format!("{STATE}/{uuid}.yml")
}

/// The record of a transaction that is not decided.
pub(crate) fn pending(uuid: Uuid) -> String {
    format!("{STATE}/{uuid}.pending.yml")
}

/// A stored content.
pub(crate) fn blob(hash: &str) -> String {
    format!("{BLOBS}/{hash}")
}

/// The staging folder of a transaction.
pub(crate) fn stage(uuid: Uuid) -> String {
    format!("{STAGE}/{uuid}")
}

/// The file whose lock the living transaction holds.
pub(crate) fn owner(uuid: Uuid) -> String {
    format!("{STAGE}/{uuid}/owner")
}

/// The mark on what a command did, until a decision is made about it.
pub(crate) fn kept_mark(uuid: Uuid) -> String {
    format!("{STAGE}/{uuid}/keep")
}

/// The mark on a stage whose transaction has a pending record, and may have changed files.
pub(crate) fn landing_mark(uuid: Uuid) -> String {
    format!("{STAGE}/{uuid}/landing")
}

/// The staged new content of the `n`-th change; after an exchange, what it displaced.
pub(crate) fn slot(uuid: Uuid, n: usize) -> String {
    format!("{STAGE}/{uuid}/{n}")
}

/// What the `n`-th change displaced, where the disk cannot exchange.
pub(crate) fn displaced(uuid: Uuid, n: usize) -> String {
    format!("{STAGE}/{uuid}/{n}.old")
}

/// What a rollback moved out of the way of the `n`-th change, where the disk cannot exchange.
pub(crate) fn aside(uuid: Uuid, n: usize) -> String {
    format!("{STAGE}/{uuid}/{n}.aside")
}

/// An empty folder, kept to take the place of the `k`-th one that the transaction removed.
pub(crate) fn spare(uuid: Uuid, k: usize) -> String {
    format!("{STAGE}/{uuid}/{k}.folder")
}

/// The record of what commands had written when that was undone.
pub(crate) fn taken_back(uuid: Uuid) -> String {
    format!("{RESCUED}/{uuid}/{TAKEN_BACK}")
}

/// The uuid of a record's file name, and whether it is pending; `None` for any other name.
pub(crate) fn parse_record_name(name: &str) -> Option<(Uuid, bool)> {
    let stem = name.strip_suffix(".yml")?;
    let (stem, pending) = stem.strip_suffix(".pending").map_or((stem, false), |stem| (stem, true));
    parse_uuid(stem).map(|uuid| (uuid, pending))
}

/// Accepts the hyphenated lower-case form only, so that one transaction has one name.
pub(crate) fn parse_uuid(text: &str) -> Option<Uuid> {
    let uuid = Uuid::try_parse(text).ok()?;
    let mut buffer = Uuid::encode_buffer();
    (uuid.hyphenated().encode_lower(&mut buffer) == text).then_some(uuid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_names() {
        let uuid = Uuid::from_u128(5);
        assert_eq!(parse_record_name(&format!("{uuid}.yml")), Some((uuid, false)));
        assert_eq!(parse_record_name(&format!("{uuid}.pending.yml")), Some((uuid, true)));
        for other in ["index", "x.yml", "{00000000-0000-0000-0000-000000000005}.yml", "../a.yml", ".yml"] {
            assert_eq!(parse_record_name(other), None, "{other}");
        }
    }
}

//! What a plan is made from, besides the edits: the files, and how literally edits are taken.

use std::collections::{BTreeMap, BTreeSet};

use crate::matcher::Strictness;

/// The files the edits name, as they are on disk: a path that is not in here does not exist.
///
/// Paths are compared as they are: the caller has normalised those of the edits and of the snapshot alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Path to content.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Those of the files that can be run as programs.
    pub executable: BTreeSet<String>,
}

/// What becomes of new lines that repeat the lines beside the anchor they are written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// They are left out, and that is reported: authors copy a line too many.
    #[default]
    Dropped,
    /// They are left out where lines are replaced; what is only inserted stays as it is written.
    DroppedFromReplacements,
    /// They stay: a program worked the new lines out.
    Kept,
}

/// How edits are planned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How much may differ between old lines and the file.
    pub strictness: Strictness,
    /// Lets a reply replace most of a file although it seems incomplete.
    pub allow_shrink: bool,
    /// Keeps the changes of the edits that could be applied although others failed.
    pub partial: bool,
    /// The files and folders the author had in view; edits of other files that exist are put off. `None` means all.
    pub context: Option<BTreeSet<String>>,
    /// What the author saw of a file, where that is known: edits are resolved against it and then merged onto the
    /// file as it is now.
    pub views: BTreeMap<String, Vec<u8>>,
    /// Which lines of a view the author was shown, from the first to the last, counted from 1; a path that is not in here
    /// was shown whole. A view vouches for no other lines.
    pub shown: BTreeMap<String, Vec<(usize, usize)>>,
    /// What becomes of new lines that repeat the lines beside the anchor they are written for.
    pub repeats: Repeats,
    /// Files that say a program wrote them may be edited by anchor.
    pub allow_generated: bool,
}

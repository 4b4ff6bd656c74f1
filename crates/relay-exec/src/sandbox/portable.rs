//! Where the system has no way for a process to give up rights, nothing is confined and nothing is run.

use std::path::PathBuf;

use super::entry::Entry;
use super::{Bubblewrap, Enforcement, SandboxError, Strength};

pub(super) fn strength() -> Strength {
    Strength::Nothing
}

pub(super) fn can_mount() -> bool {
    false
}

pub(super) fn enforcement() -> Enforcement {
    Enforcement { files: 0, calls: false, view: Bubblewrap::NotInstalled, groups: false, profile: false }
}

pub(super) fn enter(_entry: Entry<'_>, _place: PathBuf) -> SandboxError {
    SandboxError::Unsupported { reason: "only Linux (Landlock and seccomp) is supported".to_owned() }
}

pub(super) fn guard(entry: Entry<'_>) -> SandboxError {
    enter(entry, PathBuf::new())
}

//! Where the system has no way for a process to give up rights, nothing is confined and nothing is run.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{SandboxError, Strength};

pub(super) fn strength() -> Strength {
    Strength::Nothing
}

pub(super) fn give_up_writing(_writable: &[PathBuf]) -> Result<(), SandboxError> {
    Err(SandboxError::Unsupported { reason: "only Linux (Landlock) is supported".to_owned() })
}

pub(super) fn become_program(place: PathBuf, _args: &[OsString]) -> SandboxError {
    SandboxError::NotStarted { program: place, source: std::io::ErrorKind::Unsupported.into() }
}

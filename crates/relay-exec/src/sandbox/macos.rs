//! macOS: its own sandbox, through `sandbox-exec`.
//!
//! The guard is not there: what a program leaves running after Relay was killed is ended by the next Relay.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::entry::Entry;
use super::{Bubblewrap, Enforcement, SandboxError, Strength, environment, profile};

const PROGRAM: &str = "/usr/bin/sandbox-exec";

pub(super) fn strength() -> Strength {
    if Path::new(PROGRAM).exists() { Strength::Full } else { Strength::Nothing }
}

/// The profile says what is protected.
pub(super) fn can_mount() -> bool {
    true
}

pub(super) fn enforcement() -> Enforcement {
    let profile = strength() == Strength::Full;
    Enforcement { files: 0, calls: false, view: Bubblewrap::NotInstalled, groups: false, profile }
}

/// Without control over orphans there is nothing to guard; the program is entered at once.
pub(super) fn guard(entry: Entry<'_>) -> SandboxError {
    match crate::find::find_program(&entry.program.to_string_lossy()) {
        Some(place) => enter(entry, place),
        None => SandboxError::NoProgram { program: entry.program.into() },
    }
}

pub(super) fn enter(entry: Entry<'_>, place: PathBuf) -> SandboxError {
    if rustix::process::setsid().is_ok() && entry.rules.terminal {
        // A terminal that cannot be taken over still serves as input and output.
        rustix::process::ioctl_tiocsctty(std::io::stdin()).ok();
    }
    let mut command = if entry.rules.is_open {
        Command::new(&place)
    } else {
        let mut command = Command::new(PROGRAM);
        command.arg("-p").arg(profile::profile(&entry.rules)).arg(&place);
        command
    };
    command.args(entry.args);
    environment::clear(&mut command, entry.rules.scrub, !entry.rules.is_open);
    let source = command.exec();
    SandboxError::NotStarted { program: place, source }
}

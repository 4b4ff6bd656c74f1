//! How a process on Linux confines itself and becomes the program.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use super::{Enforcement, Entry, SandboxError, Strength, bubblewrap, environment, files, syscalls};

pub(super) fn strength() -> Strength {
    match (files::strength(), syscalls::is_supported()) {
        (Strength::Full, false) => Strength::Part,
        (strength, _) => strength,
    }
}

pub(super) fn enforcement() -> Enforcement {
    Enforcement { files: files::version(), calls: syscalls::is_supported(), view: bubblewrap::state() }
}

/// Gives up everything and becomes the program; returns only if that fails.
pub(super) fn enter(entry: Entry<'_>, place: PathBuf) -> SandboxError {
    match confine(&entry) {
        Ok(Some(command)) => {
            let source = bubblewrap::enter(command);
            SandboxError::NotStarted { program: "bwrap".into(), source }
        }
        Ok(None) => {
            let mut command = Command::new(&place);
            command.args(entry.args);
            for (name, _) in std::env::vars_os().filter(|(name, _)| environment::is_removed(name)) {
                command.env_remove(name);
            }
            let source = command.exec();
            SandboxError::NotStarted { program: place, source }
        }
        Err(reason) => SandboxError::Unsupported { reason },
    }
}

/// Confines this process. Where bubblewrap works, it comes first and starts Relay once more inside: what is confined
/// already may not mount anything.
fn confine(entry: &Entry<'_>) -> Result<Option<Command>, String> {
    leave_terminal()?;
    // Whatever Relay's own parent left open is not the program's.
    close_fds::set_fds_cloexec(3, &[]);
    if entry.may_mount {
        let inside = |places: &[PathBuf]| -> Vec<OsString> {
            // Inside, the network is one of its own, which leads nowhere.
            Entry { writable: places.to_vec(), network: true, may_mount: false, ..entry.clone() }.arguments()
        };
        if let Some(command) = bubblewrap::command(&entry.writable, entry.network, inside) {
            return Ok(Some(command));
        }
    }
    files::give_up_writing(&entry.writable)?;
    syscalls::give_up(entry.network)?;
    Ok(None)
}

/// Begins a session of its own, which has no controlling terminal. A process that leads a group cannot, but the leader
/// of a session without terminal has no need to.
fn leave_terminal() -> Result<(), String> {
    match rustix::process::setsid() {
        Ok(_) => Ok(()),
        Err(_) if !has_terminal() => Ok(()),
        Err(error) => Err(format!("it cannot leave its terminal: {error}")),
    }
}

fn has_terminal() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}

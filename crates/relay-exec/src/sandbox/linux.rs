//! How a process on Linux confines itself and becomes the program.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::entry::Entry;
pub(super) use super::guard::guard;
use super::{
    BRIDGE, Enforcement, Network, Rules, SandboxError, Strength, bubblewrap, environment, files, group,
    limits, syscalls,
};

pub(super) fn strength() -> Strength {
    match (files::strength(), syscalls::is_supported()) {
        (Strength::Full, false) => Strength::Part,
        (strength, _) => strength,
    }
}

pub(super) fn enforcement() -> Enforcement {
    Enforcement {
        files: files::version(),
        calls: syscalls::is_supported(),
        view: bubblewrap::state(),
        groups: group::can_be_made(),
        profile: false,
    }
}

pub(super) fn can_mount() -> bool {
    bubblewrap::state() == super::Bubblewrap::Works
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
            environment::clear(&mut command, entry.rules.scrub, !entry.rules.is_open);
            let source = command.exec();
            SandboxError::NotStarted { program: place, source }
        }
        Err(reason) => SandboxError::Unsupported { reason },
    }
}

/// Confines this process. Where bubblewrap works, it comes first and starts Relay once more inside: what is confined
/// already may not mount anything.
fn confine(entry: &Entry<'_>) -> Result<Option<Command>, String> {
    if !entry.has_session {
        take_session(&entry.rules)?;
    }
    // Whatever Relay's own parent left open is not the program's.
    close_fds::set_fds_cloexec(3, &[]);
    let has_group = entry.group.as_ref().is_some_and(|folders| group::join(folders));
    if entry.may_mount || entry.rules.is_open {
        limits::set(entry.rules.limits, has_group);
    }
    if entry.rules.is_open {
        return Ok(None);
    }
    if entry.may_mount {
        let inside = |places: &[PathBuf]| -> Vec<OsString> {
            // Inside, the network is one of its own, which leads nowhere but to the proxy.
            let network = match &entry.rules.network {
                Network::Off => Network::On,
                network => network.clone(),
            };
            let rules = Rules { writable: places.to_vec(), network, ..entry.rules.clone() };
            Entry { rules, may_mount: false, has_session: true, group: None, ..entry.clone() }.arguments()
        };
        if let Some(command) = bubblewrap::command(&entry.rules, inside) {
            return Ok(Some(command));
        }
        if let Network::Gate(_) = entry.rules.network {
            return Err("a list of allowed domains needs bubblewrap, which does not work here".to_owned());
        }
    }
    if let Network::Gate(socket) = &entry.rules.network {
        start_bridge(socket.as_os_str().to_owned())?;
    }
    files::give_up_writing(&entry.rules.writable)?;
    syscalls::give_up(entry.rules.network != Network::Off)?;
    Ok(None)
}

/// Starts the part of the proxy that is inside, while local sockets may still be used. It listens where proxies are looked
/// for in this network of its own, and ends with it.
fn start_bridge(socket: OsString) -> Result<(), String> {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("relay").arg(BRIDGE).arg(socket);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child =
        command.spawn().map_err(|error| format!("the proxy inside cannot be started: {error}"))?;
    let mut word = [0];
    let ready = child.stdout.as_mut().map(|output| std::io::Read::read_exact(output, &mut word));
    match ready {
        Some(Ok(())) => Ok(()),
        _ => Err("the proxy inside did not start".to_owned()),
    }
}

/// Begins a session of its own: without a controlling terminal, or with the one that is its input.
pub(super) fn take_session(rules: &Rules) -> Result<(), String> {
    leave_terminal()?;
    if rules.terminal {
        rustix::process::ioctl_tiocsctty(std::io::stdin())
            .map_err(|error| format!("it cannot have its terminal: {error}"))?;
    }
    Ok(())
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

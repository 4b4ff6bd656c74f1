//! Bubblewrap, where it is installed and works: a view of the machine in which there is less to reach.
//!
//! The rules of [`super::files`] and [`super::syscalls`] hold with and without it. It adds what they cannot say: every
//! file system but the writable folders is mounted read-only, so that attributes (`chmod`, `touch -d`) cannot be changed
//! either; devices, terminals and `/dev/shm` are new ones; other processes and their shared memory are not there; the
//! folders where local services have their sockets are empty.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Bubblewrap, Network, Rules};
use crate::find::find_program;

const PROGRAM: &str = "bwrap";

/// What it makes new in any case, and what it is therefore asked to make when it is tried.
const VIEW: [&str; 10] = [
    "--unshare-pid",
    "--unshare-ipc",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
];

/// What of root's power over files remains; the rest is dropped.
const KEPT_POWERS: [&str; 4] = ["CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH", "CAP_FOWNER", "CAP_CHOWN"];

/// The parts of the new `/dev` that a program may use as its own.
const OWN_DEVICES: [&str; 3] = ["/dev/pts", "/dev/ptmx", "/dev/shm"];

/// Tries it.
pub(super) fn state() -> Bubblewrap {
    let (Some(place), Ok(relay)) = (find_program(PROGRAM), std::env::current_exe()) else {
        return Bubblewrap::NotInstalled;
    };
    let mut command = base(&place);
    command.arg("--").arg(relay).arg("--version").stdin(Stdio::null());
    match command.output() {
        Ok(output) if output.status.success() => Bubblewrap::Works,
        Ok(output) => Bubblewrap::Refused { reason: first_line(&output.stderr) },
        Err(error) => Bubblewrap::Refused { reason: error.to_string() },
    }
}

/// Bubblewrap with Relay in it, which gives up what it can and becomes the program; `None` where it cannot be used.
pub(super) fn command(rules: &Rules, inside: impl FnOnce(&[PathBuf]) -> Vec<OsString>) -> Option<Command> {
    if state() != Bubblewrap::Works {
        return None;
    }
    let cwd = std::env::current_dir().ok()?;
    let relay = std::env::current_exe().ok()?;
    let mut command = base(&find_program(PROGRAM)?);
    if rules.network != Network::On {
        command.arg("--unshare-net");
    }
    let hidden: Vec<PathBuf> = hidden_folders();
    for folder in &hidden {
        command.arg("--tmpfs").arg(folder);
    }
    // What is covered by something new, but must be seen, is laid on top of it.
    let is_covered =
        |path: &Path| path.starts_with("/dev") || hidden.iter().any(|folder| path.starts_with(folder));
    for path in [&cwd, &relay].into_iter().filter(|path| is_covered(path)) {
        command.arg("--ro-bind").arg(path).arg(path);
    }
    let mut places: Vec<PathBuf> =
        rules.writable.iter().filter_map(|place| place.canonicalize().ok()).collect();
    for place in places.iter().filter(|place| place.as_path() != Path::new("/dev")) {
        command.arg("--bind").arg(place).arg(place);
    }
    protect(&mut command, &rules.protected, &places);
    if let Network::Gate(socket) = &rules.network {
        command.arg("--ro-bind").arg(socket).arg(socket);
    }
    places.extend(OWN_DEVICES.map(PathBuf::from));
    command.arg("--chdir").arg(cwd).arg("--").arg(relay).args(inside(&places));
    Some(command)
}

/// Lays what is protected on top of itself, read-only.
fn protect(command: &mut Command, protected: &[PathBuf], writable: &[PathBuf]) {
    for path in protected {
        let Some((folder, name)) = path.parent().zip(path.file_name()) else { continue };
        let Ok(folder) = folder.canonicalize() else { continue };
        let place = folder.join(name);
        if !writable.iter().any(|root| place.starts_with(root)) {
            continue;
        }
        match place.symlink_metadata() {
            // A link could be replaced by what it shall not become; its target is as protected as it is itself.
            Ok(about) if about.is_symlink() => {}
            Ok(_) => {
                command.arg("--ro-bind").arg(&place).arg(&place);
            }
            // A mount point would appear in the user's folder, so what is missing is watched instead.
            Err(_) => {}
        }
    }
}

fn base(place: &Path) -> Command {
    let mut command = Command::new(place);
    command.args(VIEW);
    if rustix::process::getuid().is_root() {
        command.args(["--cap-drop", "ALL"]);
        command.args(KEPT_POWERS.iter().flat_map(|power| ["--cap-add", power]));
    }
    command
}

/// The folders where local services of this user and of the system listen.
fn hidden_folders() -> Vec<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let named = ["XDG_RUNTIME_DIR"].iter().filter_map(std::env::var_os).map(PathBuf::from);
    let usual = [
        format!("/run/user/{user}"),
        format!("/tmp/tmux-{user}"),
        "/tmp/.X11-unix".to_owned(),
        "/tmp/.ICE-unix".to_owned(),
        "/run/dbus".to_owned(),
        "/run/screen".to_owned(),
        "/run/docker".to_owned(),
        "/run/containerd".to_owned(),
        "/run/podman".to_owned(),
    ];
    let mut folders: Vec<PathBuf> = named
        .chain(usual.map(PathBuf::from))
        .filter_map(|folder| folder.canonicalize().ok())
        .filter(|folder| folder.is_dir() && folder.components().count() > 2)
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

fn first_line(said: &[u8]) -> String {
    String::from_utf8_lossy(said).lines().next().unwrap_or("it failed without a word").to_owned()
}

/// Becomes it.
pub(super) fn enter(mut command: Command) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    command.exec()
}

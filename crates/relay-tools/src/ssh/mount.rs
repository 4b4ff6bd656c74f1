//! The files of a host in a folder here, by `sshfs`, for hosts that ask for it (`"mount": true`) where it is installed.
//!
//! They can be read and not written: what a tool writes must be on the ledger, and the ledger is about this machine. The
//! mount goes through the host's connection and ends before it. Whatever goes wrong is no reason for a command to fail.
//!
//! The folder is one of its own in Relay's state folder, which nothing removes with what is in it: a folder that is cleared
//! while something is mounted there would be cleared on the host.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use relay_exec::{Program, find_program};

use super::hosts::Host;

/// How long a mount may take to appear, and one command about it.
const PATIENCE: Duration = Duration::from_secs(10);
/// What unmounts, whichever there is.
const UNMOUNTERS: [(&str, &[&str]); 3] =
    [("fusermount3", &["-u", "-z"]), ("fusermount", &["-u", "-z"]), ("umount", &[])];

/// A mount: a thread with an `sshfs` that ends when this is dropped.
pub struct Mount {
    place: PathBuf,
    cancel: Cancel,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Mount {
    /// Mounts the files of a host; nothing where that cannot be done.
    pub fn start(host: &Host, place: &Path, options: &[String], cancel: &Cancel) -> Option<Self> {
        find_program("sshfs")?;
        // What a Relay that was killed left here no longer leads anywhere.
        unmount(place);
        let args = arguments(host, place, options);
        let stop = Cancel::new();
        let ends = stop.clone();
        let run = move || {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            program("sshfs", &args, Duration::from_secs(7 * 24 * 3600)).run(&ends);
        };
        let thread = std::thread::Builder::new().name("sshfs".to_owned()).spawn(run).ok()?;
        let mount = Self { place: place.to_owned(), cancel: stop, thread: Some(thread) };
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until && !cancel.is_cancelled() {
            if is_mounted(place) {
                return Some(mount);
            }
            if mount.thread.as_ref().is_none_or(std::thread::JoinHandle::is_finished) {
                break;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        None
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        unmount(&self.place);
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
        if is_mounted(&self.place) {
            unmount(&self.place);
        }
    }
}

/// `sshfs` in the foreground, so that it ends with Relay.
fn arguments(host: &Host, place: &Path, options: &[String]) -> Vec<String> {
    let mut all: Vec<String> = ["-f", "-o", "ro"].map(str::to_owned).to_vec();
    all.extend(options.iter().cloned());
    if let Some(port) = host.port {
        all.extend(["-p".to_owned(), port.to_string()]);
    }
    // An address with colons is in brackets here.
    let address = if host.host.contains(':') { format!("[{}]", host.host) } else { host.host.clone() };
    let target = host.username.as_ref().map_or_else(|| address.clone(), |user| format!("{user}@{address}"));
    all.extend([format!("{target}:/"), place.display().to_string()]);
    all
}

fn is_mounted(place: &Path) -> bool {
    let place = place.display().to_string();
    program("mountpoint", &["-q", &place], PATIENCE).run(&Cancel::new()).success()
}

fn unmount(place: &Path) {
    let place = place.display().to_string();
    for (name, args) in UNMOUNTERS {
        if find_program(name).is_some() {
            let args: Vec<&str> = args.iter().copied().chain([place.as_str()]).collect();
            if program(name, &args, PATIENCE).run(&Cancel::new()).success() {
                return;
            }
        }
    }
}

fn program<'a>(program: &'a str, args: &'a [&'a str], timeout: Duration) -> Program<'a> {
    Program {
        program,
        args,
        cwd: Path::new("/"),
        timeout,
        output_limit_bytes: 1 << 10,
        env: &[],
        stdin: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_host_becomes_an_option() {
        let host = Host {
            host: "::1".to_owned(),
            username: Some("me".to_owned()),
            port: Some(22),
            ..Host::default()
        };
        let args = arguments(&host, Path::new("/m"), &["-o".to_owned(), "BatchMode=yes".to_owned()]);
        assert_eq!(args, ["-f", "-o", "ro", "-o", "BatchMode=yes", "-p", "22", "me@[::1]:/", "/m"]);
        let host = Host { host: "h".to_owned(), ..Host::default() };
        assert_eq!(arguments(&host, Path::new("/m"), &[]), ["-f", "-o", "ro", "h:/", "/m"]);
    }
}

//! Lets a program write only below given places, closes its ways to other programs, and lets the system see to it.
//!
//! A process can give up rights but not take them from another, so the program is started through Relay itself:
//! [`Confined`] starts a second `relay` that calls [`enter`], which gives up what it can and then *becomes* the program.
//! What the program starts inherits the loss and cannot undo it.
//!
//! On Linux this is Landlock for files, seccomp for system calls, a session without terminal, no descriptors but the
//! three of every program, and no variables that name local services; where bubblewrap works, also a view of the machine
//! without other processes, terminals and sockets. Reading is not restricted, and the internet only where a program shall make no connections. `docs/security.md` says
//! what is promised and what is not. Elsewhere nothing is enforced, and [`strength`] says so before anything runs.

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod environment;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(not(target_os = "linux"))]
use portable as system;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use relay_diagnostics::Cancel;

use crate::find::find_program;
use crate::program::{Output, Program};

/// The hidden command by which Relay starts itself to confine a program.
pub const COMMAND: &str = "__confine";

/// How well the system enforces a [`Confined`] program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Every way to change a file's content or name is covered, and so are the ways to other programs.
    Full,
    /// The system is too old to cover some ways, such as truncating a file by its name.
    Part,
    /// Nothing is enforced.
    Nothing,
}

/// How well this system can enforce it.
#[must_use]
pub fn strength() -> Strength {
    system::strength()
}

/// What this system enforces with, part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enforcement {
    /// The version of Landlock; 0 is none.
    pub files: u32,
    /// Whether system calls can be filtered (seccomp).
    pub calls: bool,
    /// How far bubblewrap can be used.
    pub view: Bubblewrap,
}

/// How far bubblewrap can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bubblewrap {
    /// It works.
    Works,
    /// It is installed, but the system does not let it work.
    Refused {
        /// What it said.
        reason: String,
    },
    /// It is not installed.
    NotInstalled,
}

/// Looks at every part. Bubblewrap is started once for this.
#[must_use]
pub fn enforcement() -> Enforcement {
    system::enforcement()
}

/// A program that may write only below some places.
#[derive(Clone, Copy, Debug)]
pub struct Confined<'a> {
    /// The `relay` that confines it.
    pub relay: &'a Path,
    /// Where it may write. What does not exist is passed over: nothing can be written there.
    pub writable: &'a [PathBuf],
    /// Whether it may connect to other machines.
    pub network: bool,
    /// The program itself.
    pub program: Program<'a>,
}

impl Confined<'_> {
    /// Runs it to its end, as [`Program::stream`] does.
    pub fn stream(&self, cancel: &Cancel, on_output: &mut dyn FnMut(&[u8])) -> Output {
        let args: Vec<OsString> = self.program.args.iter().map(OsString::from).collect();
        let program = OsString::from(self.program.program);
        let entry = Entry {
            writable: self.writable.to_vec(),
            network: self.network,
            may_mount: true,
            program: &program,
            args: &args,
        };
        let mut command = Command::new(self.relay);
        command.args(entry.arguments());
        self.program.start(command, true, cancel, on_output)
    }
}

/// Why a program could not be confined. It has not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The arguments are not those of [`Confined`].
    #[error("`{COMMAND}` is for Relay itself and was called with arguments it does not know")]
    Arguments,
    /// The system cannot enforce it.
    #[error("this system cannot confine a program: {reason}")]
    Unsupported {
        /// What is missing.
        reason: String,
    },
    /// There is no such program.
    #[error("no program `{}`", .program.display())]
    NoProgram {
        /// Its name.
        program: PathBuf,
    },
    /// The system would not start it.
    #[error("`{}` cannot be started: {source}", .program.display())]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Gives up what the program must not do and becomes it. Takes what follows the hidden command's name, and returns only
/// if that fails; from then on this process can do little but report it.
#[must_use]
pub fn enter(arguments: &[OsString]) -> SandboxError {
    let Some(entry) = Entry::parse(arguments) else { return SandboxError::Arguments };
    let name = entry.program.to_string_lossy();
    match find_program(&name) {
        Some(place) => system::enter(entry, place),
        None => SandboxError::NoProgram { program: entry.program.into() },
    }
}

/// What the hidden command is called with.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry<'a> {
    writable: Vec<PathBuf>,
    /// Whether connections are left open to it; where bubblewrap gives it a network of its own, they are.
    network: bool,
    /// Whether bubblewrap may still be used; not inside it.
    may_mount: bool,
    program: &'a OsString,
    args: &'a [OsString],
}

const WRITE: &str = "--write";
const NO_MOUNTS: &str = "--no-mounts";
const NO_NETWORK: &str = "--no-network";

impl<'a> Entry<'a> {
    fn arguments(&self) -> Vec<OsString> {
        let mut arguments = vec![OsString::from(COMMAND)];
        for place in &self.writable {
            arguments.extend([OsString::from(WRITE), place.into()]);
        }
        if !self.may_mount {
            arguments.push(NO_MOUNTS.into());
        }
        if !self.network {
            arguments.push(NO_NETWORK.into());
        }
        arguments.push("--".into());
        arguments.push(self.program.into());
        arguments.extend_from_slice(self.args);
        arguments
    }

    fn parse(arguments: &'a [OsString]) -> Option<Self> {
        let (mut writable, mut may_mount, mut network) = (Vec::new(), true, true);
        let mut rest = arguments;
        loop {
            match rest {
                [flag, place, more @ ..] if flag == WRITE => {
                    writable.push(PathBuf::from(place));
                    rest = more;
                }
                [flag, more @ ..] if flag == NO_MOUNTS => {
                    may_mount = false;
                    rest = more;
                }
                [flag, more @ ..] if flag == NO_NETWORK => {
                    network = false;
                    rest = more;
                }
                [end, program, args @ ..] if end == "--" => {
                    return Some(Self { writable, network, may_mount, program, args });
                }
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_read_as_they_were_written() {
        let args = ["-c".into(), "--".into(), "--write".into()];
        let writable = vec![PathBuf::from("/a b"), PathBuf::from("--write")];
        for (may_mount, network) in [(true, true), (false, true), (true, false), (false, false)] {
            let program = &"sh".into();
            let entry = Entry { writable: writable.clone(), network, may_mount, program, args: &args };
            let arguments = entry.arguments();
            let (command, rest) = arguments.split_first().unwrap();
            assert_eq!(command, COMMAND);
            assert_eq!(Entry::parse(rest), Some(entry));
        }
    }

    #[test]
    fn other_arguments_run_nothing() {
        for arguments in [vec![], vec!["--"], vec!["sh"], vec!["--write"], vec!["--write", "/", "sh"]] {
            let arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
            assert!(Entry::parse(&arguments).is_none(), "{arguments:?}");
        }
    }
}

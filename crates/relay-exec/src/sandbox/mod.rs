//! Lets a program write only below given places, closes its ways to other programs, and lets the system see to it.
//!
//! A process can give up rights but not take them from another, so the program is started through Relay itself:
//! [`Confined`] starts a second `relay` that calls [`enter`], which gives up what it can and then *becomes* the program.
//! What the program starts inherits the loss and cannot undo it.
//!
//! On Linux this is Landlock for files, seccomp for system calls, a session without terminal, no descriptors but the
//! three of every program, and no variables that name local services; where bubblewrap works, also a view of the machine
//! without other processes, terminals and sockets. Reading is not restricted. [`Rules`] says the rest: where to write, which
//! connections to make, how much to use. `docs/security.md` says what is promised and what is not. On macOS it is the
//! system's own sandbox; elsewhere nothing is enforced, and [`strength`] says so before anything runs.

#[cfg(target_os = "linux")]
mod bubblewrap;
mod entry;
mod environment;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod group;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod linux;
mod profile;
mod rules;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as system;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod portable;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use portable as system;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use relay_diagnostics::Cancel;

use self::entry::Entry;
pub use self::rules::{Limits, Network, Rules};
use crate::find::find_program;
use crate::program::{Output, Program};

/// The hidden command by which Relay starts itself to confine a program.
pub const COMMAND: &str = "__confine";

/// The hidden command by which Relay starts the part of the proxy that is inside a sandbox.
pub const BRIDGE: &str = "__bridge";

/// Where programs inside a sandbox find their proxy, in their own network.
pub const PROXY: &str = "http://127.0.0.1:3128";

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
    /// Whether control groups can be made, which limit a program and all it starts together.
    pub groups: bool,
    /// Whether macOS's own sandbox is there.
    pub profile: bool,
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

/// Whether what is protected inside a writable place can be kept from a program, rather than only watched. It is tried once.
#[must_use]
pub fn can_mount() -> bool {
    static ONCE: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *ONCE.get_or_init(system::can_mount)
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
        let rules = Rules {
            writable: self.writable.to_vec(),
            network: if self.network { Network::On } else { Network::Off },
            ..Rules::default()
        };
        let command = confining(self.relay, rules, &program, &args);
        self.program.start(command, true, cancel, on_output)
    }
}

/// The command that starts a program under rules and guards it: when this process ends, in whatever way, so does
/// everything that the program started.
pub(crate) fn confining(relay: &Path, rules: Rules, program: &OsString, args: &[OsString]) -> Command {
    let entry = Entry { guards_for: Some(std::process::id()), ..Entry::new(rules, program, args) };
    let mut command = Command::new(relay);
    command.args(entry.arguments());
    command
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
        Some(_) if entry.guards_for.is_some() => system::guard(entry),
        Some(place) => system::enter(entry, place),
        None => SandboxError::NoProgram { program: entry.program.into() },
    }
}

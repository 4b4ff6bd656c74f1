//! Lets a program write only below given folders, and lets the system see to it.
//!
//! A process can give up rights but not take them from another, so the program is started through Relay itself:
//! [`Confined::arguments`] makes the arguments of a second `relay` that calls [`enter`], which gives up the right to
//! write elsewhere and then *becomes* the program. What the program starts inherits the loss and cannot undo it.
//!
//! On Linux this is Landlock. It covers the contents and names of files: create, write, truncate, rename, remove. It
//! does not cover attributes (`chmod`, `utime`) or reading, nor the network; whoever relies on it must say so. Elsewhere
//! nothing is enforced, and [`strength`] tells so before anything runs.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(not(target_os = "linux"))]
use portable as system;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

use crate::find::find_program;

/// The hidden command by which Relay starts itself to confine a program.
pub const COMMAND: &str = "__confine";

/// How well the system enforces a [`Confined`] program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Every way to change a file's content or name is covered.
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

/// A program that may write only below some folders.
#[derive(Clone, Debug)]
pub struct Confined<'a> {
    /// Where it may write. Folders that do not exist are passed over: nothing can be written there.
    pub writable: &'a [PathBuf],
    /// Its name, or its path.
    pub program: &'a OsStr,
    /// Its arguments.
    pub args: &'a [OsString],
}

impl Confined<'_> {
    /// The arguments with which `relay` runs it.
    #[must_use]
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments = vec![OsString::from(COMMAND)];
        for folder in self.writable {
            arguments.extend([OsString::from("--write"), folder.into()]);
        }
        arguments.push("--".into());
        arguments.push(self.program.into());
        arguments.extend_from_slice(self.args);
        arguments
    }
}

/// Why a program could not be confined. It has not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The arguments are not those of [`Confined::arguments`].
    #[error("`{COMMAND}` is for Relay itself and was called with arguments it does not know")]
    Arguments,
    /// The system cannot enforce it.
    #[error("this system cannot keep a program from writing: {reason}")]
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

/// Gives up the right to write elsewhere and becomes the program. Takes what follows the hidden command's name, and
/// returns only if that fails; from then on this process can do little but report it.
#[must_use]
pub fn enter(arguments: &[OsString]) -> SandboxError {
    let Some((writable, program, args)) = parse(arguments) else { return SandboxError::Arguments };
    let name = program.to_string_lossy();
    let Some(place) = find_program(&name) else { return SandboxError::NoProgram { program: program.into() } };
    match system::give_up_writing(&writable) {
        Ok(()) => system::become_program(place, args),
        Err(error) => error,
    }
}

fn parse(arguments: &[OsString]) -> Option<(Vec<PathBuf>, &OsString, &[OsString])> {
    let mut writable = Vec::new();
    let mut rest = arguments;
    loop {
        match rest {
            [flag, folder, more @ ..] if flag == "--write" => {
                writable.push(PathBuf::from(folder));
                rest = more;
            }
            [end, program, args @ ..] if end == "--" => return Some((writable, program, args)),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_read_as_they_were_written() {
        let args = ["-c".into(), "--".into(), "--write".into()];
        let writable = [PathBuf::from("/a b"), PathBuf::from("--write")];
        let confined = Confined { writable: &writable, program: OsStr::new("sh"), args: &args };
        let arguments = confined.arguments();
        let (command, rest) = arguments.split_first().unwrap();
        assert_eq!(command, COMMAND);
        let (folders, program, passed) = parse(rest).unwrap();
        assert_eq!(
            (folders.as_slice(), program.as_os_str(), passed),
            (&writable[..], OsStr::new("sh"), &args[..])
        );
    }

    #[test]
    fn other_arguments_run_nothing() {
        for arguments in [vec![], vec!["--"], vec!["sh"], vec!["--write"], vec!["--write", "/", "sh"]] {
            let arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
            assert!(parse(&arguments).is_none(), "{arguments:?}");
        }
    }
}

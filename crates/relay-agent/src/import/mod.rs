//! Sessions of other programs, as documents of the format that Relay writes.
//!
//! pi, oh-my-pi and gajae-code share the format, so their files are taken as they are after migration. Claude Code and
//! Codex keep logs of their own; [`read`] turns their messages, thoughts, tool calls and results into entries and counts
//! what a session cannot hold. Nothing is dropped silently: [`Imported::left_out`] says what is missing.
//!
//! The input is hostile: lines and files are capped, nothing in them is trusted beyond its text, and no content makes
//! this module fail other than with an [`ImportError`]. It opens no files.

mod blobs;
mod builder;
mod claude;
mod codex;
mod detect;
mod lines;
mod native;
mod omissions;
mod parts;

use crate::session::{Document, ParseError};

pub use omissions::LeftOut;

/// The largest file that is read: 512 MiB.
pub const FILE_LIMIT_BYTES: u64 = 512 << 20;
/// The longest line of a log that is read: 64 MiB. Longer ones are left out.
pub const LINE_LIMIT_BYTES: usize = 64 << 20;
/// The most entries a session gets.
pub const ENTRY_LIMIT: usize = 500_000;
/// The longest text that an entry keeps, as in sessions that Relay writes itself.
const TEXT_LIMIT_CHARS: usize = 500_000;

/// A program whose sessions can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// pi, oh-my-pi, gajae-code, or Relay itself.
    Pi,
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
}

impl Program {
    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
        }
    }
}

/// A session that was read.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The session, in the current version of the format.
    pub document: Document,
    /// The program that wrote it.
    pub program: Program,
    /// What was left out, most frequent first.
    pub left_out: Vec<LeftOut>,
}

/// Why a file was not imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is too large.
    #[error("the file has {bytes} bytes; sessions of up to {FILE_LIMIT_BYTES} can be imported")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// It is a session of pi's format that cannot be read.
    #[error(transparent)]
    Session(#[from] ParseError),
    /// It was not written by a program that Relay knows.
    #[error("the file is not a session of pi, oh-my-pi, gajae-code, Claude Code or Codex")]
    Unknown,
    /// There is no message in it.
    #[error("the file is a session of {}, but there is no message in it", .0.name())]
    Empty(Program),
}

/// Reads a session that another program wrote.
///
/// # Errors
/// The file is too large, was written by a program that Relay does not know, or holds no conversation.
pub fn read(bytes: Vec<u8>) -> Result<Imported, ImportError> {
    let length = bytes.len() as u64;
    if length > FILE_LIMIT_BYTES {
        return Err(ImportError::TooLarge { bytes: length });
    }
    match detect::program(&bytes).ok_or(ImportError::Unknown)? {
        Program::Pi => native::read(bytes),
        Program::Claude => claude::read(&bytes),
        Program::Codex => codex::read(&bytes),
    }
}

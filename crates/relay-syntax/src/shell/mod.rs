//! Shell commands as trees, and what they would do.
//!
//! [`parse`] reads a command the way bash does and refuses what it does not fully understand: a policy that guesses at the
//! rest of a line is one that can be talked past. [`verdict`] then says for each command in the tree what it would do.
//!
//! The reader is Relay's own. The tree-sitter grammar of bash is made for colouring: it drops an escaped blank, reads
//! `> out next` as two targets, knows one here-document per line and accepts lines that bash refuses. All of that is fine
//! in an editor, and none of it in front of `rm`. Tests compare this reader with bash itself.
//!
//! ```
//! use relay_syntax::shell::{self, Decision};
//!
//! let script = shell::parse("cd src && git reset --hard")?;
//! let verdict = shell::verdict(&script, &shell::Unseen);
//! assert_eq!(verdict.decision(), Decision::Destructive);
//! # Ok::<(), shell::Unparsed>(())
//! ```

mod ansi;
mod arithmetic;
mod compound;
mod condition;
mod cursor;
mod expansion;
mod grammar;
mod heredoc;
mod redirect;
mod restricted;
mod tree;
mod unparsed;
mod verdict;
mod word;

pub use restricted::{Allowed, RESTRICTED_VARIABLE, restricted};
pub use tree::{
    Arm, Assignment, Block, Command, Compound, Function, Item, Joint, List, Pipeline, Redirect, RedirectKind,
    Script, Simple, Word,
};
pub use unparsed::{Reason, Unparsed};
pub use verdict::{
    Access, Cause, Class, Decision, Files, Finding, Present, Touched, Unseen, Verdict, verdict,
};

/// The longest command that is read. Longer ones are refused rather than read in part.
pub const MAX_BYTES: usize = 256 * 1024;
/// How deeply substitutions and blocks may nest.
pub const MAX_DEPTH: usize = 40;

/// Reads a command, or a script of several lines, as bash would.
///
/// # Errors
///
/// [`Unparsed`] says where and why, for text that bash refuses and for what this reader does not cover: callers must
/// treat both as unknown.
pub fn parse(text: &str) -> Result<Script, Unparsed> {
    grammar::parse(text, 0)
}

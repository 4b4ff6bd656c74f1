//! The only spawner: runs a command with limits on time, output and its whole process tree.
//!
//! A command is someone else's program. It may run for ever, print for ever, start others that outlive it, or keep the
//! output open after it has gone. None of that can hang or fill Relay: every wait here has an end, output is kept in
//! bounded memory, and what a command started is ended with it.
//!
//! - [`Shell`] is a line for the shell, as people write it into a config; output and errors come as one stream.
//! - [`Program`] is a program with arguments, as Relay calls agents; output and errors are kept apart.
//! - [`git`] is the only caller of git, without the programs that a repository names.
//! - [`Passthrough`] is a program that the user themselves runs, with their terminal and for as long as they like.
//! - [`page`] shows a long text in the user's pager.
//! - [`end_left_running`] ends what a Relay that was killed left running.
//! - [`sandbox`] lets a program write only where it may, enforced by the system.
//! - [`Session`] is a bash that stays, with its folder, variables and functions, from command to command.
//! - [`Pty`] is a command with a terminal of its own.
//! - [`Child`] is a program that stays, and [`Keeper`] the rule by which it is started again or ended when idle.
//!
//! None of them decides whether something *may* run; that is settled before this crate is called.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

mod children;
mod descendants;
mod detach;
mod find;
pub mod git;
mod keeper;
#[cfg(unix)]
mod kept;
mod leftover;
mod pager;
pub mod pages;
mod passthrough;
mod program;
#[cfg(unix)]
mod pty;
mod run;
pub mod sandbox;
#[cfg(unix)]
mod session;
mod shell;
mod snapshot;
mod supervise;
mod surroundings;
#[cfg(unix)]
mod tree;

pub use descendants::descendants;
#[cfg(unix)]
pub use descendants::kill_tree;
pub use detach::{DetachError, spawn_detached};
pub use find::find_program;
pub use keeper::{Alive, Keeper, KeeperError, Rule};
#[cfg(unix)]
pub use kept::{Child, Start};
pub use leftover::{end_left_running, is_left_running, own_runs};
pub use pager::page;
pub use passthrough::{Passed, Passthrough};
pub use program::{Output, Program};
#[cfg(unix)]
pub use pty::{Pty, PtyError, PtyRun, PtySize};
pub use run::{End, Run, Tail};
#[cfg(unix)]
pub use session::{Boot, Ran, Session, Turn};
pub use shell::Shell;
pub use snapshot::{shell_variables, snapshot};
pub use surroundings::{file_mode, variable};

/// Set to `1` for every command, so that it can see that Relay runs it.
pub const RELAY_VARIABLE: &str = "RELAY";

/// Names the runs a process belongs to, outermost first, separated by colons. It is how descendants are found that
/// left both the process group and their parents.
pub const RUN_VARIABLE: &str = "RELAY_RUN";

/// Whether this process was started, however indirectly, by a command that Relay runs.
#[must_use]
pub fn is_inside_a_run() -> bool {
    std::env::var_os(RUN_VARIABLE).is_some()
}

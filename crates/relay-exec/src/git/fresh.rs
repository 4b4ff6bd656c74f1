//! A repository that Relay makes itself, for its demo.

use std::path::Path;

use relay_diagnostics::Cancel;

use super::error::{GitError, said};
use super::{Repository, program, surroundings};

/// How much of git's answers is kept.
const ANSWER_LIMIT_BYTES: usize = 1 << 16;
/// Who commits.
const IDENTITY: [&str; 4] = ["-c", "user.name=Demo", "-c", "user.email=demo@example.com"];

/// Makes a repository of a folder and commits everything in it.
///
/// # Errors
/// What git said.
pub fn create(folder: &Path, message: &str, cancel: &Cancel) -> Result<(), GitError> {
    let git = program().ok_or(GitError::NotInstalled)?;
    let mut command = surroundings::command(&git, folder);
    command.args(["init", "--quiet"]);
    let output = super::run(command, None, ANSWER_LIMIT_BYTES, cancel);
    if !output.success() {
        return Err(GitError::Failed { said: said(&output) });
    }
    let repository = Repository::open(folder, cancel)?;
    let commit = [&IDENTITY[..], &["commit", "--quiet", "--no-verify", "-m", message]].concat();
    for arguments in [&["add", "."][..], commit.as_slice()] {
        repository.run(arguments, None, ANSWER_LIMIT_BYTES, cancel)?;
    }
    Ok(())
}

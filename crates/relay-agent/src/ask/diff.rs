//! Changes, as git tells them. A repository's own settings run no program here: neither textconv nor external diffs nor
//! file monitors.

use std::path::Path;
use std::time::Duration;

use relay_exec::{Cancel, Output, Program};

use super::{AskError, DIFF_LIMIT_BYTES};

/// How long git may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The branches that are looked for, and what is compared with if there is neither.
const BRANCHES: [&str; 2] = ["main", "master"];
const FALLBACK: &str = "HEAD~1";

/// The latest changes: what is not committed, else the last commit. Where git fails there are none; only their size is
/// a fault, because a question about half a diff is another question.
///
/// # Errors
/// They are too large.
pub fn latest(repo: &Path, cancel: &Cancel) -> Result<String, AskError> {
    let uncommitted = silent(repo, &["HEAD"], cancel)?;
    if uncommitted.is_empty() { silent(repo, &["HEAD~1", "HEAD"], cancel) } else { Ok(uncommitted) }
}

/// What the present branch adds to a base.
///
/// # Errors
/// Git fails, or it is too large.
pub fn since(repo: &Path, base: &str, cancel: &Cancel) -> Result<String, AskError> {
    // A name that begins with a dash would be an option, and no branch has one.
    if base.is_empty() || base.starts_with('-') {
        return Err(AskError::Diff { said: format!("`{base}` is no branch") });
    }
    strict(repo, &[&format!("{base}...HEAD")], cancel)
}

/// What lies between two points, as `A..B`.
///
/// # Errors
/// Git fails, or it is too large.
pub fn between(repo: &Path, range: &str, cancel: &Cancel) -> Result<String, AskError> {
    if range.starts_with('-') || !range.contains("..") {
        return Err(AskError::Diff { said: format!("`{range}` is no range of the form A..B") });
    }
    strict(repo, &[range], cancel)
}

/// What is in git's index.
///
/// # Errors
/// Git fails, or it is too large.
pub fn staged(repo: &Path, cancel: &Cancel) -> Result<String, AskError> {
    strict(repo, &["--cached"], cancel)
}

/// What is not committed, staged or not. New files that git does not know are no part of it.
///
/// # Errors
/// Git fails, or it is too large.
pub fn uncommitted(repo: &Path, cancel: &Cancel) -> Result<String, AskError> {
    strict(repo, &["HEAD"], cancel)
}

/// The branch that changes are compared with if none is named.
#[must_use]
pub fn default_base(repo: &Path, cancel: &Cancel) -> &'static str {
    let exists = |branch: &&str| git(repo, &["rev-parse", "--verify", "--quiet", branch], cancel).success();
    BRANCHES.into_iter().find(exists).unwrap_or(FALLBACK)
}

fn silent(repo: &Path, what: &[&str], cancel: &Cancel) -> Result<String, AskError> {
    let output = diff(repo, what, cancel);
    if output.success() { within_limit(&output) } else { Ok(String::new()) }
}

fn strict(repo: &Path, what: &[&str], cancel: &Cancel) -> Result<String, AskError> {
    let output = diff(repo, what, cancel);
    if output.success() {
        return within_limit(&output);
    }
    let said = output.stderr.text();
    let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("git could not be run");
    Err(AskError::Diff { said: said.trim().to_owned() })
}

fn within_limit(output: &Output) -> Result<String, AskError> {
    let bytes =
        output.stdout.bytes.len() + usize::try_from(output.stdout.omitted_bytes).unwrap_or(usize::MAX);
    if bytes > DIFF_LIMIT_BYTES {
        return Err(AskError::TooLarge { what: "diff", bytes, limit_bytes: DIFF_LIMIT_BYTES });
    }
    Ok(output.stdout.text())
}

fn diff(repo: &Path, what: &[&str], cancel: &Cancel) -> Output {
    let args: Vec<&str> = ["diff", "--no-ext-diff", "--no-textconv", "--no-color"]
        .into_iter()
        .chain(what.iter().copied())
        .chain(["--"])
        .collect();
    git(repo, &args, cancel)
}

fn git(repo: &Path, args: &[&str], cancel: &Cancel) -> Output {
    let args: Vec<&str> = ["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotepath=off"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    Program {
        program: "git",
        args: &args,
        cwd: repo,
        timeout: TIMEOUT,
        output_limit_bytes: DIFF_LIMIT_BYTES + 1,
        env: &[("GIT_OPTIONAL_LOCKS", "0")],
        stdin: None,
    }
    .run(cancel)
}

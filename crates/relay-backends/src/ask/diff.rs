//! Changes, as git shows them.

use std::path::Path;

use relay_diagnostics::Cancel;
use relay_exec::Tail;
use relay_exec::git::{GitError, Ignored, Purpose, Repository};

use super::{AskError, DIFF_LIMIT_BYTES};

/// The branches to look for, and what to compare with if neither exists.
const BRANCHES: [&str; 2] = ["main", "master"];
const FALLBACK: &str = "HEAD~1";
/// More than the length of a commit's name.
const ANSWER_LIMIT_BYTES: usize = 1 << 10;

/// A diff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// As git prints it.
    pub text: String,
    /// Programs from the repository's config that git did not run for it.
    pub ignored: Vec<Ignored>,
}

/// The latest changes: uncommitted ones, else the last commit. If git fails, there are none. Only excessive size is an
/// error, because a question about half a diff would be a different question.
///
/// # Errors
/// They are too large.
pub fn latest(repo: &Path, cancel: &Cancel) -> Result<Diff, AskError> {
    let uncommitted = silent(repo, &["HEAD"], cancel)?;
    if uncommitted.text.is_empty() { silent(repo, &["HEAD~1", "HEAD"], cancel) } else { Ok(uncommitted) }
}

/// The changes of the current branch since a base.
///
/// # Errors
/// Git fails, or it is too large.
pub fn since(repo: &Path, base: &str, cancel: &Cancel) -> Result<Diff, AskError> {
    // A name that begins with a dash would be read as an option, and is not a valid branch name.
    if base.is_empty() || base.starts_with('-') {
        return Err(AskError::Diff { said: format!("`{base}` is not a branch") });
    }
    strict(repo, &[&format!("{base}...HEAD")], cancel)
}

/// The changes between two commits, as `A..B`.
///
/// # Errors
/// Git fails, or it is too large.
pub fn between(repo: &Path, range: &str, cancel: &Cancel) -> Result<Diff, AskError> {
    if range.starts_with('-') || !range.contains("..") {
        return Err(AskError::Diff { said: format!("`{range}` is not a range of the form A..B") });
    }
    strict(repo, &[range], cancel)
}

/// What is in git's index.
///
/// # Errors
/// Git fails, or it is too large.
pub fn staged(repo: &Path, cancel: &Cancel) -> Result<Diff, AskError> {
    strict(repo, &["--cached"], cancel)
}

/// Uncommitted changes, staged or not, without files that git does not track.
///
/// # Errors
/// Git fails, or it is too large.
pub fn uncommitted(repo: &Path, cancel: &Cancel) -> Result<Diff, AskError> {
    strict(repo, &["HEAD"], cancel)
}

/// The default branch to compare with.
#[must_use]
pub fn default_base(repo: &Path, cancel: &Cancel) -> &'static str {
    let Ok(repository) = Repository::open(repo, cancel) else { return FALLBACK };
    let exists = |branch: &&str| {
        repository.ask(&["rev-parse", "--verify", "--quiet", branch], ANSWER_LIMIT_BYTES, cancel).is_ok()
    };
    BRANCHES.into_iter().find(exists).unwrap_or(FALLBACK)
}

fn silent(repo: &Path, what: &[&str], cancel: &Cancel) -> Result<Diff, AskError> {
    match diff(repo, what, cancel) {
        Ok((output, ignored)) => within_limit(&output, ignored),
        Err(_) => Ok(Diff::default()),
    }
}

fn strict(repo: &Path, what: &[&str], cancel: &Cancel) -> Result<Diff, AskError> {
    match diff(repo, what, cancel) {
        Ok((output, ignored)) => within_limit(&output, ignored).map_err(|error| match error {
            AskError::TooLarge { bytes, .. } => AskError::diff_to_review(bytes),
            other => other,
        }),
        Err(error) => Err(AskError::Diff { said: error.to_string() }),
    }
}

fn within_limit(output: &Tail, ignored: Vec<Ignored>) -> Result<Diff, AskError> {
    let bytes = output.bytes.len() + usize::try_from(output.omitted_bytes).unwrap_or(usize::MAX);
    if bytes > DIFF_LIMIT_BYTES {
        return Err(AskError::TooLarge { what: "diff", bytes, limit_bytes: DIFF_LIMIT_BYTES });
    }
    Ok(Diff { text: output.text(), ignored })
}

fn diff(repo: &Path, what: &[&str], cancel: &Cancel) -> Result<(Tail, Vec<Ignored>), GitError> {
    let repository = Repository::open(repo, cancel)?;
    let output = repository.diff(&[what, &["--"]].concat(), DIFF_LIMIT_BYTES + 1, cancel)?;
    Ok((output, repository.ignored(Purpose::Diff)))
}

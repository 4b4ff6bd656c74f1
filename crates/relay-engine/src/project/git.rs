//! Git, called as a program; its files are never read. `relay_exec::git` defines how it is called.

use relay_diagnostics::Diagnostic;
use relay_exec::git::{GitError, Ignored, Purpose, Repository};
use relay_txn::FileChange;

use crate::codes;
use crate::engine::Engine;

/// More settings or files than this are counted, not listed.
const MAX_LISTED: usize = 5;

/// Adds what landed to git's index. If this fails, the change has still landed.
pub(crate) fn stage_changes(engine: &Engine, changes: &[FileChange]) -> Vec<Diagnostic> {
    let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    let staged = Repository::open(engine.workspace().root(), engine.cancel())
        .and_then(|repository| repository.stage(&paths, engine.cancel()));
    match staged {
        Ok(staged) => not_run(&staged.ignored).into_iter().chain(left_out(&staged.left_out)).collect(),
        Err(error) => {
            let message = format!("it landed, but git would not stage it: {error}");
            vec![
                Diagnostic::warning(codes::NOT_STAGED, message)
                    .hinted("Run `git add` yourself; the files are as the reply wants them."),
            ]
        }
    }
}

/// Files that were not staged because their filter did not run.
fn left_out(files: &[(String, String)]) -> Option<Diagnostic> {
    let listed = list(files, |(path, filter)| format!("`{path}` (filter `{filter}`)"))?;
    let message =
        format!("it landed, but was not staged without the filter that its attributes ask for: {listed}");
    Some(Diagnostic::warning(codes::NOT_STAGED, message).hinted(
        "Run `git add` yourself. Relay runs a filter only if your own git config (`git config --global`) defines it.",
    ))
}

/// Programs from a repository's config that git did not run.
#[must_use]
pub fn not_run(ignored: &[Ignored]) -> Option<Diagnostic> {
    let listed = list(ignored, |Ignored { setting, file }| format!("`{setting}` from `{}`", file.display()))?;
    let message = format!("git did not use {listed}");
    Some(Diagnostic::warning(codes::GIT_PROGRAM_NOT_RUN, message).hinted(
        "Relay runs no program that a repository names. Filters in your own git config (`git config --global`) do run.",
    ))
}

fn list<T>(items: &[T], name: impl Fn(&T) -> String) -> Option<String> {
    (!items.is_empty()).then(|| listed(items, MAX_LISTED, name).join(", "))
}

/// The first of some items by name, and how many more there are.
pub(crate) fn listed<T>(items: &[T], limit: usize, name: impl Fn(&T) -> String) -> Vec<String> {
    let more = items.len().checked_sub(limit).filter(|more| *more > 0);
    items.iter().take(limit).map(name).chain(more.map(|more| format!("{more} more"))).collect()
}

/// How much of a diff is taken.
const DIFF_LIMIT_BYTES: usize = 4 << 20;

/// What changed since the last commit, in files that git knows; and what is to be said about it.
///
/// # Errors
/// There is no repository or no commit, or the diff is larger than any chat takes.
pub fn uncommitted(engine: &Engine) -> Result<(String, Option<Diagnostic>), Diagnostic> {
    let failed = |error: GitError| {
        Diagnostic::error(codes::NO_DIFF, format!("git has no diff to show: {error}"))
            .hinted("--diff needs a git repository with a commit in it.")
    };
    let repository = Repository::open(engine.workspace().root(), engine.cancel()).map_err(failed)?;
    let output = repository.diff(&["HEAD", "--", "."], DIFF_LIMIT_BYTES, engine.cancel()).map_err(failed)?;
    if output.omitted_bytes > 0 {
        return Err(Diagnostic::error(
            codes::NO_DIFF,
            format!("the diff is larger than {DIFF_LIMIT_BYTES} bytes"),
        )
        .hinted("Commit or stash a part of it, or pack without --diff."));
    }
    Ok((output.text(), not_run(&repository.ignored(Purpose::Diff))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_were_not_run_are_named_with_their_file() {
        assert_eq!(not_run(&[]), None);
        let ignored = |number: usize| Ignored {
            setting: format!("filter.f{number}.clean"),
            file: ".git/config".into(),
        };
        let message = |count: usize| not_run(&(1..=count).map(ignored).collect::<Vec<_>>()).unwrap().message;
        assert_eq!(message(1), "git did not use `filter.f1.clean` from `.git/config`");
        assert!(message(7).ends_with("`filter.f5.clean` from `.git/config`, 2 more"), "{}", message(7));
    }
}

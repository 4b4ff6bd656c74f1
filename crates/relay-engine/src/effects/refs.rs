//! Git's own state: where branches point, what is staged. It is observed, never restored.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use relay_diagnostics::{Cancel, Diagnostic};
use relay_exec::git::{Purpose, Repository};

use crate::codes;
use crate::engine::Engine;
use crate::project::git;

/// How much of an answer is read: enough for the index of the largest repositories.
const OUTPUT_LIMIT_BYTES: usize = 256 << 20;
/// References beyond this number are counted, not listed.
const MAX_LISTED: usize = 10;

/// Git's own state at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refs {
    /// What HEAD is: a branch, or a commit.
    head: String,
    /// Every reference and where it points.
    refs: BTreeMap<String, String>,
    /// The digest of what is staged.
    index: blake3::Hash,
    /// Programs from the repository's config that git did not run.
    not_run: Option<Diagnostic>,
}

impl Refs {
    /// Those of the workspace; `None` if it is not a repository.
    pub(crate) fn of(engine: &Engine) -> Option<Self> {
        engine.workspace().is_git().then(|| Self::read(engine.workspace().root())).flatten()
    }

    /// Findings about git after a command.
    pub(crate) fn changed_since(before: Option<Self>, engine: &Engine) -> Vec<Diagnostic> {
        let after = before.as_ref().and_then(|_| Self::read(engine.workspace().root()));
        before.zip(after).map(|(before, after)| before.compare(&after)).unwrap_or_default()
    }

    /// Asks git; `None` if there is no repository or no git.
    fn read(root: &Path) -> Option<Self> {
        let cancel = Cancel::new();
        let repository = Repository::open(root, &cancel).ok()?;
        let ask = |question: &[&str]| {
            repository.ask(question, OUTPUT_LIMIT_BYTES, &cancel).ok().map(|answer| answer.bytes)
        };
        // Fails before the first commit, or when HEAD is detached; both are answers.
        let branch = ask(&["symbolic-ref", "-q", "HEAD"]);
        let commit = ask(&["rev-parse", "-q", "--verify", "HEAD"]);
        let listed = ask(&["for-each-ref", "--format=%(refname) %(objectname)"])?;
        let staged = ask(&["ls-files", "--stage", "-z"])?;
        let pair = |line: &str| line.split_once(' ').map(|(name, id)| (name.to_owned(), id.to_owned()));
        Some(Self {
            head: text(branch.or(commit)).trim().to_owned(),
            refs: text(Some(listed)).lines().filter_map(pair).collect(),
            index: blake3::hash(&staged),
            not_run: git::not_run(&repository.ignored(Purpose::State)),
        })
    }

    /// Compares with a later state: warns about changes, which are not part of the transaction, and lists programs
    /// that git did not run.
    fn compare(&self, later: &Self) -> Vec<Diagnostic> {
        self.changed(later).into_iter().chain(later.not_run.clone()).collect()
    }

    fn changed(&self, later: &Self) -> Option<Diagnostic> {
        let mut changes = Vec::new();
        if self.head != later.head {
            changes.push(format!("HEAD is {} (was {})", name(&later.head), name(&self.head)));
        }
        let names: BTreeSet<&String> = self.refs.keys().chain(later.refs.keys()).collect();
        let moved: Vec<String> = names
            .into_iter()
            .filter_map(|reference| match (self.refs.get(reference), later.refs.get(reference)) {
                (Some(old), Some(new)) if old != new => {
                    Some(format!("{} moved from {} to {}", name(reference), id(old), id(new)))
                }
                (Some(old), None) => Some(format!("{} is gone (was {})", name(reference), id(old))),
                (None, Some(new)) => Some(format!("{} is new ({})", name(reference), id(new))),
                _ => None,
            })
            .collect();
        changes.extend(moved.iter().take(MAX_LISTED).cloned());
        if let Some(more) = moved.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
            changes.push(format!("{more} more references changed"));
        }
        if self.index != later.index {
            changes.push("the index changed".to_owned());
        }
        if changes.is_empty() {
            return None;
        }
        Some(
            Diagnostic::warning(codes::GIT_CHANGED, format!("git: {}", changes.join("; "))).hinted(
                "Relay restores files, not git's own state; `git reflog` shows where its branches were.",
            ),
        )
    }
}

/// The last part of a reference's name.
fn name(reference: &str) -> &str {
    let short = ["refs/heads/", "refs/"].iter().find_map(|prefix| reference.strip_prefix(prefix));
    short.unwrap_or_else(|| id(reference))
}

/// An abbreviated commit id; other words stay as they are.
fn id(text: &str) -> &str {
    let is_hash = text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { text.get(..8).unwrap_or(text) } else { text }
}

fn text(output: Option<Vec<u8>>) -> String {
    String::from_utf8_lossy(&output.unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "1111111111111111111111111111111111111111";
    const NEW: &str = "2222222222222222222222222222222222222222";

    fn refs(head: &str, refs: &[(&str, &str)], staged: &str) -> Refs {
        let refs = refs.iter().map(|(name, id)| ((*name).to_owned(), (*id).to_owned())).collect();
        Refs { head: head.to_owned(), refs, index: blake3::hash(staged.as_bytes()), not_run: None }
    }

    fn check(before: &Refs, after: &Refs, expected: Option<&str>) {
        assert_eq!(before.changed(after).map(|found| found.message).as_deref(), expected);
    }

    #[test]
    fn all_differences_are_listed() {
        let before = refs("refs/heads/main", &[("refs/heads/main", OLD), ("refs/tags/v1", OLD)], "a");
        check(&before, &before, None);
        let after = refs(NEW, &[("refs/heads/main", NEW), ("refs/heads/x", OLD)], "b");
        check(
            &before,
            &after,
            Some(
                "git: HEAD is 22222222 (was main); main moved from 11111111 to 22222222; x is new (11111111); \
                 tags/v1 is gone (was 11111111); the index changed",
            ),
        );
    }
}

//! `issue://` and `pr://`: issues and pull requests of GitHub.
//!
//! They are read by a tool that takes the place of this scheme. Without it, an address is answered with the command that
//! shows the same: the model can run it, and policy asks about its connection like about every other.

use relay_diagnostics::Cancel;

use super::{Resource, Scheme};
use crate::tool::ToolError;

/// A kind of address that needs a tool for GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoGithub {
    /// `issue://`
    Issues,
    /// `pr://`
    PullRequests,
}

impl Scheme for NoGithub {
    fn name(&self) -> &str {
        match self {
            Self::Issues => "issue",
            Self::PullRequests => "pr",
        }
    }

    fn read(&self, rest: &str, _: &Cancel) -> Result<Resource, ToolError> {
        let name = self.name();
        let command = self.command(rest).ok_or_else(|| {
            let more = if *self == Self::PullRequests { ", `pr://12/diff`" } else { "" };
            ToolError::Failed(format!(
                "`{name}://{rest}` is not an address of this kind. There are `{name}://` and `{name}://OWNER/REPO` for lists \
                 (`?state=`, `limit=`, `author=`, `label=`), `{name}://12` and `{name}://OWNER/REPO/12`{more}."
            ))
        })?;
        Err(ToolError::Failed(format!(
            "{name}:// needs Relay's tool for GitHub, which is not part of this session. Run `{command}` with `bash` instead: it \
             needs GitHub's program `gh` (https://cli.github.com), signed in once with `gh auth login`, and the network, \
             which the user is asked about."
        )))
    }
}

impl NoGithub {
    /// The command that shows what an address leads to.
    fn command(self, rest: &str) -> Option<String> {
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (repo, rest) = match parts.as_slice() {
            [owner, repo, rest @ ..] if !is_number(owner) => {
                (Some(format!(" --repo {}/{}", plain(owner)?, plain(repo)?)), rest)
            }
            rest => (None, rest),
        };
        let repo = repo.unwrap_or_default();
        let name = self.name();
        let (verb, number) = match rest {
            [] => return Some(format!("gh {name} list{repo}{}", options(query)?)),
            [number] if is_number(number) => ("view", number),
            [number, "diff"] | [number, "diff", _] if is_number(number) && self == Self::PullRequests => {
                ("diff", number)
            }
            _ => return None,
        };
        let comments = if verb == "view" && query != "comments=0" { " --comments" } else { "" };
        Some(format!("gh {name} {verb} {number}{repo}{comments}"))
    }
}

/// What says which entries a list shall have.
fn options(query: &str) -> Option<String> {
    let mut options = String::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=')?;
        if !["state", "limit", "author", "label"].contains(&key) {
            return None;
        }
        options.push_str(&format!(" --{key} {}", plain(value)?));
    }
    Some(options)
}

/// A word that a shell takes as it is, and no program as an option.
fn plain(word: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_commands_that_show_the_same() {
        use NoGithub::{Issues, PullRequests};
        for (scheme, rest, expected) in [
            (Issues, "", Some("gh issue list")),
            (Issues, "12", Some("gh issue view 12 --comments")),
            (Issues, "12?comments=0", Some("gh issue view 12")),
            (Issues, "o/r/12", Some("gh issue view 12 --repo o/r --comments")),
            (
                Issues,
                "o/r?state=closed&limit=5&label=bug",
                Some("gh issue list --repo o/r --state closed --limit 5 --label bug"),
            ),
            (Issues, "12/diff", None),
            (Issues, "?nope=1", None),
            (Issues, "o/r;rm -rf/12", None),
            (Issues, "?state=$(x)", None),
            (Issues, "-x/r/12", None),
            (PullRequests, "7", Some("gh pr view 7 --comments")),
            (PullRequests, "7/diff", Some("gh pr diff 7")),
            (PullRequests, "o/r/7/diff/2", Some("gh pr diff 7 --repo o/r")),
            (PullRequests, "7/files", None),
        ] {
            assert_eq!(scheme.command(rest).as_deref(), expected, "{scheme:?} {rest}");
            let error = scheme.read(rest, &Cancel::new()).unwrap_err().to_string();
            match expected {
                Some(command) => {
                    assert!(error.contains(command) && error.contains("gh auth login"), "{error}");
                }
                None => assert!(error.contains("is not an address of this kind"), "{error}"),
            }
        }
    }
}

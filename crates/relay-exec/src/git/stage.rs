//! Adding files to git's index.

use std::collections::BTreeSet;

use relay_diagnostics::Cancel;

use super::error::GitError;
use super::{Ignored, Purpose, Repository};

/// How many paths one call takes: well below what a command line can hold.
const PATHS_PER_CALL: usize = 500;
/// How much of git's answers is kept: more than that many paths with their attributes.
const ANSWER_LIMIT_BYTES: usize = 16 << 20;

/// The result of staging files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Staged {
    /// Files that were left out, each with the filter that its attributes ask for and the user's own config does not
    /// define. Storing the file without its filter could publish what the filter was to encrypt.
    pub left_out: Vec<(String, String)>,
    /// What the repository asks git to run, and did not get.
    pub ignored: Vec<Ignored>,
}

impl Repository {
    /// Adds these paths to the index, as they are: new, changed or gone.
    ///
    /// # Errors
    /// What git said.
    pub fn stage(&self, paths: &[&str], cancel: &Cancel) -> Result<Staged, GitError> {
        for path in [self.place.git_dir.join("index"), self.place.common_dir.join("objects")] {
            if path.is_symlink() {
                return Err(GitError::Link { path });
            }
        }
        let mut staged = Staged { left_out: Vec::new(), ignored: self.ignored(Purpose::Stage) };
        for some in paths.chunks(PATHS_PER_CALL) {
            let unfiltered = self.without_unknown_filters(some, &mut staged.left_out, cancel)?;
            if unfiltered.is_empty() {
                continue;
            }
            // Paths are names, never patterns, and a name that begins with a dash is not an option.
            let add = ["--literal-pathspecs", "add", "--all", "--"];
            self.run(&[&add, unfiltered.as_slice()].concat(), None, ANSWER_LIMIT_BYTES, cancel)?;
        }
        Ok(staged)
    }

    fn without_unknown_filters<'a>(
        &self,
        paths: &[&'a str],
        left_out: &mut Vec<(String, String)>,
        cancel: &Cancel,
    ) -> Result<Vec<&'a str>, GitError> {
        let input: Vec<u8> = paths.iter().flat_map(|path| path.bytes().chain([0])).collect();
        let question = ["check-attr", "-z", "--stdin", "filter"];
        let answer = self.run(&question, Some(&input), ANSWER_LIMIT_BYTES, cancel)?;
        let answer = String::from_utf8_lossy(&answer.bytes).into_owned();
        // Path, attribute and value of each, in the order of the question.
        let mut fields = answer.split('\0').skip(2).step_by(3);
        let filters: Vec<Option<&str>> =
            paths.iter().map(|_| fields.next().filter(|value| !is_without_driver(value))).collect();
        if filters.iter().all(Option::is_none) {
            return Ok(paths.to_vec());
        }
        let known = self.users_filters(cancel)?;
        let mut unfiltered = Vec::new();
        for (path, filter) in paths.iter().zip(filters) {
            match filter {
                Some(filter) if !known.contains(filter) => {
                    left_out.push(((*path).to_owned(), filter.to_owned()));
                }
                _ => unfiltered.push(*path),
            }
        }
        Ok(unfiltered)
    }

    /// Filters that the user's own config defines.
    fn users_filters(&self, cancel: &Cancel) -> Result<BTreeSet<String>, GitError> {
        let question = ["config", "--list", "--name-only", "-z"];
        let answer = self.ask(&question, ANSWER_LIMIT_BYTES, cancel)?;
        let name = |key: &str| {
            let rest = key.strip_prefix("filter.")?;
            Some(rest.strip_suffix(".clean").or_else(|| rest.strip_suffix(".process"))?.to_owned())
        };
        Ok(String::from_utf8_lossy(&answer.bytes).split('\0').filter_map(name).collect())
    }
}

/// Values of the attribute that name no filter.
fn is_without_driver(value: &str) -> bool {
    matches!(value, "unspecified" | "unset" | "set" | "")
}

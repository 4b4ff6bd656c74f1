//! Which files go into a pack: paths, folders and globs, with exclusions.

use std::collections::{BTreeSet, HashSet};

use globset::{GlobBuilder, GlobMatcher};
use relay_diagnostics::Diagnostic;
use relay_workspace::{Kind, RelPath, Workspace};

use super::generated;
use crate::codes;
use crate::plan::contain::did_you_mean;

/// A file requested for a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Where it is.
    pub path: RelPath,
    /// The user named this very file: it is packed even if it is ignored or generated.
    pub by_name: bool,
}

/// The files that match the patterns, in their order, each once. A pattern is a file, a folder, or a glob; all of
/// them are relative to the project's root.
///
/// # Errors
/// A pattern is not a valid glob, or matches nothing.
pub fn select(
    workspace: &Workspace,
    patterns: &[String],
    exclude: &[String],
) -> Result<Vec<Wanted>, Vec<Diagnostic>> {
    let mut wanted = Vec::new();
    let mut problems = Vec::new();
    let mut walked: Option<Vec<RelPath>> = None;
    let excluded =
        exclude.iter().filter_map(|pattern| glob(pattern).map_err(|problem| problems.push(problem)).ok());
    let excluded: Vec<GlobMatcher> = excluded.collect();
    for pattern in patterns {
        if let Some(file) = named(workspace, pattern) {
            wanted.push(Wanted { path: file, by_name: true });
            continue;
        }
        let found = files(walked.get_or_insert_with(|| workspace.walk().collect()), pattern);
        match found {
            Ok(found) if found.is_empty() => problems.push(means_nothing(workspace, pattern)),
            Ok(found) => wanted.extend(found.into_iter().map(|path| Wanted { path, by_name: false })),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut seen = HashSet::new();
    wanted.retain(|wanted| {
        let name = wanted.path.as_str();
        !excluded.iter().any(|glob| glob.is_match(name)) && seen.insert(name.to_owned())
    });
    Ok(wanted)
}

/// Which of these paths a pattern matches, whether they exist or not.
///
/// # Errors
/// The pattern is not a glob.
pub fn fitting(paths: &[String], pattern: &str) -> Result<BTreeSet<String>, Diagnostic> {
    let folder = pattern.trim_end_matches('/');
    let below = format!("{folder}/");
    let glob = glob(pattern)?;
    let fits = |path: &&String| {
        *path == folder
            || matches!(folder, "." | "")
            || path.starts_with(&below)
            || glob.is_match(path.as_str())
    };
    Ok(paths.iter().filter(fits).cloned().collect())
}

/// The one file a pattern names, if it does; a file called `a[1].txt` is meant by that name.
fn named(workspace: &Workspace, pattern: &str) -> Option<RelPath> {
    let path = workspace.path(pattern).ok()?;
    let facts = workspace.facts(&path).ok()??;
    (facts.kind != Kind::Directory).then_some(path)
}

/// The files below a folder, or those a glob matches. Binary files are not listed one by one.
fn files(walked: &[RelPath], pattern: &str) -> Result<Vec<RelPath>, Diagnostic> {
    let is_text = |path: &&RelPath| !generated::is_binary_name(path.as_str());
    let folder = pattern.trim_end_matches('/');
    let prefix = if matches!(folder, "." | "") { String::new() } else { format!("{folder}/") };
    let below: Vec<RelPath> =
        walked.iter().filter(|path| path.as_str().starts_with(&prefix)).filter(is_text).cloned().collect();
    if !below.is_empty() {
        return Ok(below);
    }
    let glob = glob(pattern)?;
    Ok(walked.iter().filter(|path| glob.is_match(path.as_str())).filter(is_text).cloned().collect())
}

fn glob(pattern: &str) -> Result<GlobMatcher, Diagnostic> {
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| {
        Diagnostic::error(codes::BAD_PATTERN, format!("`{pattern}` is not a valid pattern: {}", error.kind()))
            .hinted(
                "Use * inside a name, ** across folders, {a,b} for one of several; quote it for your shell.",
            )
    })
}

fn means_nothing(workspace: &Workspace, pattern: &str) -> Diagnostic {
    let near = workspace.path(pattern).ok().and_then(|path| did_you_mean(workspace, &path));
    let hint = near.unwrap_or_else(|| {
        "Ignored files have to be named one by one; globs need ** to cross folders.".to_owned()
    });
    Diagnostic::error(codes::NO_SUCH_FILE, format!("`{pattern}` is not a file, and no file matches it"))
        .on(pattern)
        .hinted(hint)
}

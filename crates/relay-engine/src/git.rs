//! Git, asked through its own program: never its files.

use std::path::Path;
use std::time::Duration;

use relay_edit::Diagnostic;
use relay_exec::{Cancel, Program};
use relay_txn::FileChange;

use crate::codes;
use crate::engine::Engine;

/// How long git may take to update its index.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How many paths one call takes: well below what a command line can hold.
const PATHS_PER_CALL: usize = 500;

/// Adds these paths to the index, as they are: new, changed or gone.
///
/// # Errors
/// What git said.
fn stage(root: &Path, paths: &[&str], cancel: &Cancel) -> Result<(), String> {
    for some in paths.chunks(PATHS_PER_CALL) {
        // Paths are names, never patterns, and a name that begins with a dash is no option.
        let arguments: Vec<&str> =
            ["--literal-pathspecs", "add", "--all", "--"].into_iter().chain(some.iter().copied()).collect();
        let output = Program {
            program: "git",
            args: &arguments,
            cwd: root,
            timeout: TIMEOUT,
            output_limit_bytes: 1 << 16,
            env: &[],
            stdin: None,
        }
        .run(cancel);
        if !output.success() {
            let said = output.stderr.text();
            let first = said.lines().find(|line| !line.trim().is_empty());
            return Err(first.unwrap_or("git could not be run").trim().to_owned());
        }
    }
    Ok(())
}

/// Adds what landed to git's index. That it landed stays true if this fails.
pub(crate) fn stage_changes(engine: &Engine, changes: &[FileChange]) -> Option<Diagnostic> {
    let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    let said = stage(engine.workspace().root(), &paths, engine.cancel()).err()?;
    Some(
        Diagnostic::warning(codes::NOT_STAGED, format!("it landed, but git would not stage it: {said}"))
            .hinted("Run `git add` yourself; the files are as the reply wants them."),
    )
}

/// How much of a diff is taken.
const DIFF_LIMIT_BYTES: usize = 4 << 20;

/// What changed since the last commit, in files that git knows.
///
/// # Errors
/// There is no repository or no commit, or the diff is larger than any chat takes.
pub fn uncommitted(engine: &Engine) -> Result<String, Diagnostic> {
    // No program that a repository's attributes name is run for a diff.
    let args = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "HEAD", "--", "."];
    let output = Program {
        program: "git",
        args: &args,
        cwd: engine.workspace().root(),
        timeout: TIMEOUT,
        output_limit_bytes: DIFF_LIMIT_BYTES,
        env: &[],
        stdin: None,
    }
    .run(engine.cancel());
    if !output.success() {
        let said = output.stderr.text();
        let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("git could not be run");
        return Err(Diagnostic::error(codes::NO_DIFF, format!("git has no diff to show: {}", first.trim()))
            .hinted("--diff needs a git repository with a commit in it."));
    }
    if output.stdout.omitted_bytes > 0 {
        return Err(Diagnostic::error(
            codes::NO_DIFF,
            format!("the diff is larger than {DIFF_LIMIT_BYTES} bytes"),
        )
        .hinted("Commit or stash a part of it, or pack without --diff."));
    }
    Ok(output.stdout.text())
}

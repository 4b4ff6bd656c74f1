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

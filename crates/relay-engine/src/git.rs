//! Git, asked through its own program: never its files.

use std::path::Path;
use std::time::Duration;

use relay_exec::{Cancel, Program};

/// How long git may take to update its index.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How many paths one call takes: well below what a command line can hold.
const PATHS_PER_CALL: usize = 500;

/// Adds these paths to the index, as they are: new, changed or gone.
///
/// # Errors
/// What git said.
pub(crate) fn stage(root: &Path, paths: &[&str], cancel: &Cancel) -> Result<(), String> {
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

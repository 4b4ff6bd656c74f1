//! The runners that are looked for, one file each.
//!
//! They are found by reading their files and never by running them: a repository that is not trusted yet could have its
//! own program in place of `cargo`, and a justfile may run commands while it is listed.

mod cargo;
mod just;
mod make;
mod manifests;
mod pkg;
mod task;

use relay_workspace::Workspace;

use super::runner::Runner;
use manifests::Manifests;

/// The runners of a project that have tasks and are installed.
pub fn detect(workspace: &Workspace, is_installed: &dyn Fn(&str) -> bool) -> Vec<Runner> {
    let files = Manifests::new(workspace);
    let found = [
        is_installed("just").then(|| just::detect(&files)).flatten(),
        pkg::detect(&files, is_installed),
        is_installed("cargo").then(|| cargo::detect(&files)).flatten(),
        is_installed("make").then(|| make::detect(&files)).flatten(),
        is_installed("task").then(|| task::detect(&files)).flatten(),
    ];
    found.into_iter().flatten().filter(|runner| !runner.tasks.is_empty()).collect()
}

#[cfg(test)]
mod tests;

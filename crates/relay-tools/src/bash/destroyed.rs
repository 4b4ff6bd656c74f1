//! What a command is about to destroy, so that it can be kept first.
//!
//! Capture keeps every file that is not ignored, whatever the command. Ignored ones are kept only before a command that
//! would destroy them: the paths it names, or everything where it names none, as `git clean` does.

use std::path::Path;

use relay_syntax::shell::{self, Access, Class};
use relay_workspace::{Ignored, Workspace};

/// The ignored files that a command would destroy.
pub fn ignored(command: &str, folder: &Path, workspace: &Workspace) -> Ignored {
    let Ok(script) = shell::parse(command) else { return Ignored::Not };
    let prefix = folder.strip_prefix(workspace.root()).unwrap_or(Path::new(""));
    let mut places = Vec::new();
    for finding in shell::verdict(&script, &shell::Unseen).findings {
        let Class::Destroys { .. } = finding.class else { continue };
        let lost = finding.touched.iter().filter(|touched| touched.access != Access::Read);
        let mut names_any = false;
        for touched in lost {
            names_any = true;
            let path = Path::new(&touched.path);
            let path = if path.is_absolute() { path.to_owned() } else { prefix.join(path) };
            let path = path.strip_prefix(workspace.root()).map(Path::to_owned).unwrap_or(path);
            match (touched.is_exact, path.to_str().and_then(|path| workspace.path(path).ok())) {
                (true, Some(path)) => places.push(path),
                // A pattern or a variable: it may be any of them.
                (false, _) => return Ignored::All,
                // Elsewhere, which policy has asked about, or a name that no transaction may touch.
                (true, None) if path.as_os_str().is_empty() => return Ignored::All,
                (true, None) => {}
            }
        }
        if !names_any {
            return Ignored::All;
        }
    }
    if places.is_empty() { Ignored::Not } else { Ignored::At(places) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, expected: Option<&[&str]>) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let found = ignored(command, workspace.root(), &workspace);
        let paths =
            expected.map(|paths| paths.iter().map(|path| workspace.path(path).unwrap()).collect::<Vec<_>>());
        let expected = match paths {
            None => Ignored::All,
            Some(paths) if paths.is_empty() => Ignored::Not,
            Some(paths) => Ignored::At(paths),
        };
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn the_paths_that_would_be_lost_are_found() {
        check("ls -la", Some(&[]));
        check("cargo build", Some(&[]));
        check("rm -rf target build", Some(&["target", "build"]));
        check("git clean -fdx", None);
        check("rm -rf *", None);
        check("rm -rf $OUT", None);
    }
}

//! Finds a program as the system would, but only in absolute folders.

use std::path::{Path, PathBuf};

/// Where a program is: a path is taken as it is, a name is looked for in the absolute folders of PATH. Relative entries
/// of PATH are skipped, because their meaning depends on the current folder, and a repository must not decide which
/// `git` runs.
#[must_use]
pub fn find_program(name: &str) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        let place = std::path::absolute(name).ok()?;
        return candidates(&place).find(|place| is_executable(place));
    }
    let path = std::env::var_os("PATH")?;
    find_in(name, std::env::split_paths(&path))
}

fn find_in(name: &str, folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    if name.is_empty() || matches!(name, "." | "..") {
        return None;
    }
    folders
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| candidates(&folder.join(name)).collect::<Vec<_>>())
        .find(|place| is_executable(place))
}

#[cfg(unix)]
fn candidates(place: &Path) -> impl Iterator<Item = PathBuf> {
    std::iter::once(place.to_path_buf())
}

/// On Windows a program is named without its extension.
#[cfg(not(unix))]
fn candidates(place: &Path) -> impl Iterator<Item = PathBuf> {
    let bare = place.to_path_buf();
    let with = ["exe", "cmd", "bat", "com"].into_iter().map({
        let bare = bare.clone();
        move |extension| {
            let mut name = bare.clone().into_os_string();
            name.push(".");
            name.push(extension);
            PathBuf::from(name)
        }
    });
    bare.extension().is_some().then(|| bare.clone()).into_iter().chain(with)
}

#[cfg(unix)]
fn is_executable(place: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(place).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(place: &Path) -> bool {
    place.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_program_is_an_executable_file_in_an_absolute_folder() {
        let top = tempfile::tempdir().unwrap();
        let make = |name: &str, mode| {
            std::fs::write(top.path().join(name), "").unwrap();
            std::fs::set_permissions(top.path().join(name), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        make("yes", 0o755);
        make("no", 0o644);
        std::fs::create_dir(top.path().join("folder")).unwrap();
        let found =
            |name: &str| find_in(name, [PathBuf::from("/nowhere"), top.path().to_path_buf()].into_iter());
        assert_eq!(found("yes"), Some(top.path().join("yes")));
        for name in ["no", "folder", "missing", "", ".", ".."] {
            assert_eq!(found(name), None, "{name}");
        }
        assert!(find_program(top.path().join("yes").to_str().unwrap()).is_some());
        assert!(find_program(top.path().join("no").to_str().unwrap()).is_none());
    }

    #[test]
    fn relative_folders_are_passed_over() {
        let here = std::env::current_dir().unwrap();
        assert!(find_in("src", [here.clone()].into_iter()).is_none(), "a folder is not a program");
        assert!(find_in("sh", [PathBuf::from("/bin")].into_iter()).is_some());
        let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
        assert!(up.join("bin/sh").exists() && find_in("sh", [up.join("bin")].into_iter()).is_none());
    }
}

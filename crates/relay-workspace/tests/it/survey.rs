//! Surveys: everything a command could change.

use std::fs;
use std::path::Path;

use relay_workspace::{Kind, Survey, Workspace};

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

fn write(root: &Path, path: &str, text: &str) {
    let place = root.join(path);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, text).unwrap();
}

/// What a survey found: folders end in `/`, links in `@`, pipes in `|`.
fn paths(survey: &Survey) -> Vec<String> {
    let mark = |kind| match kind {
        Kind::File => "",
        Kind::Directory => "/",
        Kind::Symlink => "@",
        Kind::Special => "|",
    };
    survey.entries.iter().map(|entry| format!("{}{}", entry.path, mark(entry.facts.kind))).collect()
}

#[test]
fn everything_is_found_except_ignored_and_private_files() {
    let folder = tree(&[
        (".gitignore", "target/\n*.log\n"),
        (".git/HEAD", "ref"),
        (".relaycode/lock", ""),
        (".hidden", "x"),
        ("a/b/c.txt", "x"),
        ("a/.gitignore", "!keep.log\n"),
        ("a/keep.log", "x"),
        ("b.log", "x"),
        ("target/out", "x"),
        ("relaycode.config.json", "{}"),
        ("a/odd\u{202e}name", "x"),
    ]);
    fs::create_dir(folder.path().join("empty")).unwrap();
    std::os::unix::fs::symlink("/etc", folder.path().join("link")).unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let survey = workspace.survey(None);
    assert_eq!(
        paths(&survey),
        [".gitignore", ".hidden", "a/", "a/.gitignore", "a/b/", "a/b/c.txt", "a/keep.log", "empty/", "link@"]
    );
    let unnameable: Vec<&str> = survey.unnameable.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(unnameable, ["a/odd\u{202e}name", "relaycode.config.json"]);
    assert!(survey.is_complete && survey.unreadable.is_empty());
    assert_eq!(survey.get("a/b/c.txt").map(|entry| entry.facts.size), Some(1));
    assert!(survey.get("a/b/d.txt").is_none());
    assert_eq!(workspace.survey(Some(&survey)).entries, survey.entries, "nothing happened, nothing differs");
}

#[test]
fn earlier_ignored_files_stay_ignored_and_new_rules_count_too() {
    let folder = tree(&[
        (".gitignore", "target/\n"),
        ("sub/.gitignore", "*.tmp\n"),
        ("sub/x.tmp", "x"),
        ("target/out", "x"),
        ("a", "x"),
    ]);
    let workspace = Workspace::open(folder.path()).unwrap();
    let first = workspace.survey(None);
    fs::remove_file(folder.path().join(".gitignore")).unwrap();
    write(folder.path(), "sub/.gitignore", "*.new\n");
    for made in ["sub/y.tmp", "sub/z.new", "sub/deeper/y.tmp", "sub/seen", "target/more"] {
        write(folder.path(), made, "x");
    }
    let second = workspace.survey(Some(&first));
    assert_eq!(paths(&second), ["a", "sub/", "sub/.gitignore", "sub/deeper/", "sub/seen"]);
    // The next one still knows the rules of the first.
    assert_eq!(paths(&workspace.survey(Some(&second))), paths(&second));
    let alone = paths(&workspace.survey(None));
    assert!(alone.contains(&"target/out".to_owned()) && alone.contains(&"sub/y.tmp".to_owned()), "{alone:?}");
}

#[test]
fn a_later_survey_sees_what_a_fresh_one_sees() {
    let names = ["edit", "make", "drop", "rename", "folder", "link", "ignore", "odd", "swap", "rest"];
    let files: Vec<String> =
        names.iter().flat_map(|name| [format!("{name}/a"), format!("{name}/b")]).collect();
    let folder = tree(&files.iter().map(|file| (file.as_str(), "x")).collect::<Vec<_>>());
    let root = folder.path();
    write(root, ".gitignore", "*.log\n");
    // Folders that changed a moment ago are always listed again; these are at rest.
    std::thread::sleep(std::time::Duration::from_millis(150));
    let workspace = Workspace::open(root).unwrap();
    let first = workspace.survey(None);
    write(root, "edit/a", "longer");
    write(root, "make/c", "x");
    write(root, "make/c.log", "x");
    fs::remove_file(root.join("drop/a")).unwrap();
    fs::rename(root.join("rename/a"), root.join("rename/z")).unwrap();
    fs::create_dir(root.join("folder/c")).unwrap();
    fs::remove_file(root.join("link/a")).unwrap();
    std::os::unix::fs::symlink("b", root.join("link/a")).unwrap();
    write(root, "ignore/.gitignore", "b\n");
    write(root, "odd/o\u{202e}", "x");
    fs::rename(root.join("swap"), root.join("swapped")).unwrap();
    write(root, "swap/a", "x");
    let (second, fresh) = (workspace.survey(Some(&first)), workspace.survey(None));
    assert_eq!(second.entries, fresh.entries);
    assert_eq!(second.unnameable, fresh.unnameable);
    let third = workspace.survey(Some(&second));
    assert_eq!(third.entries, fresh.entries);
}

//! The walk: order, ignore rules, and what a hostile repository cannot do to it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use relay_workspace::Workspace;

fn write(root: &Path, file: &str, text: &str) {
    let place = root.join(file);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, text).unwrap();
}

fn names(root: &Path) -> Vec<String> {
    Workspace::open(root).unwrap().walk().map(|path| path.to_string()).collect()
}

#[test]
fn files_are_sorted_hidden_ones_included_and_relays_and_gits_left_out() {
    let top = tempfile::tempdir().unwrap();
    for file in [
        "b/z",
        "b/a",
        "a.txt",
        ".hidden",
        "b.txt",
        ".git/config",
        ".relaycode/x.yml",
        "relaycode.config.json",
    ] {
        write(top.path(), file, "");
    }
    symlink("a.txt", top.path().join("link")).unwrap();
    fs::write(top.path().join("in\u{202e}visible"), "").unwrap();
    assert_eq!(names(top.path()), [".hidden", "a.txt", "b.txt", "b/a", "b/z"]);
}

#[test]
fn ignore_rules_hold_as_in_git() {
    let top = tempfile::tempdir().unwrap();
    let root = top.path();
    fs::create_dir(root.join(".git")).unwrap();
    write(root, ".git/info/exclude", "private\n");
    write(root, ".gitignore", "*.log\n/target/\nbuild/\n!keep.log\n");
    write(root, "sub/.gitignore", "!special.log\n/local\n");
    for file in [
        "a.log",
        "keep.log",
        "target/x",
        "sub/target/x",
        "sub/build/x",
        "sub/b.log",
        "sub/special.log",
        "sub/local",
        "local",
        "private",
        "src/main.rs",
    ] {
        write(root, file, "");
    }
    assert_eq!(
        names(root),
        [
            ".gitignore",
            "keep.log",
            "local",
            "src/main.rs",
            "sub/.gitignore",
            "sub/special.log",
            "sub/target/x"
        ]
    );
    // The rules above a root that lies inside the repository hold as well.
    assert_eq!(names(&root.join("sub")), [".gitignore", "special.log", "target/x"]);
}

#[test]
fn ignore_rules_hold_without_git_too() {
    let top = tempfile::tempdir().unwrap();
    write(top.path(), ".gitignore", "out/\n");
    write(top.path(), "out/x", "");
    write(top.path(), "in", "");
    assert_eq!(names(top.path()), [".gitignore", "in"]);
}

#[test]
fn a_planted_ignore_file_neither_blocks_nor_leads_out() {
    let top = tempfile::tempdir().unwrap();
    let root = top.path().join("root");
    write(&root, "a/file", "");
    write(&root, "b/file", "");
    write(&root, "c/file", "");
    write(top.path(), "rules", "file\n");
    symlink("/dev/zero", root.join(".gitignore")).unwrap();
    symlink("../../rules", root.join("a/.gitignore")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("b/.gitignore"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    fs::File::create(root.join("c/.gitignore")).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(names(&root), ["a/file", "b/file", "c/.gitignore", "c/file"]);
}

#[test]
fn a_very_deep_tree_is_walked_without_running_out_of_handles() {
    let top = tempfile::tempdir().unwrap();
    let deep = vec!["d"; 1500].join("/");
    write(top.path(), &format!("{deep}/file"), "");
    assert_eq!(names(top.path()), [format!("{deep}/file")]);
}

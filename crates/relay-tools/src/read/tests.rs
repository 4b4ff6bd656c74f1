//! What a path names, before anything is looked at.

use super::*;

#[test]
fn paths_have_a_subject_that_policy_decides_about() {
    for (path, expected) in [
        ("src/a.rs", "src/a.rs"),
        ("src/a.rs:5-9", "src/a.rs"),
        (".env:raw", ".env"),
        ("a.zip:x/.env", "a.zip"),
        ("/etc/b.tar.gz:etc/passwd", "/etc/b.tar.gz"),
        ("data.db:users?limit=5", "data.db"),
        ("/x/data.sqlite?q=SELECT 1", "/x/data.sqlite"),
        ("artifact://3", "artifact://3"),
        ("a:b", "a:b"),
        ("a:0", "a:0"),
    ] {
        assert_eq!(subject(path), expected, "{path}");
    }
}

#[test]
fn web_addresses_are_told_apart() {
    for path in ["https://x.org/a.zip", "HTTP://x", "www.x.org"] {
        assert_eq!(target(path), Target::Web, "{path}");
    }
    assert_eq!(target("wwwroot/x"), Target::Plain);
    assert_eq!(target("unknown://x"), Target::Internal);
}

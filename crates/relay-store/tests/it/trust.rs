//! Trust in a project's commands.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use relay_store::{Store, StoreError};

fn store() -> (tempfile::TempDir, Store) {
    let top = tempfile::tempdir().unwrap();
    let store = Store::at(&top.path().join("user"));
    for project in ["a", "b"] {
        fs::create_dir(top.path().join(project)).unwrap();
    }
    (top, store)
}

#[test]
fn trust_is_bound_to_the_place_and_to_the_commands() {
    let (top, store) = store();
    let (a, b) = (top.path().join("a"), top.path().join("b"));
    let commands = ["linter: tsc".to_owned()];
    assert!(!store.trusts(&a, "one").unwrap());
    assert_eq!(store.trusted_commands(&a).unwrap(), None);
    assert!(!store.data_dir().exists(), "looking creates nothing");
    store.trust(&a, "one", &commands).unwrap();
    assert!(store.trusts(&a, "one").unwrap());
    assert!(!store.trusts(&a, "two").unwrap() && !store.trusts(&b, "one").unwrap());
    assert_eq!(store.trusted_commands(&a).unwrap().unwrap(), commands);
    store.trust(&a, "two", &[]).unwrap();
    assert!(
        store.trusts(&a, "two").unwrap() && !store.trusts(&a, "one").unwrap(),
        "the last agreement counts"
    );
}

#[test]
fn trust_can_be_revoked() {
    let (top, store) = store();
    let a = top.path().join("a");
    assert!(!store.untrust(&a).unwrap());
    store.trust(&a, "one", &[]).unwrap();
    store.trust(&top.path().join("b"), "one", &[]).unwrap();
    assert!(store.untrust(&a).unwrap());
    assert!(!store.trusts(&a, "one").unwrap() && store.trusts(&top.path().join("b"), "one").unwrap());
}

#[test]
fn a_project_is_the_same_by_every_path() {
    let (top, store) = store();
    symlink("a", top.path().join("alias")).unwrap();
    store.trust(&top.path().join("alias"), "one", &[]).unwrap();
    assert!(store.trusts(&top.path().join("b/../a/."), "one").unwrap());
    // The link is not a project of its own: if it points elsewhere, it means another project.
    fs::remove_file(top.path().join("alias")).unwrap();
    symlink("b", top.path().join("alias")).unwrap();
    assert!(!store.trusts(&top.path().join("alias"), "one").unwrap());
}

#[test]
fn paths_that_are_not_text_are_distinguished() {
    let (top, store) = store();
    let odd = |byte: u8| top.path().join(OsStr::from_bytes(&[b'x', byte]));
    fs::create_dir(odd(0xfe)).unwrap();
    fs::create_dir(odd(0xff)).unwrap();
    store.trust(&odd(0xfe), "one", &[]).unwrap();
    assert!(store.trusts(&odd(0xfe), "one").unwrap() && !store.trusts(&odd(0xff), "one").unwrap());
}

#[test]
fn a_trust_file_that_is_not_understood_is_never_an_empty_one() {
    let (top, store) = store();
    let a = top.path().join("a");
    store.trust(&a, "one", &[]).unwrap();
    let place = store.data_dir().join("trust.json");
    for (text, is_newer) in [
        ("", false),
        ("{", false),
        ("[]", false),
        (r#"{"projects":{}}"#, false),
        (r#"{"version":1,"projects":{"/":"yes"}}"#, false),
        (r#"{"version":1,"projects":{},"extra":1}"#, false),
        (r#"{"version":2,"anything":[]}"#, true),
    ] {
        fs::write(&place, text).unwrap();
        for result in [store.trusts(&a, "one"), store.trust(&a, "two", &[]).map(|()| true), store.untrust(&a)]
        {
            match result {
                Err(StoreError::Newer { .. }) => assert!(is_newer, "{text}"),
                Err(StoreError::Corrupt { .. }) => assert!(!is_newer, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        assert_eq!(fs::read_to_string(&place).unwrap(), text, "it is left as it was");
    }
}

#[test]
fn a_project_that_does_not_exist_cannot_be_trusted() {
    let (top, store) = store();
    assert!(matches!(store.trust(&top.path().join("none"), "one", &[]), Err(StoreError::Io { .. })));
}

#[test]
fn writers_at_once_do_not_lose_each_others_entries() {
    let (top, store) = store();
    let project = |writer: usize, round: usize| top.path().join(format!("{writer}-{round}"));
    std::thread::scope(|scope| {
        for writer in 0..6 {
            let (store, project) = (&store, &project);
            scope.spawn(move || {
                for round in 0..10 {
                    fs::create_dir(project(writer, round)).unwrap();
                    store.trust(&project(writer, round), "digest", &[]).unwrap();
                }
            });
        }
    });
    for writer in 0..6 {
        assert!((0..10).all(|round| store.trusts(&project(writer, round), "digest").unwrap()), "{writer}");
    }
}

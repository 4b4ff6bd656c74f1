//! Keys of model providers.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use relay_store::{Store, StoreError};

fn store() -> (tempfile::TempDir, Store) {
    let top = tempfile::tempdir().unwrap();
    let store = Store::at(top.path());
    (top, store)
}

fn labels(store: &Store, provider: &str) -> Vec<String> {
    let mut all = store.credentials().unwrap();
    all.remove(provider).unwrap_or_default().into_iter().map(|credential| credential.label).collect()
}

#[test]
fn keys_are_kept_by_provider_and_label_in_order() {
    let (_top, store) = store();
    assert!(store.credentials().unwrap().is_empty());
    assert!(!store.data_dir().exists(), "looking creates nothing");
    assert!(!store.store_credential("anthropic", "work", "sk-1").unwrap());
    assert!(!store.store_credential("anthropic", "home", "sk-2").unwrap());
    assert!(!store.store_credential("openai", "work", "sk-3").unwrap());
    assert_eq!(labels(&store, "anthropic"), ["work", "home"]);
    assert!(
        store.store_credential("anthropic", "work", "sk-4").unwrap(),
        "the same label is the same key renewed"
    );
    assert_eq!(store.credentials().unwrap()["anthropic"][0].key(), "sk-4");
    assert_eq!(labels(&store, "anthropic"), ["work", "home"]);
}

#[test]
fn keys_are_forgotten_one_by_one_or_all() {
    let (_top, store) = store();
    assert_eq!(store.forget_credentials("anthropic", None).unwrap(), 0);
    for label in ["a", "b", "c"] {
        store.store_credential("anthropic", label, "sk").unwrap();
    }
    assert_eq!(store.forget_credentials("anthropic", Some("b")).unwrap(), 1);
    assert_eq!(store.forget_credentials("anthropic", Some("b")).unwrap(), 0);
    assert_eq!(labels(&store, "anthropic"), ["a", "c"]);
    assert_eq!(store.forget_credentials("anthropic", None).unwrap(), 2);
    assert!(store.credentials().unwrap().is_empty());
}

#[test]
fn the_file_is_the_users_alone_and_one_that_is_not_is_refused() {
    let (_top, store) = store();
    store.store_credential("openai", "default", "sk-secret").unwrap();
    let file = store.data_dir().join("credentials.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(store.credentials(), Err(StoreError::ReadableByOthers { mode: 0o640, .. })));
    assert!(store.store_credential("openai", "default", "sk-new").is_err());
    assert!(fs::read_to_string(&file).unwrap().contains("sk-secret"), "left as it was");
}

#[test]
fn a_key_is_never_shown() {
    let (_top, store) = store();
    store.store_credential("openai", "default", "sk-secret").unwrap();
    let shown = format!("{:?}", store.credentials().unwrap());
    assert!(shown.contains("default") && !shown.contains("sk-secret"), "{shown}");
    let file = store.data_dir().join("credentials.json");
    for broken in [
        r#"{"version":1,"providers":{"openai":"sk-secret"}}"#,
        r#"{"version":1,"providers":{"openai":[{"label":"x","key":"sk-secret","sk-secret":1}]}}"#,
        r#"{"version":1,"providers":{"openai":[{"label":"x","key":sk-secret}]}}"#,
    ] {
        fs::write(&file, broken).unwrap();
        let error = store.credentials().unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        assert!(!format!("{error} {error:?}").contains("sk-secret"), "{error}");
    }
    fs::write(&file, r#"{"version":2,"secrets":[]}"#).unwrap();
    assert!(matches!(store.credentials(), Err(StoreError::Newer { found: 2, .. })));
}

#[test]
fn a_loop_that_adds_keys_ends() {
    let (_top, store) = store();
    let added =
        (0..200).take_while(|n| store.store_credential("openai", &n.to_string(), "sk").is_ok()).count();
    assert_eq!(added, 100);
}

#[test]
#[cfg(unix)]
fn settings_may_be_a_link_to_a_file_of_the_user() {
    let (top, store) = store();
    let dotfiles = top.path().join("dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    fs::create_dir_all(store.config_dir()).unwrap();
    fs::write(dotfiles.join("relay.toml"), "x = 1\n").unwrap();
    std::os::unix::fs::symlink(dotfiles.join("relay.toml"), store.config_dir().join("config.toml")).unwrap();
    assert_eq!(store.settings_file("config.toml").unwrap().as_deref(), Some("x = 1\n"));
    store.replace_settings_file("config.toml", "x = 2\n").unwrap();
    assert!(store.config_dir().join("config.toml").is_symlink(), "the link stays");
    let names: Vec<_> = fs::read_dir(&dotfiles).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["relay.toml"], "and nothing else is created beside the file");
    assert_eq!(fs::read_to_string(dotfiles.join("relay.toml")).unwrap(), "x = 2\n");
    fs::set_permissions(&dotfiles, Permissions::from_mode(0o777)).unwrap();
    let refused = store.settings_file("config.toml");
    assert!(matches!(refused, Err(StoreError::WritableByOthers { .. })), "{refused:?}");
}

#[test]
fn settings_are_read_from_the_config_folder() {
    let (_top, store) = store();
    assert_eq!(store.settings_file("models.toml").unwrap(), None);
    fs::create_dir_all(store.config_dir()).unwrap();
    fs::set_permissions(store.config_dir(), Permissions::from_mode(0o755)).unwrap();
    fs::write(store.config_dir().join("models.toml"), "x = 1\n").unwrap();
    assert_eq!(store.settings_file("models.toml").unwrap().as_deref(), Some("x = 1\n"));
    fs::write(store.config_dir().join("models.toml"), [0xff]).unwrap();
    assert!(matches!(store.settings_file("models.toml"), Err(StoreError::Corrupt { .. })));
    assert!(matches!(store.settings_file("../models.toml"), Err(StoreError::BadName { .. })));
}

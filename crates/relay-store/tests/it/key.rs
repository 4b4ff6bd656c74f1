//! The ledger key.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Barrier;

use relay_store::{Store, StoreError};

#[test]
fn the_key_is_made_once_and_stays() {
    let top = tempfile::tempdir().unwrap();
    let store = Store::at(top.path());
    let key = store.ledger_key().unwrap();
    assert_ne!(key, [0; 32]);
    assert_eq!(Store::at(top.path()).ledger_key().unwrap(), key);
    assert_ne!(Store::at(&top.path().join("other")).ledger_key().unwrap(), key);
    let file = store.data_dir().join("ledger.key");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(file).unwrap().len(), 65);
}

#[test]
fn concurrent_first_calls_get_the_same_key() {
    for _ in 0..20 {
        let top = tempfile::tempdir().unwrap();
        let start = Barrier::new(8);
        let keys: HashSet<[u8; 32]> = std::thread::scope(|scope| {
            let ask = || {
                start.wait();
                Store::at(top.path()).ledger_key().unwrap()
            };
            let asking: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            asking.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        assert_eq!(keys.len(), 1);
    }
}

#[test]
fn a_damaged_key_is_reported_and_not_replaced() {
    let top = tempfile::tempdir().unwrap();
    let store = Store::at(top.path());
    store.ledger_key().unwrap();
    let place = store.data_dir().join("ledger.key");
    fs::write(&place, "not a key").unwrap();
    assert!(matches!(store.ledger_key(), Err(StoreError::Corrupt { .. })));
    assert_eq!(fs::read_to_string(place).unwrap(), "not a key");
}

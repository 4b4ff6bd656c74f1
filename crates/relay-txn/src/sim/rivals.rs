//! Two transactions at once: the second one begins at any moment at which the first lets it.

use std::cell::RefCell;
use std::rc::Rc;

use uuid::Uuid;

use super::flaws::Flawed;
use super::scenario::{change, draft, protocol};
use super::{Promise, SimFs};
use crate::draft::Draft;
use crate::error::TxnError;
use crate::fs::Fs as _;
use crate::layout::{self, GITIGNORE, STAGE};
use crate::protocol::{Open, Protocol};

const OURS: Uuid = Uuid::from_u128(11);
const THEIRS: Uuid = Uuid::from_u128(12);
const PROMISE: Promise = Promise { atomic_renames: true, exchange: true };

type Begun = Result<Open<<Flawed as crate::fs::Fs>::Lock>, TxnError>;

/// Runs `first` while another program begins `second` at moment `n`; returns both results. `None` if there is no such
/// moment.
fn at_once<T>(
    fs: &SimFs,
    n: usize,
    second: Draft,
    first: impl FnOnce(&Protocol<Flawed>) -> T,
) -> Option<(T, Begun)> {
    let theirs: Rc<RefCell<Option<Begun>>> = Rc::default();
    let (begun, other) = (Rc::clone(&theirs), protocol(fs.clone(), None));
    fs.set_interlude(n, move || {
        let result = other.begin(&second);
        begun.replace(Some(result));
    });
    let ours = first(&protocol(fs.clone(), None));
    fs.had_interlude().then(|| (ours, theirs.take().unwrap()))
}

fn disk() -> SimFs {
    let fs = SimFs::new(PROMISE);
    fs.foreign_write("a", b"old\n");
    fs
}

fn to(uuid: Uuid, before: &[u8], after: &[u8]) -> Draft {
    draft(uuid, vec![change("a", Some(before), Some(after))])
}

#[test]
fn a_file_is_not_called_changed_while_its_change_is_undecided() {
    let mut waited = 0;
    for n in 0.. {
        let fs = disk();
        let run = at_once(&fs, n, to(THEIRS, b"old\n", b"theirs\n"), |ledger| {
            ledger.begin(&to(OURS, b"old\n", b"ours\n"))
        });
        let Some((ours, theirs)) = run else { break };
        match (ours, theirs) {
            (Ok(_), Err(TxnError::Leased { uuid: OURS, .. })) => {}
            (Err(TxnError::Leased { uuid: THEIRS, .. }), Ok(_)) => waited += 1,
            (ours, theirs) => panic!("moment {n}: {:?}, {:?}", ours.err(), theirs.err()),
        }
    }
    assert!(waited > 3, "{waited}");
}

#[test]
fn a_failed_preparation_is_cleaned_up_in_one_step() {
    let mut seen = 0;
    for n in 0.. {
        let fs = disk();
        let theirs = fs.clone();
        // A process that begins the same transaction again would take a stage without an owner for its own.
        fs.set_interlude(n, move || {
            let is_there = |path: &str| theirs.stat(path).unwrap().is_some();
            assert_eq!(is_there(&layout::stage(OURS)), is_there(&layout::owner(OURS)), "moment {n}");
        });
        let failed = protocol(fs.clone(), None).begin(&to(OURS, b"older\n", b"new\n")).err();
        assert!(matches!(failed, Some(TxnError::Changed { .. })), "{failed:?}");
        assert_eq!(fs.list(STAGE).unwrap(), [""; 0], "moment {n}");
        if !fs.had_interlude() {
            break;
        }
        seen += 1;
    }
    assert!(seen > 3, "{seen}");
}

#[test]
fn the_state_folder_can_be_made_by_two_at_once() {
    for n in 0.. {
        let fs = disk();
        let second = draft(THEIRS, vec![change("b", None, Some(b"theirs\n"))]);
        let run = at_once(&fs, n, second, |ledger| ledger.begin(&to(OURS, b"old\n", b"ours\n")).map(drop));
        let Some((ours, theirs)) = run else { break };
        ours.unwrap_or_else(|error| panic!("moment {n}: {error}"));
        theirs.map(drop).unwrap_or_else(|error| panic!("moment {n}: {error}"));
    }
}

#[test]
fn a_file_that_another_program_is_writing_is_not_removed() {
    for n in 0.. {
        let fs = disk();
        // The other one has made it, and goes on to write and to sync it.
        fs.foreign_write(GITIGNORE, b"");
        let theirs = fs.clone();
        fs.set_interlude(n, move || assert!(theirs.stat(GITIGNORE).unwrap().is_some(), "moment {n}"));
        drop(protocol(fs.clone(), None).begin(&to(OURS, b"old\n", b"ours\n")).unwrap());
        assert!(fs.holds(b"*\n"));
        if !fs.had_interlude() {
            break;
        }
    }
}

//! The index is a cache: with it, without it, or with a wrong one, the ledger is the same.

use relay_txn::{Ledger, LedgerKey, Record};

use crate::world::{World, draft};

fn three_entries() -> (World, Vec<Record>) {
    let world = World::new(&[]);
    let records =
        ["a", "b", "c"].map(|path| world.apply(draft(&[(path, None, Some("x\n"))])).unwrap()).to_vec();
    (world, records)
}

fn index(world: &World) -> String {
    world.read(".relaycode/index")
}

#[test]
fn the_index_is_used_and_contents_are_still_found() {
    let (world, records) = three_entries();
    assert_eq!(index(&world).lines().count(), 3);
    let entries = world.ledger.entries().unwrap();
    assert_eq!(entries.records, records);
    let stored = entries.records[1].changes[0].after.as_ref().unwrap();
    assert_eq!(world.ledger.content(stored).unwrap(), b"x\n");
    assert!(stored.holds(b"x\n") && !stored.holds(b"y\n"));

    // A reader that had to open every record would trip over this one; its file still looks as it was indexed.
    let path = world.at(&format!(".relaycode/{}.yml", records[0].uuid));
    let (time, length) = {
        let metadata = std::fs::metadata(&path).unwrap();
        (metadata.modified().unwrap(), metadata.len())
    };
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &vec![b'?'; usize::try_from(length).unwrap()], 0)
        .unwrap();
    file.set_modified(time).unwrap();
    assert_eq!(world.ledger.entries().unwrap().records, records);
    assert!(world.ledger.find(records[0].uuid).is_err(), "but nothing acts on it unseen");
}

#[test]
fn a_missing_torn_or_foreign_index_changes_nothing_and_heals() {
    let (world, mut records) = three_entries();
    let good = index(&world);
    let foreign_world = World::new(&[]);
    let foreigner = Ledger::open(&foreign_world.workspace, LedgerKey::new([1; 32])).unwrap();
    foreigner
        .begin(draft(&[("z", None, Some("z\n"))]))
        .unwrap()
        .commit(relay_txn::Verdict::default())
        .unwrap();
    let foreign = index(&foreign_world);
    let torn = good.get(..good.len() - 10).unwrap().to_owned();
    let forged = good.replace("\"path\":\"a\"", "\"path\":\"q\"");
    let cases = [String::new(), torn, foreign, forged, "garbage".to_owned(), "\u{0}".repeat(100)];
    for (n, broken) in cases.iter().enumerate() {
        if broken.is_empty() {
            std::fs::remove_file(world.at(".relaycode/index")).unwrap();
        } else {
            world.write(".relaycode/index", broken);
        }
        assert_eq!(world.ledger.entries().unwrap().records, records, "{broken:?}");
        let next = world.apply(draft(&[(&format!("n{n}"), None, Some("x\n"))])).unwrap();
        assert_eq!(next.sequence, records.len() as u64 + 1, "{broken:?}");
        records.push(next);
        assert_eq!(world.ledger.entries().unwrap().records, records, "{broken:?}");
        for record in &records {
            assert!(index(&world).contains(&record.uuid.to_string()), "{broken:?} was healed");
        }
    }
}

#[test]
fn a_removed_record_is_gone_whatever_the_index_says() {
    let (world, records) = three_entries();
    std::fs::remove_file(world.at(&format!(".relaycode/{}.yml", records[1].uuid))).unwrap();
    let left = [records[0].clone(), records[2].clone()];
    assert_eq!(world.ledger.entries().unwrap().records, left);
    assert_eq!(world.apply(draft(&[("d", None, Some("x\n"))])).unwrap().sequence, 4);
}

#[test]
fn numbers_grow_wherever_a_crash_cut_an_index_that_was_being_made_anew() {
    let (world, records) = three_entries();
    // The next one writes all four lines at once, and of those only some reach the disk.
    std::fs::remove_file(world.at(".relaycode/index")).unwrap();
    let fourth = world.apply(draft(&[("d", None, Some("x\n"))])).unwrap();
    let whole = index(&world);
    let mut last = fourth.sequence;
    assert_eq!(last, records.len() as u64 + 1);
    for kept in 0..4 {
        world.write(".relaycode/index", &whole.split_inclusive('\n').take(kept).collect::<String>());
        let next = world.apply(draft(&[(&format!("k{kept}"), None, Some("x\n"))])).unwrap();
        assert_eq!(next.sequence, last + 1, "{kept} lines were left");
        last = next.sequence;
    }
    // One line of long ago, when there were as many records as there are now.
    for record in records.iter().chain([&fourth]) {
        std::fs::remove_file(world.at(&format!(".relaycode/{}.yml", record.uuid))).unwrap();
    }
    world.write(".relaycode/index", &whole);
    assert_eq!(world.apply(draft(&[("last", None, Some("x\n"))])).unwrap().sequence, last + 1);
}

//! Receipts are kept, found and moved on; replies are resolved against them.

mod drift;
mod history;
mod releases;

use relay_edit::{Content, Options as PlanOptions, Plan, Snapshot, parse};

use super::*;

const KEY: [u8; 32] = [3; 32];

/// A receipt for files as they are shown, secrets masked.
fn receipt(files: &[(&str, &str)]) -> Receipt {
    let mut vault = Vault::new(&KEY);
    let shown = files.iter().map(|(path, text)| ((*path).to_owned(), mask(path, text, &mut vault).text));
    Receipt::new(shown.collect(), vault)
}

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Snapshot { files: files.collect(), ..Snapshot::default() }
}

fn plan(receipt: &Receipt, reply: &str, today: &[(&str, &str)]) -> Plan<Content> {
    receipt.plan(&parse(reply, None).edits, &snapshot(today), &PlanOptions::default()).plan
}

/// A SEARCH/REPLACE section for a file.
fn section(path: &str, old: &str, new: &str) -> String {
    let old = if old.is_empty() { String::new() } else { format!("{old}\n") };
    format!("{path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}\n>>>>>>> REPLACE\n```\n")
}

/// A receipt assembles whole files.
fn whole(content: &Content) -> &[u8] {
    match content {
        Content::Whole(bytes) => bytes,
        Content::Spliced(_) => panic!("in parts"),
    }
}

fn after<'p>(plan: &'p Plan<Content>, path: &str) -> Option<&'p str> {
    let change = plan.changes.iter().find(|change| change.path == path)?;
    Some(std::str::from_utf8(whole(change.after.as_ref()?)).unwrap())
}

fn error_codes(plan: &Plan<Content>) -> Vec<&'static str> {
    plan.diagnostics.iter().filter(|found| found.is_error()).map(|found| found.code.as_str()).collect()
}

const SHOWN: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

#[test]
fn an_edit_lands_where_the_model_saw_it_although_the_lines_moved_and_repeat_now() {
    let receipt = receipt(&[("a.txt", SHOWN)]);
    // A later change put another `five` above; placed on today's file, the edit would be ambiguous.
    let today = "five\n\none\ntwo\nthree\nfour\nfive\nsix\n";
    let plan = plan(&receipt, &section("a.txt", "five", "FIVE"), &[("a.txt", today)]);
    assert_eq!(after(&plan, "a.txt"), Some("five\n\none\ntwo\nthree\nfour\nFIVE\nsix\n"));
    assert!(
        plan.outcomes[0].placement.ends_with("merged with what changed since"),
        "{}",
        plan.outcomes[0].placement
    );
    assert_eq!(plan.outcomes[0].certificates.len(), 1, "the placement on what was seen is certified");
}

#[test]
fn a_conflict_names_what_both_sides_want() {
    let receipt = receipt(&[("a.txt", SHOWN)]);
    let plan =
        plan(&receipt, &section("a.txt", "three", "drei"), &[("a.txt", &SHOWN.replace("three", "trois"))]);
    assert_eq!((plan.changes.len(), error_codes(&plan)), (0, vec!["merge-conflict"]));
    let finding = &plan.diagnostics[0];
    assert!(finding.message.contains("trois") && finding.message.contains("drei"), "{}", finding.message);
    assert_eq!((finding.file_lines, finding.line), (Some((3, 3)), Some(3)));
}

#[test]
fn deleted_files_are_not_restored_and_changed_ones_not_deleted() {
    let receipt = receipt(&[("a.txt", SHOWN)]);
    assert_eq!(error_codes(&plan(&receipt, &section("a.txt", "three", "drei"), &[])), ["merge-conflict"]);
    let delete = "```text // {a.txt}\n//TODO: delete this file\n```\n";
    assert_eq!(error_codes(&plan(&receipt, delete, &[("a.txt", "other\n")])), ["merge-conflict"]);
    let gone = plan(&receipt, delete, &[("a.txt", SHOWN)]);
    assert_eq!((gone.changes.len(), gone.changes[0].after.as_ref()), (1, None));
    assert!(plan(&receipt, delete, &[]).changes.is_empty(), "it is gone already");
}

#[test]
fn a_rename_keeps_later_changes() {
    let receipt = receipt(&[("a.txt", SHOWN)]);
    let rename = "```json // rename-file\n{\"from\": \"a.txt\", \"to\": \"b.txt\"}\n```\n";
    let reply = format!("{rename}\n{}", section("b.txt", "five", "FIVE"));
    let plan = plan(&receipt, &reply, &[("a.txt", &SHOWN.replace("one", "uno"))]);
    assert_eq!(error_codes(&plan), Vec::<&str>::new(), "{:?}", plan.diagnostics);
    assert_eq!(after(&plan, "b.txt"), Some("uno\ntwo\nthree\nfour\nFIVE\nsix\n"));
    assert_eq!(
        plan.changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>(),
        ["a.txt", "b.txt"]
    );
}

#[test]
fn files_that_were_not_shown_are_deferred_and_new_ones_created() {
    let receipt = receipt(&[("a.txt", SHOWN)]);
    let reply =
        section("a.txt", "five", "FIVE") + &section("other.txt", "x", "y") + &section("new.txt", "", "made");
    let plan = plan(&receipt, &reply, &[("a.txt", SHOWN), ("other.txt", "x\n")]);
    assert_eq!(
        plan.changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>(),
        ["a.txt", "new.txt"]
    );
    let codes: Vec<&str> = plan.diagnostics.iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["not-in-context"]);
}

const SECRET: &str = "host = \"db\"\npassword = \"hunter2-and-more\"\nport = 1\n";

#[test]
fn a_masked_value_returns_to_its_file() {
    let receipt = receipt(&[("db.toml", SECRET)]);
    let shown = receipt.files["db.toml"][0].clone();
    let line = shown.lines().nth(1).unwrap();
    assert!(!shown.contains("hunter2"));
    // The line is quoted, moved and kept.
    let reply = section("db.toml", &format!("{line}\nport = 1"), &format!("port = 2\n{line}"));
    let plan = plan(&receipt, &reply, &[("db.toml", &format!("# new\n\n{SECRET}"))]);
    assert_eq!(
        after(&plan, "db.toml"),
        Some("# new\n\nhost = \"db\"\nport = 2\npassword = \"hunter2-and-more\"\n"),
        "{:?}",
        plan.diagnostics
    );
}

#[test]
fn a_masked_value_is_never_written_elsewhere_nor_as_a_placeholder() {
    let receipt = receipt(&[("db.toml", SECRET), ("a.txt", SHOWN)]);
    let placeholder = receipt.files["db.toml"][0].split('"').nth(3).unwrap().to_owned();
    let today = [("db.toml", SECRET), ("a.txt", SHOWN)];
    for (path, reply) in [
        ("a.txt", section("a.txt", "five", &placeholder)),
        ("new.txt", section("new.txt", "", &placeholder)),
        ("db.toml", section("db.toml", "port = 1", "key = \"RELAY_MASKED_KEY_00000000\"")),
        ("db.toml", section("db.toml", "port = 1", &format!("key = \"{}\"", placeholder.to_lowercase()))),
    ] {
        let plan = plan(&receipt, &reply, &today);
        assert_eq!(
            (path, error_codes(&plan), plan.changes.len()),
            (path, vec!["masked-value"], 0),
            "{reply}"
        );
    }
}

#[test]
fn a_conversation_continues_where_the_last_reply_ended() {
    let mut receipt = receipt(&[("a.txt", SHOWN)]);
    let first = parse(&section("a.txt", "two\nthree", "zwei\ndrei"), None).edits;
    let resolved = receipt.plan(&first, &snapshot(&[("a.txt", SHOWN)]), &PlanOptions::default());
    receipt.advance(&resolved.written);
    let today = SHOWN.replace("two\nthree", "zwei\ndrei");
    // Written for the file as the model's own reply left it.
    let second = plan(&receipt, &section("a.txt", "drei", "tre"), &[("a.txt", &today)]);
    assert_eq!(after(&second, "a.txt"), Some(today.replace("drei", "tre").as_str()));
    // Written for the file as it was shown, because the first reply was undone.
    let anew = plan(&receipt, &section("a.txt", "three", "tre"), &[("a.txt", SHOWN)]);
    assert_eq!(after(&anew, "a.txt"), Some(SHOWN.replace("three", "tre").as_str()));
}

#[test]
fn an_edit_already_in_the_file_does_nothing() {
    let receipt = receipt(&[("a.txt", SHOWN)]);
    let plan =
        plan(&receipt, &section("a.txt", "five", "FIVE"), &[("a.txt", &SHOWN.replace("five", "FIVE"))]);
    assert_eq!((plan.changes.len(), plan.outcomes[0].status), (0, relay_edit::EditStatus::Unchanged));
}

#[test]
fn a_receipt_survives_storage() {
    let receipt = receipt(&[("a.txt", SHOWN), ("db.toml", SECRET), ("empty", "")]);
    assert_eq!(Receipt::read(receipt.id(), &KEY, receipt.texts()).as_ref(), Some(&receipt));
    let texts = receipt.texts();
    assert_eq!(
        Receipt::read("r", &KEY, texts[..texts.len() - 1].to_vec()),
        None,
        "a part of it is not a receipt"
    );
    assert_eq!(Receipt::read("r", &KEY, vec!["{}".to_owned()]), None);
    assert_eq!(Receipt::read("r", &KEY, Vec::new()), None);
}

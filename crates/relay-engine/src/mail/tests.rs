//! Whole sessions on a real disk: what edits mean, and a run that dies at every place it can.

use std::path::Path;

use relay_diagnostics::Cancel;
use relay_store::{Store, Tray};
use relay_workspace::{RelPath, Sensitive, Workspace};

use super::fault::LEFT;
use super::*;
use crate::approval::{Approver, Decision, Proposal, Unobserved};
use crate::project::config::ConfiguredCommand;

/// Approves everything there is to approve.
struct Yes;

impl Approver for Yes {
    fn can_approve(&self) -> bool {
        true
    }
    fn approved_by(&self) -> &str {
        "test"
    }
    fn approve(&mut self, _proposal: &Proposal<'_>) -> Decision {
        Decision::Yes
    }
    fn trust(&mut self, _commands: &[ConfiguredCommand<'_>], _changed: bool) -> Decision {
        Decision::No
    }
    fn allow_sensitive(&mut self, _paths: &[(RelPath, Sensitive)]) -> Decision {
        Decision::No
    }
}

/// A project with an open session.
struct World {
    folder: tempfile::TempDir,
    id: String,
    options: MailOptions,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        let options = MailOptions { allow_commands: true, ..MailOptions::default() };
        let mut world = Self { folder, id: String::new(), options };
        files.iter().for_each(|(path, text)| world.write(path, text));
        let engine = world.engine();
        world.id = Mail::open(&engine, None).unwrap().start("do it", BUDGET_TOKENS).unwrap().session_id;
        world
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    fn engine(&self) -> Engine {
        let store = Store::at(&self.folder.path().join("user"));
        Engine::open(Workspace::open(&self.root()).unwrap(), store, Cancel::new()).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap_or_else(|error| format!("{path}: {error}"))
    }

    fn step(&self, text: &str) -> Turn {
        let engine = self.engine();
        let mail = Mail::open(&engine, None).unwrap();
        let mut witnesses = Witnesses { approver: &mut Yes, observer: &mut Unobserved, told: &mut |_| {} };
        mail.step(&self.id, text, &self.options, &mut witnesses).unwrap()
    }

    /// The one result of a reply with one command.
    fn result(&self, text: &str) -> String {
        let turn = self.step(text);
        let [result] = turn.results.as_slice() else { panic!("{:#?}", turn.results) };
        outbox::written(result)
    }

    fn outbox(&self) -> String {
        let engine = self.engine();
        Mail::open(&engine, None).unwrap().outbox(&self.id).unwrap()
    }
}

fn edit(path: &str, first: usize, last: usize, body: &str) -> String {
    format!("[EDIT_FILE path=\"{path}\" start_line=\"{first}\" end_line=\"{last}\"]\n{body}\n[/EDIT_FILE]\n")
}

fn read(path: &str) -> String {
    format!("[READ_FILE path=\"{path}\"]\n")
}

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

#[test]
fn numbers_refer_to_what_the_model_saw_and_edits_are_merged() {
    let world = World::new(&[("a.txt", TEN)]);
    world.step(&read("a.txt"));
    assert!(world.outbox().contains("--- a.txt ---\n 1| 1\n 2| 2\n"));
    world.write("a.txt", &format!("new\nlines\n{TEN}"));
    let result = world.result(&edit("a.txt", 5, 5, "five"));
    assert!(
        result.starts_with("[OK] EDIT_FILE: Edited 'a.txt' (line 5); it had changed since you saw it"),
        "{result}"
    );
    assert_eq!(world.read("a.txt"), format!("new\nlines\n{}", TEN.replace("5\n", "five\n")));
    // The model still counts in its own version, its own edits included.
    let result = world.result(&edit("a.txt", 6, 7, "six\nand\nseven"));
    assert!(result.starts_with("[OK]"), "{result}");
    assert_eq!(world.read("a.txt"), "new\nlines\n1\n2\n3\n4\nfive\nsix\nand\nseven\n8\n9\n10\n");
    world.result(&edit("a.txt", 9, 9, "EIGHT"));
    assert_eq!(world.read("a.txt"), "new\nlines\n1\n2\n3\n4\nfive\nsix\nand\nseven\nEIGHT\n9\n10\n");
}

#[test]
fn the_next_message_shows_edited_lines_with_their_new_numbers() {
    let world = World::new(&[("a.txt", TEN), ("b.txt", TEN)]);
    world.step(&read("a.txt"));
    let bottom_up =
        format!("{}{}", edit("a.txt", 9, 9, "nine"), edit("a.txt", 2, 2, "two\nand a half\nand more"));
    world.step(&bottom_up);
    let outbox = world.outbox();
    let changed = outbox.split_once("## Changed Lines\n").expect("a section of changes").1;
    assert!(
        changed.starts_with(
            "--- a.txt ---\n 1| 1\n 2| two\n 3| and a half\n 4| and more\n 5| 3\n 6| 4\n 7| 5\n 8| 6\n 9| 7\n\
             10| 8\n11| nine\n12| 10\n--- end a.txt ---\n(lines 1 to 12 of 12, after your edits)\n"
        ),
        "{changed}"
    );
    // The numbers that were shown are the ones the next edit means.
    assert!(world.result(&edit("a.txt", 11, 11, "NINE")).starts_with("[OK]"));
    assert!(world.read("a.txt").contains("8\nNINE\n10\n"), "{}", world.read("a.txt"));
    world.step("[MESSAGE]\nNothing to do.\n[/MESSAGE]\n");
    assert!(!world.outbox().contains("## Changed Lines"), "nothing was edited");
}

#[test]
fn a_file_that_differs_from_what_the_edit_made_is_named() {
    let world = World::new(&[("a.txt", TEN)]);
    world.step(&read("a.txt"));
    world.write("a.txt", &format!("new\n{TEN}"));
    world.step(&edit("a.txt", 5, 5, "five"));
    let outbox = world.outbox();
    assert!(outbox.contains("5| five\n") && outbox.contains("the file on disk differs by now"), "{outbox}");
}

#[test]
fn a_part_of_a_file_that_has_changed_is_not_shown_without_the_rest() {
    let world = World::new(&[("a.txt", TEN)]);
    world.step(&read("a.txt"));
    world.write("a.txt", &format!("new\n{TEN}"));
    world.step("[READ_FILE path=\"a.txt\" start_line=\"5\" end_line=\"6\"]\n");
    assert!(world.outbox().contains("--- a.txt ---\n 1| new\n 2| 1\n"), "{}", world.outbox());
}

#[test]
fn numbers_copied_into_a_body_are_removed() {
    let world = World::new(&[("a.txt", TEN)]);
    world.step(&read("a.txt"));
    let result = world.result(&edit("a.txt", 5, 6, " 5| five\n 6| six"));
    assert!(result.contains("the line numbers you copied into the body were taken off"), "{result}");
    assert!(world.read("a.txt").contains("4\nfive\nsix\n7\n"), "{}", world.read("a.txt"));
}

#[test]
fn edits_of_the_same_lines_are_refused_and_the_file_is_shown() {
    let world = World::new(&[("a.txt", TEN)]);
    world.step(&read("a.txt"));
    let theirs = TEN.replace("5\n", "mine\n");
    world.write("a.txt", &theirs);
    let result = world.result(&edit("a.txt", 5, 5, "five"));
    assert!(result.starts_with("[FAILED] EDIT_FILE: 'a.txt' was not changed"), "{result}");
    assert_eq!(world.read("a.txt"), theirs);
    assert!(
        world.outbox().contains("--- a.txt ---\n 1| 1\n 2| 2\n 3| 3\n 4| 4\n 5| mine\n"),
        "the file is shown"
    );
    // The same words again are another reply, for they answer another message.
    assert!(world.result(&format!("Sequence: 3\n{}", edit("a.txt", 5, 5, "five"))).starts_with("[OK]"));
}

#[test]
fn numbers_count_after_the_commands_above_in_the_same_message() {
    let world = World::new(&[("a.txt", TEN)]);
    let reply =
        [edit("a.txt", 2, 3, "two"), edit("a.txt", 3, 3, "four"), edit("a.txt", 1, 1, "0\n1")].concat();
    let turn = world.step(&reply);
    assert!(turn.results.iter().all(|result| result.success), "{:#?}", turn.results);
    assert_eq!(world.read("a.txt"), "0\n1\ntwo\nfour\n5\n6\n7\n8\n9\n10\n");
    let reply = format!("[CREATE_FILE path=\"b.txt\"]\nx\ny\n[/CREATE_FILE]\n{}", edit("b.txt", 2, 2, "z"));
    world.step(&reply);
    assert_eq!(world.read("b.txt"), "x\nz\n");
}

#[test]
fn a_file_that_was_never_shown_is_edited_as_it_is_with_a_note() {
    let mut world = World::new(&[("a.txt", TEN), ("b.txt", TEN)]);
    let result = world.result(&edit("a.txt", 5, 5, "five"));
    assert!(result.contains("[OK]") && result.contains("you had not been shown this file"), "{result}");
    world.options.require_read = true;
    let result = world.result(&edit("b.txt", 5, 5, "five"));
    assert!(result.starts_with("[FAILED]") && result.contains("never shown to you"), "{result}");
    let result = world.result("[CREATE_FILE path=\"b.txt\"]\nx\n[/CREATE_FILE]\n");
    assert!(result.starts_with("[OK]"), "the refusal showed the file: {result}");
    let result = world.result(&edit("a.txt", 5, 5, "FIVE"));
    assert!(result.starts_with("[OK]"), "what the model wrote it knows: {result}");
}

#[test]
fn after_a_command_numbers_hold_only_where_nothing_changed_above() {
    let world = World::new(&[("a.txt", TEN), ("b.txt", TEN)]);
    world.step(&format!("{}{}", read("a.txt"), read("b.txt")));
    let reply = format!(
        "[RUN_COMMAND]\nsed -i 4d a.txt\n[/RUN_COMMAND]\n{}{}{}",
        edit("a.txt", 8, 8, "x"),
        edit("a.txt", 2, 2, "two"),
        edit("b.txt", 8, 8, "eight")
    );
    let turn = world.step(&reply);
    let succeeded: Vec<bool> = turn.results.iter().map(|result| result.success).collect();
    assert_eq!(succeeded, [true, false, true, true], "{:#?}", turn.results);
    assert!(turn.results[1].summary.contains("uncertain which lines"), "{}", turn.results[1].summary);
    assert_eq!(world.read("a.txt"), "1\ntwo\n3\n5\n6\n7\n8\n9\n10\n");
    // The refused file was shown, so its numbers are certain again.
    assert!(world.result(&edit("a.txt", 8, 8, "x")).starts_with("[OK]"));
    assert_eq!(world.read("a.txt"), "1\ntwo\n3\n5\n6\n7\n8\nx\n10\n");
}

#[test]
fn a_command_after_a_change_makes_numbers_uncertain() {
    let world = World::new(&[("a.txt", TEN)]);
    world.step(&read("a.txt"));
    world.write("a.txt", &format!("new\n{TEN}"));
    world.step("[RUN_COMMAND]\ncat a.txt\n[/RUN_COMMAND]\n");
    // Line 6 of what the command printed is line 5 of what was read: which one is meant is ambiguous.
    let result = world.result(&edit("a.txt", 6, 6, "x"));
    assert!(result.contains("uncertain"), "{result}");
    assert_eq!(world.read("a.txt"), format!("new\n{TEN}"));
}

#[test]
fn a_whole_file_keeps_what_others_changed_since_it_was_shown() {
    let world = World::new(&[("a.txt", TEN)]);
    world.step(&read("a.txt"));
    world.write("a.txt", &TEN.replace("9\n", "nine\n"));
    let reply = format!("[CREATE_FILE path=\"a.txt\"]\n{}[/CREATE_FILE]\n", TEN.replace("2\n", "two\n"));
    let result = world.result(&reply);
    assert!(
        result.starts_with("[OK] CREATE_FILE: Overwrote 'a.txt'; it had changed since you saw it"),
        "{result}"
    );
    assert_eq!(world.read("a.txt"), TEN.replace("2\n", "two\n").replace("9\n", "nine\n"));
}

#[test]
fn secrets_are_masked_and_come_back_or_are_refused() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let body: String =
        (0..12).map(|n| format!("MIIEpAIBAAKCAQEA{n:02}x9Vq3kL0pZtR7w8Yb2Nd5Mf6Hg1Js4Ka\n")).collect();
    let pem = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n");
    let world =
        World::new(&[("c.py", &format!("T = '{token}'\nx = 1\n")), ("k.txt", &format!("{pem}after\nend\n"))]);
    world.step(&format!("{}{}", read("c.py"), read("k.txt")));
    let outbox = world.outbox();
    assert!(!outbox.contains(&token) && !outbox.contains("MIIEpAIBAAKCAQEA"), "{outbox}");
    let shown = outbox.split("--- c.py ---\n1| T = '").nth(1).unwrap();
    let placeholder = shown.split('\'').next().unwrap();
    // Quoted in its own file it becomes the secret again.
    let result = world.result(&edit("c.py", 1, 2, &format!("T = '{placeholder}'\nx = 2")));
    assert!(result.starts_with("[OK]"), "{result}");
    assert_eq!(world.read("c.py"), format!("T = '{token}'\nx = 2\n"));
    let next = world.outbox();
    assert!(next.contains(&format!("1| T = '{placeholder}'\n2| x = 2\n")), "{next}");
    assert!(!next.contains(&token), "{next}");
    // In another file it is refused.
    let result = world.result(&format!("[CREATE_FILE path=\"d.py\"]\nT = '{placeholder}'\n[/CREATE_FILE]\n"));
    assert!(result.starts_with("[FAILED]") && result.contains(placeholder), "{result}");
    assert!(!world.root().join("d.py").exists());
    // Neither what a command prints nor the session's own file gives it away.
    world.step(&format!("[RUN_COMMAND]\necho {token}\n[/RUN_COMMAND]\n"));
    let engine = world.engine();
    let mail = Mail::open(&engine, None).unwrap();
    let public =
        std::fs::read_to_string(mail.mailbox().place(Tray::Sessions).join(format!("{}.json", world.id)));
    assert!(!public.unwrap().contains(&token) && !world.outbox().contains(&token));
    assert!(world.outbox().contains(&format!("Output: {placeholder}\n")), "{}", world.outbox());
    // A key of many lines is one placeholder; the lines after it keep their shown numbers.
    let shown = outbox.split("--- k.txt ---\n").nth(1).unwrap();
    let number = shown.lines().find_map(|line| line.strip_suffix("| after")).unwrap();
    let at = number.trim().parse().unwrap();
    let result = world.result(&edit("k.txt", at, at, "changed"));
    assert!(result.starts_with("[OK]"), "{result}");
    assert_eq!(world.read("k.txt"), format!("{pem}changed\nend\n"));
}

#[test]
fn a_message_stays_within_its_budget() {
    let folder: Vec<(String, String)> =
        (0..400).map(|n| (format!("src/deep/module_{n:03}/file.rs"), "x\n".repeat(40))).collect();
    let mut files: Vec<(&str, &str)> =
        folder.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let large = "a line of the large file\n".repeat(4000);
    files.push(("large.txt", &large));
    let world = World::new(&files);
    let engine = world.engine();
    let mail = Mail::open(&engine, None).unwrap();
    mail.resume(&world.id, None, Some(2000)).unwrap();
    drop(engine);
    world.step(&format!("{}[RUN_COMMAND]\nseq 1 3000\n[/RUN_COMMAND]\n", read("large.txt")));
    let outbox = world.outbox();
    let context = outbox.split("=== CONTEXT ===").nth(1).unwrap();
    assert!(context.len() < 2000 * 4 + 1000, "{}", context.len());
    assert!(
        context.contains("are counted, not listed") && context.contains("characters left out"),
        "{context}"
    );
    assert!(context.contains("lines of 'large.txt' are shown"), "{context}");
}

#[test]
fn the_rest_of_a_long_file_can_be_read_and_edited() {
    let long: String = (1..=5000).map(|n| format!("line {n} of a long file\n")).collect();
    let world = World::new(&[("long.txt", &long)]);
    let engine = world.engine();
    Mail::open(&engine, None).unwrap().resume(&world.id, None, Some(1000)).unwrap();
    drop(engine);
    world.step(&read("long.txt"));
    assert!(world.outbox().contains("lines from line 1 of the 5000 lines of 'long.txt' are shown"));
    let result = world.result("[READ_FILE path=\"long.txt\" start_line=\"4990\" end_line=\"6000\"]\n");
    assert_eq!(result, "[OK] READ_FILE: Read 'long.txt' (lines 4990-5000 of 5000)");
    let outbox = world.outbox();
    assert!(outbox.contains("--- long.txt ---\n4990| line 4990 of"), "{outbox}");
    assert!(outbox.contains("--- end long.txt ---\n(lines 4990 to 5000 of the 5000 lines of 'long.txt')"));
    assert!(world.result(&edit("long.txt", 4995, 4995, "changed")).starts_with("[OK]"));
    assert_eq!(world.read("long.txt"), long.replace("line 4995 of a long file", "changed"));
    let result = world.result("[READ_FILE path=\"long.txt\" start_line=\"9000\" end_line=\"9001\"]\n");
    assert!(result.contains("Invalid line range 9000-9001: 'long.txt' has 5000 lines"), "{result}");
}

/// The reply that is interrupted everywhere. What each command does shows if it is done twice or not at all.
const REPLY: &str = "Session: @ID@\nSequence: 1\n\
    [CREATE_FILE path=\"new.txt\"]\none\n[/CREATE_FILE]\n\
    [EDIT_FILE path=\"a.txt\" start_line=\"1\" end_line=\"1\"]\n1\n1\n[/EDIT_FILE]\n\
    [RUN_COMMAND]\necho ran >> count.txt\n[/RUN_COMMAND]\n\
    [EDIT_FILE path=\"a.txt\" start_line=\"1\" end_line=\"2\"]\n1\n1\n1\n[/EDIT_FILE]\n\
    [DELETE_FILE path=\"old.txt\"]\n[READ_FILE path=\"a.txt\"]\n[MESSAGE]\nhi\n[/MESSAGE]\n";

fn take_letters(world: &World) -> Result<(), MailError> {
    let engine = world.engine();
    let mail = Mail::open(&engine, None).unwrap();
    let mut witnesses = Witnesses { approver: &mut Yes, observer: &mut Unobserved, told: &mut |_| {} };
    mail.catch_up(&world.id, &world.options, &mut witnesses)?;
    for letter in mail.letters()? {
        let taken = mail.take_letter(&world.id, &letter.name, &world.options, &mut witnesses)?;
        assert!(matches!(taken, Arrived::Taken(_)), "{taken:?}");
    }
    Ok(())
}

#[test]
fn a_run_that_dies_anywhere_is_finished_without_repeating_or_losing_a_command() {
    let mut place = 0;
    loop {
        let world = World::new(&[("a.txt", TEN), ("old.txt", "old\n"), ("count.txt", "")]);
        let inbox = Mailbox::of_project(&world.root()).place(Tray::Inbox);
        std::fs::write(inbox.join("answer.txt"), REPLY.replace("@ID@", &world.id)).unwrap();
        LEFT.with(|left| left.set(Some(place)));
        let died = take_letters(&world).is_err();
        LEFT.with(|left| left.set(None));
        if place % 2 == 0 {
            // The file may be gone by the time the run goes on, once the reply was begun.
            let begun =
                Mail::open(&world.engine(), None).unwrap().find(Some(&world.id)).unwrap().is_interrupted;
            if begun {
                std::fs::remove_file(inbox.join("answer.txt")).unwrap();
            }
        }
        take_letters(&world).unwrap();
        take_letters(&world).unwrap();
        check_finished(&world, place, &inbox);
        if !died {
            assert!(place > 20, "only {place} places");
            return;
        }
        place += 1;
    }
}

#[track_caller]
fn check_finished(world: &World, place: usize, inbox: &Path) {
    let engine = world.engine();
    let mail = Mail::open(&engine, None).unwrap();
    let session = mail.find(None).unwrap().session;
    let name = format!("dead at {place}: {:#?}", session.last_results);
    assert_eq!(world.read("new.txt"), "one\n", "{name}");
    assert_eq!(world.read("a.txt"), format!("1\n1\n{TEN}"), "{name}");
    assert!(!world.root().join("old.txt").exists(), "{name}");
    let ran = world.read("count.txt").lines().count();
    let run = &session.last_results[2];
    assert_eq!((ran, run.success), if ran == 1 { (1, true) } else { (0, false) }, "{name}");
    assert!(ran == 1 || run.summary.contains("was not run again"), "{name}");
    assert_eq!(session.last_results.len(), 7, "{name}");
    assert!(session.last_results.iter().enumerate().all(|(at, found)| found.success || at == 2), "{name}");
    assert_eq!((session.sequence_number, session.replies.len()), (2, 1), "{name}");
    assert_eq!(engine.history().unwrap().entries.len(), 4 + ran, "{name}");
    let sent =
        std::fs::read_to_string(mail.mailbox().place(Tray::Outbox).join(session.outbox_name())).unwrap();
    assert_eq!(sent, mail.outbox(&world.id).unwrap(), "{name}");
    assert!(sent.contains("--- a.txt ---\n 1| 1\n 2| 1\n 3| 1\n 4| 2\n"), "{name}");
    let public = mail.public(&world.id).unwrap().unwrap();
    assert_eq!(public, session, "{name}");
    assert!(!inbox.join("answer.txt").exists(), "{name}");
}

#[test]
fn a_reply_beyond_the_limits_is_refused_with_a_reason() {
    let world = World::new(&[]);
    let turn = world.step(&"[MESSAGE]\nx\n[/MESSAGE]\n".repeat(501));
    assert_eq!(turn.results.len(), 501);
    assert!(
        turn.results[500].summary.starts_with("Too many commands: 501 were sent"),
        "{:?}",
        turn.results[500]
    );
    let engine = world.engine();
    let mail = Mail::open(&engine, None).unwrap();
    let mut witnesses = Witnesses { approver: &mut Yes, observer: &mut Unobserved, told: &mut |_| {} };
    let flood = "x".repeat(REPLY_LIMIT_BYTES + 1);
    let refused = mail.step(&world.id, &flood, &world.options, &mut witnesses).unwrap_err();
    assert!(matches!(refused, MailError::BadReply { .. }), "{refused}");
}

#[test]
fn the_same_reply_again_changes_nothing() {
    let world = World::new(&[("a.txt", TEN)]);
    let reply = edit("a.txt", 1, 1, "1\n1");
    world.step(&reply);
    let again = world.step(&format!("\n{}", reply.replace('\n', "\r\n")));
    assert!(again.is_repeated && again.sequence == 1 && again.session.sequence_number == 2);
    assert_eq!(world.read("a.txt"), format!("1\n{TEN}"));
}

/// One command of a random reply, on one of three files.
fn any_command() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let file = prop_oneof![Just("a.txt"), Just("b/c.txt"), Just("new.txt")];
    (file, 0..5_u8, 1..4_usize, "[xyz]{0,2}(\n[xyz]){0,2}").prop_map(|(path, kind, line, body)| match kind {
        0 => format!("[CREATE_FILE path=\"{path}\"]\n{body}\n[/CREATE_FILE]\n"),
        1 | 2 => edit(path, line, line, &body),
        3 => format!("[DELETE_FILE path=\"{path}\"]\n"),
        _ => read(path),
    })
}

/// The state after a reply: the files, and what the model was sent.
fn left(world: &World) -> (Vec<String>, Vec<String>, usize) {
    let engine = world.engine();
    let session = Mail::open(&engine, None).unwrap().find(None).unwrap().session;
    let files = ["a.txt", "b/c.txt", "new.txt"].map(|path| {
        std::fs::read_to_string(world.root().join(path)).unwrap_or_else(|_| "no file".to_owned())
    });
    let told = session.last_results.iter().map(outbox::written).collect();
    (files.to_vec(), told, engine.history().unwrap().entries.len())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 12, ..Default::default() })]

    #[test]
    fn any_reply_comes_to_the_same_however_often_it_is_interrupted(
        commands in proptest::collection::vec(any_command(), 1..5),
        dies_at in proptest::collection::vec(0..12_usize, 1..4),
    ) {
        let files = [("a.txt", TEN), ("b/c.txt", "one\ntwo\n")];
        let (calm, troubled) = (World::new(&files), World::new(&files));
        let reply = commands.concat();
        calm.step(&reply);
        std::fs::write(
            Mailbox::of_project(&troubled.root()).place(Tray::Inbox).join("reply.txt"),
            &reply,
        ).unwrap();
        for place in dies_at {
            LEFT.with(|left| left.set(Some(place)));
            // Whether it got through this time does not matter.
            drop(take_letters(&troubled));
        }
        LEFT.with(|left| left.set(None));
        take_letters(&troubled).unwrap();
        proptest::prop_assert_eq!(left(&troubled), left(&calm), "{}", reply);
    }
}

//! The model alone: messages in, effects out, no terminal.

use std::time::{Duration, Instant};

use relay_engine::{Arrival, Config, Outcome, Status, reply_digest};
use uuid::Uuid;

use super::message::{Answer, Done, Effect, Message, Notice, Question, Repair, Step, Task};
use super::model::{Model, Wishes};
use super::view;
use crate::terminal::columns;

fn reply(number: u32) -> String {
    format!(
        "```text // {{a.txt}}\n{number}\n```\n\n```yaml\nprojectId: shop\nuuid: 00000000-0000-4000-8000-{number:012}\n```\n"
    )
}

fn model(wishes: Wishes) -> Model {
    let config = Config { project_id: Some("shop".to_owned()), ..Config::default() };
    let mut model = Model::new(config, wishes);
    model.update(Message::Opened { place: "the clipboard".to_owned() });
    model
}

fn watching() -> Model {
    model(Wishes::default())
}

fn copy(model: &mut Model, text: &str) -> Vec<Effect> {
    model.update(Message::Arrived(Arrival::Text(text.to_owned())))
}

fn press(model: &mut Model, key: char) -> Vec<Effect> {
    model.update(Message::Key(key, Instant::now()))
}

fn step(model: &mut Model, step: Step) -> Vec<Effect> {
    model.update(Message::Work(step))
}

fn finish(model: &mut Model, text: &str, status: Status) -> Vec<Effect> {
    let mut outcome = Outcome::rejected(Vec::new());
    outcome.status = status;
    outcome.uuid = Some(Uuid::from_u128(7));
    step(model, Step::Done(Done::Landed { text: text.to_owned(), outcome: Box::new(outcome), repair: None }))
}

fn question() -> Question {
    Question {
        diff: "the diff".to_owned(),
        text: String::new(),
        ask: "keep this change?".to_owned(),
        can_show: true,
    }
}

/// The tasks among the effects.
fn tasks(effects: &[Effect]) -> Vec<Task> {
    let task = |effect: &Effect| match effect {
        Effect::Work(task) => Some(task.clone()),
        _ => None,
    };
    effects.iter().filter_map(task).collect()
}

fn answers(effects: &[Effect]) -> Vec<Answer> {
    let answer = |effect: &Effect| match effect {
        Effect::Answer(answer) => Some(*answer),
        _ => None,
    };
    effects.iter().filter_map(answer).collect()
}

fn said(effects: &[Effect]) -> String {
    let said = |effect: &Effect| match effect {
        Effect::Say(text) => Some(text.clone()),
        _ => None,
    };
    effects.iter().filter_map(said).collect()
}

fn quits(effects: &[Effect]) -> Option<u8> {
    effects.iter().find_map(|effect| match effect {
        Effect::Quit(code) => Some(*code),
        _ => None,
    })
}

fn status(model: &Model, width: usize) -> String {
    anstream::adapter::strip_str(&view::status(model, Instant::now(), width)).to_string()
}

#[test]
fn a_reply_is_landed_and_nothing_is_said_about_other_texts() {
    let mut model = watching();
    for junk in ["", "hunter2", "kind: Pod\nmetadata:\n  uuid: 1", "fn main() {}"] {
        assert!(copy(&mut model, junk).is_empty(), "{junk}");
    }
    assert_eq!(tasks(&copy(&mut model, &reply(1))), [Task::Land(reply(1))]);
}

#[test]
fn a_reply_for_another_project_gets_one_calm_line() {
    let mut model = watching();
    let other = reply(1).replace("shop", "bank");
    let effects = copy(&mut model, &other);
    assert!(said(&effects).contains("`bank`") && tasks(&effects).is_empty());
    assert!(copy(&mut model, &other).is_empty(), "said once");
}

#[test]
fn a_large_text_that_does_not_name_the_project_is_not_even_read() {
    let large = reply(1).replace("```\n\n", &format!("{}\n```\n\n", "x\n".repeat(600_000)));
    assert!(large.len() > 1 << 20);
    assert!(said(&copy(&mut watching(), &large.replace("shop", "bank"))).is_empty());
    assert_eq!(tasks(&copy(&mut watching(), &large)).len(), 1);
}

#[test]
fn bare_edits_are_accepted_only_on_request() {
    let bare = "```text // {a.txt}\nbare\n```\n";
    let mut usual = watching();
    let effects = copy(&mut usual, bare);
    assert!(tasks(&effects).is_empty());
    for part in ["`a.txt`", "`relay watch --any`", "`relay apply --clipboard`"] {
        assert!(said(&effects).contains(part), "{part} in {}", said(&effects));
    }
    assert!(copy(&mut usual, bare).is_empty(), "said once");
    let mut any = model(Wishes { any: true, ..Wishes::default() });
    assert_eq!(tasks(&copy(&mut any, bare)), [Task::Land(bare.to_owned())]);
}

#[test]
fn each_text_is_handled_once() {
    let mut model = watching();
    copy(&mut model, &reply(1));
    finish(&mut model, &reply(1), Status::Committed);
    assert!(copy(&mut model, &reply(1)).is_empty(), "a clipboard manager's echo");
    copy(&mut model, "something else");
    let effects = copy(&mut model, &reply(1).replace('\n', "\r\n"));
    assert!(tasks(&effects).is_empty() && said(&effects).contains("seen before"));
}

#[test]
fn earlier_content_is_ignored_unless_requested() {
    let present = |model: &mut Model| model.update(Message::Arrived(Arrival::Present(reply(1))));
    let mut usual = watching();
    assert!(present(&mut usual).is_empty());
    assert!(tasks(&copy(&mut usual, &reply(1))).is_empty(), "a clipboard manager may offer it again");
    assert_eq!(
        tasks(&present(&mut model(Wishes { now: true, ..Wishes::default() }))),
        [Task::Land(reply(1))]
    );
}

#[test]
fn replies_that_come_quickly_wait_their_turn() {
    let mut model = watching();
    assert_eq!(tasks(&copy(&mut model, &reply(1))).len(), 1);
    assert!(tasks(&copy(&mut model, &reply(2))).is_empty());
    assert!(tasks(&copy(&mut model, &reply(3))).is_empty());
    assert!(status(&model, 80).contains("2 more wait"), "{}", status(&model, 80));
    assert_eq!(tasks(&finish(&mut model, &reply(1), Status::Committed)), [Task::Land(reply(2))]);
    assert_eq!(tasks(&finish(&mut model, &reply(2), Status::Rejected)), [Task::Land(reply(3))]);
    assert!(tasks(&finish(&mut model, &reply(3), Status::Committed)).is_empty());
    assert!(status(&model, 80).contains("2 landed  1 refused"), "{}", status(&model, 80));
}

#[test]
fn replies_copied_while_too_many_wait_are_named() {
    let mut model = watching();
    for number in 0..=100 {
        assert_eq!(said(&copy(&mut model, &reply(number))), "", "{number}");
    }
    let note = said(&copy(&mut model, &reply(101)));
    assert!(
        note.contains("the reply 00000000-0000-4000-8000-000000000101 (`a.txt`) was not taken"),
        "{note}"
    );
    for number in 0..=100 {
        finish(&mut model, &reply(number), Status::Committed);
    }
    assert_eq!(quits(&press(&mut model, 'q')), Some(1), "one reply has not landed");
}

fn sent() -> Model {
    model(Wishes { addressed: true, ..Wishes::default() })
}

/// What the reports among the effects say.
fn reported(effects: &[Effect]) -> Vec<String> {
    let reported = |effect: &Effect| match effect {
        Effect::Report(outcome) => {
            Some(outcome.diagnostics.iter().map(|found| found.message.clone()).collect())
        }
        _ => None,
    };
    effects.iter().filter_map(reported).collect()
}

#[test]
fn there_is_room_until_a_hundred_replies_wait() {
    let mut model = sent();
    for number in 0..=100 {
        assert!(model.has_room(), "{number}");
        copy(&mut model, &reply(number));
    }
    assert!(!model.has_room(), "one is being handled and a hundred are waiting");
    finish(&mut model, &reply(0), Status::Committed);
    assert!(model.has_room());
}

#[test]
fn everything_sent_is_reported_and_counts() {
    for (text, why) in [
        ("hunter2", "a text without a change"),
        ("```text // {a.txt}\nbare\n```\n", "without a control block"),
        (reply(1).replace("shop", "bank").as_str(), "for the project `bank`"),
        ("```yaml\nprojectId: shop\nuuid: 1\n```\n", "changes nothing"),
    ] {
        let mut model = sent();
        let reports = reported(&copy(&mut model, text));
        assert!(matches!(reports.as_slice(), [report] if report.contains(why)), "{text}: {reports:?}");
        assert_eq!(quits(&press(&mut model, 'q')), Some(1), "{text}");
        assert_eq!(quits(&model.update(Message::Arrived(Arrival::End))), Some(1), "{text}");
    }
    let mut model = sent();
    let passed = Arrival::PassedOver("a text that is too large was left alone".to_owned());
    assert_eq!(reported(&model.update(Message::Arrived(passed))).len(), 1);
    assert_eq!(quits(&model.update(Message::Arrived(Arrival::End))), Some(1));
}

#[test]
fn a_pause_stops_reading_what_was_sent_and_loses_nothing() {
    let mut model = sent();
    press(&mut model, 'p');
    assert!(!model.has_room());
    assert_eq!(tasks(&copy(&mut model, &reply(1))), [Task::Land(reply(1))], "it was read before the pause");
}

#[test]
fn a_pause_leaves_alone_what_is_copied() {
    let mut model = watching();
    press(&mut model, 'p');
    assert!(status(&model, 80).contains("paused"));
    let effects = copy(&mut model, &reply(1));
    assert!(tasks(&effects).is_empty() && said(&effects).contains("paused"));
    assert!(copy(&mut model, "hunter2").is_empty());
    press(&mut model, 'p');
    assert_eq!(tasks(&copy(&mut model, &reply(1))), [Task::Land(reply(1))], "copied again, it is taken");
}

#[test]
fn a_question_notifies_the_person_and_takes_only_its_own_keys() {
    let mut model = watching();
    copy(&mut model, &reply(1));
    let effects = step(&mut model, Step::Asks(question()));
    assert!(matches!(effects.as_slice(), [Effect::Notify(Notice::NeedsYou), Effect::Ask(_)]));
    for other in ['u', 'l', 'p', 'a', 'r', '\n', ' ', '\u{1b}'] {
        assert!(press(&mut model, other).is_empty(), "{other:?}");
    }
    assert_eq!(answers(&press(&mut model, 's')), [Answer::Show]);
    assert_eq!(answers(&press(&mut model, 'Y')), [Answer::Yes]);
    assert!(answers(&press(&mut model, 'y')).is_empty(), "one question, one answer");
}

#[test]
fn leaving_a_question_rolls_back_and_ends() {
    for leave in [Message::Key('q', Instant::now()), Message::Stop] {
        let mut model = watching();
        copy(&mut model, &reply(1));
        step(&mut model, Step::Asks(question()));
        let effects = model.update(leave);
        assert!(matches!(effects.as_slice(), [Effect::Cancel, Effect::Answer(Answer::Leave)]));
        assert_eq!(quits(&finish(&mut model, &reply(1), Status::Interrupted)), Some(130));
    }
}

#[test]
fn a_signal_while_checks_run_cancels_and_a_question_that_comes_then_is_not_asked() {
    let mut model = watching();
    copy(&mut model, &reply(1));
    assert!(matches!(model.update(Message::Stop).as_slice(), [Effect::Cancel]));
    assert_eq!(answers(&step(&mut model, Step::Asks(question()))), [Answer::Leave]);
    assert_eq!(quits(&finish(&mut model, &reply(1), Status::Interrupted)), Some(130));
}

#[test]
fn quitting_while_idle_is_a_success() {
    assert_eq!(quits(&press(&mut watching(), 'q')), Some(0));
    assert_eq!(quits(&watching().update(Message::Stop)), Some(130));
}

#[test]
fn undo_affects_only_what_landed_here() {
    let mut model = watching();
    assert!(said(&press(&mut model, 'u')).contains("nothing landed here"));
    copy(&mut model, &reply(1));
    finish(&mut model, &reply(1), Status::Committed);
    assert!(status(&model, 80).contains("1 landed"), "{}", status(&model, 80));
    let uuid = Uuid::from_u128(7);
    assert_eq!(tasks(&press(&mut model, 'u')), [Task::Undo(uuid)]);
    let mut outcome = Outcome::rejected(Vec::new());
    outcome.status = Status::Committed;
    step(&mut model, Step::Done(Done::Undone { uuid, outcome: Box::new(outcome) }));
    assert!(!status(&model, 80).contains("landed"), "{}", status(&model, 80));
    assert!(said(&press(&mut model, 'u')).contains("nothing landed here"));
}

#[test]
fn a_refused_reply_can_be_tried_again_and_repaired() {
    let mut model = watching();
    assert!(said(&press(&mut model, 'r')).contains("no reply was refused"));
    copy(&mut model, &reply(1));
    finish(&mut model, &reply(1), Status::Rejected);
    assert_eq!(tasks(&press(&mut model, 'r')), [Task::Repair(reply(1))]);
    step(&mut model, Step::Done(Done::Repair(Repair::Copied)));
    assert_eq!(tasks(&press(&mut model, 'a')), [Task::Land(reply(1))]);
}

#[test]
fn its_own_text_is_ignored() {
    let mut model = watching();
    let own = reply(5);
    step(&mut model, Step::Copies { digest: reply_digest(&own) });
    assert!(tasks(&copy(&mut model, &own)).is_empty());
}

#[test]
fn an_input_that_ends_ends_the_watcher_with_the_worst_result() {
    let mut model = watching();
    copy(&mut model, &reply(1));
    assert_eq!(quits(&model.update(Message::Arrived(Arrival::End))), None, "one is still under way");
    assert_eq!(quits(&finish(&mut model, &reply(1), Status::Rejected)), Some(1));
    assert_eq!(quits(&watching().update(Message::Arrived(Arrival::End))), Some(0));
}

#[test]
fn a_changed_config_applies_from_then_on() {
    let mut model = watching();
    let config = Config { project_id: Some("bank".to_owned()), ..Config::default() };
    assert!(said(&model.update(Message::Configured(Ok(Box::new(config))))).contains("config"));
    assert!(tasks(&copy(&mut model, &reply(1))).is_empty());
    assert_eq!(tasks(&copy(&mut model, &reply(1).replace("shop", "bank"))).len(), 1);
}

#[test]
fn the_status_fits_any_width() {
    let mut model = watching();
    (model.landed, model.refusals) = (vec![Uuid::nil(); 12], 3);
    copy(&mut model, &reply(1));
    step(&mut model, Step::Runs { command: "postCommand 漢字 npm run a-rather-long-command".to_owned() });
    step(&mut model, Step::Printed("a line\u{1b}[2J of output that is long enough to be cut".to_owned()));
    for width in [0, 1, 10, 40, 41, 80, 200] {
        let later = Instant::now() + Duration::from_secs(3);
        let line = view::status(&model, later, width);
        let shown = anstream::adapter::strip_str(&line).to_string();
        assert!(columns(&shown) < width.max(1), "{width}: {shown}");
        assert!(!shown.contains('\u{1b}') && !line.contains("\u{1b}[2J"));
    }
    step(&mut model, Step::Asks(question()));
    assert_eq!(status(&model, 40), "? keep this change? [y] [n] [s] [q]", "all keys at 40 columns");
    let ask = "trust exactly these commands on this machine?".to_owned();
    step(&mut model, Step::Asks(Question { diff: String::new(), text: String::new(), ask, can_show: false }));
    assert_eq!(status(&model, 40), "? trust exactly these comma [y] [n] [q]", "keys before words");
}

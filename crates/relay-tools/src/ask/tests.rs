//! `ask` against a person with prepared answers.

use super::*;
use crate::testing::{Lab, Scripted};

fn one(more: Value) -> Value {
    let mut question = json!({ "id": "db", "question": "Which database?", "options": [{ "label": "SQLite" }, { "label": "Postgres" }] });
    question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "questions": [question] })
}

fn chosen(ids: &[&str], words: Option<&str>) -> UiAnswer {
    UiAnswer::Chosen { ids: ids.iter().map(|id| (*id).to_owned()).collect(), words: words.map(str::to_owned) }
}

#[track_caller]
fn check(answers: Vec<UiAnswer>, arguments: Value, expected: &str) -> (Output, Vec<Question>) {
    let person = Scripted::new(answers);
    let lab = Lab::with(&[("ask.timeout", json!(30))], person.clone());
    let output = lab.call(&Ask::new(), arguments).unwrap();
    assert_eq!(output.plain_text(), expected);
    let questions = person.questions.lock().unwrap().clone();
    (output, questions)
}

#[test]
fn one_question() {
    let (output, questions) = check(vec![chosen(&["1"], None)], one(json!({})), "User selected: Postgres");
    assert_eq!(
        output.details.unwrap(),
        json!({ "question": "Which database?", "options": ["SQLite", "Postgres"], "multi": false,
            "selectedOptions": ["Postgres"] })
    );
    assert_eq!(questions[0].timeout_ms, Some(30_000));
    let Form::Select { several, other, .. } = &questions[0].form else { panic!("a choice") };
    assert!(!several && *other, "one's own words are always possible");
    check(vec![chosen(&[], Some("MySQL"))], one(json!({})), "User provided custom input: MySQL");
    let (output, _) = check(
        vec![chosen(&["1", "0"], Some("and Redis"))],
        one(json!({ "multi": true })),
        "User selected: Postgres, SQLite\nUser provided custom input: and Redis",
    );
    assert_eq!(output.details.unwrap()["customInput"], "and Redis");
    check(vec![chosen(&[], None)], one(json!({ "multi": true })), "User selected: (no selection)");
}

#[test]
fn the_recommended_option_is_marked_and_taken_when_time_is_up() {
    let (_, questions) =
        check(vec![UiAnswer::TimedOut], one(json!({ "recommended": 1 })), "User selected: Postgres");
    let Form::Select { options, .. } = &questions[0].form else { panic!("a choice") };
    assert_eq!(options[1].label, "Postgres (Recommended)");
    // An index that fits no option is ignored.
    for recommended in [json!(7), json!(-1), json!(0.5)] {
        check(vec![UiAnswer::TimedOut], one(json!({ "recommended": recommended })), "User selected: SQLite");
    }
}

#[test]
fn a_plan_has_no_time_limit() {
    let person = Scripted::new(vec![chosen(&["0"], None)]);
    let mut lab = Lab::with(&[("ask.timeout", json!(30)), ("ask.notify", json!("off"))], person.clone());
    lab.facts.mode = "plan".to_owned();
    lab.call(&Ask::new(), one(json!({}))).unwrap();
    let question = person.questions.lock().unwrap()[0].clone();
    assert_eq!((question.timeout_ms, &question.details.unwrap()["ask"]["notify"]), (None, &Value::Null));
}

#[test]
fn several_questions_and_going_back() {
    let questions = json!({ "questions": [
        { "id": "a", "question": "A?", "options": [{ "label": "x" }, { "label": "y" }] },
        { "id": "b", "question": "B?", "options": [{ "label": "z" }], "multi": true },
    ] });
    let answers =
        vec![chosen(&["0"], None), chosen(&[BACK], None), chosen(&["1"], None), chosen(&["0"], Some("w"))];
    let (output, asked) = check(answers, questions, "User answers:\na: y\nb: z (and \"w\")");
    assert_eq!(output.details.unwrap()["results"][1]["selectedOptions"], json!(["z"]));
    // What was answered before is shown again.
    assert_eq!(asked[2].details.as_ref().unwrap()["ask"]["selected"], json!(["x"]));
}

#[test]
fn without_an_answer_the_run_ends() {
    for (answer, why) in [
        (UiAnswer::Cancelled, "Ask tool was cancelled by the user"),
        (UiAnswer::Unattended, "Ask tool requires interactive mode"),
    ] {
        let (output, _) = check(vec![answer], one(json!({})), why);
        assert!(output.is_error && output.signals == [Signal::Stop]);
    }
    let lab = Lab::with(&[], Scripted::new(Vec::new()));
    lab.cancel.cancel();
    assert_eq!(lab.error(&Ask::new(), one(json!({}))), "Ask input was cancelled");
    assert!(lab.error(&Ask::new(), json!({ "questions": [] })).contains("questions"));
}

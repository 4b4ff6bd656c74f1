//! The loop through scripts and through random orders of events.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use relay_llm::{Arguments, Error, ErrorKind, Kind, ToolCall};

use super::*;
use crate::event::{Event, RunEvent};
use crate::session::Body;
use crate::session::content::{Block, Content};
use crate::session::message::{AssistantMessage, Message};
use crate::tool::{Output, PlanChoice, Signal};

/// An answer with this text and calls of these tools; ids are `c0`, `c1`, ….
fn answer(text: &str, tools: &[&str]) -> Answer {
    let calls = tools.iter().enumerate().map(|(at, name)| ToolCall {
        id: format!("c{at}"),
        name: (*name).to_owned(),
        arguments: Arguments::parse("{}"),
        seal: None,
    });
    let message = AssistantMessage {
        content: Content::Blocks(vec![Block::text(text)]),
        stop_reason: "stop".to_owned(),
        ..AssistantMessage::default()
    };
    Answer { message: Box::new(message), calls: calls.collect() }
}

fn error(kind: ErrorKind) -> Error {
    Error::new(kind, "p", "it failed")
}

fn ended(id: &str) -> Happened {
    Happened::CallEnded { id: id.to_owned(), output: Output::text("done") }
}

/// The effects as short words, one line for each event.
fn script(mut state: State, events: Vec<Happened>) -> (State, String) {
    let mut lines = String::new();
    for event in events {
        let (next, effects) = state.step(event);
        state = next;
        let words: Vec<String> = effects.iter().filter_map(word).collect();
        lines.push_str(&words.join(" "));
        lines.push('\n');
    }
    (state, lines)
}

fn word(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Append(Body::Message(message)) => match &**message {
            Message::ToolResult(result) => {
                format!("+result:{}{}", result.tool_call_id, if result.is_error { "!" } else { "" })
            }
            Message::Assistant(message) => format!("+answer:{}", message.stop_reason),
            message => format!("+{}", message.role()),
        },
        Effect::Append(Body::CustomMessage(message)) => format!("+{}", message.custom_type),
        Effect::Append(body) => format!("+{}", body.kind().name()),
        Effect::Ask { must_call: None } => "ask".to_owned(),
        Effect::Ask { must_call: Some(name) } => format!("ask:{name}"),
        Effect::StopModel => "stop-model".to_owned(),
        Effect::Run(pending) => format!("run:{}", pending.call.id),
        Effect::StopCalls => "stop-calls".to_owned(),
        Effect::Signal(_) => "signal".to_owned(),
        Effect::Compact { reason, .. } => format!("compact:{}", reason.name()),
        Effect::Wait(_) => "wait".to_owned(),
        Effect::LandText { .. } => "land".to_owned(),
        Effect::Emit(Event::Run(RunEvent::End { ended, .. })) => format!("end:{ended:?}"),
        Effect::RemindOfGoal { continues: false } => "+goal".to_owned(),
        Effect::RemindOfGoal { continues: true } => "+goal-continues".to_owned(),
        Effect::Emit(_) | Effect::Injected(_) | Effect::TurnEnded | Effect::Used(_) => {
            return None;
        }
    })
}

fn check(state: State, events: Vec<Happened>, expected: &str) {
    assert_eq!(script(state, events).1.trim_end(), expected);
}

fn prompt() -> Happened {
    Happened::Prompted(Prompt::text("go"))
}

#[test]
fn a_prompt_is_answered() {
    check(
        State::default(),
        vec![prompt(), Happened::Answered(answer("hi", &[]))],
        "+user ask\n+answer:stop end:Done",
    );
}

#[test]
fn calls_run_and_their_results_go_back_in_order() {
    check(
        State::default(),
        vec![
            prompt(),
            Happened::Answered(answer("", &["read", "read"])),
            ended("c1"),
            ended("c0"),
            Happened::Answered(answer("done", &[])),
        ],
        "+user ask\n+answer:stop run:c0 run:c1\n\n+result:c0 +result:c1 ask\n+answer:stop end:Done",
    );
}

#[test]
fn steering_skips_the_calls_that_have_not_started() {
    let settings = Settings { exclusive: BTreeSet::from(["edit".to_owned()]), ..Settings::default() };
    let state = State { settings, ..State::default() };
    check(
        state,
        vec![
            prompt(),
            Happened::Answered(answer("", &["edit", "edit"])),
            Happened::Steered(Prompt::text("wait")),
            ended("c0"),
        ],
        "+user ask\n+answer:stop run:c0\n\n+result:c0 +result:c1! +user ask",
    );
}

#[test]
fn a_follow_up_waits_for_the_end() {
    check(
        State::default(),
        vec![
            prompt(),
            Happened::FollowedUp(Prompt::text("and then")),
            Happened::Answered(answer("a", &[])),
            Happened::Answered(answer("b", &[])),
        ],
        "+user ask\n\n+answer:stop +user ask\n+answer:stop end:Done",
    );
}

#[test]
fn an_abort_leaves_no_call_without_a_result() {
    check(
        State::default(),
        vec![
            prompt(),
            Happened::Answered(answer("", &["read"])),
            Happened::Aborted,
            Happened::CallEnded {
                id: "c0".to_owned(),
                output: Output { is_error: true, ..Output::text("x") },
            },
            ended("c0"),
            Happened::Waited,
        ],
        "+user ask\n+answer:stop run:c0\nstop-calls\n+result:c0! end:Aborted",
    );
    check(
        State::default(),
        vec![
            prompt(),
            Happened::Aborted,
            Happened::Failed { error: error(ErrorKind::Aborted), answer: answer("half", &["read"]) },
        ],
        "+user ask\nstop-model\n+answer:aborted +result:c0! end:Aborted",
    );
}

#[test]
fn an_overflow_is_compacted_once() {
    let overflow = || Happened::Failed { error: error(ErrorKind::ContextOverflow), answer: answer("", &[]) };
    let compacted = || {
        Happened::Compacted(Ok(Compacted { bodies: Vec::new(), summary: "s".to_owned(), tokens_before: 9 }))
    };
    check(
        State::default(),
        vec![prompt(), overflow(), compacted(), overflow()],
        "+user ask\ncompact:overflow\nask\n+answer:stop end:Failed(\"p: it failed\")",
    );
    check(
        State::default(),
        vec![prompt(), overflow(), Happened::Compacted(Err("no".to_owned()))],
        "+user ask\ncompact:overflow\nend:Failed(\"the conversation does not fit the model and could not be compacted: no\")",
    );
}

fn hit(source: Source, interrupts: bool) -> Happened {
    let hit = Hit { rule: "r".to_owned(), path: "p".to_owned(), content: "c".to_owned(), source, interrupts };
    Happened::Delta { index: 0, kind: Kind::Text, text: "x".to_owned(), hits: vec![hit.clone(), hit] }
}

#[test]
fn a_broken_rule_interrupts_and_is_injected() {
    let failed = || Happened::Failed { error: error(ErrorKind::Aborted), answer: answer("half", &[]) };
    check(
        State::default(),
        vec![prompt(), hit(Source::Prose, true), failed(), Happened::Waited],
        "+user ask\nstop-model\nwait\n+ttsr-injection +ttsr_injection ask",
    );
    let settings = Settings { keep_interrupted: true, ..Settings::default() };
    check(
        State { settings, ..State::default() },
        vec![prompt(), hit(Source::Prose, true), failed(), Happened::Waited],
        "+user ask\nstop-model\n+answer:aborted wait\n+ttsr-injection +ttsr_injection ask",
    );
}

#[test]
fn a_rule_that_does_not_interrupt_waits_for_the_answer_or_the_result() {
    check(
        State::default(),
        vec![prompt(), hit(Source::Prose, false), Happened::Answered(answer("x", &[]))],
        "+user ask\n\n+answer:stop +ttsr-injection +ttsr_injection ask",
    );
    let events = vec![
        prompt(),
        hit(Source::Call("c0".to_owned()), false),
        Happened::Answered(answer("x", &["read"])),
        ended("c0"),
    ];
    let (_, lines) = script(State::default(), events);
    assert_eq!(lines.trim_end(), "+user ask\n\n+answer:stop run:c0\n+ttsr_injection +result:c0 ask");
}

#[test]
fn an_open_checkpoint_is_held_but_not_for_ever() {
    let mut events = vec![prompt()];
    events.extend((0..5).map(|_| Happened::Answered(answer("done", &[]))));
    let state = State { checkpoint: true, ..State::default() };
    let (_, lines) = script(state, events);
    assert_eq!(lines.matches("+checkpoint-warning").count(), 3);
    assert!(lines.contains("end:Done"));
}

#[test]
fn a_preview_forces_resolve() {
    let pending =
        Signal::Pending { tool: "t".to_owned(), label: "l".to_owned(), data: serde_json::Value::Null };
    let output = Output::text("shown").signalling(pending);
    check(
        State::default(),
        vec![
            prompt(),
            Happened::Answered(answer("", &["edit"])),
            Happened::CallEnded { id: "c0".to_owned(), output },
        ],
        "+user ask\n+answer:stop run:c0\nsignal +result:c0 ask:resolve",
    );
}

#[test]
fn a_call_that_fails_over_and_over_ends_the_run() {
    let mut events = vec![prompt()];
    for _ in 0..8 {
        events.push(Happened::Answered(answer("", &["read"])));
        let output = Output { is_error: true, ..Output::text("no") };
        events.push(Happened::CallEnded { id: "c0".to_owned(), output });
    }
    let (state, lines) = script(State::default(), events);
    assert!(lines.contains("end:Failed(\"the model repeated a failing call of `read` 8 times\")"), "{lines}");
    assert!(!state.is_busy());
}

/// A call that succeeds this often, in a row but for every `other`-th, with what each comes to.
fn repeated(times: usize, result: impl Fn(usize) -> String, tool: impl Fn(usize) -> &'static str) -> String {
    let mut events = vec![prompt()];
    for at in 0..times {
        events.push(Happened::Answered(answer("", &[tool(at)])));
        events.push(Happened::CallEnded { id: "c0".to_owned(), output: Output::text(result(at)) });
    }
    events.push(Happened::Answered(answer("done", &[])));
    script(State::default(), events).1
}

#[test]
fn a_call_that_has_the_same_result_over_and_over_ends_the_run() {
    let same = |_| "the same".to_owned();
    let lines = repeated(50, same, |_| "bash");
    let why = "the model repeated a call of `bash` 50 times, with the same result each time";
    assert!(lines.contains(&format!("end:Failed(\"{why}\")")), "{lines}");
    for lines in [
        repeated(49, same, |_| "bash"),
        repeated(120, |at| format!("{} of 120", at / 10), |_| "bash"),
        repeated(120, same, |at| if at % 10 == 0 { "read" } else { "bash" }),
    ] {
        assert!(lines.contains("end:Done") && !lines.contains("end:Failed"), "{lines}");
    }
}

#[test]
fn a_call_that_has_the_same_result_a_few_times_is_pointed_out() {
    let mut repeats = super::repeats::Repeats::default();
    let call = answer("", &["bash"]).calls.remove(0);
    let warned: Vec<bool> =
        (0..6).map(|_| repeats.count(&call, &Output::text("same")).warning().is_some()).collect();
    assert_eq!(warned, [false, false, false, false, true, true]);
    let failed = Output { is_error: true, ..Output::text("no") };
    assert_eq!(repeats.count(&call, &failed).warning(), None);
    assert_eq!(repeats.count(&call, &Output::text("same")).warning(), None, "no longer in a row");
}

/// What a tool may want of the conversation.
fn any_signal() -> impl Strategy<Value = Option<Signal>> {
    let plan = |choice| Signal::PlanApproved {
        choice,
        title: "t".to_owned(),
        path: "local://t.md".to_owned(),
        plan: "p".to_owned(),
    };
    prop_oneof![
        5 => Just(None),
        1 => Just(Some(plan(PlanChoice::Fresh))),
        1 => Just(Some(plan(PlanChoice::Compact))),
        1 => Just(Some(Signal::Goal(Some(serde_json::json!({ "status": "active" }))))),
        1 => Just(Some(Signal::Goal(Some(serde_json::json!({ "status": "complete" }))))),
        1 => Just(Some(Signal::Rewind { report: "r".to_owned(), restore_files: false })),
        1 => Just(Some(Signal::Resolved { applied: true, reason: String::new(), title: None })),
    ]
}

/// Any event, whatever the loop is doing.
fn any_event() -> impl Strategy<Value = Happened> {
    let id = (0..4_usize).prop_map(|at| format!("c{at}"));
    prop_oneof![
        Just(prompt()),
        Just(Happened::Steered(Prompt::text("s"))),
        Just(Happened::FollowedUp(Prompt::text("f"))),
        Just(Happened::Resumed),
        Just(Happened::Aborted),
        Just(Happened::TimeIsUp("late".to_owned())),
        Just(Happened::CompactionWanted { focus: None }),
        Just(Happened::HandoffWanted { focus: None }),
        Just(Happened::Unused),
        Just(Happened::Retrying {
            attempt: 1,
            max_attempts: 3,
            delay_ms: 0,
            error: "e".to_owned(),
            discards: false,
            model: Some("other".to_owned()),
        }),
        Just(Happened::ModelStarted { model: "m".to_owned() }),
        any::<(bool, bool)>().prop_map(|(call, interrupts)| {
            hit(if call { Source::Call("c0".to_owned()) } else { Source::Prose }, interrupts)
        }),
        proptest::collection::vec(prop_oneof![Just("read"), Just("edit")], 0..4)
            .prop_map(|tools| Happened::Answered(answer("x", &tools))),
        prop_oneof![Just(ErrorKind::Aborted), Just(ErrorKind::ContextOverflow), Just(ErrorKind::Server)]
            .prop_map(|kind| Happened::Failed { error: error(kind), answer: answer("y", &["read"]) }),
        (id, any::<bool>(), any_signal()).prop_map(|(id, is_error, signal)| Happened::CallEnded {
            id,
            output: Output { is_error, signals: signal.into_iter().collect(), ..Output::text("r") }
        }),
        any::<bool>().prop_map(|good| Happened::Compacted(if good {
            Ok(Compacted { bodies: Vec::new(), summary: String::new(), tokens_before: 1 })
        } else {
            Err("no".to_owned())
        })),
        Just(Happened::Waited),
    ]
}

/// What must hold of the effects, whatever the order of events.
#[derive(Default)]
struct Watch {
    open_calls: BTreeMap<String, usize>,
    running: bool,
    asking: bool,
}

impl Watch {
    fn see(&mut self, effect: &Effect) {
        match effect {
            Effect::Emit(Event::Run(RunEvent::Start)) => {
                assert!(!self.running, "a run begins inside a run");
                self.running = true;
            }
            Effect::Emit(Event::Run(RunEvent::End { .. })) => {
                assert!(self.running, "a run ends that never began");
                assert!(self.open_calls.values().all(|open| *open == 0), "a call has no result");
                self.running = false;
                self.asking = false;
            }
            Effect::Ask { .. } => {
                assert!(self.running && !self.asking, "asked twice, or outside a run");
                assert!(self.open_calls.values().all(|open| *open == 0), "asked before all results");
                self.asking = true;
            }
            Effect::Run(pending) => {
                assert!(self.running, "a call runs after the end");
                *self.open_calls.entry(pending.call.id.clone()).or_default() += 1;
            }
            Effect::Append(Body::Message(message)) => match &**message {
                Message::ToolResult(result) => {
                    if let Some(open) = self.open_calls.get_mut(&result.tool_call_id) {
                        *open = open.saturating_sub(1);
                    }
                }
                Message::Assistant(_) => self.asking = false,
                _ => {}
            },
            Effect::Wait(_) | Effect::Compact { .. } => self.asking = false,
            _ => {}
        }
    }
}

proptest! {
    #[test]
    fn no_order_of_events_leaves_the_loop_stuck(events in proptest::collection::vec(any_event(), 0..60)) {
        let settings = Settings {
            exclusive: BTreeSet::from(["edit".to_owned()]),
            goal_continues: true,
            schema: Some(serde_json::json!({ "type": "object" })),
            ..Settings::default()
        };
        let mut state = State { settings, ..State::default() };
        let mut watch = Watch::default();
        for event in events {
            let (next, effects) = state.step(event);
            effects.iter().for_each(|effect| watch.see(effect));
            state = next;
        }
        // From wherever it is, an abort and the ends of what runs lead back to idle.
        let mut rest = vec![Happened::Aborted];
        rest.extend((0..4).map(|at| ended(&format!("c{at}"))));
        rest.push(Happened::Failed { error: error(ErrorKind::Aborted), answer: answer("", &[]) });
        rest.push(Happened::Compacted(Err("aborted".to_owned())));
        for event in rest {
            let (next, effects) = state.step(event);
            effects.iter().for_each(|effect| watch.see(effect));
            state = next;
        }
        prop_assert_eq!(state.phase, Phase::Idle);
        let (_, effects) = state.step(Happened::Answered(answer("late", &["read"])));
        prop_assert!(effects.is_empty(), "nothing is done about what comes after the end: {:?}", effects);
    }
}

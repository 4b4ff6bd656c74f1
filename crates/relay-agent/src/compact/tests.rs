//! Compactions of whole branches: by example, and of any branch.

use std::collections::HashMap;

use proptest::prelude::*;
use relay_llm as llm;
use serde_json::{Value, json};

use super::testing::Branch;
use super::view::View;
use super::*;
use crate::session::{Entry, Message};

fn situation(trigger: Trigger, settings: &Settings) -> Situation<'_> {
    Situation::new(trigger, settings, 100_000)
}

fn on_request(branch: &Branch) -> Result<Plan, Nothing> {
    plan(&branch.path(), &situation(Trigger::Request, &Settings::default()))
}

/// Answers every request with its subject and how often it was asked.
fn answers(plan: &Plan) -> Vec<String> {
    plan.requests()
        .iter()
        .map(|request| format!("Short: about it\n\nSUMMARY of {:?}", request.subject))
        .collect()
}

fn compact(branch: &mut Branch) -> crate::session::body::Compaction {
    let plan = on_request(branch).unwrap();
    let entry = plan.finish(&answers(&plan)).unwrap();
    branch.compacted(entry.clone());
    entry
}

#[test]
fn the_newest_messages_stay_and_the_rest_is_summarised() {
    let mut branch = Branch::default();
    branch.user("first request");
    branch.answer(&Branch::words(30_000));
    let second = branch.user("second request");
    branch.answer(&Branch::words(25_000));
    let plan = on_request(&branch).unwrap();
    let cut = plan.cut.as_ref().unwrap();
    assert_eq!(
        (cut.first_kept_entry_id.as_str(), cut.is_split),
        ("e3", true),
        "the answer alone has 20,000 tokens"
    );
    assert_eq!(cut.verbatim.latest_request.as_deref(), Some("second request"));
    let subjects: Vec<Subject> = plan.requests().iter().map(|request| request.subject).collect();
    assert_eq!(subjects, [Subject::History, Subject::Turn]);
    let entry = plan.finish(&answers(&plan)).unwrap();
    assert_eq!(
        entry.summary,
        "SUMMARY of History\n\n---\n\n**Turn Context (split turn):**\n\nShort: about it\n\nSUMMARY of Turn\
         \n\n<latest-request>\nsecond request\n</latest-request>"
    );
    assert_eq!(entry.short_summary.as_deref(), Some("about it"));
    assert!(entry.tokens_before > 50_000 && branch.entry(&second).message().is_some());
}

#[test]
fn the_automatic_threshold_decides_and_pruning_comes_first() {
    let settings = Settings::default();
    let mut branch = Branch::default();
    branch.user("go");
    branch.tool("bash", "x", &Branch::words(30_000));
    branch.tool("bash", "x", &Branch::words(41_000));
    assert_eq!(plan(&branch.path(), &situation(Trigger::Threshold, &settings)), Err(Nothing::NotDue));
    branch.answer(&Branch::words(14_000));
    let due = plan(&branch.path(), &situation(Trigger::Threshold, &settings)).unwrap();
    assert_eq!((due.prunings.len(), &due.cut), (1, &None), "without the old output it fits again");
    assert!(due.requests().is_empty() && due.finish(&[]).is_none());
    branch.answer(&Branch::words(40_000));
    let due = plan(&branch.path(), &situation(Trigger::Threshold, &settings)).unwrap();
    assert!(due.cut.is_some());
}

#[test]
fn the_providers_count_is_used() {
    let mut branch = Branch::default();
    branch.user("go");
    let usage = json!({ "input": 10, "cacheRead": 90_000, "output": 500 });
    branch.message(json!({ "role": "assistant", "content": "ok", "usage": usage, "stopReason": "stop" }));
    assert_eq!(context_tokens(&branch.path()), 90_510);
    branch.user(&Branch::words(1_000));
    let tokens = context_tokens(&branch.path());
    assert!((91_500..91_600).contains(&tokens), "{tokens}");
    // A failed answer says nothing, and neither does one from before a compaction.
    branch.message(json!({ "role": "assistant", "content": "x", "usage": usage, "stopReason": "error" }));
    assert!(context_tokens(&branch.path()) < 92_000);
    let first = branch.entries[1].id().to_owned();
    branch.compacted(crate::session::body::Compaction {
        summary: "s".to_owned(),
        first_kept_entry_id: Some(first),
        ..Default::default()
    });
    assert!(context_tokens(&branch.path()) < 2_000);
}

#[test]
fn an_output_larger_than_the_window_gives_way_after_an_overflow() {
    let settings = Settings::default();
    let mut branch = Branch::default();
    branch.user("read it");
    branch.answer(&Branch::words(5_000));
    branch.user("and now");
    let result = branch.tool("read", "big.json", &Branch::words(150_000));
    let plan = plan(&branch.path(), &situation(Trigger::Overflow, &settings)).unwrap();
    assert_eq!(plan.prunings.iter().map(|p| p.entry_id.as_str()).collect::<Vec<_>>(), [result.as_str()]);
    let cut = plan.cut.unwrap();
    assert!(cut.is_split && cut.verbatim.latest_request.as_deref() == Some("and now"));
}

#[test]
fn a_call_without_a_result_yet_is_never_cut_off() {
    let mut branch = Branch::default();
    branch.user("go");
    branch.answer(&Branch::words(30_000));
    branch.calls("bash", "x", &["c1", "c2"]);
    branch.result("bash", "c1", &Branch::words(30_000));
    branch.push(json!({ "type": "custom_message", "customType": "note", "content": "between" }));
    let plan = on_request(&branch).unwrap();
    assert_eq!(plan.cut.unwrap().first_kept_entry_id, "e2");
}

#[test]
fn entries_the_model_does_not_see_belong_to_the_next_message() {
    let mut branch = Branch::default();
    branch.user(&Branch::words(30_000));
    branch.answer("ok");
    let change = branch.push(json!({ "type": "model_change", "model": "p/m" }));
    branch.push(json!({ "type": "thinking_level_change", "thinkingLevel": "high" }));
    branch.user(&Branch::words(30_000));
    assert_eq!(on_request(&branch).unwrap().cut.unwrap().first_kept_entry_id, change);
}

#[test]
fn pinned_instructions_survive_three_compactions() {
    let needle = "NEVER touch `vendor/`; commit messages in English.";
    let mut branch = Branch::default();
    branch.push(json!({ "type": "custom_message", "customType": "pinned", "content": needle }));
    let labelled = branch.user("also: always run the tests");
    branch.push(json!({ "type": "label", "targetId": labelled, "label": "pinned" }));
    for round in 0..3 {
        branch.user(&format!("round {round}"));
        branch.tool("read", &format!("read{round}.rs"), &Branch::words(8_000));
        branch.tool("edit", &format!("edit{round}.rs"), "ok");
        branch.answer(&Branch::words(30_000));
        let entry = compact(&mut branch);
        assert!(entry.summary.contains(needle) && entry.summary.contains("also: always run the tests"));
        assert_eq!(entry.summary.matches(needle).count(), 1);
        assert!(entry.summary.contains(&format!("<latest-request>\nround {round}\n")));
        let files = FileLists::from_details(entry.details.as_ref());
        let names = |what: &str| (0..=round).map(|n| format!("{what}{n}.rs")).collect::<Vec<_>>();
        assert_eq!((files.read, files.modified), (names("read"), names("edit")), "round {round}");
    }
    // The previous summary goes to the model without what Relay put after it.
    branch.user("next");
    branch.answer(&Branch::words(30_000));
    let plan = on_request(&branch).unwrap();
    let previous = plan.requests().into_iter().find_map(|request| request.previous).unwrap();
    assert!(!previous.contains(needle) && !previous.contains("read-files"), "{previous}");
}

#[test]
fn a_request_that_only_the_last_summary_has_survives() {
    let mut branch = Branch::default();
    branch.user("the one request");
    for _ in 0..3 {
        branch.tool("bash", "x", &Branch::words(15_000));
        branch.tool("bash", "x", &Branch::words(15_000));
        let entry = compact(&mut branch);
        assert!(
            entry.summary.contains("<latest-request>\nthe one request\n</latest-request>"),
            "{}",
            entry.summary
        );
    }
}

#[test]
fn summaries_of_other_programs_lose_their_lists_too() {
    let mut branch = Branch::default();
    branch.user("a");
    let kept = branch.answer("b");
    branch.compacted(crate::session::body::Compaction {
        summary: "theirs\n\n<read-files>\nx\n</read-files>\n\n<modified-files>\ny\n</modified-files>"
            .to_owned(),
        first_kept_entry_id: Some(kept),
        details: Some(json!({ "readFiles": ["x"], "modifiedFiles": ["y"], "other": 1 })),
        ..Default::default()
    });
    branch.user("more");
    branch.answer(&Branch::words(30_000));
    let plan = on_request(&branch).unwrap();
    assert_eq!(plan.requests()[0].previous.as_deref(), Some("theirs"));
}

#[test]
fn a_reset_hides_everything_before_it() {
    let mut branch = Branch::default();
    branch.user(&Branch::words(50_000));
    branch.push(json!({ "type": "reset_boundary" }));
    assert_eq!(on_request(&branch), Err(Nothing::TooShort));
    branch.user("hi");
    branch.answer(&Branch::words(1_000));
    assert!(context_tokens(&branch.path()) < 2_000);
}

#[test]
fn an_extension_may_bring_the_summary() {
    let mut branch = Branch::default();
    branch.user("a");
    branch.answer(&Branch::words(30_000));
    branch.user("b");
    branch.answer(&Branch::words(3_000));
    let entry =
        on_request(&branch).unwrap().finish_with("theirs".to_owned(), Some(json!({ "x": 1 }))).unwrap();
    assert_eq!((entry.summary.as_str(), entry.from_extension), ("theirs", Some(true)));
    let settings = Settings::default();
    let hooks = Hooks {
        instructions: Some("Only the bugs.".to_owned()),
        context: vec!["branch: main".to_owned()],
        preserve_data: Some(json!({ "kept": true })),
    };
    let asked = plan(&branch.path(), &Situation { hooks, ..situation(Trigger::Request, &settings) }).unwrap();
    let prompt = asked.requests()[0].prompt(100_000);
    assert!(prompt.contains("<additional-context>\nbranch: main\n") && prompt.contains("Only the bugs."));
    assert_eq!(asked.finish(&answers(&asked)).unwrap().preserve_data, Some(json!({ "kept": true })));
}

/// Fails as often as the test wants, per model.
#[derive(Default)]
struct Scripted {
    failures: HashMap<String, Vec<llm::ErrorKind>>,
    asked: Vec<String>,
    pauses: Vec<u64>,
    remote: Option<Result<String, llm::Error>>,
    prompts: Vec<String>,
}

impl Summariser for Scripted {
    fn ask(&mut self, candidate: &Candidate, request: &llm::Request) -> Result<String, llm::Error> {
        self.asked.push(candidate.model.clone());
        self.prompts.push(request.messages[0].plain_text());
        match self
            .failures
            .get_mut(&candidate.model)
            .and_then(|list| (!list.is_empty()).then(|| list.remove(0)))
        {
            Some(kind) => Err(llm::Error::new(kind, candidate.model.clone(), "failed")),
            None => Ok(format!("by {}", candidate.model)),
        }
    }

    fn pause(&mut self, delay_ms: u64) -> bool {
        self.pauses.push(delay_ms);
        true
    }

    fn remote(&mut self, _system: &str, _prompt: &str) -> Option<Result<String, llm::Error>> {
        self.remote.clone()
    }
}

fn run(scripted: &mut Scripted) -> (Result<String, SummaryError>, Vec<Progress>) {
    let request = Request {
        subject: Subject::History,
        conversation: vec!["[User]\nhi".to_owned()],
        previous: None,
        context: Vec::new(),
        focus: None,
        instructions: None,
        max_output: 1_000,
    };
    let candidates = ["a", "b"].map(|model| Candidate { model: model.to_owned(), window: 50_000 });
    let mut events = Vec::new();
    let retry = llm::RetrySettings::default();
    let summary = summarise(&request, &candidates, &retry, scripted, &mut |event| events.push(event));
    (summary, events)
}

#[test]
fn models_are_tried_in_order_and_passing_failures_again() {
    use llm::ErrorKind::{Aborted, Auth, ContextOverflow, Overloaded, Server};
    let mut scripted = Scripted::default();
    assert_eq!(run(&mut scripted).0.unwrap(), "by a");
    scripted.failures.insert("a".to_owned(), vec![Overloaded, Server]);
    scripted.asked.clear();
    let (summary, events) = run(&mut scripted);
    assert_eq!(
        (summary.unwrap().as_str(), &scripted.asked[..]),
        ("by a", &["a", "a", "a"].map(str::to_owned)[..])
    );
    assert_eq!(scripted.pauses, [2_000, 4_000]);
    assert!(
        matches!(events.first(), Some(Progress::Started))
            && matches!(events.last(), Some(Progress::Finished { .. }))
    );
    scripted.failures.insert("a".to_owned(), vec![Auth]);
    assert_eq!(run(&mut scripted).0.unwrap(), "by b");
    scripted.failures.insert("a".to_owned(), vec![ContextOverflow]);
    assert_eq!(run(&mut scripted).0.unwrap(), "by a", "with less");
    scripted.failures.insert("a".to_owned(), vec![Auth]);
    scripted.failures.insert("b".to_owned(), vec![Auth]);
    assert_eq!(run(&mut scripted).0, Err(SummaryError::Failed { reason: "failed".to_owned() }));
    scripted.failures.insert("a".to_owned(), vec![Aborted]);
    assert_eq!(run(&mut scripted).0, Err(SummaryError::Cancelled));
}

#[test]
fn the_remote_endpoint_comes_first_and_its_failure_costs_nothing() {
    let mut scripted = Scripted { remote: Some(Ok("remote".to_owned())), ..Scripted::default() };
    assert_eq!(run(&mut scripted).0.unwrap(), "remote");
    assert!(scripted.asked.is_empty());
    scripted.remote = Some(Err(llm::Error::new(llm::ErrorKind::NotRunning, "remote", "refused")));
    assert_eq!(run(&mut scripted).0.unwrap(), "by a");
}

#[test]
fn prompts_are_clean_text() {
    let prompts = [
        ("system", include_str!("prompts/system.md")),
        ("summary", include_str!("prompts/summary.md")),
        ("update", include_str!("prompts/update.md")),
        ("turn", include_str!("prompts/turn.md")),
        ("branch", include_str!("prompts/branch.md")),
        ("branch_preamble", include_str!("prompts/branch_preamble.md")),
        ("handoff", include_str!("prompts/handoff.md")),
        ("continue", CONTINUE),
    ];
    for (name, text) in prompts {
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name}");
        assert!(!text.contains('\t') && text.lines().all(|line| line == line.trim_end()), "{name}");
    }
}

/// One step of a conversation.
#[derive(Clone, Debug)]
enum Step {
    User(u64),
    Answer(u64),
    Tools(Vec<(u8, u64)>, bool),
    Note,
    Model,
    Compact,
}

fn steps() -> impl Strategy_<Value = Vec<Step>> {
    let size = 1_u64..9_000;
    let step = prop_oneof![
        3 => size.clone().prop_map(Step::User),
        3 => size.clone().prop_map(Step::Answer),
        6 => (proptest::collection::vec((0_u8..3, size), 1..4), any::<bool>()).prop_map(|(t, n)| Step::Tools(t, n)),
        1 => Just(Step::Note),
        1 => Just(Step::Model),
        1 => Just(Step::Compact),
    ];
    proptest::collection::vec(step, 1..40)
}

use proptest::strategy::Strategy as Strategy_;

fn build(steps: &[Step]) -> Branch {
    let mut branch = Branch::default();
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::User(size) => drop(branch.user(&format!("request {at} {}", Branch::words(*size)))),
            Step::Answer(size) => drop(branch.answer(&Branch::words(*size))),
            Step::Tools(tools, with_note) => {
                let ids: Vec<String> = (0..tools.len()).map(|n| format!("c{at}-{n}")).collect();
                let names: Vec<&str> = ids.iter().map(String::as_str).collect();
                branch.calls(["read", "edit", "bash"][usize::from(tools[0].0)], &format!("f{at}"), &names);
                for ((_, size), id) in tools.iter().zip(&ids) {
                    if *with_note {
                        branch
                            .push(json!({ "type": "custom_message", "customType": "n", "content": "note" }));
                    }
                    branch.result("bash", id, &Branch::words(*size));
                }
            }
            Step::Note => {
                drop(branch.push(json!({ "type": "custom_message", "customType": "n", "content": "x" })));
            }
            Step::Model => drop(branch.push(json!({ "type": "model_change", "model": "p/m" }))),
            Step::Compact => {
                if let Ok(plan) = on_request(&branch)
                    && let Some(entry) = plan.finish(&answers(&plan))
                {
                    branch.compacted(entry);
                }
            }
        }
    }
    branch
}

/// The ids of calls and of results that the model sees.
fn calls_and_results(view: &View<'_>) -> (Vec<String>, Vec<String>) {
    let messages = || view.seen.iter().filter_map(|seen| seen.entry.message());
    let calls = messages().filter_map(|message| match message {
        Message::Assistant(said) => Some(said.tool_calls().map(|call| call.id.clone()).collect::<Vec<_>>()),
        _ => None,
    });
    let results = messages().filter_map(|message| match message {
        Message::ToolResult(result) => Some(result.tool_call_id.clone()),
        _ => None,
    });
    (calls.flatten().collect(), results.collect())
}

/// The words of the latest request on the whole branch.
fn latest(entries: &[Entry]) -> Option<String> {
    entries.iter().rev().find_map(super::view::request)
}

/// Which files the whole branch names, by a simple count.
fn all_files(branch: &Branch) -> FileLists {
    let mut all = FileLists::default();
    branch.entries.iter().for_each(|entry| all.add(entry));
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_branch_is_compacted_soundly(steps in steps(), window in 20_000_u64..150_000, which in 0_usize..4) {
        let mut branch = build(&steps);
        let settings = Settings::default();
        let trigger = [Trigger::Threshold, Trigger::Overflow, Trigger::Request, Trigger::Idle][which];
        let Ok(plan) = plan(&branch.path(), &Situation::new(trigger, &settings, window)) else { return Ok(()) };
        let before = View::new(&branch.path()).seen.iter().map(|seen| seen.tokens).sum::<u64>();
        for pruning in &plan.prunings {
            branch.replace(&pruning.entry_id, |entry| pruning.apply(entry, 1).unwrap());
        }
        let Some(entry) = plan.finish(&answers(&plan)) else { return Ok(()) };
        let summary = entry.summary.clone();
        let details = entry.details.clone();
        branch.compacted(entry);
        let path = branch.path();
        let view = View::new(&path);
        // A call and its result are on the same side.
        let (calls, results) = calls_and_results(&view);
        prop_assert_eq!(&calls, &results);
        // Something was gained, and something is kept.
        prop_assert!(view.seen.iter().map(|seen| seen.tokens).sum::<u64>() < before);
        prop_assert!(!view.seen.is_empty());
        // The latest request is there, word for word.
        if let Some(request) = latest(&branch.entries) {
            let kept = view.seen.iter().any(|seen| super::view::request(seen.entry).as_ref() == Some(&request));
            prop_assert!(kept || summary.contains(&request));
        }
        // No file is forgotten.
        let mut known = FileLists::from_details(details.as_ref());
        view.seen.iter().for_each(|seen| known.add(seen.entry));
        let all = all_files(&branch);
        for path in all.read.iter().chain(&all.modified) {
            prop_assert!(known.read.contains(path) || known.modified.contains(path), "{} is lost", path);
        }
        // Once more changes nothing.
        for trigger in [Trigger::Request, Trigger::Overflow, Trigger::Idle] {
            let again = super::plan(&path, &Situation::new(trigger, &settings, window));
            prop_assert_eq!(again, Err(Nothing::AlreadyCompacted));
        }
    }
}

/// A branch as another program may have written it.
fn odd(values: Vec<Value>) -> Branch {
    let mut branch = Branch::default();
    for value in values {
        branch.push(value);
    }
    branch
}

#[test]
fn odd_branches_do_no_harm() {
    let orphan = json!({ "type": "message", "message": { "role": "toolResult", "toolCallId": "gone", "content": Branch::words(9_000) } });
    let broken = json!({ "type": "message", "message": { "role": "user", "content": 7 } });
    let lost = json!({ "type": "compaction", "summary": "s", "firstKeptEntryId": "nowhere", "details": [1] });
    for values in [
        vec![],
        vec![orphan.clone()],
        vec![orphan.clone(), orphan.clone()],
        vec![broken.clone(), orphan.clone()],
        vec![lost.clone()],
        vec![lost.clone(), orphan.clone(), lost, orphan, broken],
    ] {
        let branch = odd(values);
        for trigger in [Trigger::Threshold, Trigger::Overflow, Trigger::Request, Trigger::Idle] {
            let settings = Settings { threshold_tokens: 1, ..Settings::default() };
            if let Ok(plan) = plan(&branch.path(), &situation(trigger, &settings)) {
                drop(plan.finish(&answers(&plan)));
            }
        }
    }
}

//! What models say, in every format, and however it is cut on its way.

use std::time::Duration;

use relay_llm::{Arguments, Block, Event, Notice, Seal, StopReason, ToolCall};
use serde_json::json;
use testkit::model::{Answer, Delivery, Part, Reply, Stop, Usage};

use crate::support::{Lab, Told, for_every};

/// Text with characters of two, three and four bytes.
const TEXT: &str = "Grüße, 漢字 and 🦀.\nA second line with \"quotes\" and \\ backslashes.";

const ARGUMENTS: &str =
    r#"{"path":"src/mäin.rs","text":"a\n\"b\"\u00e9","count":3,"deep":{"list":[1,true,null]}}"#;

fn calls(told: &Told) -> Vec<ToolCall> {
    told.turn.message().tool_calls().cloned().collect()
}

fn thinking(told: &Told) -> String {
    let thoughts = |block: &Block| match block {
        Block::Thinking { text, .. } => Some(text.clone()),
        _ => None,
    };
    told.turn.content.iter().filter_map(thoughts).collect()
}

/// OpenAI's own Chat Completions shows no reasoning.
fn shows_thinking(lab: &Lab) -> bool {
    lab.name != "openai-chat"
}

#[test]
fn plain_text() {
    for_every(|lab| {
        let usage = Usage { input: 100, output: 20, cache_read: 30, cache_write: 0, reasoning: 0 };
        let told = lab.ask(Reply::text(TEXT).usage(usage));
        assert_eq!((told.outcome().as_str(), told.text().as_str()), ("done", TEXT));
        assert_eq!(told.turn.stop, StopReason::Stop);
        assert_eq!((told.turn.usage.context(), told.turn.usage.output), (130, 20));
        // Ollama does not report what came from its cache.
        let cached = if lab.name == "ollama" { 0 } else { 30 };
        assert_eq!(told.turn.usage.cache_read, cached);
    });
}

#[test]
fn thinking_comes_before_the_answer_and_is_sealed() {
    for_every(|lab| {
        let told = lab.ask(Reply::thinking("Let me see: ä.", "sig-1").part(Part::Text("Yes.".to_owned())));
        assert_eq!((told.outcome().as_str(), told.text().as_str()), ("done", "Yes."));
        if shows_thinking(lab) {
            assert_eq!(thinking(&told), "Let me see: ä.");
        }
        let seal = told.turn.content.iter().find_map(|block| match block {
            Block::Thinking { seal, .. } | Block::Text { seal, .. } => seal.clone(),
            _ => None,
        });
        match (lab.name, seal) {
            ("openai-chat" | "ollama", None) => {}
            ("anthropic" | "google", Some(Seal::Signature { signature })) => assert_eq!(signature, "sig-1"),
            ("openai", Some(Seal::Item { encrypted, .. })) => assert_eq!(encrypted.as_deref(), Some("sig-1")),
            ("openrouter", Some(Seal::Details { details })) => {
                assert_eq!(details.len(), 1, "{details:?}");
                assert_eq!(details[0]["text"], "Let me see: ä.");
                assert_eq!(details[0]["signature"], "sig-1");
            }
            ("deepseek", Some(Seal::Field { name })) => assert_eq!(name, "reasoning_content"),
            (name, seal) => panic!("{name}: {seal:?}"),
        }
    });
}

#[test]
fn redacted_thinking_is_kept() {
    for name in ["anthropic", "openrouter"] {
        let told = Lab::new(name).ask(Reply::default().part(Part::Redacted("c2VjcmV0".to_owned())));
        let Some(Block::Thinking { text, seal: Some(seal) }) = told.turn.content.first() else {
            panic!("{name}: {:?}", told.turn);
        };
        assert_eq!(text, "");
        assert!(serde_json::to_string(seal).unwrap().contains("c2VjcmV0"), "{name}: {seal:?}");
    }
}

#[test]
fn a_tool_call() {
    for_every(|lab| {
        let told = lab.ask(Reply::text("Reading.").tool("call_1", "read", ARGUMENTS));
        assert_eq!((told.outcome().as_str(), told.text().as_str()), ("done", "Reading."));
        assert_eq!(told.turn.stop, StopReason::ToolUse);
        let calls = calls(&told);
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].name, "read");
        assert_eq!(calls[0].arguments, Arguments::parse(ARGUMENTS));
        match lab.name {
            "openai" => {
                let (call, item) = calls[0].id.split_once('|').unwrap();
                assert!(call == "call_1" && !item.is_empty(), "{}", calls[0].id);
            }
            _ => assert_eq!(calls[0].id, "call_1"),
        }
        let is_of_call = |event: &&Event| matches!(event, Event::Delta { index: 1, .. });
        let deltas = told.events.iter().filter(is_of_call).count();
        // Google sends a call whole; its one delta is made from it.
        assert!(if lab.name == "google" { deltas == 1 } else { deltas >= 1 }, "{deltas}");
    });
}

#[test]
fn several_tool_calls() {
    for_every(|lab| {
        let reply = Reply::default().tool("call_1", "read", ARGUMENTS).tool("call_2", "read", "{}").tool(
            "call_3",
            "list",
            r#"{"all":true}"#,
        );
        let told = lab.ask(reply);
        assert_eq!(told.outcome(), "done");
        let calls = calls(&told);
        assert_eq!(calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["read", "read", "list"]);
        assert_eq!(calls[1].arguments, Arguments::parse("{}"));
        assert_eq!(calls[2].arguments, Arguments::parse(r#"{"all":true}"#));
        let ids: std::collections::BTreeSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids.len(), 3, "each call has an id of its own");
    });
}

#[test]
fn arguments_that_come_only_with_the_end() {
    for_every(|lab| {
        let told = lab.ask(Reply::default().tool("call_1", "read", ARGUMENTS).whole_arguments());
        assert_eq!(calls(&told)[0].arguments, Arguments::parse(ARGUMENTS));
    });
}

#[test]
fn arguments_that_are_not_an_object_are_malformed() {
    for_every(|lab| {
        // Ollama and Google parse arguments themselves and fail before Relay sees them.
        if ["ollama", "google"].contains(&lab.name) {
            return;
        }
        for text in [r#"{"path": "a"#, "[1]", r#"{"a":1}{"b":2}"#] {
            let told = lab.ask(Reply::default().tool("call_1", "read", text));
            assert_eq!(told.outcome(), "done");
            let arguments = &calls(&told)[0].arguments;
            assert!(matches!(arguments, Arguments::Malformed { .. }), "{text}: {arguments:?}");
        }
    });
}

#[test]
fn arguments_that_end_at_any_byte_are_never_an_object() {
    let ends = ARGUMENTS.char_indices().map(|(at, _)| at).skip(1);
    let cuts: Vec<&str> = ends.map(|end| &ARGUMENTS[..end]).collect();
    for_every(|lab| {
        // Ollama and Google send a call whole or not at all.
        if ["ollama", "google"].contains(&lab.name) {
            return;
        }
        // All cuts in one answer: each call must be judged for itself.
        let reply = cuts
            .iter()
            .enumerate()
            .fold(Reply::default(), |reply, (at, cut)| reply.tool(&format!("call_{at}"), "edit", cut));
        let calls = calls(&lab.ask(reply.delta(5)));
        assert_eq!(calls.len(), cuts.len());
        for (call, cut) in calls.iter().zip(&cuts) {
            assert!(matches!(&call.arguments, Arguments::Malformed { text, .. } if text == cut), "{cut}");
        }
    });
}

/// Everything in one answer, so that every way of cutting meets every kind of event.
fn everything() -> Reply {
    Reply::thinking("Hmm, 漢.", "sig")
        .part(Part::Text(TEXT.to_owned()))
        .tool("call_1", "edit", ARGUMENTS)
        .delta(3)
}

fn check_everything(lab: &Lab, delivery: Delivery) -> Told {
    let told = lab.ask(Answer::from(everything()).delivery(delivery));
    assert_eq!((told.outcome().as_str(), told.text().as_str()), ("done", TEXT));
    if shows_thinking(lab) {
        assert_eq!(thinking(&told), "Hmm, 漢.");
    }
    assert_eq!(calls(&told)[0].arguments, Arguments::parse(ARGUMENTS));
    told
}

#[test]
fn cut_at_every_byte() {
    for_every(|lab| {
        check_everything(lab, Delivery { cut_bytes: Some(1), ..Delivery::default() });
    });
}

#[test]
fn cut_anywhere() {
    for_every(|lab| {
        for bytes in [2, 3, 5, 7, 64, 1000] {
            check_everything(lab, Delivery { cut_bytes: Some(bytes), ..Delivery::default() });
        }
    });
}

#[test]
fn bursts() {
    for_every(|lab| {
        check_everything(lab, Delivery { burst_bytes: Some(16 << 10), ..Delivery::default() });
    });
}

#[test]
fn crlf_comments_and_keep_alives() {
    for_every(|lab| {
        let noise = Delivery { crlf: true, comments: true, keep_alives: true, ..Delivery::default() };
        let told = check_everything(lab, noise.clone());
        assert!(told.notices().is_empty(), "{:?}", told.notices());
        check_everything(lab, Delivery { cut_bytes: Some(1), ..noise });
    });
}

#[test]
fn unknown_events_are_reported_once_and_skipped() {
    for_every(|lab| {
        let told = check_everything(lab, Delivery { unknown_events: true, ..Delivery::default() });
        let typed = ["anthropic", "openai"].contains(&lab.name);
        let expected = Notice::UnknownEvent { name: "news.from.the.future".to_owned() };
        assert_eq!(told.notices(), if typed { vec![&expected] } else { Vec::new() });
    });
}

#[test]
fn unknown_blocks_are_kept_verbatim() {
    for (name, block) in [
        ("anthropic", json!({ "type": "hologram", "shape": { "faces": [1, 2] } })),
        ("openai", json!({ "type": "hologram_call", "id": "h_1", "status": "completed", "shape": [1] })),
        ("google", json!({ "hologram": { "shape": [1] } })),
    ] {
        let lab = Lab::new(name);
        let told = lab.ask(Reply::text("See:").part(Part::Unknown(block.clone())));
        assert_eq!(told.outcome(), "done", "{name}");
        let kept = told.turn.content.iter().find_map(|part| match part {
            Block::Unknown { value, .. } => Some(value),
            _ => None,
        });
        assert_eq!(kept, Some(&block), "{name}");
    }
}

#[test]
fn images() {
    for name in ["openrouter", "google"] {
        let image = Part::Image { media_type: "image/png".to_owned(), data: "aWNvbg==".to_owned() };
        let told = Lab::new(name).ask(Reply::text("Here:").part(image));
        let Some(Block::Image(image)) = told.turn.content.get(1) else { panic!("{name}: {:?}", told.turn) };
        assert_eq!((image.media_type.as_str(), image.data.as_str()), ("image/png", "aWNvbg=="));
    }
}

#[test]
fn a_call_that_was_cut_before_its_arguments_is_malformed() {
    for_every(|lab| {
        // Google and Ollama send a call whole or not at all.
        if ["google", "ollama"].contains(&lab.name) {
            return;
        }
        let ask = |text: &str, stop| {
            let told = lab.ask(Reply::default().tool("call_1", "clear", text).stop(stop));
            calls(&told)[0].arguments.clone()
        };
        let none = Arguments::parse("");
        assert_eq!(ask("", Stop::Natural), none, "a tool without parameters");
        assert_eq!(ask("{}", Stop::Length), none, "the cut came later");
        assert!(matches!(ask("", Stop::Length), Arguments::Malformed { .. }), "no tool runs on a guess");
    });
}

#[test]
fn an_answer_at_its_longest() {
    for_every(|lab| {
        let told = lab.ask(Reply::text("and so on and").stop(Stop::Length));
        assert_eq!((told.outcome().as_str(), told.turn.stop), ("done", StopReason::Length));
    });
}

#[test]
fn a_reason_of_the_future_is_a_stop() {
    for_every(|lab| {
        let told = lab.ask(Reply::text("Hi").stop(Stop::Unknown));
        assert_eq!(told.text(), "Hi");
        // Google's reasons are all refusals but a few, so an unknown one is not taken for success.
        let expected = if lab.name == "google" { "Refusal" } else { "done" };
        if lab.name != "openai" {
            assert_eq!(told.outcome(), expected);
        }
    });
}

#[test]
fn a_refusal_is_text_and_a_typed_error() {
    for_every(|lab| {
        // Ollama's models refuse in plain words only.
        if lab.name == "ollama" {
            return;
        }
        let told =
            lab.ask(Reply::default().part(Part::Refusal("I cannot help.".to_owned())).stop(Stop::Refusal));
        assert_eq!(told.outcome(), "Refusal", "{:?}", told.turn);
        assert_eq!(told.turn.stop, StopReason::Error);
        if ["openai", "openai-chat"].contains(&lab.name) {
            assert_eq!(told.text(), "I cannot help.");
        }
    });
}

#[test]
fn usage_tells_reasoning_and_cache() {
    for_every(|lab| {
        let usage = Usage { input: 10, output: 50, cache_read: 200, cache_write: 40, reasoning: 30 };
        let told = lab.ask(Reply::text("x").usage(usage));
        assert_eq!(told.turn.usage.output, 50, "{:?}", told.turn.usage);
        assert_eq!(told.turn.usage.context(), 250, "{:?}", told.turn.usage);
        if !["anthropic", "ollama"].contains(&lab.name) {
            assert_eq!(told.turn.usage.reasoning, 30);
        }
    });
}

#[test]
fn the_first_delta_comes_at_once_and_those_that_follow_closely_are_joined() {
    let texts = |lab: &Lab, text: &str, pause_ms: u64| -> Vec<String> {
        let told = lab.ask(Answer::from(Reply::text(text).delta(1)).pause(Duration::from_millis(pause_ms)));
        let texts = told.events.into_iter().filter_map(|event| match event {
            Event::Delta { text, .. } => Some(text),
            _ => None,
        });
        texts.collect()
    };
    for_every(|lab| {
        // A machine that is busy elsewhere may join what came meanwhile, or take its time to send what shall be joined,
        // but not every time; one that waited for more before it told anything always would.
        assert!((0..50).any(|_| texts(lab, "ab", 60)[0] == "a"));
        assert!((0..50).any(|_| texts(lab, "abcdefgh", 5).len() < 8));
    });
}

#[test]
fn fast_deltas_are_joined() {
    for_every(|lab| {
        let text: String = (0..5_000).map(|number| format!("{number}\n")).collect();
        let delivery = Delivery { burst_bytes: Some(16 << 10), ..Delivery::default() };
        let told = lab.ask(Answer::from(Reply::text(text.clone()).delta(1)).delivery(delivery));
        assert_eq!(told.text(), text);
        let deltas = told.events.iter().filter(|event| matches!(event, Event::Delta { .. })).count();
        assert!(deltas < 5_000, "{deltas} deltas reached the reader");
    });
}

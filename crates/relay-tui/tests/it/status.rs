//! The status line in every preset and with every separator, links, and what each turn used.

use std::path::Path;

use relay_tui::Output;
use serde_json::json;

use crate::stage::Stage;

const PRESETS: [&str; 7] = ["default", "minimal", "compact", "full", "nerd", "ascii", "custom"];
const SEPARATORS: [&str; 7] = ["powerline", "powerline-thin", "slash", "pipe", "block", "none", "ascii"];

fn set(stage: &mut Stage, key: &str, value: &str) {
    stage.answer("set_setting", json!({ "key": key, "value": value }));
}

/// An interface about which the status line has much to say.
fn busy(width: u16) -> Stage {
    let mut stage = Stage::ready(width, 24);
    stage.frame(json!({ "type": "surroundings", "cwd": "~/code/shop", "host": "box", "branch": "cart",
        "staged": 1, "changed": 2, "untracked": 3 }));
    stage.frame(json!({ "type": "session_name", "name": "Cart totals" }));
    stage.answer(
        "get_jobs",
        json!({ "jobs": [{ "id": "bg_1", "label": "npm run dev", "status": "running" }] }),
    );
    stage.frame(json!({ "type": "agent_start" }));
    stage.frame(json!({ "type": "message_start" }));
    stage.now_ms += 2_000;
    let usage = json!({ "input": 2_000, "output": 100, "cacheRead": 60_000, "cost": { "total": 0.12 } });
    stage.frame(
        json!({ "type": "message_end", "message": { "role": "assistant", "content": [], "usage": usage } }),
    );
    let said = "remote: \nhttps://github.com/acme/shop/pull/42\n";
    stage.tool(
        "bash",
        json!({ "command": "gh pr create" }),
        json!({ "content": [{ "type": "text", "text": said }] }),
        false,
    );
    stage.frame(json!({ "type": "agent_end", "status": "done" }));
    stage.now_ms = 125_000;
    stage
}

fn line(stage: &Stage) -> String {
    stage.screen().trim_end().lines().last().unwrap_or_default().to_owned()
}

#[test]
fn every_preset_and_separator() {
    let mut text = String::new();
    for preset in PRESETS {
        let mut stage = busy(150);
        set(&mut stage, "statusLine.leftSegments", "[\"git\", \"path\"]");
        set(&mut stage, "statusLine.rightSegments", "[\"token_total\"]");
        set(&mut stage, "statusLine.preset", preset);
        text.push_str(&format!("{preset}\n{}\n", line(&stage)));
        if preset == "ascii" {
            assert!(line(&stage).is_ascii(), "{}", line(&stage));
        }
    }
    for separator in SEPARATORS {
        let mut stage = busy(150);
        set(&mut stage, "statusLine.separator", separator);
        text.push_str(&format!("{separator}\n{}\n", line(&stage)));
        set(&mut stage, "symbolPreset", "ascii");
        assert!(line(&stage).is_ascii(), "{separator}: {}", line(&stage));
    }
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/status-lines.txt");
    testkit::expect_file(place, &text);
}

#[test]
fn options_change_single_segments() {
    let mut stage = busy(150);
    let options = r#"{"model":{"showProvider":true,"showThinkingLevel":true},"path":{"abbreviate":true},"git":{"showUntracked":false},"context_pct":{"showWindow":false}}"#;
    set(&mut stage, "statusLine.segmentOptions", options);
    let shown = line(&stage);
    for part in ["lab/sonnet medium", "~/c/shop", "cart +1 *2 /", "31% /"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    set(&mut stage, "statusLine.segmentOptions", "not JSON");
    assert!(line(&stage).contains("~/code/shop"), "what is wrong changes nothing");
}

#[test]
fn the_line_gives_way_from_its_right_end() {
    for width in [20, 40, 60, 80, 100] {
        let stage = busy(width);
        let shown = line(&stage);
        assert!(shown.contains("sonnet") && shown.chars().count() <= usize::from(width), "{width}: {shown}");
    }
}

#[test]
fn separators_have_a_colour_of_the_session_unless_that_is_off() {
    let color = |session: &str, accent: &str| {
        let mut stage = busy(150);
        stage.answer(
            "get_state",
            json!({ "model": { "selector": "lab/sonnet", "contextWindow": 1 }, "sessionId": session }),
        );
        set(&mut stage, "statusLine.sessionAccent", accent);
        let row = u16::try_from(stage.screen().trim_end().lines().count() - 1).unwrap();
        let at = line(&stage).chars().position(|c| c == '/').unwrap();
        stage.terminal.screen().cell(row, u16::try_from(at).unwrap()).unwrap().fgcolor()
    };
    assert_ne!(color("a", "true"), color("b", "true"));
    assert_eq!(color("a", "false"), color("b", "false"));
}

#[test]
fn the_hud_names_the_skill_that_was_started() {
    let mut stage = Stage::ready(80, 24);
    let message = json!({ "role": "custom", "customType": "skill-prompt", "content": "…", "display": true,
        "details": { "name": "review", "args": "src/a.rs" } });
    stage.frame(json!({ "type": "message_end", "message": message }));
    assert!(
        stage.screen().contains("/skill:review src/a.rs") && stage.screen().contains("◆ review"),
        "{}",
        stage.screen()
    );
    set(&mut stage, "statusLine.showSkillHud", "false");
    assert!(!stage.screen().contains("◆ review"), "{}", stage.screen());
}

#[test]
fn links_shrinking_and_tokens_follow_the_settings() {
    let mut stage = Stage::ready(80, 24);
    set(&mut stage, "tui.hyperlinks", "always");
    set(&mut stage, "clearOnShrink", "true");
    assert!(stage.outputs.contains(&Output::Links("always".to_owned())));
    assert!(stage.outputs.contains(&Output::ClearOnShrink(true)));
    let turn = |stage: &mut Stage| {
        let usage = json!({ "input": 1_000, "output": 50, "cost": { "total": 0.01 } });
        stage.frame(json!({ "type": "message_end", "message": { "role": "assistant", "content": [], "usage": usage } }));
    };
    turn(&mut stage);
    assert!(!stage.everything().contains("50"), "{}", stage.everything());
    set(&mut stage, "display.showTokenUsage", "true");
    turn(&mut stage);
    assert!(stage.everything().contains("50"), "{}", stage.everything());
}

#[test]
fn the_word_that_says_the_agent_works_moves_unless_that_is_off() {
    for (kind, moves) in [("classic", true), ("kitt", true), ("disabled", false)] {
        let mut stage = Stage::ready(80, 24);
        set(&mut stage, "display.shimmer", kind);
        stage.frame(json!({ "type": "agent_start" }));
        let word = |stage: &Stage| {
            let row = stage.screen().lines().position(|line| line.contains("Working")).unwrap();
            let bold = |column: u16| {
                stage.terminal.screen().cell(u16::try_from(row).unwrap(), column).unwrap().bold()
            };
            (2..9).map(bold).collect::<Vec<_>>()
        };
        let before = word(&stage);
        stage.pass(240);
        assert_eq!(word(&stage) != before, moves, "{kind}");
    }
}

#[test]
fn whoever_looks_away_is_told_and_no_one_else() {
    let told = |stage: &Stage| -> Vec<String> {
        let titles = stage.outputs.iter().filter_map(|output| match output {
            Output::Notify { title, .. } => Some(title.clone()),
            _ => None,
        });
        titles.collect()
    };
    let ask = |stage: &mut Stage, details: serde_json::Value| {
        stage.frame(json!({ "type": "extension_ui_request", "id": "u", "method": "select", "title": "Which?", "options": ["A"],
            "optionIds": ["0"], "details": details }));
        stage.frame(json!({ "type": "extension_ui_request", "method": "cancel", "targetId": "u" }));
    };
    let waits = json!({ "ask": { "notify": "Waiting for input" } });
    // A terminal that reports its focus.
    let mut stage = Stage::ready(80, 24);
    stage.input(relay_tui::Input::Focus(true));
    stage.now_ms = 60_000;
    ask(&mut stage, waits.clone());
    assert!(told(&stage).is_empty());
    stage.input(relay_tui::Input::Focus(false));
    ask(&mut stage, waits.clone());
    ask(&mut stage, json!({ "ask": { "notify": null } }));
    assert_eq!(told(&stage), ["Waiting for input"], "`ask.notify` turns it off");
    set(&mut stage, "completion.notify", "off");
    ask(&mut stage, json!({ "approval": true }));
    assert_eq!(told(&stage).len(), 2, "another setting is about answers");
    // One that does not is left alone for a while first.
    let mut stage = Stage::ready(80, 24);
    stage.key("a");
    ask(&mut stage, waits.clone());
    assert!(told(&stage).is_empty());
    stage.now_ms += 20_000;
    ask(&mut stage, waits);
    assert_eq!(told(&stage).len(), 1);
}

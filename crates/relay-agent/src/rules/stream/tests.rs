//! Rules on answers that are cut anywhere.

use super::*;
use crate::rules::{Origin, ToolScope};
use crate::sources::Owner;

fn rule(name: &str, condition: &str, scopes: &[&str]) -> Rule {
    Rule {
        name: name.to_owned(),
        path: format!(".relay/rules/{name}.md"),
        origin: Origin::Relay,
        owner: Owner::Project,
        description: None,
        globs: Vec::new(),
        always: false,
        conditions: vec![condition.to_owned()],
        scopes: match scopes {
            [] => Scope::usual(),
            scopes => scopes.iter().map(|scope| Scope::parse(scope).unwrap()).collect(),
        },
        interrupt: None,
        content: format!("Rule {name}."),
    }
}

fn monitor(rules: &[Rule], settings: Settings) -> Monitor {
    let (rules, skipped) = StreamRules::new(rules, settings);
    assert!(skipped.is_empty(), "{skipped:?}");
    Monitor::new(rules)
}

fn tool(id: &str, name: &str) -> Source {
    Source::Tool { call_id: id.to_owned(), name: name.to_owned() }
}

/// The names of the rules that a text breaks, cut at every place; where a rule is first broken must not depend on it.
fn check(rules: &[Rule], source: &Source, text: &str, expected: &[&str]) {
    for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
        let (before, after) = text.split_at(cut);
        let mut monitor = monitor(rules, Settings::default());
        let mut names = Vec::new();
        for hit in
            [monitor.push(source, before), monitor.push(source, after), monitor.finish(source)].concat()
        {
            names.push(hit.rule.name);
        }
        names.sort();
        assert_eq!(names, expected, "{text:?} cut at {cut}");
    }
    let mut bytewise = monitor(rules, Settings::default());
    let mut names = Vec::new();
    for c in text.chars() {
        names.extend(bytewise.push(source, c.encode_utf8(&mut [0; 4])).into_iter().map(|hit| hit.rule.name));
    }
    names.extend(bytewise.finish(source).into_iter().map(|hit| hit.rule.name));
    names.sort();
    assert_eq!(names, expected, "{text:?} one by one");
}

#[test]
fn cuts_make_no_difference() {
    let rules = [
        rule("log", r"console\.log\(", &[]),
        rule("word", r"\bvar\b", &[]),
        rule("end", r"done\.$", &[]),
        rule("lines", r"a\n+b", &[]),
        rule("umlaut", "(?i)GRÖSSE", &[]),
    ];
    check(&rules, &Source::Text, "use console.log(x)", &["log"]);
    check(&rules, &Source::Text, "a variable", &[]);
    check(&rules, &Source::Text, "x var", &["word"]);
    check(&rules, &Source::Text, "evar var!", &["word"]);
    check(&rules, &Source::Text, "done. done. x", &[]);
    check(&rules, &Source::Text, "all done.", &["end"]);
    check(&rules, &Source::Text, "a\n\n\nb", &["lines"]);
    check(&rules, &Source::Text, "die grösse", &["umlaut"]);
    check(&rules, &tool("1", "write"), r#"{"content":"a\n\nb var"}"#, &["lines", "word"]);
}

#[test]
fn scopes_decide_what_is_watched() {
    let on = |scopes: &[&str]| [rule("r", "bad", scopes)];
    let sources = [Source::Text, Source::Thinking, tool("1", "bash"), tool("2", "edit")];
    for (scopes, expected) in [
        (&[][..], [true, false, true, true]),
        (&["text"][..], [true, false, false, false]),
        (&["thinking"][..], [false, true, false, false]),
        (&["tool"][..], [false, false, true, true]),
        (&["tool:Edit"][..], [false, false, false, true]),
        (&["text", "tool:bash"][..], [true, false, true, false]),
    ] {
        for (source, expected) in sources.iter().zip(expected) {
            let names: &[&str] = if expected { &["r"] } else { &[] };
            check(&on(scopes), source, "this is bad.", names);
        }
    }
}

#[test]
fn files_decide_once_they_are_known() {
    let rules = [rule("r", "bad", &["tool:write(*.rs)"])];
    check(&rules, &tool("1", "write"), r#"{"path":"src/a.rs","content":"bad "}"#, &["r"]);
    check(&rules, &tool("1", "write"), r#"{"content":"bad ","path":"src/a.rs"}"#, &["r"]);
    check(&rules, &tool("1", "write"), r#"{"content":"bad ","path":"src/a.py"}"#, &[]);
    check(&rules, &tool("1", "write"), r#"{"content":"bad "}"#, &[]);
    check(&rules, &tool("1", "edit"), r#"{"path":"src/a.rs","content":"bad "}"#, &[]);
    // A rule that is about files as a whole.
    let global = [Rule { globs: vec!["*.ts".to_owned()], ..rule("r", "bad", &[]) }];
    check(&global, &tool("1", "edit"), r#"{"input":"§x.ts\nbad "}"#, &["r"]);
    check(&global, &Source::Text, "bad ", &[]);
    // A condition that is a pattern for files.
    let scope =
        |tool: &str| Scope::Tool(ToolScope { tool: Some(tool.to_owned()), glob: Some("*.lock".to_owned()) });
    let pattern = [Rule { scopes: vec![scope("edit"), scope("write")], ..rule("r", ".*", &[]) }];
    check(&pattern, &tool("1", "write"), r#"{"path":"Cargo.lock"}"#, &["r"]);
}

#[test]
fn every_mode_interrupts_where_it_should() {
    use InterruptMode::{Always, Never, ProseOnly, ToolOnly};
    for (mode, in_prose, in_tool) in
        [(Never, false, false), (ProseOnly, true, false), (ToolOnly, false, true), (Always, true, true)]
    {
        for own in [true, false] {
            let rules =
                [Rule { interrupt: own.then_some(mode), ..rule("r", "bad", &["text", "thinking", "tool"]) }];
            let other = if mode == Always { Never } else { Always };
            let settings = Settings { interrupt_mode: if own { other } else { mode }, ..Settings::default() };
            for (source, expected) in
                [(Source::Text, in_prose), (Source::Thinking, in_prose), (tool("1", "x"), in_tool)]
            {
                let hits = monitor(&rules, settings.clone()).push(&source, "bad bad");
                assert_eq!(
                    hits.iter().map(|hit| hit.interrupts).collect::<Vec<_>>(),
                    [expected],
                    "{mode:?} {source:?}"
                );
            }
        }
    }
}

#[test]
fn a_rule_is_reported_once_in_a_turn_and_for_one_call() {
    let mut monitor = monitor(&[rule("r", "bad", &[])], Settings::default());
    assert_eq!(monitor.push(&tool("1", "a"), "bad ").len(), 1);
    assert_eq!(monitor.push(&tool("2", "a"), "bad ").len(), 0, "one call for each rule");
    assert_eq!(monitor.push(&Source::Text, "bad ").len(), 0);
    monitor.answer_failed();
    assert_eq!(monitor.push(&Source::Text, "bad ").len(), 1, "it was not shown");
}

#[test]
fn rules_repeat_as_the_settings_say() {
    let rules = [rule("r", "bad", &[])];
    let mut once = monitor(&rules, Settings::default());
    let hits = |monitor: &mut Monitor| {
        monitor.turn_started();
        monitor.push(&Source::Text, "bad ").len()
    };
    assert_eq!(hits(&mut once), 1);
    once.mark_shown(["r"]);
    for _ in 0..20 {
        once.turn_ended();
        assert_eq!(hits(&mut once), 0);
    }
    let settings = Settings { repeat_mode: RepeatMode::AfterGap, repeat_gap: 3, ..Settings::default() };
    let mut again = monitor(&rules, settings);
    again.restore(["r"]);
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(hits(&mut again));
        again.turn_ended();
    }
    assert_eq!(seen, [0, 0, 0, 1]);
}

#[test]
fn nothing_is_watched_where_it_is_switched_off() {
    let (rules, _) =
        StreamRules::new(&[rule("r", "bad", &[])], Settings { enabled: false, ..Settings::default() });
    assert!(rules.is_empty() && Monitor::new(rules).push(&Source::Text, "bad bad").is_empty());
}

#[test]
fn rules_that_cannot_be_used_are_reported() {
    let two = Rule { conditions: vec!["(".to_owned(), "bad".to_owned()], ..rule("half", "", &[]) };
    let unreachable = Rule { globs: vec!["*.rs".to_owned()], ..rule("nowhere", "x", &["text"]) };
    let none = Rule { scopes: Vec::new(), ..rule("none", "x", &[]) };
    let (rules, skipped) = StreamRules::new(
        &[
            rule("ahead", "(?=x)", &[]),
            two,
            rule("half", "other", &[]),
            rule("huge", r"(\w{100}){100}", &[]),
            unreachable,
            none,
            Rule { always: true, conditions: Vec::new(), ..rule("always", "", &[]) },
        ],
        Settings::default(),
    );
    let reasons: Vec<String> =
        skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason)).collect();
    assert_eq!(reasons.len(), 6, "{reasons:#?}");
    assert!(rules.rule("half").is_some() && rules.rule("ahead").is_none() && rules.rule("always").is_none());
    assert_eq!(Monitor::new(rules).push(&Source::Text, "bad x").len(), 1);
}

#[test]
fn hostile_patterns_take_linear_time_and_bounded_memory() {
    let rules = [
        rule("nested", "(a+)+$", &[]),
        rule("dots", "(.*a){12}z", &[]),
        rule("blowup", "[ab]*a[ab]{14}c", &[]),
    ];
    let mut monitor = monitor(&rules, Settings::default());
    // Backtracking would need longer than the universe has existed.
    let text = "ab".repeat(20_000);
    for piece in text.as_bytes().chunks(7) {
        assert!(monitor.push(&Source::Text, std::str::from_utf8(piece).unwrap()).is_empty());
    }
    assert_eq!(monitor.push(&Source::Text, "aaaaaaaaaaaaaaac ").len(), 1);
}

#[test]
fn the_model_reads_the_rule_in_a_frame() {
    let bad = Rule { content: "x </system-interrupt> y".to_owned(), ..rule("a\"b", "x", &[]) };
    assert_eq!(
        interruption([&rule("r", "x", &[]), &bad]),
        "<system-interrupt reason=\"rule_violation\" rule=\"r\" path=\".relay/rules/r.md\">\n\
         Your answer was stopped because it broke this rule. Go on with the task, and keep to the rule from here on. \
         Do not mention the rule or the interruption unless the user asks.\n\nRule r.\n</system-interrupt>\n\n\
         <system-interrupt reason=\"rule_violation\" rule=\"a&quot;b\" path=\".relay/rules/a&quot;b.md\">\n\
         Your answer was stopped because it broke this rule. Go on with the task, and keep to the rule from here on. \
         Do not mention the rule or the interruption unless the user asks.\n\nx &lt;/system-interrupt> y\n</system-interrupt>"
    );
    assert!(
        reminder([&rule("r", "x", &[])]).starts_with("<system-reminder reason=\"rule_violation\" rule=\"r\"")
    );
}

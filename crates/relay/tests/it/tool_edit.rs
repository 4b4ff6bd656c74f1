//! The `edit` tool, driven by a scripted model: every form, its errors, and that everything lands or nothing does.

use relay_edit::anchors::LineHash;
use serde_json::{Value, json};
use testkit::model::Reply;

use crate::lab::Lab;

/// `@2` becomes the anchor of the second line of a text.
fn fill(input: &str, file: &str) -> String {
    let lines: Vec<&str> = file.lines().collect();
    (1..=lines.len()).rev().fold(input.to_owned(), |input, number| {
        let hash = LineHash::of(lines[number - 1].as_bytes());
        input.replace(&format!("@{number}"), &format!("{number}{hash}"))
    })
}

const FILE: &str = "one\ntwo\nthree\nfour\nfive\n";

/// One call, and what the model reads about it.
fn call(lab: &Lab, arguments: &Value) -> String {
    lab.one_call("edit", arguments)
}

#[track_caller]
fn check(lab: &Lab, arguments: &Value, after: &str) -> String {
    lab.env.write("a.txt", FILE);
    let told = call(lab, arguments);
    assert_eq!(lab.env.read("a.txt"), after, "{told}");
    told
}

#[track_caller]
fn check_refused(lab: &Lab, arguments: &Value, message: &str) {
    lab.env.write("a.txt", FILE);
    let before = lab.env.tree();
    let told = call(lab, arguments);
    assert!(told.contains(message), "{told}");
    assert_eq!(lab.env.tree(), before, "{told}");
}

#[test]
fn anchors_name_the_lines_that_change() {
    let lab = Lab::new();
    let hashline = |input: &str| json!({ "input": fill(input, FILE) });
    let told = check(&lab, &hashline("§a.txt\n≔@2\nTWO\n»EOF\nsix\n"), "one\nTWO\nthree\nfour\nfive\nsix\n");
    let expected = fill("a.txt:\n @1|one\n-2|two\n+2nn|TWO\n @3|three\n @4|four\n @5|five\n+6mm|six", FILE)
        .replace("2nn", &format!("2{}", LineHash::of(b"TWO")))
        .replace("6mm", &format!("6{}", LineHash::of(b"six")));
    assert_eq!(told, expected);
    check(&lab, &hashline("§a.txt\n»@1\nnew\n«@5\nx\ny\n"), "one\nnew\ntwo\nthree\nfour\nx\ny\nfive\n");
    check(&lab, &hashline("§a.txt\n≔@2..@3\n"), "one\nfour\nfive\n");
    check(&lab, &hashline("§a.txt\n≔@2\n\n"), "one\n\nthree\nfour\nfive\n");
    check(
        &lab,
        &hashline("*** Begin Patch\n§§a.txt\n≔@1\nONE\n*** End Patch\n"),
        "ONE\ntwo\nthree\nfour\nfive\n",
    );
    let root = lab.env.root().join("a.txt");
    check(&lab, &hashline(&format!("§{}\n≔@1\nONE\n", root.display())), "ONE\ntwo\nthree\nfour\nfive\n");
    let told = check(
        &lab,
        &hashline("§a.txt\n≔@1\nONE\n*** Abort\n§a.txt\n≔@2\nno\n"),
        "ONE\ntwo\nthree\nfour\nfive\n",
    );
    assert!(told.contains("\n\nWarnings:\nthe input ended with `*** Abort`"), "{told}");
    assert_eq!(call(&lab, &json!({ "input": "§new/b.txt\n»BOF\nhello\n" })), "Created new/b.txt");
    assert_eq!(lab.env.read("new/b.txt"), "hello\n");
}

#[test]
fn mistakes_in_operations_are_named() {
    let lab = Lab::new();
    for (input, message) in [
        (
            "hello\n",
            "input must begin with \"§PATH\" on the first non-blank line; got: \"hello\". Example: \"§src/foo.ts\" then edit ops.",
        ),
        ("§\n»EOF\nx\n", "Input header \"§\" is empty; provide a file path."),
        ("§a.txt\n≔2\nx\n", "line 2: expected a full anchor such as \"119sr\"; got \"2\"."),
        ("§a.txt\n≔@2-@3\nx\n", "line 2: explicit ranges are required for replacement"),
        ("§a.txt\n≔@2..\nx\n", "line 2: range must include exactly two full anchors separated by \"..\"."),
        ("§a.txt\n≔@3..@2\nx\n", "ends before it starts."),
        ("§a.txt\n≔@2..2aa\nx\n", "uses two different hashes for the same line."),
        ("§a.txt\n»@2\n", "line 2: » and « operations require at least one verbatim payload line."),
        ("§a.txt\nstray\n", "line 2: payload line has no preceding », «, or ≔ operation."),
        ("§a.txt\n+@2\nx\n", "line 2: unrecognized op. Use «ANCHOR..., »ANCHOR..., ≔A..B..."),
        ("§missing.txt\n≔@2\nx\n", "File not found: missing.txt"),
        ("§a.txt\n≔99aa\nx\n", "Line 99 does not exist (file has 5 lines)"),
        ("§a.txt\n≔@2\ntwo\n", "Edits to a.txt resulted in no changes being made."),
        ("§../outside.txt\n»EOF\nx\n", "outside"),
    ] {
        check_refused(&lab, &json!({ "input": fill(input, FILE) }), message);
    }
}

/// Several files change together or not at all.
#[test]
fn a_third_file_that_fails_refuses_all() {
    let lab = Lab::new();
    lab.env.write("b.txt", "b\n");
    let input = fill("§a.txt\n≔@1\nONE\n§b.txt\n»EOF\nmore\n§c.txt\n≔@1\nx\n", FILE);
    check_refused(&lab, &json!({ "input": input }), "File not found: c.txt");
    let told = check(
        &lab,
        &json!({ "input": fill("§a.txt\n≔@1\nONE\n§b.txt\n»EOF\nmore\n", FILE) }),
        "ONE\ntwo\nthree\nfour\nfive\n",
    );
    assert!(told.contains("a.txt:\n") && told.contains("\n\nb.txt:\n"), "{told}");
    lab.env.relay(&["undo", "--yes"]).success();
    assert_eq!((lab.env.read("a.txt").as_str(), lab.env.read("b.txt").as_str()), (FILE, "b\n"));
}

/// What a session has read makes its anchors good for longer than the file stays the same.
#[test]
fn stale_anchors_are_merged_where_the_session_read_the_file() {
    let lab = Lab::new();
    lab.env.write("a.txt", FILE);
    lab.calls(&[("read", json!({ "path": "a.txt" }))]);
    lab.calls(&[("bash", json!({ "command": "sed -i '1i zero' a.txt" }))]);
    lab.calls(&[("edit", json!({ "input": fill("§a.txt\n≔@2..@4\nnew\n", FILE) }))]);
    lab.server.queue(Reply::text("Done."));
    let (code, document) = lab.json(&["--policy", "full", "go"]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(lab.env.read("a.txt"), "zero\none\nnew\nfive\n");
    // Without having read it, the lines there now are shown.
    let other = Lab::new();
    other.env.write("a.txt", "zwei\ntwo\nthree\n");
    let told = call(&other, &json!({ "input": fill("§a.txt\n≔@1\nnew\n", FILE) }));
    assert!(told.contains("has changed since its anchor was made") && told.contains("*1"), "{told}");
}

#[test]
fn text_is_replaced_in_its_place() {
    let lab = Lab::new();
    let replace =
        |old: &str, new: &str| json!({ "path": "a.txt", "edits": [{ "old_text": old, "new_text": new }] });
    check(&lab, &replace("two\nthree", "2\n3"), "one\n2\n3\nfour\nfive\n");
    check_refused(&lab, &replace("seven", "7"), "No match found: ");
    check_refused(&lab, &replace("e\n", "E\n"), "");
    check_refused(&lab, &replace("", "x"), "old_text is empty");
    let all = |old: &str, new: &str| json!({ "path": "a.txt", "edits": [{ "old_text": old, "new_text": new, "all": true }] });
    check(&lab, &all("e", "E"), "onE\ntwo\nthrEE\nfour\nfivE\n");
    check(&lab, &all("two\n", ""), "one\nthree\nfour\nfive\n");
    check_refused(&lab, &all("seven", "7"), "No match found for old_text in a.txt.");
    let two = json!({ "path": "a.txt", "edits": [{ "old_text": "one", "new_text": "1" }, { "old_text": "nothing", "new_text": "x" }] });
    check_refused(&lab, &two, "No match found: ");
    lab.env.write("twice.txt", "same\nx\nsame\n");
    let told =
        call(&lab, &json!({ "path": "twice.txt", "edits": [{ "old_text": "same", "new_text": "other" }] }));
    assert!(told.starts_with("Found multiple matches: "), "{told}");
}

#[test]
fn hunks_change_one_file() {
    let lab = Lab::new();
    let patch = |edits: Value| json!({ "path": "a.txt", "edits": edits });
    let update = |diff: &str| patch(json!([{ "op": "update", "diff": diff }]));
    check(&lab, &update("@@\n one\n-two\n+2\n three\n"), "one\n2\nthree\nfour\nfive\n");
    check(&lab, &update("@@ three\n-four\n+4\n"), "one\ntwo\nthree\n4\nfive\n");
    check(
        &lab,
        &update("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n"),
        "1\ntwo\nthree\nfour\nfive\n",
    );
    check_refused(&lab, &update("@@\n-seven\n+7\n"), "No match found: ");
    check_refused(
        &lab,
        &update("@@\n-one\n+1\n*** Delete File: b.txt\n"),
        "does not belong into the hunks of one file",
    );
    lab.env.write("twice.txt", "same\nx\nsame\n");
    let told = call(
        &lab,
        &json!({ "path": "twice.txt", "edits": [{ "op": "update", "diff": "@@\n-same\n+other\n" }] }),
    );
    assert!(told.starts_with("Found multiple matches: "), "{told}");
    let told = check_moved(&lab);
    assert!(told.starts_with("Moved a.txt to moved/b.txt"), "{told}");
    assert_eq!(
        call(&lab, &json!({ "path": "new.txt", "edits": [{ "op": "create", "diff": "+x\n+y\n" }] })),
        "Created new.txt"
    );
    assert_eq!(lab.env.read("new.txt"), "x\ny\n");
    assert_eq!(call(&lab, &json!({ "path": "new.txt", "edits": [{ "op": "delete" }] })), "Deleted new.txt");
    assert!(!lab.env.exists("new.txt"));
}

fn check_moved(lab: &Lab) -> String {
    lab.env.write("a.txt", FILE);
    let edits = json!([{ "op": "update", "diff": "@@\n-one\n+1\n", "rename": "moved/b.txt" }]);
    let told = call(lab, &json!({ "path": "a.txt", "edits": edits }));
    assert!(!lab.env.exists("a.txt"), "{told}");
    assert_eq!(lab.env.read("moved/b.txt"), "1\ntwo\nthree\nfour\nfive\n");
    told
}

#[test]
fn files_that_programs_wrote_are_refused_in_every_form() {
    let lab = Lab::new();
    let generated = "// Code generated by tool. DO NOT EDIT.\nx\n";
    let patch = "*** Begin Patch\n*** Update File: g.go\n@@\n-x\n+y\n*** End Patch\n";
    for arguments in [
        json!({ "input": "§g.go\n»EOF\ny\n" }),
        json!({ "path": "g.go", "edits": [{ "old_text": "x", "new_text": "y" }] }),
        json!({ "path": "g.go", "edits": [{ "op": "update", "diff": "@@\n-x\n+y\n" }] }),
        json!({ "input": patch }),
    ] {
        lab.env.write("g.go", generated);
        let told = call(&lab, &arguments);
        assert!(told.contains("says that it is generated"), "{told}");
        assert_eq!(lab.env.read("g.go"), generated);
        lab.env.relay(&["config", "set", "edit.blockAutoGenerated", "false"]).success();
        call(&lab, &arguments);
        assert_ne!(lab.env.read("g.go"), generated, "{arguments}");
        lab.env.relay(&["config", "unset", "edit.blockAutoGenerated"]).success();
    }
}

#[test]
fn marks_and_line_endings_of_files_are_kept() {
    let lab = Lab::new();
    let file = "\u{feff}one\r\ntwo\r\n";
    for arguments in [
        json!({ "input": fill("§w.txt\n≔@2\nTWO\nmore\n", "one\ntwo\n") }),
        json!({ "path": "w.txt", "edits": [{ "old_text": "two", "new_text": "TWO\nmore" }] }),
        json!({ "path": "w.txt", "edits": [{ "op": "update", "diff": "@@\n-two\n+TWO\n+more\n" }] }),
    ] {
        lab.env.write("w.txt", file);
        let told = call(&lab, &arguments);
        assert_eq!(lab.env.read("w.txt"), "\u{feff}one\r\nTWO\r\nmore\r\n", "{told}");
    }
}

/// The form is the one set for the model, else the environment's, else that of the settings, else hashline.
#[test]
fn the_form_is_chosen_for_the_model() {
    let lab = Lab::new();
    let shown = |lab: &Lab, variant: Option<&str>| {
        lab.server.queue(Reply::text("Hello."));
        let mut command = lab.env.relay(&["run", "--model", "lab/m", "hello"]);
        if let Some(variant) = variant {
            command = command.env("RELAY_EDIT_VARIANT", variant);
        }
        command.success();
        let request = lab.server.requests().pop().unwrap().body;
        let tools = request["tools"].as_array().unwrap();
        let edit = tools.iter().find(|tool| tool["function"]["name"] == "edit").unwrap();
        let properties = edit["function"]["parameters"]["properties"].as_object().unwrap();
        properties.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown(&lab, None), "input");
    lab.env.relay(&["config", "set", "edit.mode", "replace"]).success();
    assert_eq!(shown(&lab, None), "path edits");
    assert_eq!(shown(&lab, Some("vim")), "file steps");
    lab.env.relay(&["config", "set", "edit.modelVariants.lab/m", "apply_patch"]).success();
    assert_eq!(shown(&lab, Some("vim")), "input");
}

/// A difference is shown while the call is still being written, and nothing happens because of it.
#[test]
fn a_call_is_previewed_while_it_is_written() {
    let lab = Lab::new();
    lab.env.write("a.txt", FILE);
    let input =
        fill("§a.txt\n≔@2\nTWO and something more to write\n≔@4\nFOUR and something more to write\n", FILE);
    lab.calls(&[("edit", json!({ "input": input }))]);
    lab.server.queue(Reply::text("Done."));
    let run = lab.run(&["--stream-json", "go"]);
    let events: Vec<Value> = run.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let at = |kind: &str| events.iter().position(|event| event["type"] == kind);
    let preview = at("tool_execution_update").unwrap_or_else(|| panic!("{}", run.stdout));
    assert!(preview < at("tool_execution_start").unwrap(), "{}", run.stdout);
    let details = &events[preview]["partialResult"]["details"];
    assert_eq!(details["preview"], true, "{details}");
    assert!(details["diff"].as_str().unwrap().contains("-two\n+TWO and"), "{details}");
}

/// Buffer, registers and undo are kept over the calls of a session, and every call lands by itself.
#[test]
fn keys_edit_a_file_as_in_vim() {
    let lab = Lab::new();
    lab.env.write("a.txt", "one\r\ntwo\r\nthree\r\n");
    let steps = |steps: Value| json!({ "file": "a.txt", "steps": steps });
    lab.calls(&[(
        "edit",
        steps(json!([{ "kbd": ["yy", "jo"], "insert": "new\nlines" }, { "kbd": ["Gp"] }])),
    )]);
    lab.calls(&[("edit", steps(json!([{ "kbd": ["u"] }, { "kbd": [":%s/t/T/<CR>"] }])))]);
    lab.server.queue(Reply::text("Done."));
    let (code, document) = lab.json(&["go"]);
    assert_eq!((code, document["transactions"].as_array().map(Vec::len)), (0, Some(2)), "{document}");
    assert_eq!(lab.env.read("a.txt"), "one\r\nTwo\r\nnew\r\nlines\r\nThree\r\n");
    lab.env.relay(&["undo", "--yes"]).success();
    assert_eq!(lab.env.read("a.txt"), "one\r\ntwo\r\nnew\r\nlines\r\nthree\r\none\r\n");
    let shown = call(&lab, &json!({ "file": "a.txt" }));
    assert!(
        shown.starts_with("1")
            && shown.contains("|one\n")
            && shown.ends_with("Cursor: line 1 of 6, column 1"),
        "{shown}"
    );
    assert_eq!(
        call(&lab, &json!({ "file": "new.txt", "steps": [{ "kbd": ["i"], "insert": "x" }] })).lines().next(),
        Some("Created new.txt")
    );
    assert_eq!(lab.env.read("new.txt"), "x\n");
    for (step, message) in [
        (json!({ "kbd": ["dfz"] }), "Step 1: `dfz`: `f` leads nowhere from here"),
        (json!({ "kbd": ["x"], "insert": "y" }), "must leave insert mode open"),
        (json!({ "kbd": ["i"] }), "must end in normal mode"),
        (json!({ "kbd": [], "insert": "y" }), "`insert` needs keys that open insert mode"),
        (json!({ "kbd": ["d"] }), "the keys end in the middle of a command"),
    ] {
        check_refused(&lab, &steps(json!([step])), message);
    }
    check_refused(&lab, &json!({ "file": "missing.txt" }), "File not found: missing.txt");
}

/// A model whose edit cannot land any more is stopped in the middle of it, where the user wants that.
#[test]
fn a_call_that_cannot_land_is_stopped_while_it_is_written() {
    let lab = Lab::new();
    lab.env.write("a.txt", FILE);
    lab.env.relay(&["config", "set", "edit.streamingAbort", "true"]).success();
    let long = "a line that takes its time\n".repeat(200);
    let bad = json!({ "input": format!("§a.txt\n≔99zz\nx\n»EOF\n{long}") });
    lab.calls(&[("edit", bad.clone())]);
    lab.calls(&[("edit", json!({ "input": fill("§a.txt\n≔@2\nTWO\n", FILE) }))]);
    lab.server.queue(Reply::text("Done."));
    let run = lab.run(&["go"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(lab.env.read("a.txt"), FILE.replace("two", "TWO"));
    let second = lab.server.requests()[1].body.to_string();
    assert!(second.contains("Line 99 does not exist (file has 5 lines)"), "{second}");
    assert!(!second.contains("a line that takes its time"), "the call was not completed: {second}");
    // By default the call is read to its end.
    lab.env.relay(&["config", "unset", "edit.streamingAbort"]).success();
    lab.env.write("a.txt", FILE);
    let told = call(&lab, &bad);
    assert!(told.contains("Line 99 does not exist"), "{told}");
}

/// Lines next to a range that were copied into it are left out; inserted ones only where the user wants that.
#[test]
fn copied_lines_beside_a_range_are_left_out() {
    let lab = Lab::new();
    let hashline = |input: &str| json!({ "input": fill(input, FILE) });
    let told = check(&lab, &hashline("§a.txt\n≔@2\none\nTWO\nthree\n"), "one\nTWO\nthree\nfour\nfive\n");
    assert!(told.contains("\n\nWarnings:\n"), "{told}");
    let insert = hashline("§a.txt\n»@2\ntwo\nnew\n");
    check(&lab, &insert, "one\ntwo\ntwo\nnew\nthree\nfour\nfive\n");
    lab.env.relay(&["config", "set", "edit.hashlineAutoDropPureInsertDuplicates", "true"]).success();
    let told = check(&lab, &insert, "one\ntwo\nnew\nthree\nfour\nfive\n");
    assert!(told.contains("\n\nWarnings:\n"), "{told}");
}

/// A part of a word, and a threshold that leaves no room for slips.
#[test]
fn parts_of_words_are_replaced_and_slips_can_be_forbidden() {
    let lab = Lab::new();
    let replace =
        |old: &str, new: &str| json!({ "path": "a.txt", "edits": [{ "old_text": old, "new_text": new }] });
    check(&lab, &replace("hre", "HRE"), "one\ntwo\ntHREe\nfour\nfive\n");
    check_refused(&lab, &replace("o", "O"), "Found multiple matches: ");
    let file = "fn first_function() {\n    call_something();\n}\n\nfn second() {\n    work();\n}\n";
    let slip = json!({ "path": "b.rs", "edits": [{ "op": "update",
        "diff": "@@\n fn first_functoin() {\n     call_something();\n }\n \n fn second() {\n-    work();\n+    rest();\n }\n" }] });
    lab.env.write("b.rs", file);
    lab.env.relay(&["config", "set", "edit.fuzzyThreshold", "1"]).success();
    let told = call(&lab, &slip);
    assert_eq!(lab.env.read("b.rs"), file, "{told}");
}

/// What OpenAI's models write is held to the grammar of the form, as text without JSON around it.
#[test]
fn models_that_take_grammars_write_text() {
    let lab = Lab::plain("openai-responses", "/v1");
    let models = "[[providers.lab.models]]\nid = \"m\"\ngrammars = true\n";
    lab.models("openai-responses", "/v1", models);
    for (form, input) in [
        ("hashline", fill("§a.txt\n≔@2\nTWO\n", FILE)),
        ("apply_patch", "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+TWO\n*** End Patch".to_owned()),
    ] {
        lab.config(&format!("[edit]\nmode = \"{form}\"\n"));
        lab.env.write("a.txt", FILE);
        lab.server.queue(Reply::text("").tool("call_0", "edit", &json!({ "input": input }).to_string()));
        lab.server.queue(Reply::text("Done."));
        let run = lab.run(&["go"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(lab.env.read("a.txt"), FILE.replace("two", "TWO"), "{form}");
        let asked = lab.server.prompts().pop().unwrap();
        let tools = asked.body["tools"].as_array().unwrap();
        let edit = tools.iter().find(|tool| tool["name"] == "edit").unwrap();
        assert_eq!(edit["type"], "custom");
        let words = if form == "hashline" { "ANCHOR:" } else { "*** Update File: " };
        assert!(edit["format"]["definition"].as_str().unwrap().contains(words), "{edit}");
        let items = asked.body["input"].to_string();
        assert!(items.contains("custom_tool_call_output") && !items.contains("\"function_call\""), "{items}");
    }
}

/// A quote with a slip is placed where it is alike, the file's own lines stay, and the model reads what was different.
#[test]
fn quotes_may_be_nearly_right_as_the_threshold_says() {
    let lab = Lab::plain("openai-chat", "/v1");
    let file = "def total(items):\n    amount = sum(item.price for item in items)\n    return amount\n";
    let old = "    amuont = sum(item.price for item in items)\n    return amount\n";
    let arguments = json!({ "path": "a.txt", "edits": [{ "old_text": old, "new_text": "    return 0\n" }] });
    lab.env.write("a.txt", file);
    for settings in
        ["[edit]\nfuzzyThreshold = 1\n", "[edit]\nfuzzyThreshold = 0.99\n", "[edit]\nfuzzyMatch = false\n"]
    {
        lab.config(settings);
        let told = call(&lab, &arguments);
        assert!(told.contains("No match found"), "{settings}{told}");
        assert_eq!(lab.env.read("a.txt"), file);
    }
    lab.config("");
    let told = call(&lab, &arguments);
    assert_eq!(lab.env.read("a.txt"), "def total(items):\n    return 0\n", "{told}");
    assert!(told.contains("Warnings:") && told.contains("line 2 is `amount = sum"), "{told}");
}

//! `relay pack`, and replies that answer a pack.

use serde_json::Value;
use testkit::TestEnv;

use crate::{PLAIN, apply, codes, json, project, uuid};

const MAIN: &str = "fn main() {\n    one();\n    two();\n    three();\n    four();\n    five();\n}\n";
const SECRET: &str = "hunter2-and-more";

fn shop() -> TestEnv {
    let env = project(PLAIN);
    env.write("src/main.rs", MAIN);
    env.write("src/other.rs", "pub fn other() {}\n");
    env.write("db.toml", &format!("host = \"db\"\npassword = \"{SECRET}\"\nport = 1\n"));
    env
}

/// Packs with `--json` and these arguments.
fn pack(env: &TestEnv, arguments: &[&str]) -> Value {
    let run = env.relay(&[&["pack", "--json"], arguments].concat()).run();
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    json(&run)
}

fn receipt_of(pack: &Value) -> String {
    pack["receipt"].as_str().expect("receipt").to_owned()
}

/// A reply with one SEARCH/REPLACE block that names a receipt.
fn answer(number: u32, receipt: &str, path: &str, old: &str, new: &str) -> String {
    format!(
        "Because.\n\n```text // {{{path}}} multi-search-replace\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n\n\
         ```yaml\nprojectId: shop\nuuid: {}\nreceipt: {receipt}\n```\n",
        uuid(number)
    )
}

#[test]
fn a_pack_holds_instructions_tree_files_and_task_and_nothing_else_is_printed() {
    let env = shop();
    env.write("image.png", "\u{1}\0");
    env.write("Cargo.lock", "[[package]]\n");
    env.write("ignored/x.rs", "no\n");
    env.write(".gitignore", "ignored/\n");
    let run = env.relay(&["pack", "src", "Cargo.lock", "--task", "Call six."]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in [
        "<!-- relay pack r-",
        "projectId: shop",
        "    three();\n",
        "src/\n  main.rs",
        "# The task\n\nCall six.",
        "receipt: r-",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    assert!(run.stdout.contains("[[package]]"), "what is named is packed, also when it is generated");
    assert!(!run.stdout.contains("image.png") && !run.stdout.contains("ignored"), "{}", run.stdout);
    assert!(run.stderr.contains("✓ packed") && run.stderr.contains("≈"), "{}", run.stderr);
    let everything = pack(&env, &["."]);
    assert!(everything["leftOut"].to_string().contains("generated"), "{}", everything["leftOut"]);
}

#[test]
fn fences_are_longer_than_any_inside_and_bytes_survive() {
    let env = shop();
    let odd = "a ````` b\n~~~\n```rust\nx\n```\n\u{1b}[31mred\u{1b}[0m\r\nno newline at the end";
    env.write("odd.md", odd);
    let text = env.relay(&["pack", "odd.md", "--no-tree"]).run().stdout;
    assert!(text.contains(&format!("``````md\n{odd}\n``````\n")), "{text:?}");
}

#[test]
fn globs_folders_and_exclusions_choose_the_files() {
    let env = shop();
    let files = |arguments: &[&str]| {
        let document = pack(&env, arguments);
        let list = document["files"].as_array().unwrap();
        list.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(files(&["src/*.rs"]), ["src/main.rs", "src/other.rs"]);
    assert_eq!(files(&["src", "--exclude", "src/other*"]), ["src/main.rs"]);
    assert_eq!(
        files(&["src/other.rs", "src"]),
        ["src/other.rs", "src/main.rs"],
        "in the order of importance"
    );
    assert_eq!(files(&["**/*.{rs,toml}", "--exclude", "src/**"]), ["db.toml"]);
    let run = env.relay(&["pack", "src/mian.rs"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("src/main.rs"), "{}", run.stderr);
    let run = env.relay(&["pack", "../outside"]).run();
    assert_eq!(run.code, 1, "{}", run.stdout);
}

#[test]
fn files_that_do_not_fit_the_budget_are_listed() {
    let env = shop();
    env.write("large.rs", &"let x = 1;\n".repeat(5000));
    let document = pack(&env, &["large.rs", "src", "--budget", "4000"]);
    assert_eq!(document["files"].as_array().unwrap().len(), 2);
    assert_eq!(document["leftOut"][0]["path"], "large.rs");
    assert!(document["tokens"].as_u64().unwrap() <= 4000, "{}", document["tokens"]);
    assert!(
        document["text"].as_str().unwrap().contains("`large.rs` does not fit the budget"),
        "the model knows of it"
    );
}

#[test]
fn secrets_are_masked_and_listed_and_sent_only_on_explicit_request() {
    let env = shop();
    env.write("copy.rs", &format!("// see {SECRET}\n"));
    let run = env.relay(&["pack", "db.toml", "copy.rs", "--task", &format!("use {SECRET}")]).run();
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{}", run.stdout);
    assert!(run.stderr.contains("masked: db.toml:2 password"), "{}", run.stderr);
    assert_eq!(env.relay(&["pack", "db.toml", "--no-mask"]).run().code, 2);
    assert_eq!(env.relay(&["pack", "db.toml", "--no-mask", "yes"]).run().code, 2);
    let open = env.relay(&["pack", "db.toml", "--no-mask", "send-secrets"]).run();
    assert!(open.stdout.contains(SECRET) && open.stderr.contains("not masked"), "{}", open.stderr);
}

#[test]
fn a_reply_with_the_receipt_is_merged_onto_the_file_as_it_is_now() {
    let env = shop();
    let receipt = receipt_of(&pack(&env, &["src/main.rs"]));
    // Another edit adds a copy of the line above, so the edit alone would be ambiguous.
    env.write("src/main.rs", &format!("fn first() {{\n    four();\n}}\n\n{MAIN}"));
    let (code, document) =
        apply(&env, &answer(1, &receipt, "src/main.rs", "    four();", "    cuatro();"), &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document}");
    assert_eq!(
        env.read("src/main.rs"),
        format!("fn first() {{\n    four();\n}}\n\n{}", MAIN.replace("four", "cuatro"))
    );
    assert!(document["files"][0]["placement"].as_str().unwrap().contains("merged"), "{document}");
    // The conversation goes on: the next reply builds on the first.
    let (code, document) =
        apply(&env, &answer(2, &receipt, "src/main.rs", "    cuatro();", "    vier();"), &[]);
    assert_eq!(code, 0, "{document}");
    assert!(env.read("src/main.rs").contains("vier"));
}

#[test]
fn without_the_receipt_the_same_reply_is_ambiguous() {
    let env = shop();
    let receipt = receipt_of(&pack(&env, &["src/main.rs"]));
    env.write("src/main.rs", &format!("fn first() {{\n    four();\n}}\n\n{MAIN}"));
    let reply = answer(1, &receipt, "src/main.rs", "    four();", "    cuatro();");
    let (code, document) = apply(&env, &reply, &["--ignore-receipt"]);
    assert_eq!((code, codes(&document)), (1, vec!["ambiguous".to_owned()]), "{document}");
    let (code, document) =
        apply(&env, &reply.replace(&receipt, "r-0000000000"), &["--receipt", &receipt.to_uppercase()]);
    assert_eq!(code, 0, "{document}");
}

#[test]
fn an_unknown_receipt_is_reported_and_the_current_files_decide() {
    let env = shop();
    let reply = answer(1, "r-0123456789", "src/main.rs", "    four();", "    cuatro();");
    let (code, document) = apply(&env, &reply, &[]);
    assert_eq!((code, codes(&document)), (0, vec!["unknown-receipt".to_owned()]), "{document}");
    let (code, document) = apply(&env, &reply, &["--receipt", "r-0123456789"]);
    assert_eq!(
        (code, codes(&document)),
        (1, vec!["unknown-receipt".to_owned()]),
        "asked for by name it must exist: {document}"
    );
}

#[test]
fn a_conflict_is_refused_and_can_be_repaired() {
    let env = shop();
    let receipt = receipt_of(&pack(&env, &["src/main.rs"]));
    env.write("src/main.rs", &MAIN.replace("four()", "fourth()"));
    let reply = answer(1, &receipt, "src/main.rs", "    four();", "    cuatro();");
    let run = env.relay(&["apply", "--repair-prompt"]).stdin(&reply).run();
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("fourth()") && run.stdout.contains("cuatro()"), "{}", run.stdout);
    assert_eq!(env.read("src/main.rs"), MAIN.replace("four()", "fourth()"));
    let fixed = answer(1, &receipt, "src/main.rs", "    fourth();", "    cuatro();");
    let (code, document) = apply(&env, &fixed, &[]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(env.read("src/main.rs"), MAIN.replace("four()", "cuatro()"));
}

#[test]
fn a_repair_prompt_masks_what_it_shows_and_its_answer_is_restored() {
    let env = shop();
    for (number, receipt) in [(1, None), (2, Some(receipt_of(&pack(&env, &["db.toml"]))))] {
        let id = receipt.unwrap_or_default();
        let run = env
            .relay(&["apply", "--repair-prompt"])
            .stdin(&answer(number, &id, "db.toml", "prot = 1", "port = 2"))
            .run();
        assert_eq!(run.code, 1, "{}", run.stdout);
        assert!(
            !run.stdout.contains(SECRET) && run.stdout.contains("RELAY_MASKED_PASSWORD"),
            "{}",
            run.stdout
        );
        let told = run.stdout.lines().find_map(|line| line.strip_prefix("receipt: ")).expect("a receipt");
        let line = run.stdout.lines().find(|line| line.starts_with("password")).unwrap();
        let fixed =
            answer(number, told, "db.toml", &format!("{line}\nport = 1"), &format!("port = 1\n{line}"));
        let (code, document) = apply(&env, &fixed, &[]);
        assert_eq!(code, 0, "{document}");
        assert_eq!(env.read("db.toml"), format!("host = \"db\"\nport = 1\npassword = \"{SECRET}\"\n"));
        env.write("db.toml", &format!("host = \"db\"\npassword = \"{SECRET}\"\nport = 1\n"));
    }
}

#[test]
fn a_reply_that_is_deferred_entirely_says_so() {
    let env = shop();
    let receipt = receipt_of(&pack(&env, &["src/main.rs"]));
    let reply = answer(1, &receipt, "src/other.rs", "pub fn other() {}", "pub fn another() {}");
    let run = env.relay(&["apply", "--yes"]).stdin(&reply).run();
    assert_eq!(run.code, 3, "{}", run.stderr);
    let said = run.stdout + &run.stderr;
    let first = "! nothing landed  missing: src/other.rs (deferred, the model had not seen it)";
    for part in [first, "relay pack"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(!said.contains("nothing to do") && !said.contains("already are"), "{said}");
    assert!(pack(&env, &[])["files"].to_string().contains("src/other.rs"), "the next pack shows it");
}

/// A text in UTF-16 as Windows writes it.
fn utf16(text: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn utf16_is_packed_as_text_and_written_back_as_it_was() {
    let env = shop();
    let before = format!("eins\r\npassword = \"{SECRET}\"\r\nzwei\r\ndrei\r\nvier\r\nfünf\r\n");
    std::fs::write(env.path("wide.txt"), utf16(&before)).unwrap();
    std::fs::write(env.path("latin.txt"), b"caf\xe9\n").unwrap();
    let document = pack(&env, &["wide.txt", "latin.txt"]);
    let text = document["text"].as_str().unwrap();
    assert!(text.contains("fünf") && !text.contains(SECRET), "{text}");
    assert_eq!(document["leftOut"][0]["reason"], "is neither UTF-8 nor UTF-16 text");
    // Another program changes the file, too.
    std::fs::write(env.path("wide.txt"), utf16(&before.replace("fünf", "fünf\r\nsechs"))).unwrap();
    let receipt = receipt_of(&document);
    let (code, report) = apply(&env, &answer(1, &receipt, "wide.txt", "drei", "tre"), &[]);
    assert_eq!(code, 0, "{report}");
    let after = before.replace("drei", "tre").replace("fünf", "fünf\r\nsechs");
    assert_eq!(std::fs::read(env.path("wide.txt")).unwrap(), utf16(&after));
    // Placeholders are not written in this encoding either, with or without a receipt.
    for (number, receipt) in [(2, receipt.as_str()), (3, "")] {
        let (code, report) =
            apply(&env, &answer(number, receipt, "wide.txt", "vier", "RELAY_MASKED_KEY_00000000"), &[]);
        assert_eq!(code, 1, "{report}");
        assert!(codes(&report).iter().any(|code| *code == "masked-value"), "{report}");
    }
}

#[test]
fn files_that_were_not_in_the_pack_are_deferred_and_selected() {
    let env = shop();
    let receipt = receipt_of(&pack(&env, &["src/main.rs"]));
    let block = |path: &str, content: &str| format!("```text // {{{path}}}\n{content}\n```\n\n");
    let reply = format!(
        "{}{}{}",
        block("src/other.rs", "pub fn other() { 1 }"),
        block("src/new.rs", "pub fn new() {}"),
        answer(1, &receipt, "src/main.rs", "    four();", "    cuatro();")
    );
    let (code, document) = apply(&env, &reply, &["--dry-run"]);
    assert_eq!((code, document["notInContext"][0].as_str()), (3, Some("src/other.rs")), "{document}");
    assert!(
        env.relay(&["context", "list"]).run().stdout.contains("nothing is selected"),
        "trying selects nothing"
    );
    let (code, document) = apply(&env, &reply, &[]);
    assert_eq!((code, document["notInContext"][0].as_str()), (3, Some("src/other.rs")), "{document}");
    assert_eq!(env.read("src/other.rs"), "pub fn other() {}\n");
    assert!(env.exists("src/new.rs") && env.read("src/main.rs").contains("cuatro"));
    assert_eq!(env.relay(&["context", "list"]).run().stdout, "src/other.rs\n");
    assert_eq!(pack(&env, &[])["files"][0]["path"], "src/other.rs", "the next pack shows it");
}

#[test]
fn a_masked_value_returns_only_to_its_file() {
    let env = shop();
    let document = pack(&env, &["db.toml", "src/main.rs"]);
    let receipt = receipt_of(&document);
    let placeholder = document["masked"][0]["placeholder"].as_str().unwrap();
    let line = format!("password = \"{placeholder}\"");
    let (code, told) = apply(
        &env,
        &answer(1, &receipt, "db.toml", &format!("{line}\nport = 1"), &format!("port = 2\n{line}")),
        &[],
    );
    assert_eq!(code, 0, "{told}");
    assert_eq!(env.read("db.toml"), format!("host = \"db\"\nport = 2\npassword = \"{SECRET}\"\n"));
    for (number, path, receipt) in [
        (2, "src/main.rs", receipt.as_str()),
        (3, "src/main.rs", "r-0000000000"),
        (4, "db.toml", "r-0000000000"),
    ] {
        let old = if path == "db.toml" { "port = 2" } else { "    four();" };
        let (code, told) = apply(&env, &answer(number, receipt, path, old, &line), &[]);
        assert_eq!(code, 1, "{told}");
        assert!(codes(&told).contains(&"masked-value".to_owned()), "{told}");
        assert!(!env.read(path).contains("RELAY_MASKED"), "never written as a placeholder");
    }
}

#[test]
fn every_dialect_is_taught_and_its_reply_resolved_by_the_receipt() {
    let env = shop();
    let document = pack(&env, &["src/main.rs", "--dialect", "hashline"]);
    let text = document["text"].as_str().unwrap();
    let anchor = text.lines().find_map(|line| line.strip_suffix("|    four();")).expect("an anchored line");
    env.write("src/main.rs", &format!("// moved\n// down\n{MAIN}"));
    let reply =
        format!("Receipt: {}\n\n```\n§src/main.rs\n≔{anchor}\n    cuatro();\n```\n", receipt_of(&document));
    let (code, told) = apply(&env, &reply, &[]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(env.read("src/main.rs"), format!("// moved\n// down\n{}", MAIN.replace("four", "cuatro")));
    env.write("src/other.rs", "pub fn other() {}\n\npub fn last() {}\n");
    let document = pack(&env, &["src/other.rs", "--dialect", "commands"]);
    assert!(document["text"].as_str().unwrap().contains("1|pub fn other() {}\n2|\n3|pub fn last"));
    env.write("src/other.rs", "// one more\n\npub fn other() {}\n\npub fn last() {}\n");
    let reply = format!(
        "**Receipt:** `{}`\n\n[EDIT_FILE path=\"src/other.rs\" start_line=\"3\" end_line=\"3\"]\npub fn final_one() {{}}\n[/EDIT_FILE]\n",
        receipt_of(&document)
    );
    let (code, told) = apply(&env, &reply, &[]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(env.read("src/other.rs"), "// one more\n\npub fn other() {}\n\npub fn final_one() {}\n");
}

#[test]
fn a_pack_is_not_taken_for_a_reply() {
    let env = shop();
    let text = env.relay(&["pack", "src"]).run().stdout;
    let (code, document) = apply(&env, &format!("You said:\n\n{text}"), &[]);
    assert_eq!((code, codes(&document)), (1, vec!["is-a-pack".to_owned()]));
}

#[test]
fn the_diff_is_added_with_its_secrets_masked() {
    let env = shop();
    env.git(&["init", "-q"]);
    env.git(&["add", "."]);
    env.git(&["-c", "user.name=x", "-c", "user.email=x@x.test", "commit", "-qm", "first"]);
    env.write("src/main.rs", &MAIN.replace("two", "zwei"));
    env.write("db.toml", "host = \"db\"\npassword = \"another-hunter3\"\n");
    let run = env.relay(&["pack", "src/main.rs", "--diff"]).run();
    assert!(run.stdout.contains("-    two();\n+    zwei();"), "{}", run.stdout);
    assert!(!run.stdout.contains("hunter3") && !run.stdout.contains(SECRET), "{}", run.stdout);
    let bare = project(PLAIN);
    bare.write("a.rs", "x\n");
    let run = bare.relay(&["pack", "a.rs", "--diff"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("no-diff"), "{}", run.stderr);
}

#[test]
fn a_file_is_written_for_the_user_alone_and_never_through_a_link() {
    let env = shop();
    let run = env.relay(&["pack", "src", "-o", "pack.md"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert!(env.read("pack.md").starts_with("<!-- relay pack r-"));
    assert_eq!(env.shell("stat -c %a pack.md").stdout, "600\n");
    assert_eq!(env.relay(&["pack", "src", "-o", "pack.md"]).run().code, 0, "a pack replaces a pack");
    let run = env.relay(&["pack", "src", "-o", "db.toml"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("exists") && env.read("db.toml").contains(SECRET), "{}", run.stderr);
    let links = "mkdir -p .git ../elsewhere && ln -s ../elsewhere out && ln -s ../elsewhere/pack.md link.md";
    assert_eq!(env.shell(links).code, 0);
    for place in ["out/pack.md", "link.md", ".git/pack.md", ".relaycode/pack.md", "missing/pack.md"] {
        let run = env.relay(&["pack", "src", "-o", place]).run();
        assert_ne!(run.code, 0, "{place}");
    }
    assert_eq!(
        env.shell("ls -A ../elsewhere .git; find . -name '*.tmp'")
            .stdout
            .trim()
            .replace("../elsewhere:\n\n.git:", ""),
        ""
    );
}

#[test]
fn the_receipt_stays_out_of_the_project_and_is_private() {
    let env = shop();
    pack(&env, &["db.toml"]);
    let inside = env.shell(&format!("grep -rl {SECRET} . | sort")).stdout;
    assert_eq!(inside, "./db.toml\n");
    let shelves =
        env.shell("find \"${XDG_STATE_HOME:-$HOME/.local/state}\" -name 'receipts-*' -printf '%m\\n'").stdout;
    assert_eq!(shelves, "600\n");
}

#[test]
fn without_paths_and_selection_it_says_so() {
    let env = shop();
    let run = env.relay(&["pack"]).run();
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("nothing is selected") && run.stderr.contains("relay context add"),
        "{}",
        run.stderr
    );
}

#[test]
fn copied_text_outlives_the_command() {
    let env = shop();
    let display = testkit::XDisplay::start();
    let run =
        env.relay(&["pack", "src", "--task", "Call six.", "--copy"]).env("DISPLAY", display.name()).run();
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let pasted = env.shell(&format!("DISPLAY={} xclip -selection clipboard -o", display.name()));
    assert!(
        pasted.stdout.contains("    three();\n") && pasted.stdout.ends_with("Call six.\n"),
        "{}",
        pasted.stdout
    );
    assert!(run.stderr.contains("on the clipboard"), "{}", run.stderr);
}

#[test]
fn files_that_cannot_be_packed_are_left_out_and_an_empty_path_is_refused() {
    let env = project(PLAIN);
    env.write("small.txt", "one\n");
    env.write("large.txt", &"a line of text\n".repeat(400_000));
    let run = env.relay(&["pack", "."]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("larger than a pack may be") && run.stdout.contains("small.txt"),
        "{}",
        run.stderr
    );
    let run = env.relay(&["pack", ""]).run();
    assert!(run.code == 2 && run.stderr.contains("one of the paths is empty"), "{}", run.stderr);
}

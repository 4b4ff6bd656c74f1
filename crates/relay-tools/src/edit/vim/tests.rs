//! The engine against vim itself: each line of `cases.jsonl` is a text, keys, and what vim makes of them.
//!
//! The recorded results are checked everywhere; where vim is installed, it is asked again. `UPDATE_EXPECT=1` records anew.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::keys::Keys;
use super::state::{Mode, Vim};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/edit/vim/cases.jsonl");

/// Texts that keys are typed on.
fn sample(name: &str) -> &'static str {
    match name {
        "words" => "one two  three\nfoo(bar, baz) = \"a b c\";\n\n  indented line here\nlast_word\n",
        "lines" => "alpha\nbravo\ncharlie\ndelta\necho\nfoxtrot\ngolf\n",
        "code" => {
            "fn main() {\n\tlet x = compute(1, [2, 3]);\n\tif x {\n\t\tprintln!(\"hi {}\", x);\n\t}\n}\n"
        }
        "prose" => {
            "First line of text.\nSecond line here.\n\nA new paragraph\nwith two lines.\n\n\nThe end.\n"
        }
        "numbers" => "item 10\nitem 9\nItem 2\nitem 33\nitem 9\nnothing\n",
        "spaced" => "def f(a):\n    if a:\n        return 1\n    return 2\n",
        other => panic!("no text `{other}`"),
    }
}

/// What the engine makes of keys.
fn ours(text: &str, keys: &str) -> String {
    let mut vim = Vim::new(text);
    vim.type_keys(&mut Keys::named(keys)).unwrap_or_else(|why| panic!("{keys}: {why}"));
    vim.leave();
    vim.text.content()
}

/// What vim makes of them, typed from a script as a person would.
fn theirs(text: &str, keys: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (file, script) = (folder.path().join("text"), folder.path().join("script"));
    std::fs::write(&file, text).unwrap();
    let mut typed = Keys::named(keys);
    let mut bytes = String::new();
    while let Some(key) = typed.next() {
        bytes.push(key);
    }
    std::fs::write(folder.path().join("keys"), bytes).unwrap();
    // Keys that come from here count as typed, so that each command is undone by itself.
    std::fs::write(&script, "call feedkeys(join(readfile('keys', 'b'), \"\\n\"), 'tx')\nwq!\n").unwrap();
    let blanks = text.lines().any(|line| line.starts_with("    ")) && !text.contains('\t');
    let shift = if blanks { "set sw=4 et" } else { "set sw=8 noet" };
    let status = Command::new("vim")
        .args(["--not-a-term", "-u", "NONE", "-N", "-i", "NONE", "-n", "--cmd", shift, "-S"])
        .args([&script, &file])
        .env("TERM", "dumb")
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{keys}: {status}");
    std::fs::read_to_string(&file).unwrap()
}

fn has_vim() -> bool {
    let found =
        Command::new("vim").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        assert!(std::env::var("CI").is_err(), "vim is not installed");
        println!("NOT TESTED: vim is not installed");
    }
    found
}

#[test]
fn keys_do_what_they_do_in_vim() {
    let cases: Vec<Value> = std::fs::read_to_string(CASES)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(cases.len() >= 100, "{}", cases.len());
    let records = std::env::var("UPDATE_EXPECT").is_ok();
    let asks = has_vim();
    let (mut wrong, mut recorded) = (Vec::new(), String::new());
    for case in &cases {
        let (name, keys) = (case["text"].as_str().unwrap(), case["keys"].as_str().unwrap());
        let text = sample(name);
        let now = asks.then(|| theirs(text, keys));
        let after =
            now.as_deref().filter(|_| records).or(case["after"].as_str()).unwrap_or_default().to_owned();
        recorded.push_str(&format!("{}\n", json!({ "text": name, "keys": keys, "after": after })));
        if now.as_ref().is_some_and(|now| *now != after) {
            wrong.push(format!("{name} {keys}: vim itself gives {now:?}, recorded is {after:?}"));
        }
        let found = std::panic::catch_unwind(|| ours(text, keys)).unwrap_or_else(|_| "an error".to_owned());
        if found != after {
            wrong.push(format!("{name} {keys}\n  vim: {after:?}\n  own: {found:?}"));
        }
    }
    if records {
        std::fs::write(CASES, recorded).unwrap();
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn keys_that_lead_nowhere_are_errors_and_change_nothing() {
    for keys in [
        "dfz",
        "99G99jx:x y z<CR>",
        "d",
        ":foo<CR>",
        ":s/none/x/<CR>",
        "/none<CR>",
        "gx",
        ":99d<CR>",
        "kk",
        "xu<C-r><C-r>",
    ] {
        let mut vim = Vim::new(sample("lines"));
        assert!(vim.type_keys(&mut Keys::named(keys)).is_err(), "{keys}");
    }
}

#[test]
fn the_state_is_kept_between_keys() {
    let mut vim = Vim::new("one\ntwo\n");
    for keys in ["A!<Esc>", "j.", "yyP"] {
        vim.type_keys(&mut Keys::named(keys)).unwrap();
        assert_eq!(vim.mode, Mode::Normal);
    }
    assert_eq!(vim.text.content(), "one!\ntwo!\ntwo!\n");
    vim.type_keys(&mut Keys::named("uuu")).unwrap();
    assert_eq!(vim.text.content(), "one\ntwo\n");
}

/// Whatever is typed, the engine answers.
#[test]
fn no_keys_make_it_panic_or_hang() {
    let alphabet: Vec<char> =
        "hjklwbe0$^+-_gG{}fFtT%HML;,dcypPxXiaoOIAcsSRrvVuUJ~.\u{1b}\r\u{12}/?nN*#:w1239\"a'<>&zq(){}[] é"
            .chars()
            .collect();
    let mut seed = 7_u64;
    for _ in 0..3_000 {
        let mut keys = Vec::new();
        for _ in 0..24 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            keys.push(alphabet[(seed >> 33) as usize % alphabet.len()]);
        }
        let mut vim = Vim::new(sample("code"));
        drop(vim.type_keys(&mut Keys::of(&keys)));
        vim.leave();
    }
}

/// Keys that would make the buffer grow without end, or take for ever, end with an error.
#[test]
fn no_keys_fill_the_memory() {
    for keys in [
        "yy99999p".repeat(60),
        format!("{}{}", "yyP".repeat(40), "ggyGp".repeat(40)),
        "999999999ix<Esc>".to_owned(),
        "99999ahello<Esc>".to_owned(),
        ":g/./normal 99999ix<CR>".to_owned(),
        ":%s/./&&&&&&&&&&&&&&&&/g<CR>".repeat(8),
        ":%t$<CR>".repeat(60),
    ] {
        let mut vim = Vim::new("one two\nthree\n");
        let done = vim.type_keys(&mut Keys::named(&keys));
        assert!(done.is_err(), "{keys:.40}");
        assert!(vim.text.size() <= 4 * super::state::ROOM, "{keys:.40}: {}", vim.text.size());
    }
}

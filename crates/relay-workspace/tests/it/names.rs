//! Every rule on paths, and what must not fall under it.

use proptest::prelude::*;
use relay_workspace::{PathRefusal, RelPath};

#[track_caller]
fn check(raw: &str, expect: Result<&str, &str>) {
    let got = RelPath::new(raw);
    assert_eq!(got.as_ref().map(RelPath::as_str).map_err(PathRefusal::code), expect, "{raw:?}");
}

/// Refused at the start, below a folder, and after `./`.
#[track_caller]
fn refused(names: &[&str], code: &str) {
    for name in names {
        check(name, Err(code));
        check(&format!("src/{name}"), Err(code));
        check(&format!("./{name}"), Err(code));
    }
}

#[test]
fn ordinary_paths_are_normalised() {
    check("src/main.rs", Ok("src/main.rs"));
    check("./src//a/./b.rs", Ok("src/a/b.rs"));
    check("a file with spaces.txt", Ok("a file with spaces.txt"));
    check("ünïcode/世界/🙂.md", Ok("ünïcode/世界/🙂.md"));
    check("pages/[slug]/(group)/@modal/$id.tsx", Ok("pages/[slug]/(group)/@modal/$id.tsx"));
    check("...rest/..hidden/a..b", Ok("...rest/..hidden/a..b"));
    check("src/~backup", Ok("src/~backup"));
    check("notes/a:b.txt", Ok("notes/a:b.txt"));
}

#[test]
fn nothing_and_folders_are_refused() {
    check("", Err("path-empty"));
    for folder in [".", "./", "src/", "src//", "src/.", "././"] {
        check(folder, Err("path-folder"));
    }
}

#[test]
fn paths_from_elsewhere_are_refused() {
    for path in ["/etc/passwd", "/", "//etc/passwd"] {
        check(path, Err("path-absolute"));
    }
    for path in ["~", "~/x", "~root/x", "./~/x", ".//~root"] {
        check(path, Err("path-home"));
    }
    for path in ["C:\\x", "c:/x", "C:x", "./C:x", "\\\\server\\share", "\\\\?\\C:\\x"] {
        check(path, Err("path-drive"));
    }
    for path in ["http://x/y", "file:///etc/passwd", "file:/etc/passwd", "git+ssh://x", "./https://x"] {
        check(path, Err("path-url"));
    }
    refused(&["a\\b", "..\\x", "\\x"], "path-backslash");
}

#[test]
fn a_plain_name_never_leads_up() {
    refused(
        &["..", "../x", "a/../b", "a/..", "a/b/../../../x", "‥/x", "．．/x", ".\u{200b}./x"],
        "path-parent-folder",
    );
}

#[test]
fn git_is_refused_in_every_spelling_that_some_file_system_accepts() {
    refused(
        &[
            ".git",
            ".git/config",
            ".git/hooks/pre-commit",
            ".GIT/x",
            ".GiT",
            "a/.git/x",
            "sub/.git",
            ".git.",
            ".git...",
            ".git ",
            ".git . .",
            ".git /x",
            "git~1",
            "GIT~1/config",
            "git~2",
            "gi7eba~1",
            "GI7D29~1",
            ".git::$INDEX_ALLOCATION",
            ".git::$INDEX_ALLOCATION/config",
            ".git:x",
            "git~1::$INDEX_ALLOCATION",
            ".g\u{200c}it",
            ".\u{200d}git/x",
            "\u{feff}.git",
            ".git\u{200e}",
            ".gi\u{202c}t",
            ".g\u{206b}it",
            ".gi\u{ad}t",
            "․git",
            "．ｇｉｔ/x",
            ".ｇit",
            ".ℊit",
            ".𝐠𝐢𝐭",
            ".GIT\u{200b}.",
            ".gıt",
            ".\u{e0067}git",
        ],
        "path-git",
    );
    for fine in [
        ".gitignore",
        ".github/x",
        "git",
        "git~",
        "git~x",
        "x.git",
        "a.git/b",
        ".git-notes",
        "digit~1",
        "gitlab~1",
    ] {
        check(fine, Ok(fine));
    }
}

#[test]
fn relays_own_files_are_refused_likewise() {
    refused(
        &[
            ".relaycode",
            ".relaycode/x.yml",
            ".RelayCode/lock",
            "sub/.relaycode/x",
            ".relaycode.",
            ".relaycode::$DATA",
            ".relay\u{200b}code",
            "．relaycode/x",
            "relayc~1",
            "RELAYC~1.JSO",
            "RELAYC~2/x",
            "re12ab~1",
        ],
        "path-relay-state",
    );
    refused(
        &[
            "relaycode.config.json",
            "RelayCode.Config.JSON",
            "sub/relaycode.config.json",
            "relaycode.config.json.",
            "relaycode.config.json::$DATA",
            "relaycode.config.json/x",
            "relaycode\u{200b}.config.json",
            "relaycode.config.jſon",
            "ｒelaycode.config.json",
        ],
        "path-relay-config",
    );
    for fine in
        ["relaycode", "relaycode.config.json5", "my-relaycode.config.json", ".relay/rules.md", "relay~1"]
    {
        check(fine, Ok(fine));
    }
}

#[test]
fn device_names_are_refused() {
    refused(
        &[
            "con",
            "CON",
            "nul",
            "NUL.txt",
            "aux.tar.gz",
            "prn/x",
            "com1",
            "COM9.log",
            "lpt0",
            "com¹",
            "CONIN$",
            "conout$",
            "nul:",
            "aux ",
            "ＣＯＮ",
        ],
        "path-device",
    );
    for fine in ["console", "icon", "com10", "comx", "com", "auxiliary.rs", "null", "lpt.rs", "my.con"] {
        check(fine, Ok(fine));
    }
}

#[test]
fn control_and_disguising_characters_are_refused() {
    refused(
        &["a\0b", "a\nb", "a\rb", "a\tb", "\u{1b}[2J", "a\u{7f}", "a\u{85}b", "a\u{9b}b"],
        "path-control-character",
    );
    refused(
        &[
            "a\u{202e}b",
            "a\u{2066}b",
            "a\u{200b}b",
            "a\u{200d}b",
            "\u{feff}a",
            "a\u{ad}b",
            "a\u{e0041}b",
            "a\u{2028}b",
            "a\u{fe0f}b",
            "a\u{3164}b",
            "a\u{2800}b",
            "a\u{a0}b",
            "a\u{3000}b",
            "a／b",
            "a∕b",
            "a⁄b",
            "a＼b",
        ],
        "path-disguised",
    );
}

#[test]
fn names_that_lose_their_end_somewhere_are_refused() {
    refused(&["a.", "a ", "a./b", "a /b", "...", "x. ."], "path-trailing-dot-or-space");
}

#[test]
fn lengths_are_limited_in_bytes() {
    let longest = "n".repeat(255);
    check(&longest, Ok(&longest));
    check(&"n".repeat(256), Err("path-name-too-long"));
    check(&"é".repeat(128), Err("path-name-too-long"));
    let deep = vec!["x".repeat(63); 64].join("/");
    assert_eq!(deep.len(), 4095);
    check(&format!("{deep}y"), Ok(&format!("{deep}y")));
    check(&format!("{deep}yz"), Err("path-too-long"));
}

#[test]
fn messages_are_safe_for_a_terminal_and_have_hints() {
    let refusal = RelPath::new("a\u{1b}]0;x\u{7}\n\u{202e}b").unwrap_err();
    let message = refusal.to_string();
    assert_eq!(message, "`a\\x1b]0;x\\x07\\n<U+202E>b` contains the control character U+001B");
    assert!(refusal.hint().is_some_and(|hint| hint.ends_with('.')));
    assert!(RelPath::new(&"x".repeat(5000)).unwrap_err().to_string().len() < 120);
}

/// Pieces that matter to some rule, so that random combinations meet the rules often.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("/"),
        Just("."),
        Just(".."),
        Just("./"),
        Just("~"),
        Just("C:"),
        Just(":/"),
        Just("\\"),
        Just(".git"),
        Just("git~1"),
        Just(".relaycode"),
        Just("relaycode.config.json"),
        Just("nul"),
        Just("\u{200b}"),
        Just(" "),
        Just("a"),
        Just("．"),
        Just("ﬁ"),
        Just("İ"),
        Just("\n"),
        Just("::$DATA"),
        Just("é"),
    ];
    prop_oneof![prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat()), ".*"]
}

proptest! {
    #[test]
    fn accepted_paths_are_plain_and_stay_the_same_when_checked_again(raw in hostile()) {
        if let Ok(path) = RelPath::new(&raw) {
            prop_assert_eq!(RelPath::new(path.as_str()), Ok(path.clone()));
            for name in path.components() {
                prop_assert!(!matches!(name, "" | "." | ".."));
                let bare = name.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']).to_lowercase();
                prop_assert!(![".git", ".relaycode", "relaycode.config.json", "git~1"].contains(&bare.as_str()));
            }
            prop_assert!(!path.as_str().starts_with('/'));
            let forbidden = ['\\', '\0', '\n', '\u{200b}'];
            prop_assert!(!path.as_str().contains(forbidden));
        }
    }
}

//! Replies and files made to be expensive: `cargo bench --bench shapes -- [part of a name]`.
//!
//! Each must end within five seconds of user + system time and within one gigabyte of memory, either done or refused
//! by a limit that its message states. The address space is limited by the system, so that exceeding it is a crash here.

#![allow(missing_docs, reason = "a program, not a library")]
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark prepares its own folders and starts what it measures"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run should say so loudly"
)]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use testkit::measure::watch;

/// The most user + system time a reply may take.
const SECONDS: f64 = 5.0;
/// The most memory, in the unit of `ulimit`.
const KIB: u64 = 1024 * 1024;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    files(&root);
    let only: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    println!("{:<56} {:>6} {:>10} {:>9}", "", "exit", "cpu", "memory");
    let dry_run: &[&str] = &["apply", "--dry-run"];
    let all = replies().into_iter().map(|(name, reply)| (name, dry_run, reply)).chain(others());
    for (name, arguments, reply) in all {
        if !only.is_empty() && !only.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        let file = folder.path().join("reply.md");
        std::fs::write(&file, reply()).unwrap();
        row(name, arguments, &root, &file);
    }
}

fn repeat(count: usize, each: impl Fn(usize) -> String) -> String {
    (0..count).map(each).collect()
}

/// Files that repeat themselves in the ways that cost most.
fn files(root: &Path) {
    let write = |name: &str, text: String| std::fs::write(root.join(name), text).unwrap();
    write("lines.txt", repeat(200_000, |at| format!("line {at}\n")));
    write("equal.txt", "same line\n".repeat(100_000));
    write("blank.txt", format!("{0}x = 1\n{0}", "\n".repeat(100_000)));
    write("braces.txt", "    }\n\n".repeat(50_000));
    write("calls.txt", repeat(100_000, |at| format!("    call_{}(value, other);\n", at % 50)));
    write("sections.txt", repeat(20_000, |_| "[section]\nname = value\nsize = 1\n\n".to_owned()));
    write(
        "one-line.json",
        format!("{{\"a\": 1, {}\"z\": 0}}\n", repeat(3_000_000, |at| format!("\"k{at}\": {at}, "))),
    );
    write("tabs.txt", repeat(100_000, |at| format!("\tcall_{}(value);\n", at % 5_000)));
    let word = "abcdefgh".repeat(125_000);
    write("word.txt", format!("line 1\nline 2\nline 3\n{word}\nline 5\nline 6\n"));
    write("large.txt", repeat(1_900_000, |at| format!("    let v_{at} = {};\n", at * 7)));
    write("two.txt", "one\ntwo\n".repeat(50_000));
    write("endings.txt", "same line\r\n".repeat(100_000));
    write("numbers.txt", repeat(3_900_000, |at| format!("{at:014}\n")));
    write("newlines.txt", "\n".repeat(60_000_000));
    let wide = repeat(2_000_000, |at| format!("line {at}\n"));
    let wide: Vec<u8> =
        "\u{feff}".encode_utf16().chain(wide.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    std::fs::write(root.join("utf16.txt"), wide).unwrap();
    std::fs::create_dir(root.join("many")).unwrap();
    for at in 0..19_000 {
        write(&format!("many/f{at}"), format!("a\nb {at}\nc\n"));
    }
}

type Reply = (&'static str, fn() -> String);

/// Replies that cost most with another command than `relay apply --dry-run`.
type Other = (&'static str, &'static [&'static str], fn() -> String);

fn diff(path: &str, hunks: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\n{hunks}")
}

fn section(old: &str, new: &str) -> String {
    format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
}

fn replies() -> Vec<Reply> {
    vec![
        ("a million hunks in one diff", || {
            diff(
                "lines.txt",
                &repeat(1_000_000, |at| format!("@@ -{at},1 +{at},1 @@\n-line {at}\n+new {at}\n")),
            )
        }),
        ("a million empty hunks", || diff("lines.txt", &"@@\n".repeat(1_000_000))),
        ("99,000 hunks that fit", || {
            let hunk = |at: usize| format!("@@ -{0},1 +{0},1 @@\n-line {1}\n+new {at}\n", at * 2 + 1, at * 2);
            diff("lines.txt", &repeat(99_000, hunk))
        }),
        ("800,000 SEARCH/REPLACE blocks", || {
            repeat(800_000, |at| format!("lines.txt\n{}", section(&format!("line {}", at % 200_000), "new")))
        }),
        ("20,000 SEARCH/REPLACE blocks that fit nowhere", || {
            repeat(20_000, |at| format!("lines.txt\n{}", section(&format!("no such line {at}"), "new")))
        }),
        ("60 MB on one line", || format!("new.txt\n```\n{}\n```\n", "a".repeat(60_000_000))),
        ("100 MB on one line", || "a".repeat(100_000_000)),
        ("60 MB on one new line of a hunk", || {
            diff("lines.txt", &format!("@@\n-line 5\n+{}\n", "x".repeat(60_000_000)))
        }),
        ("a million fences", || repeat(1_000_000, |at| format!("{}\n", "`".repeat(3 + at % 50)))),
        ("3,000 fences inside each other", || {
            let fence = |at: usize| "`".repeat(3 + at);
            let open = repeat(3_000, |at| format!("{}text // {{f{at}.txt}}\n", fence(3_000 - at)));
            open + &repeat(3_000, |at| format!("{}\n", fence(at + 1)))
        }),
        ("equal lines, hunks with line numbers", || {
            let context = " same line\n".repeat(3);
            let hunk = |at: usize| {
                format!("@@ -{0},7 +{0},7 @@\n{context}-same line\n+other\n{context}", at * 10 + 1)
            };
            diff("equal.txt", &repeat(9_000, hunk))
        }),
        ("equal lines, long hunks without line numbers", || {
            let context = " same line\n".repeat(300);
            diff("equal.txt", &format!("@@\n{context}-same line\n+other\n{context}").repeat(1_500))
        }),
        ("equal lines, long hunks that almost fit", || {
            let context = " same line\n".repeat(300);
            diff("equal.txt", &format!("@@\n{context}-same line!\n+other\n").repeat(1_500))
        }),
        ("equal lines, 100,000 SEARCH/REPLACE sections", || {
            format!("equal.txt\n{}", section("same line", "other").repeat(100_000))
        }),
        ("nothing but blank lines", || diff("blank.txt", &"@@\n x = 1\n\n-y\n+z\n".repeat(3_000))),
        ("nothing but brackets", || {
            diff("braces.txt", &"@@\n     }\n     }\n-    }}\n+    x\n".repeat(3_000))
        }),
        ("slips in every line", || {
            let hunk = |at: usize| {
                format!(
                    "@@\n     cal_{}(value, other);\n     call_{}(valu, other);\n-    call_{}(value, other);\n+    x\n",
                    at % 50,
                    (at + 1) % 50,
                    (at + 7) % 50
                )
            };
            diff("calls.txt", &repeat(5_000, hunk))
        }),
        ("lines left out everywhere", || {
            let hunk = |at: usize| {
                format!(
                    "@@\n     call_{}(value, other);\n ...\n-    call_{}(value, other)\n+    x\n",
                    at % 50,
                    (at + 7) % 50
                )
            };
            diff("calls.txt", &repeat(5_000, hunk))
        }),
        ("equal sections, hunks with line numbers", || {
            let hunk = |at: usize| {
                format!(
                    "@@ -{0},3 +{0},3 @@\n [section]\n-name = value\n+name = {at}\n size = 1\n",
                    at * 4 + 1
                )
            };
            diff("sections.txt", &repeat(20_000, hunk))
        }),
        ("equal sections, the wrong line numbers", || {
            let hunk = |at: usize| {
                format!(
                    "@@ -{0},3 +{0},3 @@\n [section]\n-name = value\n+name = {at}\n size = 1\n",
                    at * 4 + 3
                )
            };
            diff("sections.txt", &repeat(20_000, hunk))
        }),
        ("a part of a line of 50 MB", || {
            format!("one-line.json\n{}", section("\"k2999999\": 2999999", "\"k2999999\": 0"))
        }),
        ("a line of 50 MB that almost fits", || {
            diff("one-line.json", &format!("@@\n-{}\n+x\n", "\"k\": 1, ".repeat(6_000_000)))
        }),
        ("300 edits, each on the file after those before it", || {
            repeat(300, |at| {
                format!("lines.txt\n{}", section(&format!("line {at}"), &format!("line {}", at + 1)))
            })
        }),
        ("5,000 sections, each on the file after those before it", || {
            let each = |at: usize| section(&format!("line {at}"), &format!("line {}", at + 1));
            format!("lines.txt\n{}", repeat(5_000, each))
        }),
        ("50,000 hunks indented by spaces in a file of tabs", || {
            let hunk = |at: usize| format!("@@\n-call_{}(valu);\n+    x_{at}();\n", at % 5_000);
            diff("tabs.txt", &repeat(50_000, hunk))
        }),
        ("one line of a file of 50 MB", || {
            diff("large.txt", "@@\n-    let v_5000 = 35000;\n+    let v = 1;\n")
        }),
        ("a file of 50 MB as a whole", || {
            let text =
                repeat(1_900_000, |at| format!("    let v_{at} = {};\n", at * 7)).replace("v_77 ", "w_77 ");
            format!("```text // {{large.txt}}\n{text}```\n")
        }),
        ("300,000 new files", || {
            repeat(300_000, |at| format!("```text // {{d{}/f{at}.txt}}\nx\n```\n", at % 100))
        }),
        ("500,000 edits by anchor", || {
            format!("§lines.txt\n{}", repeat(500_000, |at| format!("≔{0}aa..{0}aa\nx\n", at + 1)))
        }),
        ("64 MB of blank lines", || "\n".repeat(67_000_000)),
        ("1,900,000 lines of prose", || "some line of it\n".repeat(1_900_000)),
        ("blank lines, then 90,000 sections", || {
            let each = |at: usize| format!("lines.txt\n{}", section(&format!("line {at}"), "new"));
            "\n".repeat(1_300_000) + &repeat(90_000, each)
        }),
        ("prose in every line of a diff", || {
            format!(
                "```diff // {{lines.txt}} new-unified\n{}@@\n-line 1\n+x\n```\n",
                "prose\n".repeat(1_900_000)
            )
        }),
        ("headers inside a hunk", || {
            diff(
                "lines.txt",
                &format!("@@ -1,9999999 +1,9999999 @@\n{}", "--- x y\n+++ x z\n".repeat(990_000)),
            )
        }),
        ("blank lines at the end of a hunk", || {
            diff("lines.txt", &format!("@@\n-line 5\n+x\n{}", "\n".repeat(1_900_000)))
        }),
        ("a million new lines in one hunk", || {
            diff("lines.txt", &format!("@@\n-line 5\n{}", repeat(1_000_000, |at| format!("+new {at}\n"))))
        }),
        ("whole files beside sections", || {
            let sections = repeat(45_000, |at| format!("w{at}.txt\n{}", section("a", "b")));
            sections + &repeat(45_000, |at| format!("v{at}.txt\n```\nx\n```\n"))
        }),
        ("600,000 sections by anchor", || repeat(600_000, |at| format!("§f{at}.txt\n»EOF\nx\n"))),
        ("a new file without a `+` in any line", || {
            format!("*** Begin Patch\n*** Add File: x\n{}*** End Patch\n", "a\n".repeat(1_900_000))
        }),
        ("90,000 hunks below 20 named lines each", || {
            let hunk = |at: usize| format!("{}-line {}\n+x\n", "@@ line 1\n".repeat(20), at * 2 + 1);
            format!("*** Begin Patch\n*** Update File: lines.txt\n{}*** End Patch\n", repeat(90_000, hunk))
        }),
        ("a large file renamed 9,000 times", || {
            let name = |at: usize| if at == 0 { "large.txt".to_owned() } else { format!("r{at}.txt") };
            let each = |at: usize| {
                let (from, to) = (name(at), name(at + 1));
                format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n")
            };
            repeat(9_000, each)
        }),
        ("a path of 30 MB, and broken sections", || {
            let path = "a".repeat(30_000_000);
            format!("```text // {{{path}}} multi-search-replace\n{}```\n", "=======\n".repeat(1_000_000))
        }),
        ("nested blocks that may have ended earlier", || {
            let inner = "p.txt\n```\n// START\n```\n".repeat(450_000);
            format!("```text // {{a}}\n// START\n```\n{inner}```text // {{c}}\nx\n```\n")
        }),
        ("900 sections of one block that fit nowhere", || {
            let each = |at: usize| section(&format!("no such line {at}"), "x");
            format!("```text // {{lines.txt}} multi-search-replace\n{}```\n", repeat(900, each))
        }),
        ("old and new sides that have nothing in common", || {
            let side = |name: &str| repeat(950_000, |at| format!("{name}{at}\n"));
            format!("lines.txt\n{}", section(side("a").trim_end(), side("b").trim_end()))
        }),
        ("a summary of 100,000 files", || {
            let summary = repeat(100_000, |at| format!("  - edit: f{at}\n"));
            let files = repeat(15_000, |at| format!("```text // {{n/f{at}}}\nx\n```\n"));
            let uuid = "0c7e4b8a-6d3e-4c50-8f3c-0f7f6f1d2b3a";
            format!("{files}```yaml\nprojectId: x\nuuid: {uuid}\nchangeSummary:\n{summary}```\n")
        }),
        ("a word of 1 MB with a slip", || {
            let word = "abcdefgh".repeat(125_000);
            let context = " line 1\n line 2\n line 3\n";
            diff("word.txt", &format!("@@\n{context} {word}x\n line 5\n-line 6\n+y\n"))
        }),
        ("equal lines with other endings, hunks with line numbers", || {
            let hunk = |at: usize| {
                format!("@@ -{0},3 +{0},3 @@\n same line\n-same line\n+other\n same line\n", at * 10 + 1)
            };
            diff("endings.txt", &repeat(9_000, hunk))
        }),
        ("equal lines, every second one changed", || {
            let hunk =
                |at: usize| format!("@@ -{0},2 +{0},2 @@\n-same line\n+other\n same line\n", at * 2 + 1);
            diff("equal.txt", &repeat(49_000, hunk))
        }),
        ("two alternating lines, one of them in each hunk", || {
            let hunk =
                |at: usize| format!("@@ -{0},4 +{1},3 @@\n one\n-two\n one\n two\n", at * 10 + 1, at * 9 + 1);
            diff("two.txt", &repeat(9_000, hunk))
        }),
        ("two alternating lines, in another order", || {
            format!("two.txt\n```\n{}```\n", "two\ntwo\none\n".repeat(40_000))
        }),
        ("99,000 insertions in order", || {
            let hunk = |at: usize| {
                format!("@@ -{},1 +{},2 @@\n line {}\n+new {at}\n", at * 2 + 1, at * 3 + 1, at * 2)
            };
            diff("lines.txt", &repeat(99_000, hunk))
        }),
        ("30 hunks of 60,000 equal lines", || {
            diff(
                "equal.txt",
                &format!("@@\n{}-same line\n+other\n", " same line\n".repeat(60_000)).repeat(30),
            )
        }),
        ("1,900,000 lines in one hunk", || {
            diff("numbers.txt", &format!("@@\n{}+x\n", repeat(1_900_000, |at| format!(" {at:014}\n"))))
        }),
        ("1,900,000 new lines by anchor", || {
            format!("§numbers.txt\n»EOF\n{}", repeat(1_900_000, |at| format!("{at:014}\n")))
        }),
        ("40 parts of a line of 50 MB", || {
            let part = |at: usize| {
                section(&format!("\"k{0}\": {0},", 2_900_000 + at), &format!("\"k{}\": 0,", 2_900_000 + at))
            };
            format!("one-line.json\n{}", repeat(40, part))
        }),
        ("500 sections of 3,800 lines that repeat", || {
            let side = |name: &str| {
                let line = |at: usize| {
                    if at.is_multiple_of(2) { format!("c{}\n", at / 100) } else { format!("{name}{at}\n") }
                };
                repeat(1_900, line)
            };
            format!("lines.txt\n{}", section(side("x").trim_end(), side("y").trim_end())).repeat(500)
        }),
        ("every section already applied", || {
            let each = |at: usize| {
                let below = format!("line {}", at + 1);
                section(&format!("was {at}\n{below}"), &format!("line {at}\n{below}"))
            };
            format!("lines.txt\n{}", repeat(9_000, each))
        }),
        ("every section of one block already applied", || {
            let each = |at: usize| {
                let below = format!("line {}", at + 1);
                section(&format!("was {at}\n{below}"), &format!("line {at}\n{below}"))
            };
            format!("```text // {{lines.txt}} multi-search-replace\n{}```\n", repeat(9_000, each))
        }),
        ("a line of a file of 60 million", || diff("newlines.txt", "@@ -5,2 +5,3 @@\n \n+x\n \n")),
        ("a file of 60 million lines rewritten", || "newlines.txt\n```\nx\n```\n".to_owned()),
        ("a file of 60 million lines deleted", || {
            "*** Begin Patch\n*** Delete File: newlines.txt\n*** End Patch\n".to_owned()
        }),
        ("a file in UTF-16 of 50 MB as a whole", || {
            let line = |at: usize| format!("line {}\n", at + usize::from(at % 1_000 == 5));
            format!("utf16.txt\n```\n{}```\n", repeat(1_900_000, line))
        }),
        ("whole files: lines left out among equal ones", || {
            format!("equal.txt\n```\n{}```\n", "same line\n// ... existing code ...\n".repeat(1_000))
        }),
        ("50,000 overlapping ranges", || {
            let range = |at: usize| {
                format!(
                    "[EDIT_FILE path=\"lines.txt\" start_line=\"{}\" end_line=\"{}\"]\nx\n[/EDIT_FILE]\n",
                    at + 1,
                    at + 100_000
                )
            };
            repeat(50_000, range)
        }),
        ("paths of 4,000 bytes, one of them misspelt", || {
            let path = |at: usize| format!("{}f{at}", "folder/".repeat(570));
            let files = repeat(1_000, |at| format!("```text // {{{}}}\nx\n```\n", path(at)));
            files + &diff(&format!("{}x", path(1)), "@@\n-a\n+b\n")
        }),
        ("19,000 files renamed", || {
            let each = |at: usize| {
                format!(
                    "diff --git a/many/f{at} b/many/g{at}\nrename from many/f{at}\nrename to many/g{at}\n"
                )
            };
            repeat(9_500, each)
        }),
        ("a deeply nested control block", || {
            format!("```text // {{a}}\nx\n```\n```yaml\nprojectId: x\nuuid: {}\n```\n", "[".repeat(200_000))
        }),
    ]
}

fn others() -> Vec<Other> {
    const PARTIAL: &[&str] = &["apply", "--dry-run", "--partial"];
    vec![
        ("19,000 patches that fail, the others landing", PARTIAL, || {
            repeat(19_000, |at| diff(&format!("many/f{at}"), &format!("@@\n a\n-b {}\n+x\n c\n", at + 1)))
        }),
        ("9,500 paths misspelt beside 9,500 right ones", PARTIAL, || {
            let right = |at: usize| diff(&format!("many/f{at}"), &format!("@@\n-b {at}\n+x\n"));
            repeat(9_500, right) + &repeat(9_500, |at| diff(&format!("many/ff{at}"), "@@\n-b\n+x\n"))
        }),
        (
            "20,000 blocks that fit nowhere, asked for again",
            &["apply", "--dry-run", "--repair-prompt"],
            || repeat(20_000, |at| format!("lines.txt\n{}", section(&format!("no such line {at}"), "new"))),
        ),
        ("a large file in sections", &["translate", "--to", "search-replace"], || {
            let line =
                |at: usize| format!("    let v_{at} = {};\n", at * 7 + usize::from(at.is_multiple_of(50)));
            format!("```text // {{large.txt}}\n{}```\n", repeat(1_900_000, line))
        }),
        ("a large file as a command", &["translate", "--to", "commands"], || {
            let line =
                |at: usize| format!("    let v_{at} = {};\n", at * 7 + usize::from(at.is_multiple_of(50)));
            format!("```text // {{large.txt}}\n{}```\n", repeat(1_900_000, line))
        }),
        ("equal lines in sections", &["translate", "--to", "search-replace"], || {
            let hunk = |at: usize| {
                format!("@@ -{0},3 +{0},3 @@\n same line\n-same line\n+other\n same line\n", at * 10 + 1)
            };
            diff("equal.txt", &repeat(9_000, hunk))
        }),
    ]
}

fn row(name: &str, arguments: &[&str], root: &Path, reply: &Path) {
    let script = format!("ulimit -v {KIB}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_relay")])
        .args(arguments)
        .current_dir(root)
        .env("HOME", root.parent().unwrap())
        .env_remove("XDG_DATA_HOME")
        .stdin(File::open(reply).unwrap())
        .stdout(Stdio::null())
        .stderr(File::create(reply.with_extension("said")).unwrap());
    let cost = watch(&mut command);
    let seconds = cost.cpu.as_secs_f64();
    let verdict = if matches!(cost.code, Some(0..=3)) && seconds <= SECONDS { "ok" } else { "MORE" };
    let code = cost.code.map_or("killed".to_owned(), |code| code.to_string());
    println!("{name:<56} {code:>6} {seconds:>8.2} s {:>6} MB {verdict:>6}", cost.peak_bytes / 1_000_000);
}

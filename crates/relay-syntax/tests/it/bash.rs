//! bash itself as the judge: what it reads, Relay reads the same way or not at all.
#![allow(clippy::disallowed_methods, reason = "bash is the oracle")]

use std::process::{Command, Stdio};

use relay_syntax::shell::{self, Script};

/// Whether bash accepts the text, without running it.
fn accepts(text: &str) -> bool {
    // A text that begins with `-` would be an option.
    let text = &format!("\n{text}");
    let status = Command::new("bash")
        .args(["--norc", "-n", "-c", text])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap().success()
}

#[test]
fn whatever_is_parsed_is_accepted_by_bash() {
    for (decision, command) in super::verdicts::commands() {
        if decision != "unparsed" {
            assert!(accepts(&command), "bash refuses {command:?}");
        }
    }
}

/// The literal words of a script that is one command.
fn words(script: &Script) -> Option<Vec<String>> {
    let shell::Command::Simple(simple) = &script.items.first()?.list.pipelines.first()?.1.stages[0] else {
        return None;
    };
    simple.words.iter().map(|word| word.literal().map(str::to_owned)).collect()
}

/// What bash makes of the words of a command, separated by NULs.
fn bash_words(text: &str) -> Vec<String> {
    let script = format!("show() {{ printf '%s\\0' show \"$@\"; }}\n{text}");
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", &script])
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_terminator('\0').map(str::to_owned).collect()
}

/// A small generator, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// Pieces of words: every kind of quoting, escapes, and characters that mean something elsewhere.
const PIECES: [&str; 34] = [
    "a",
    "B9",
    "-x",
    "--long=",
    "'single'",
    "'a b'",
    "'$x'",
    "'\"'",
    "\"double\"",
    "\"a  b\"",
    "\"\\$x\"",
    "\"\\\\\"",
    "\"\\a\"",
    "\"it's\"",
    "\\ ",
    "\\$",
    "\\'",
    "\\\"",
    "\\\\",
    "\\a",
    "\\;",
    "\\\n",
    "$'t\\tb'",
    "$'\\x41\\102'",
    "$'\\''",
    "$\"t\"",
    "\"a\\\nb\"",
    "#",
    "=",
    "%",
    "é",
    "''",
    "\"\"",
    "{}",
];

#[test]
fn words_are_split_and_unquoted_as_bash_does() {
    let mut dice = Dice(20);
    let mut compared = 0;
    for round in 0..600 {
        let mut text = String::from("show");
        for _ in 0..1 + dice.roll(4) {
            text.push_str([" ", "  ", "\t", " \\\n "][dice.roll(4)]);
            for _ in 0..1 + dice.roll(4) {
                text.push_str(PIECES[dice.roll(PIECES.len())]);
            }
        }
        let Ok(script) = shell::parse(&text) else {
            // A piece that begins with `#` is a comment, which may leave half of a later piece on the next line.
            assert!(!accepts(&text), "round {round}: {text:?} was not parsed");
            continue;
        };
        if let Some(found) = words(&script) {
            assert_eq!(found, bash_words(&text), "round {round}: {text:?}");
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

/// Random strings of what shells are made of: what is parsed here is accepted by bash, and the other way round it is
/// refused rather than read differently.
#[test]
fn random_text_is_never_read_where_bash_refuses() {
    const TOKENS: [&str; 44] = [
        "ls",
        "rm",
        "-rf",
        "a",
        "$x",
        "${x}",
        "$(ls)",
        "`ls`",
        "'q'",
        "\"q\"",
        ";",
        "&",
        "&&",
        "||",
        "|",
        "|&",
        "\n",
        "(",
        ")",
        "{",
        "}",
        "if",
        "then",
        "else",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "while",
        "case",
        "esac",
        ";;",
        "<",
        ">",
        ">>",
        "<<E\nx\nE\n",
        "!",
        "[[",
        "]]",
        "((",
        "))",
        "f()",
        "#c\n",
    ];
    let mut dice = Dice(7);
    let (mut parsed, mut refused) = (0, 0);
    for _ in 0..4000 {
        let count = 1 + dice.roll(7);
        let text = (0..count).map(|_| TOKENS[dice.roll(TOKENS.len())]).collect::<Vec<_>>().join(" ");
        if shell::parse(&text).is_ok() {
            assert!(accepts(&text), "parsed, but bash refuses {text:?}");
            parsed += 1;
        } else {
            refused += 1;
        }
    }
    assert!(parsed > 150 && refused > 300, "{parsed} {refused}");
}

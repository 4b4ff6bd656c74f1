//! Text that a shell runs: `sh -c`, `eval`, `trap`, here-documents of a shell.

use super::super::grammar;
use super::super::tree::Word;
use super::Cause;
use super::judge::Opinion;
use super::wrapper::{Inner, Seen};

/// A shell's own text, parsed like the rest.
pub(super) fn text_of(word: Option<&Word>, name: &str) -> Seen {
    let Some(word) = word else {
        return Seen::note(
            name,
            Opinion::unknown(Cause::Options, format!("`{name}` is not given a command")),
        );
    };
    let Some(text) = word.literal() else {
        return Seen::note(
            name,
            Opinion::unknown(
                Cause::Dynamic,
                format!("the command that `{name}` runs is only known when it runs"),
            ),
        );
    };
    match grammar::parse(text, 0) {
        Ok(script) => Seen::script(script),
        Err(error) => Seen::note(
            name,
            Opinion::unknown(
                Cause::Dynamic,
                format!("the command that `{name}` runs cannot be read: {error}"),
            ),
        ),
    }
}

/// `sh`, `bash` and `dash`.
pub(super) fn shell(name: &str, arguments: &[Word], input: Option<&Word>, reads_data: bool) -> Seen {
    let mut words = arguments.iter();
    let mut takes_text = false;
    let mut takes_input = false;
    let unknown = |reason: String| Seen::note(name, Opinion::unknown(Cause::Options, reason));
    let operand = loop {
        let Some(word) = words.next() else { break None };
        let Some(text) = word.literal() else { break Some(word) };
        match text {
            "--version" | "--help" => return Seen::note(name, Opinion::reads("prints its version or help")),
            "--login" | "--norc" | "--noprofile" | "--posix" | "--verbose" | "--restricted" => {}
            "--" | "-" => break words.next(),
            _ if text.starts_with("--") => {
                return unknown(format!("`{name}` has the option `{text}`, which is not known here"));
            }
            _ if text.starts_with(['-', '+']) => {
                let letters = text.get(1..).unwrap_or_default();
                if letters.contains(|letter| !"abcefhilmnoprsuvxCEHPT".contains(letter)) {
                    return unknown(format!("`{name}` has the option `{text}`, which is not known here"));
                }
                takes_text |= letters.contains('c') && text.starts_with('-');
                takes_input |= letters.contains('s');
                if letters.contains('n') && !takes_text {
                    return Seen::note(name, Opinion::reads("checks a script without running it"));
                }
                if letters.ends_with('o') {
                    words.next();
                }
            }
            _ => break Some(word),
        }
    };
    if takes_text {
        return text_of(operand, name);
    }
    match (operand, input) {
        (Some(word), _) if !takes_input => Seen::note(
            name,
            Opinion::unknown(
                Cause::Code,
                format!("runs the script `{}`, whose text was not looked at", word.text),
            ),
        ),
        (_, Some(text)) => text_of(Some(text), name),
        _ if reads_data => {
            Seen::note(name, Opinion::unknown(Cause::Dynamic, format!("`{name}` runs whatever it is sent")))
        }
        _ => Seen::note(name, Opinion::unknown(Cause::Dynamic, "starts an interactive shell")),
    }
}

/// `eval`: its words are joined and read again, in this shell.
pub(super) fn eval(arguments: &[Word]) -> Seen {
    let Some(words) = arguments.iter().map(Word::literal).collect::<Option<Vec<_>>>() else {
        return Seen::note(
            "eval",
            Opinion::unknown(Cause::Dynamic, "`eval` runs text that is only known when it runs"),
        );
    };
    match grammar::parse(&words.join(" "), 0) {
        Ok(script) => Seen::Wrapped { inner: vec![Inner::Here(script)], notes: Vec::new() },
        Err(error) => Seen::note(
            "eval",
            Opinion::unknown(Cause::Dynamic, format!("the text that `eval` runs cannot be read: {error}")),
        ),
    }
}

/// `trap`: what runs on a signal or at the end.
pub(super) fn trap(arguments: &[Word]) -> Seen {
    match arguments.first() {
        None => Seen::note("trap", Opinion::reads("lists the traps")),
        Some(word) if matches!(word.literal(), Some("" | "-" | "-l" | "-p")) => {
            Seen::note("trap", Opinion::reads("resets or lists traps"))
        }
        Some(word) => text_of(Some(word), "trap"),
    }
}

/// `watch`: its words are joined and given to `sh -c`.
pub(super) fn watch(arguments: &[Word]) -> Seen {
    let Some(inner) = super::wrapper::after_options(
        arguments,
        "bcdegptwx",
        "n",
        &["interval=", "differences", "beep", "errexit", "no-title"],
    ) else {
        return Seen::note(
            "watch",
            Opinion::unknown(Cause::Options, "`watch` has options that are not known here"),
        );
    };
    match inner.iter().map(Word::literal).collect::<Option<Vec<_>>>() {
        Some(words) => eval_like(&words.join(" ")),
        None => Seen::note(
            "watch",
            Opinion::unknown(Cause::Dynamic, "the command that `watch` runs is only known when it runs"),
        ),
    }
}

fn eval_like(text: &str) -> Seen {
    match grammar::parse(text, 0) {
        Ok(script) => Seen::script(script),
        Err(error) => Seen::note(
            "watch",
            Opinion::unknown(Cause::Dynamic, format!("the command cannot be read: {error}")),
        ),
    }
}

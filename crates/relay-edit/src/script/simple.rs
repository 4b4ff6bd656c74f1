//! Commands on one line.

use super::{Changing, Effect, Script};

/// Commands that change the files they name.
const CHANGING: &[&str] =
    &["mv", "rm", "rmdir", "cp", "ln", "truncate", "dd", "unlink", "rename", "move", "del", "ren"];

/// Folders that tools make and people delete at will.
const DISPOSABLE: &[&str] = &[
    "node_modules", "dist", "build", "target", "out", "coverage", "tmp", "venv", ".venv", ".next", ".cache",
    "__pycache__", ".pytest_cache", ".mypy_cache", ".tox", ".turbo", "package-lock.json", "yarn.lock",
];

/// Words before a command that say how it runs.
const WRAPPERS: &[&str] = &["sudo", "command", "time", "env", "nohup", "exec", "xargs"];

/// Notes what a line of commands does to files.
pub(super) fn note(line: &str, folder: &mut String, script: &mut Script) {
    for command in split(line) {
        let words = words(&command);
        let mut words = words.iter().map(String::as_str).skip_while(|word| {
            WRAPPERS.contains(word) || word.split_once('=').is_some_and(|(name, _)| is_name(name))
        });
        let Some(program) = words.next() else { continue };
        let rest: Vec<&str> = words.collect();
        if program == "cd" {
            enter(folder, rest.first().copied().unwrap_or("~"));
        } else if let Some((operands, effect)) = changed(program, &rest) {
            let operands = operands.into_iter().map(|path| below(folder, path)).collect();
            script.changes.push(Changing { command: command.trim().to_owned(), operands, effect });
        }
    }
}

/// A path as written in a folder.
pub(super) fn below(folder: &str, path: &str) -> String {
    let path = path.trim_start_matches("./");
    if folder.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
}

fn enter(folder: &mut String, to: &str) {
    let to = to.trim_end_matches('/').trim_start_matches("./");
    match to {
        "." | "" => {}
        // Nothing is known about a folder outside; paths in it are found to be so when they are contained.
        _ => *folder = below(folder, to),
    }
}

/// The files that a program names, and which of them it changes; `None` when it changes none.
fn changed<'w>(program: &str, words: &[&'w str]) -> Option<(Vec<&'w str>, Effect)> {
    let operands = || words.iter().copied().filter(|word| !word.starts_with('-')).collect::<Vec<_>>();
    let edits_in_place = || words.iter().any(|word| is_in_place(word));
    let redirected = redirected(words);
    let is_disposable = |word: &&str| {
        let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        DISPOSABLE.contains(&name) || word.starts_with("/tmp/") || name.contains('*') && name.starts_with('.')
    };
    match program {
        "sed" | "gsed" | "perl" | "ruby" | "awk" | "gawk" if edits_in_place() => {
            Some((Vec::new(), Effect::Any))
        }
        "ed" | "ex" => Some((Vec::new(), Effect::Any)),
        "find" => {
            let at = words.iter().position(|word| matches!(*word, "-exec" | "-execdir"));
            let executed = at.and_then(|at| words.get(at + 1..)?.split_first());
            let changes = executed.is_some_and(|(program, rest)| changed(program, rest).is_some());
            (changes || words.contains(&"-delete")).then_some((Vec::new(), Effect::Any))
        }
        "touch" => Some((operands(), Effect::Missing)),
        "curl" | "wget" => {
            let at = words.iter().position(|word| matches!(*word, "-o" | "-O" | "--output"))?;
            Some((words.get(at + 1).copied().into_iter().collect(), Effect::Existing))
        }
        "git" if matches!(words, ["checkout", "--", ..] | ["restore", ..]) => {
            Some((operands(), Effect::Existing))
        }
        "rm" | "rmdir" | "unlink" | "del" => {
            let operands: Vec<&str> = operands().into_iter().filter(|word| !is_disposable(word)).collect();
            (!operands.is_empty()).then_some((operands, Effect::Existing))
        }
        "git" if matches!(words.first(), Some(&("mv" | "rm"))) => {
            let effect = if words.first() == Some(&"rm") { Effect::Existing } else { Effect::Any };
            Some((operands().into_iter().skip(1).collect(), effect))
        }
        "echo" | "printf" | "cat" if redirected.is_some() => {
            Some((redirected.into_iter().collect(), Effect::Any))
        }
        "tee" => Some((operands(), Effect::Any)),
        "cp" if operands().iter().any(is_disposable) => None,
        _ if CHANGING.contains(&program) => Some((operands(), Effect::Any)),
        _ => None,
    }
}

/// Whether an option edits files in place: `-i`, `-i.bak`, `-pi`, `--in-place`, and `inplace` of awk.
fn is_in_place(word: &str) -> bool {
    let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let letters = short.map(|rest| rest.split('.').next().unwrap_or_default());
    letters.is_some_and(|letters| letters.len() <= 4 && letters.contains('i'))
        || word.starts_with("--in-place")
        || word == "inplace"
}

/// The file that output goes into. `b.txt` for `> b.txt`.
fn redirected<'w>(words: &[&'w str]) -> Option<&'w str> {
    let at = words.iter().position(|word| matches!(*word, ">" | ">>"))?;
    words.get(at + 1).copied().filter(|path| !path.starts_with("/dev/") && !path.starts_with("/tmp/"))
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The commands of a line, between `&&`, `||`, `;` and `|`, outside of quotes.
fn split(line: &str) -> Vec<String> {
    let (mut found, mut current, mut quote) = (Vec::new(), String::new(), None);
    for c in line.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '&' | '|' | ';') => {
                found.push(std::mem::take(&mut current));
                continue;
            }
            _ => {}
        }
        current.push(c);
    }
    found.push(current);
    found
}

/// The words of a command without their quotes; redirections are words of their own.
pub(super) fn words(command: &str) -> Vec<String> {
    let (mut found, mut current, mut quote, mut written) = (Vec::new(), String::new(), None, false);
    let mut end = |current: &mut String, written: &mut bool| {
        if std::mem::take(written) {
            found.push(std::mem::take(current));
        }
    };
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => (quote, written) = (Some(c), true),
            (Some(open), _) if open == c => quote = None,
            (None, '>') => {
                end(&mut current, &mut written);
                current.push('>');
                if chars.next_if_eq(&'>').is_some() {
                    current.push('>');
                }
                written = true;
                end(&mut current, &mut written);
            }
            (None, c) if c.is_whitespace() => end(&mut current, &mut written),
            _ => {
                current.push(c);
                written = true;
            }
        }
    }
    end(&mut current, &mut written);
    found
}

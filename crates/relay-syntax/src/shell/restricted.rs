//! The restricted shell of read-only roles: one plain command that begins with allowed words, and nothing the shell would
//! expand.
//!
//! The checks go from left to right, so that the message names the first thing that is wrong. A command that passes them is
//! then read once more as a tree: it must be one simple command with exactly the words that were checked.

use super::tree::{Command, Script, Word};

/// The variable that marks the environment of a restricted command.
pub const RESTRICTED_VARIABLE: &str = "RELAY_RESTRICTED_ROLE_AGENT_BASH";

/// Flags of `relay state` that take the next word as their value.
const STATE_VALUES: [&str; 6] = ["--input", "--mode", "--session-id", "--thread-id", "--turn-id", "--to"];

/// A command that a restricted role may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// Its words.
    pub words: Vec<String>,
}

/// Checks a command against the prefixes that a role may use, such as `relay state` or `git log`.
///
/// # Errors
///
/// The message for the model.
pub fn restricted(command: &str, prefixes: &[&str]) -> Result<Allowed, String> {
    let words = words(command)?;
    let fits = |prefix: &&str| {
        let mut given = words.iter();
        let mut any = false;
        prefix.split_whitespace().all(|word| {
            any = true;
            given.next().is_some_and(|given| given == word)
        }) && any
    };
    if !prefixes.iter().any(fits) {
        return Err(format!(
            "restricted role-agent bash only allows commands starting with: {}",
            prefixes.join(", ")
        ));
    }
    own_commands(&words)?;
    let is_same = super::parse(command)
        .ok()
        .and_then(|script| single(&script).map(|found| found == words))
        .unwrap_or(false);
    if !is_same {
        return Err(
            "the shell would read this command differently; write it as plain words in restricted bash mode"
                .to_owned(),
        );
    }
    Ok(Allowed { words })
}

/// The words of a script that is one simple command.
fn single(script: &Script) -> Option<Vec<String>> {
    let [item] = script.items.as_slice() else { return None };
    let [(_, pipeline)] = item.list.pipelines.as_slice() else { return None };
    let [Command::Simple(simple)] = pipeline.stages.as_slice() else { return None };
    let is_plain = !item.background
        && !pipeline.negated
        && !pipeline.timed
        && simple.assignments.is_empty()
        && simple.redirects.is_empty();
    let words =
        simple.words.iter().map(|word| Word::literal(word).map(str::to_owned)).collect::<Option<Vec<_>>>();
    words.filter(|_| is_plain)
}

/// The words of a command in which nothing expands.
fn words(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars().peekable();
    let mut quote = None;
    while let Some(next) = characters.next() {
        match (quote, next) {
            (Some(open), next) if next == open => quote = None,
            (Some('\''), next) => word.get_or_insert_default().push(next),
            (Some(_), next) => {
                refuse_in_quotes(next, characters.peek().copied())?;
                word.get_or_insert_default().push(next);
            }
            (None, '\'' | '"') => {
                quote = Some(next);
                word.get_or_insert_default();
            }
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, next) => {
                refuse_in_quotes(next, characters.peek().copied())?;
                refuse_outside(next)?;
                word.get_or_insert_default().push(next);
            }
        }
    }
    if quote.is_some() {
        return Err("unterminated quote in restricted bash command".to_owned());
    }
    words.extend(word);
    if words.is_empty() {
        return Err("empty command is not allowed in restricted bash mode".to_owned());
    }
    Ok(words)
}

fn refuse_in_quotes(next: char, after: Option<char>) -> Result<(), String> {
    match next {
        '`' => Err("command substitution is not allowed in restricted bash commands".to_owned()),
        '$' if after == Some('(') => {
            Err("command substitution is not allowed in restricted bash commands".to_owned())
        }
        '$' => Err("shell expansion character '$' is not allowed in restricted bash commands".to_owned()),
        '\\' => Err("backslash escapes are not allowed in restricted bash commands".to_owned()),
        _ => Ok(()),
    }
}

fn refuse_outside(next: char) -> Result<(), String> {
    match next {
        '\n' | '\r' => Err("multiple shell commands are not allowed in restricted bash mode".to_owned()),
        ';' | '|' | '&' | '<' | '>' | '(' | ')' => {
            Err(format!("shell control operator '{next}' is not allowed in restricted bash commands"))
        }
        '*' | '?' | '[' | ']' | '{' | '}' | '~' => {
            Err(format!("shell expansion character '{next}' is not allowed in restricted bash commands"))
        }
        _ => Ok(()),
    }
}

/// What Relay's own commands must fulfil beyond their prefix.
fn own_commands(words: &[String]) -> Result<(), String> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    match texts.as_slice() {
        ["relay", "ralplan", rest @ ..] if !rest.contains(&"--write") => {
            Err("restricted role-agent bash only allows `relay ralplan --write ...`".to_owned())
        }
        ["relay", "state", rest @ ..] => state(rest),
        _ => Ok(()),
    }
}

/// `relay state` reads, writes and shows contracts; it must not clear or hand over.
fn state(rest: &[&str]) -> Result<(), String> {
    let mut positional = Vec::new();
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if STATE_VALUES.contains(word) {
            words.next();
        } else if !word.starts_with('-') {
            positional.push(*word);
        }
    }
    // `relay state read`, or `relay state SKILL read`.
    let action = match positional.as_slice() {
        [action] | [_, action] => *action,
        _ => "",
    };
    match action {
        "read" | "write" | "contract" => Ok(()),
        "clear" | "handoff" => {
            Err(format!("restricted role-agent bash does not allow `relay state {action}`"))
        }
        _ => Err("restricted role-agent bash only allows documented `relay state` action shapes".to_owned()),
    }
}

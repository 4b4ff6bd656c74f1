//! The words by which prose says what a block is for.

use super::phrases::{
    CREATES, EXAMPLES, INSERTS, NEWS, NOW_LOOKS, OLDS, OPENERS, OUTPUTS, POSSIBLE, QUOTES, REMOVES, RUNS,
    UNCHANGED, WHOLE,
};
use super::versions::{ALTERNATIVES, CORRECTIONS, REVISIONS};
use super::{Intent, mentions};

/// A line in lower case without its decoration; code in backticks becomes one backtick, so that no word of it counts.
pub(super) fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for (at, part) in line.split('`').enumerate() {
        if at % 2 == 0 {
            text.push_str(part);
        } else {
            text.push('`');
        }
    }
    let text = text.to_lowercase().replace(['*', '_'], "").replace('’', "'");
    // Signs of a heading, a list or a comment, and pictures: `✅ After`, `// Before`.
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric() && !"`\"'([~/.".contains(c));
    let text = text.trim_start_matches("//").trim();
    let unnumbered = text.split_once(['.', ')']).filter(|(number, rest)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with(' ')
    });
    unnumbered.map_or(text, |(_, rest)| rest.trim()).to_owned()
}

/// The sentences of a line, in lower case.
pub(super) fn sentences(line: &str) -> std::vec::IntoIter<String> {
    let plain = plain(line);
    let mut found = Vec::new();
    let mut rest = plain.as_str();
    while let Some(at) = rest.find(". ").or_else(|| rest.find("! ")).or_else(|| rest.find("? ")) {
        let (sentence, tail) = rest.split_at_checked(at + 1).unwrap_or((rest, ""));
        // `e.g. ` ends no sentence.
        if sentence.ends_with("e.g.") || sentence.ends_with("i.e.") {
            found.push(rest.trim().to_owned());
            return found.into_iter();
        }
        found.push(sentence.trim().to_owned());
        rest = tail.trim_start();
    }
    if !rest.trim().is_empty() {
        found.push(rest.trim().to_owned());
    }
    found.into_iter()
}

/// Whether a line announces a second version of what was sent before. "Or, with a lock:", "Correction:".
pub(super) fn second_version(plain: &str) -> Option<Intent> {
    let begins = |phrases: &[&str]| {
        phrases.iter().any(|phrase| {
            plain.starts_with(phrase)
                && plain.get(phrase.len()..).is_none_or(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    };
    // "Or:", "or, with a lock:", but not "Or rather" in a sentence about something else.
    let or = plain
        .strip_prefix("or")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ',']) || rest.starts_with(" this"));
    if or || begins(ALTERNATIVES) {
        Some(Intent::Alternative)
    } else if begins(CORRECTIONS) {
        Some(Intent::Correction)
    } else {
        None
    }
}

/// Whether a line announces a later version of what was sent before. "Final version:".
pub(super) fn revises(plain: &str) -> bool {
    let is_short = plain.split_whitespace().count() <= 10;
    is_short && REVISIONS.iter().any(|phrase| has_phrase(plain, phrase))
}

/// What a sentence in lower case says a block is for.
pub(super) fn intent(sentence: &str) -> Intent {
    let short = sentence.trim_end_matches([':', '.', '…', ',', ' ', '—', '-']).trim();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| has_phrase(sentence, phrase));
    if says(UNCHANGED) {
        return Intent::Unchanged;
    }
    if says(ALTERNATIVES) {
        return Intent::Alternative;
    }
    if says(CORRECTIONS) {
        return Intent::Correction;
    }
    if NEWS.contains(&short) || ends_in_new(short) {
        return Intent::New;
    }
    if begins_with(short, POSSIBLE) {
        return Intent::Example;
    }
    if let Some(asked) = asked(short) {
        return asked;
    }
    if says(NOW_LOOKS) {
        return Intent::Whole;
    }
    let is_run = begins_with(verb_of(short), RUNS)
        || says(&["in your terminal", "in a terminal", "the command", "this command"]);
    let checks: [(&[&str], Intent); 4] = [
        (EXAMPLES, Intent::Example),
        (OUTPUTS, Intent::Output),
        (CREATES, Intent::Create),
        (QUOTES, Intent::Quote),
    ];
    if is_run {
        return Intent::Run;
    }
    if let Some((_, intent)) = checks.into_iter().find(|(phrases, _)| says(phrases)) {
        return intent;
    }
    if says(RUNS) && !sentence.contains('`') {
        return Intent::Run;
    }
    if says(WHOLE) { Intent::Whole } else { Intent::Unsaid }
}

/// Whether a sentence that asks for a replacement says what is new and not what is old: "change them to".
pub(super) fn names_new(sentence: &str) -> bool {
    let short = sentence.trim_end_matches([':', '.', '…', ',', ' ']);
    let links = [" with", " to", " into"].iter().any(|word| {
        let ended = ["", " this", " the following", " these", " these lines"];
        ended.iter().any(|end| short.strip_suffix(end).is_some_and(|short| short.ends_with(word)))
    });
    begins_with(verb_of(short), OLDS) && links
}

/// Whether a sentence asks to replace what it names, and nothing of it: "replace ` with".
pub(super) fn replaces_named(sentence: &str) -> bool {
    let words: Vec<&str> = verb_of(sentence).trim_end_matches([':', ' ']).split_whitespace().collect();
    matches!(words.as_slice(), ["replace" | "overwrite", "`", "with" | "by", rest @ ..] if rest.len() <= 2)
}

/// What a sentence asks for that begins with a verb: `add`, `replace`, `remove`, `create`. "Replace the contents of
/// `a.ts` with:", "Remove these lines:".
fn asked(short: &str) -> Option<Intent> {
    let verb = verb_of(short);
    let begins = |verbs: &[&str]| begins_with(verb, verbs);
    if begins(&["create", "save", "write"]) {
        return Some(Intent::Create);
    }
    if CREATES.iter().any(|phrase| has_phrase(verb, phrase)) && begins(INSERTS) {
        return Some(Intent::Create);
    }
    // "Replace the contents of `a` with:", "Update `a`:"
    let is_about_file = ["contents of", "content of", "entire", "whole file", "full file", "the file"];
    if begins(OLDS) && (is_about_file.iter().any(|phrase| has_phrase(verb, phrase)) || is_only_a_file(verb)) {
        return Some(Intent::Whole);
    }
    if begins(REMOVES) {
        return Some(Intent::Remove);
    }
    // "Replace the `rotate` method with:" names code and not the lines of it.
    if begins(OLDS)
        && (verb.ends_with(" with")
            || verb.ends_with(" to")
            || verb.contains(" with this")
            || verb.contains(" with the following"))
    {
        return Some(Intent::Insert);
    }
    if begins(OLDS) || ends_in_old(short) || matches!(short, "this" | "this code") {
        return Some(Intent::Old);
    }
    if begins(EXAMPLES) {
        return Some(Intent::Example);
    }
    begins(INSERTS).then_some(Intent::Insert)
}

/// Whether a sentence is a verb and a file in backticks, perhaps with a few words between: "update `".
fn is_only_a_file(verb: &str) -> bool {
    let words: Vec<&str> = verb.split_whitespace().collect();
    matches!(words.as_slice(), ["update" | "modify" | "edit" | "change" | "replace", rest @ ..]
        if rest.len() <= 3 && rest.last() == Some(&"`"))
}

/// A sentence from its verb on: "in `a`, then add" begins with `add`.
fn verb_of(short: &str) -> &str {
    // "1. `net` — find", "to fix this, replace"
    const INTRODUCTIONS: &[&str] =
        &["in", "inside", "at", "for", "near", "to", "on", "if", "since", "because", "with"];
    let mut rest = [" — ", " – "].iter().find_map(|dash| Some(short.split_once(dash)?.1)).unwrap_or(short);
    if begins_with(rest, INTRODUCTIONS)
        && let Some((_, after)) = rest.split_once(", ")
    {
        rest = after.trim_start();
    }
    loop {
        let word = rest.split([' ', ',', ':']).next().unwrap_or_default();
        let is_opener = OPENERS.contains(&word) && word.len() < rest.len();
        if !is_opener {
            return rest;
        }
        rest = rest.get(word.len()..).unwrap_or_default().trim_start_matches([' ', ',', ':']);
    }
}

/// Whether a sentence ends by asking for the old lines: "in `a`, replace", "open ` and find this block".
fn ends_in_old(short: &str) -> bool {
    const FILLERS: &[&str] =
        &["this", "these", "the", "following", "block", "line", "lines", "code", "section", "part"];
    let mut words: Vec<&str> = short.split_whitespace().collect();
    while words.last().is_some_and(|word| FILLERS.contains(word)) {
        words.pop();
    }
    if words.last() == Some(&"for") {
        words.pop();
    }
    let is_verb = |word: &&str| {
        ["replace", "find", "change", "swap", "from", "locate", "look", "search"].contains(word)
    };
    if !words.pop().is_some_and(|word| is_verb(&word)) {
        return false;
    }
    words
        .last()
        .is_none_or(|word| word.ends_with([',', '`', ':', '—', '–', '-']) || matches!(*word, "then" | "and"))
}

/// Whether a short sentence ends as the second half of a replacement begins: "and replace it with".
fn ends_in_new(short: &str) -> bool {
    // "Test it with:" and "call it with:" replace nothing.
    const VERBS: &[&str] = &[
        "replace", "change", "swap", "update", "edit", "modify", "turn", "rewrite", "substitute", "it",
        "this", "that", "which",
    ];
    let count = short.split_whitespace().count();
    count <= 5
        && begins_with(verb_of(short), VERBS)
        && [
            "it with", "it to", "that with", "that to", "them with", "this to", "should now be",
            "should become",
        ]
        .iter()
        .any(|words| short.ends_with(words))
}

/// Whether a text begins with one of these words or phrases. `add` begins "add this" and not "address".
fn begins_with(text: &str, phrases: &[&str]) -> bool {
    phrases
        .iter()
        .any(|phrase| text.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

/// Whether a phrase is in a sentence as whole words, or as the beginning of one. `the rest` is in "keep the rest:".
fn has_phrase(sentence: &str, phrase: &str) -> bool {
    sentence.match_indices(phrase).any(|(at, _)| {
        let before = sentence.get(..at).and_then(|text| text.chars().next_back());
        let after = sentence.get(at + phrase.len()..).and_then(|text| text.chars().next());
        before.is_none_or(|c| !c.is_alphanumeric())
            && (after.is_none_or(|c| !c.is_alphabetic()) || phrase.len() > 7 || after == Some('s'))
    })
}

/// The code in backticks that lines are to be put next to: the code, and whether after it. "Add this after `import os =
/// 1`:".
pub(super) fn anchor(line: &str) -> Option<(String, bool)> {
    let parts: Vec<&str> = line.split('`').collect();
    let places = parts.iter().enumerate().step_by(2).filter_map(|(at, text)| {
        let text = text.to_lowercase();
        let text = text
            .trim_end()
            .trim_end_matches(['*', ' '])
            .trim_end_matches(" the line")
            .trim_end_matches(" the");
        let ends = |words: &[&str]| words.iter().any(|word| text.ends_with(word));
        let after = ends(&["after", "below", "under", "beneath", "following"]);
        let before = ends(&["before", "above"]);
        let code = parts.get(at + 1).filter(|_| at + 2 < parts.len())?;
        (after || before).then(|| ((*code).to_owned(), after))
    });
    let found: Vec<(String, bool)> = places.collect();
    let [(code, after)] = found.as_slice() else { return None };
    // What is named is a line of code, not a function or a file.
    let is_line = code.contains([' ', '(', '=', ';']) && mentions(&format!("`{code}`")).is_empty();
    let opens = code.trim_end().ends_with([':', '{', '(', '[', ',']);
    (is_line && !(opens && *after)).then(|| (code.clone(), *after))
}

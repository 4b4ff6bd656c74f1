//! Words that mark translated diction, in what users read: string literals of the product and the help texts.
//!
//! The list is short on purpose. It catches habits, not style: "the old lines stand nowhere" for "were not found", "mend
//! that" for "fix this", "is no time" for "is not a time".

use super::source::{Source, tracked};

/// The words, each with what to write instead.
const WORDS: [(&str, &str); 29] = [
    ("stand", "match, is, appears"),
    ("stands", "matches, is, appears"),
    ("stood", "was, appeared"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("nobody", "name who: no other process, no one"),
    ("somebody", "name who: another process, the user"),
    ("shall", "should, will"),
    ("beforehand", "in advance"),
    ("taken back", "undone, rolled back"),
    ("take back", "undo, roll back"),
    ("takes back", "undoes, rolls back"),
    ("so many", "this many"),
    ("is no", "is not a"),
    ("everybody", "name who: all users, every program"),
    ("whoever", "name who: the caller, the author"),
    ("for ever", "forever"),
    ("anew", "again, rewrite"),
    ("in vain", "without success, unnecessarily"),
    ("all the same", "anyway"),
    ("go on", "continue"),
    ("goes on", "continues"),
    ("hand over", "pass, send"),
    ("hands over", "passes, sends"),
    ("handed over", "passed, sent"),
    ("put off", "deferred"),
    ("came of", "name it: the result"),
    ("becomes of", "name it: what happens to"),
];

/// How many such words a crate may still have; it may only become fewer.
const LEFT: [(&str, usize); 1] = [("relay-edit", 40)];

/// What users read of a line: its string literals, or in the folder of the arguments its doc comment.
fn read_by_users(path: &str, line: &str) -> Vec<String> {
    let text = line.trim_start();
    if let Some(help) = text.strip_prefix("///") {
        return if path.contains("/src/cli/") { vec![help.to_owned()] } else { Vec::new() };
    }
    if text.starts_with("//") {
        return Vec::new();
    }
    let mut literals = Vec::new();
    let mut current: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, &mut current) {
            ('"', None) => current = Some(String::new()),
            ('"', Some(literal)) => {
                literals.push(std::mem::take(literal));
                current = None;
            }
            ('\\', Some(_)) => drop(characters.next()),
            (other, Some(literal)) => literal.push(other),
            (_, None) => {}
        }
    }
    literals.extend(current);
    // One word is a name or a code, not a sentence.
    literals.retain(|literal| literal.trim().contains(' '));
    literals
}

/// The word that marks a text as translated, if there is one.
fn marked(text: &str) -> Option<&'static str> {
    let plain = text.to_lowercase().replace("there is no", "there is").replace("is no longer", "is");
    let words: String =
        plain.chars().map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect();
    let words = format!(" {} ", words.split_whitespace().collect::<Vec<_>>().join(" "));
    WORDS.iter().map(|(word, _)| *word).find(|word| words.contains(&format!(" {word} ")))
}

fn translated(sources: &[Source]) -> Vec<String> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.is_product()) {
        for (number, line) in source.product_lines() {
            for text in read_by_users(&source.path, line) {
                if let Some(word) = marked(&text) {
                    let instead =
                        WORDS.iter().find(|(known, _)| *known == word).map_or("", |(_, instead)| instead);
                    findings.push(format!("{}:{number}: `{word}` (write: {instead}): {text}", source.path));
                }
            }
        }
    }
    findings
}

#[test]
fn messages_and_help_read_as_english() {
    let mut findings = translated(&tracked());
    for (name, left) in LEFT {
        let prefix = format!("crates/{name}/");
        let of_crate = findings.iter().filter(|finding| finding.starts_with(&prefix)).count();
        if of_crate <= left {
            findings.retain(|finding| !finding.starts_with(&prefix));
        }
    }
    super::assert_none("words that mark translated diction in what users read", &findings);
}

#[test]
fn translated_words_are_found_where_users_read_them() {
    let found = |path: &str, text: &str| translated(&[Source::new(path, text)]).len();
    let path = "crates/x/src/a.rs";
    assert_eq!(found(path, "let m = \"these lines stand nowhere\";"), 1);
    assert_eq!(found(path, "    .hinted(\"Mend that, then try again.\")"), 1);
    assert_eq!(found(path, "format!(\"`{text}` is no time\")"), 1);
    assert_eq!(found("crates/x/src/cli/a.rs", "    /// Approve beforehand"), 1);
    assert_eq!(found(path, "\"the agent goes on by itself\""), 1);
    assert_eq!(found(path, "\"read the file again and write it anew\""), 1);
    for text in [
        "// nobody reads this",
        "/// somebody",
        "let standard = \"standard input\";",
        "\"there is no key\"",
        "\"the agent continues anyway\"",
        "\"it is no longer there\"",
        "\"nobody\"",
        "\"one\", nobody, \"two\"",
    ] {
        assert_eq!(found(path, text), 0, "{text}");
    }
    assert_eq!(
        found("crates/x/tests/it/a.rs", "\"these lines stand nowhere\""),
        0,
        "tests may quote anything"
    );
}

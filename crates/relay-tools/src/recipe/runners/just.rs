//! `just`: recipes of a justfile, without the private ones.

use super::super::runner::{Runner, Task};
use super::manifests::Manifests;

pub fn detect(files: &Manifests<'_>) -> Option<Runner> {
    let is_justfile = |name: &str| {
        let name = name.to_ascii_lowercase();
        name == "justfile" || name == ".justfile"
    };
    let (name, _) = files.entries("").into_iter().find(|(name, _)| is_justfile(name))?;
    let tasks = recipes(&files.read(&name)?);
    Some(Runner { id: "just", label: "Just recipes".to_owned(), prefix: "just".to_owned(), tasks })
}

/// The recipes that a list shows.
fn recipes(text: &str) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    let (mut doc, mut is_private) = (None, false);
    for line in text.lines() {
        let is_body = line.starts_with([' ', '\t']);
        if is_body {
            continue;
        }
        if let Some(comment) = line.strip_prefix('#') {
            doc = Some(comment.trim_start_matches('!').trim().to_owned());
            continue;
        }
        if line.starts_with('[') {
            is_private |= line.contains("private");
            continue;
        }
        let recipe = head(line).filter(|task| !is_private && !task.name.starts_with('_'));
        tasks.extend(recipe.map(|task| Task { doc: doc.take().filter(|doc| !doc.is_empty()), ..task }));
        (doc, is_private) = (None, false);
    }
    tasks
}

/// A line such as `@build target="all" +flags: deps`.
fn head(line: &str) -> Option<Task> {
    const WORDS: [&str; 7] = ["alias", "set", "export", "import", "mod", "unexport", "import?"];
    let line = line.strip_prefix('@').unwrap_or(line);
    let mut quote = None;
    // The colon that ends the head is outside quotes and not part of `:=`.
    let colon = line.char_indices().find(|(at, c)| {
        match quote {
            Some(open) if *c == open => quote = None,
            None if matches!(c, '"' | '\'' | '`') => quote = Some(*c),
            _ => {}
        }
        quote.is_none() && *c == ':' && !line.get(at + 1..).unwrap_or_default().starts_with('=')
    });
    let head = line.get(..colon?.0)?;
    if head.contains(":=") {
        return None;
    }
    let mut words = head.split_whitespace();
    let name = words.next().filter(|name| !WORDS.contains(name))?;
    let is_name = |name: &str| {
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        starts && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    if !is_name(name) {
        return None;
    }
    let parameters = words
        .map(|word| word.trim_start_matches(['+', '*', '$']).split('=').next().unwrap_or_default().to_owned())
        .filter(|word| is_name(word))
        .collect();
    Some(Task { name: name.to_owned(), command: name.to_owned(), parameters, ..Task::default() })
}

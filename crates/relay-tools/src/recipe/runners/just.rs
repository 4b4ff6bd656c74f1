//! `just`: recipes of a justfile, without the private ones.

use super::super::runner::{Runner, Task};
use super::manifests::{Manifests, join};

pub fn detect(files: &Manifests<'_>) -> Option<Runner> {
    let is_justfile = |name: &str| {
        let name = name.to_ascii_lowercase();
        name == "justfile" || name == ".justfile"
    };
    let (name, _) = files.entries("").into_iter().find(|(name, _)| is_justfile(name))?;
    let text = files.read(&name)?;
    let mut tasks = recipes(&text);
    follow(files, &Source { text: &text, folder: "", module: "" }, DEPTH, &mut tasks);
    Some(Runner { id: "just", label: "Just recipes".to_owned(), prefix: "just".to_owned(), tasks })
}

/// How many files deep imports and modules are followed.
const DEPTH: usize = 5;

/// A file with recipes.
struct Source<'a> {
    text: &'a str,
    /// Where it is, which the paths in it begin from.
    folder: &'a str,
    /// What its recipes' names begin with: `deploy::`.
    module: &'a str,
}

/// Adds the recipes of the files that another one imports, and of its modules. What a file has itself wins.
fn follow(files: &Manifests<'_>, source: &Source<'_>, depth: usize, tasks: &mut Vec<Task>) {
    if depth == 0 {
        return;
    }
    for line in source.text.lines() {
        let Some((path, module)) = reference(files, line, source) else { continue };
        let Some(text) = files.read(&path) else { continue };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for mut task in recipes(&text) {
            task.name = format!("{module}{}", task.name);
            task.command.clone_from(&task.name);
            if tasks.iter().all(|known| known.name != task.name) {
                tasks.push(task);
            }
        }
        follow(files, &Source { text: &text, folder, module: &module }, depth - 1, tasks);
    }
}

/// The file that a line such as `import? 'ci.just'` or `mod deploy 'ops'` names, and what its recipes' names begin with.
fn reference(files: &Manifests<'_>, line: &str, source: &Source<'_>) -> Option<(String, String)> {
    let mut words = line.split_whitespace();
    let quoted =
        |word: Option<&str>| Some(word?.trim_matches(['"', '\'']).trim_start_matches("./").to_owned());
    match words.next()? {
        "import" | "import?" => Some((join(source.folder, &quoted(words.next())?), source.module.to_owned())),
        "mod" | "mod?" => {
            let name = words.next()?;
            let module = format!("{}{name}::", source.module);
            let below = |name: &str| join(source.folder, name);
            let places = match quoted(words.next()) {
                Some(path) => {
                    vec![below(&path), below(&format!("{path}/mod.just")), below(&format!("{path}/justfile"))]
                }
                None => vec![
                    below(&format!("{name}.just")),
                    below(&format!("{name}/mod.just")),
                    below(&format!("{name}/justfile")),
                ],
            };
            places.into_iter().find(|place| files.read(place).is_some()).map(|place| (place, module))
        }
        _ => None,
    }
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
    const WORDS: [&str; 8] = ["alias", "set", "export", "import", "mod", "mod?", "unexport", "import?"];
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

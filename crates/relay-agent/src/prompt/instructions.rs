//! Instruction files: `AGENTS.md`, `CLAUDE.md` and similar ones, from the root of the repository down to the working
//! folder.

use crate::sources::{FILE_LIMIT_BYTES, Place, Reader, Skipped, Text};

/// Names that are looked for in every folder, in the order in which they are shown.
const NAMES: [&str; 6] =
    ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "CONVENTIONS.md", ".relay/AGENTS.md", "CLAUDE.local.md"];
/// Names that are looked for at the root only.
const ROOT_NAMES: [&str; 1] = [".github/copilot-instructions.md"];
/// The user's own file, for every project.
pub(super) const USER_NAME: &str = "AGENTS.md";
/// How many bytes of a repository's instruction files reach a prompt. The nearest ones come first.
pub const TOTAL_LIMIT_BYTES: usize = 64 << 10;
/// How deep a working folder may be below the root.
const DEPTH_LIMIT: usize = 64;

/// The repository's files, from the root down. Where they have too much together, the ones nearest to the working
/// folder are kept.
pub(super) fn project(reader: &mut Reader, place: Place<'_>, folder: &str) -> Vec<Text> {
    let mut found: Vec<Text> = Vec::new();
    for folder in chain(folder) {
        let own = if folder.is_empty() { &ROOT_NAMES[..] } else { &[] };
        for name in NAMES.iter().chain(own) {
            let path = if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") };
            let Some(text) = reader.text(place, &path, FILE_LIMIT_BYTES) else { continue };
            if !is_repeated(&text, &found) {
                found.push(text);
            }
        }
    }
    let mut room = TOTAL_LIMIT_BYTES;
    let mut kept = Vec::new();
    for text in found.into_iter().rev() {
        match room.checked_sub(text.text.len()) {
            Some(rest) => {
                room = rest;
                kept.push(text);
            }
            None => reader.skipped.push(Skipped::new(
                text.path,
                format!(
                    "instruction files may have {} KiB together, and nearer ones come first",
                    TOTAL_LIMIT_BYTES >> 10
                ),
            )),
        }
    }
    kept.reverse();
    kept
}

/// The folders from the root down to the working folder.
pub(crate) fn chain(folder: &str) -> Vec<String> {
    let mut chain = vec![String::new()];
    let mut path = String::new();
    for name in folder.split('/').filter(|name| !name.is_empty() && *name != ".").take(DEPTH_LIMIT) {
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(name);
        chain.push(path.clone());
    }
    chain
}

/// Whether a text says nothing new: it is empty, a copy, or only refers to another file (`@AGENTS.md`).
fn is_repeated(text: &Text, found: &[Text]) -> bool {
    let words = text.text.trim();
    let refers = words.strip_prefix('@').is_some_and(|name| {
        let folder = text.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let named = name.trim_start_matches("./");
        let path = if folder.is_empty() { named.to_owned() } else { format!("{folder}/{named}") };
        found.iter().any(|known| known.path == path)
    });
    words.is_empty() || refers || found.iter().any(|known| known.text.trim() == words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_from_the_root_down() {
        assert_eq!(chain(""), [""]);
        assert_eq!(chain("a/b"), ["", "a", "a/b"]);
        assert_eq!(chain("./a//b/"), ["", "a", "a/b"]);
    }
}

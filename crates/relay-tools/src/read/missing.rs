//! Paths that lead nowhere: repaired where only one file can be meant.

use std::time::{Duration, Instant};

use relay_agent::tool::{Call, ToolError};
use relay_diagnostics::Cancel;
use relay_diagnostics::display::visible_line;
use relay_workspace::search::{FindQuery, Wanted};
use relay_workspace::{Place, Workspace};
use unicode_normalization::UnicodeNormalization as _;

/// How long the workspace is searched.
const TIME: Duration = Duration::from_secs(5);

/// The place that is meant, and what the model reads about it.
pub struct Found {
    pub place: Place,
    pub note: String,
}

/// Names as macOS writes them: other spaces before AM and PM, curly quotes, letters apart from their accents; and each of
/// them the other way round.
fn variants(path: &str) -> Vec<String> {
    let narrow = path.replace(" AM.", "\u{202f}AM.").replace(" PM.", "\u{202f}PM.");
    let spaces = [path.to_owned(), narrow, path.replace('\u{202f}', " ")];
    let quotes = spaces
        .iter()
        .flat_map(|path| [path.clone(), path.replace('\'', "\u{2019}"), path.replace('\u{2019}', "'")]);
    let letters = |path: String| [path.nfd().collect(), path.nfc().collect(), path];
    let mut all: Vec<String> = Vec::new();
    for variant in quotes.flat_map(letters) {
        if variant != path && !all.contains(&variant) {
            all.push(variant);
        }
    }
    all
}

/// The only file or folder of the workspace that ends as the path does.
///
/// # Errors
/// There is none, or several, or the call was asked to end.
pub fn resolve(call: &Call<'_>, written: &str) -> Result<Found, ToolError> {
    let workspace = call.services.engine.workspace();
    let home = call.services.home.as_deref();
    let told = |place: &Place| {
        format!(
            "[Path '{}' not found; resolved to '{}' via suffix match]\n",
            visible_line(written),
            visible_line(place.shown())
        )
    };
    for variant in variants(written) {
        if let Ok(place) = workspace.place(&variant, home)
            && matches!(place.facts(), Ok(Some(_)))
        {
            let note = told(&place);
            return Ok(Found { place, note });
        }
    }
    let found = ending_like(workspace, written, call.cancel)?;
    if let [only] = found.as_slice()
        && let Ok(place) = workspace.place(only, home)
    {
        let note = told(&place);
        return Ok(Found { place, note });
    }
    let path = visible_line(written);
    Err(ToolError::failed(match found.as_slice() {
        [] => match near(workspace, written).as_slice() {
            [] => format!("{path} does not exist. Use `find` to look for it."),
            near => format!("{path} does not exist. Did you mean {}?", near.join(" or ")),
        },
        several => {
            let shown: Vec<&str> = several.iter().take(5).map(String::as_str).collect();
            format!(
                "{path} does not exist, and several paths end like it: {}. Name one of them.",
                shown.join(", ")
            )
        }
    }))
}

fn near(workspace: &Workspace, written: &str) -> Vec<String> {
    workspace.path(written).map(|path| workspace.suggest(&path)).unwrap_or_default()
}

/// Paths of the workspace that end with the same names.
fn ending_like(workspace: &Workspace, written: &str, cancel: &Cancel) -> Result<Vec<String>, ToolError> {
    let names: Vec<&str> =
        written.split('/').filter(|name| !matches!(*name, "" | "." | ".." | "~")).collect();
    if names.is_empty() || written.len() > 1_000 {
        return Ok(Vec::new());
    }
    let (whole, deadline) = (cancel.clone(), Instant::now() + TIME);
    let timed = Cancel::watching(move || whole.is_cancelled() || Instant::now() > deadline);
    // An absolute path of another machine may share only its last names with one of here.
    for from in 0..names.len() {
        let suffix = names.get(from..).unwrap_or_default().join("/");
        let query = FindQuery {
            patterns: vec![format!("**/{}", escaped(&suffix))],
            wanted: Wanted::All,
            limit: 6,
            newest_first: false,
            cached: true,
            ..FindQuery::default()
        };
        let found = workspace.find(&query, &timed).map(|found| found.paths).unwrap_or_default();
        ToolError::check(cancel)?;
        if !found.is_empty() {
            return Ok(found.into_iter().map(|found| found.path).collect());
        }
        // A single name is enough only where the path had no more.
        if !written.starts_with('/') || names.len() - from <= 2 {
            break;
        }
    }
    Ok(Vec::new())
}

/// A name that means itself in a glob.
fn escaped(name: &str) -> String {
    let mut glob = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '*' | '?' | '[' | ']' | '{' | '}' | '!' => glob.push_str(&format!("[{character}]")),
            character => glob.push(character),
        }
    }
    glob
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tried_as_macos_writes_them() {
        for (written, there) in [
            ("Screenshot 9.41 AM.png", "Screenshot 9.41\u{202f}AM.png"),
            ("Screenshot 9.41\u{202f}PM.png", "Screenshot 9.41 PM.png"),
            ("it's.txt", "it\u{2019}s.txt"),
            ("caf\u{e9}.txt", "cafe\u{301}.txt"),
            ("cafe\u{301}.txt", "caf\u{e9}.txt"),
            ("l'\u{e9}t\u{e9} 1 PM.txt", "l\u{2019}e\u{301}te\u{301} 1\u{202f}PM.txt"),
        ] {
            assert!(variants(written).contains(&there.to_owned()), "{written}");
        }
        assert!(variants("plain.txt").is_empty());
    }
}

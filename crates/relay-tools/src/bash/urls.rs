//! Internal addresses in a command become paths: `grep error artifact://3` searches the file that has that output.

use std::path::PathBuf;

use relay_agent::tool::{Services, ToolError};

/// Finds the file of an internal address.
pub trait Resolve {
    /// The file, or why there is none; `None` for an address that is not an internal one.
    fn resolve(&self, url: &str) -> Option<Result<PathBuf, String>>;
}

/// The schemes that are looked for.
const SCHEMES: [&str; 2] = ["artifact://", "agent://"];

impl Resolve for Services {
    fn resolve(&self, url: &str) -> Option<Result<PathBuf, String>> {
        let no_folder = || Err("No artifacts directory found".to_owned());
        let artifacts = self.artifacts.as_ref();
        if let Some(id) = url.strip_prefix("artifact://") {
            let Some(artifacts) = artifacts else { return Some(no_folder()) };
            let known = artifacts.list().unwrap_or_default();
            let found = id.parse::<u64>().ok().and_then(|id| known.iter().find(|artifact| artifact.id == id));
            return Some(match found {
                Some(artifact) => Ok(artifact.path.clone()),
                None if known.is_empty() => no_folder(),
                None => {
                    let ids: Vec<String> = known.iter().map(|artifact| artifact.id.to_string()).collect();
                    Err(format!("Artifact {id} not found. Available: {}", ids.join(", ")))
                }
            });
        }
        let id = url.strip_prefix("agent://")?;
        let Some(artifacts) = artifacts else { return Some(no_folder()) };
        let is_plain = id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        let name = format!("{id}.md");
        let is_there = is_plain && artifacts.read_named(&name, 1).is_ok_and(|found| found.is_some());
        Some(if is_there {
            Ok(artifacts.path().join(name))
        } else {
            Err(format!("Agent output {id} not found"))
        })
    }
}

/// Where in a command a place is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Single,
    Double,
}

/// A command with paths in place of internal addresses, quoted as their place needs it.
///
/// # Errors
/// There is no file of such an address.
pub fn expand(command: &str, urls: &dyn Resolve) -> Result<String, ToolError> {
    let mut expanded = String::with_capacity(command.len());
    let mut quotes = Quotes::None;
    let mut rest = command;
    while let Some(first) = rest.chars().next() {
        if let Some((url, path)) = address(rest, urls)? {
            let path = path.display().to_string();
            expanded.push_str(&match quotes {
                Quotes::None => quoted(&path),
                Quotes::Single => path.replace('\'', r"'\''"),
                Quotes::Double => {
                    path.replace('\\', r"\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`")
                }
            });
            rest = rest.get(url.len()..).unwrap_or_default();
            continue;
        }
        let step = match (quotes, first) {
            (Quotes::None | Quotes::Double, '\\') => {
                first.len_utf8() + rest.chars().nth(1).map_or(0, char::len_utf8)
            }
            _ => first.len_utf8(),
        };
        quotes = match (quotes, first) {
            (Quotes::None, '\'') => Quotes::Single,
            (Quotes::None, '"') => Quotes::Double,
            (Quotes::Single, '\'') | (Quotes::Double, '"') => Quotes::None,
            (quotes, _) => quotes,
        };
        expanded.push_str(rest.get(..step).unwrap_or_default());
        rest = rest.get(step..).unwrap_or_default();
    }
    Ok(expanded)
}

/// A value with paths in place of internal addresses.
///
/// # Errors
/// There is no file of such an address.
pub fn expand_value(value: &str, urls: &dyn Resolve) -> Result<String, ToolError> {
    let mut expanded = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(first) = rest.chars().next() {
        if let Some((url, path)) = address(rest, urls)? {
            expanded.push_str(&path.display().to_string());
            rest = rest.get(url.len()..).unwrap_or_default();
        } else {
            expanded.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    Ok(expanded)
}

/// The address that a text begins with, and its file.
fn address<'a>(text: &'a str, urls: &dyn Resolve) -> Result<Option<(&'a str, PathBuf)>, ToolError> {
    let Some(scheme) = SCHEMES.iter().find(|scheme| text.starts_with(**scheme)) else { return Ok(None) };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name = text.get(scheme.len()..).unwrap_or_default();
    let end = name.find(|c: char| !is_part(c)).unwrap_or(name.len());
    let url = text.get(..scheme.len() + end).unwrap_or_default();
    match urls.resolve(url) {
        Some(Ok(path)) => Ok(Some((url, path))),
        Some(Err(why)) => Err(ToolError::Failed(why)),
        None => Ok(None),
    }
}

/// A word that the shell reads as it is.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One;

    impl Resolve for One {
        fn resolve(&self, url: &str) -> Option<Result<PathBuf, String>> {
            Some(match url {
                "artifact://3" => Ok("/a b/3.log".into()),
                other => Err(format!("no {other}")),
            })
        }
    }

    fn check(command: &str, expected: &str) {
        assert_eq!(expand(command, &One).unwrap(), expected);
    }

    #[test]
    fn addresses_become_paths_in_their_quotes() {
        check("grep x artifact://3", "grep x '/a b/3.log'");
        check("grep x \"artifact://3\" 'artifact://3'", "grep x \"/a b/3.log\" '/a b/3.log'");
        check("echo \\\"artifact://3", "echo \\\"'/a b/3.log'");
        check("cat https://x/3 é", "cat https://x/3 é");
        assert_eq!(expand_value("artifact://3:x", &One).unwrap(), "/a b/3.log:x");
    }

    #[test]
    fn an_unknown_one_is_an_error() {
        assert_eq!(expand("cat artifact://9", &One).unwrap_err().to_string(), "no artifact://9");
    }
}

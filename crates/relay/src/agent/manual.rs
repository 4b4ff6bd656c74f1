//! `relay://NAME`: Relay's own documentation, so that a model can say how Relay works without guessing.

use relay_agent::resources::{Resource, Scheme};
use relay_agent::tool::ToolError;
use relay_diagnostics::Cancel;

/// A page, with its name.
macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../docs/", $name)))),*]
    };
}

/// Every page of `docs/`, in order.
const PAGES: &[(&str, &str)] = pages![
    "agent/instructions.md",
    "cli.md",
    "comparison.md",
    "formats/config.md",
    "formats/dialects.md",
    "formats/json-output.md",
    "formats/mail.md",
    "formats/models.md",
    "formats/pack.md",
    "formats/reply.md",
    "formats/rpc.md",
    "formats/session.md",
    "formats/settings.md",
    "formats/state-file.md",
    "formats/theme.md",
    "formats/user-data.md",
    "glossary.md",
    "guide.md",
    "limits.md",
    "replies.md",
    "security.md",
    "sessions.md",
    "terminal.md",
    "tools/ask.md",
    "tools/bash.md",
    "tools/calc.md",
    "tools/cron.md",
    "tools/edit.md",
    "tools/find.md",
    "tools/inspect_image.md",
    "tools/job.md",
    "tools/monitor.md",
    "tools/notebook.md",
    "tools/read.md",
    "tools/recipe.md",
    "tools/render_mermaid.md",
    "tools/search.md",
    "tools/ssh.md",
    "tools/todo_write.md",
    "tools/write.md",
];

/// The documentation.
pub struct Manual;

impl Scheme for Manual {
    fn name(&self) -> &str {
        "relay"
    }

    fn read(&self, rest: &str, _: &Cancel) -> Result<Resource, ToolError> {
        let name = rest.trim_matches('/');
        let named = |page: &&(&str, &str)| page.0 == name || page.0.strip_suffix(".md") == Some(name);
        let text = match PAGES.iter().find(named) {
            Some((_, text)) => (*text).to_owned(),
            None if name.is_empty() => self.list().iter().map(|page| format!("relay://{page}\n")).collect(),
            None => {
                let message = format!("There is no page `{name}`. Read relay:// for a list of all pages.");
                return Err(ToolError::Failed(message));
            }
        };
        Ok(Resource { text, media_type: "text/markdown".to_owned(), ..Resource::default() })
    }

    fn list(&self) -> Vec<String> {
        PAGES.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page added to the folder must be added here too.
    #[test]
    #[allow(clippy::disallowed_methods, reason = "the pages are Relay's own")]
    fn every_page_is_there() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let mut pages = Vec::new();
        for folder in ["", "agent/", "formats/", "tools/"] {
            for entry in std::fs::read_dir(format!("{docs}/{folder}")).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                if name.ends_with(".md") {
                    pages.push(format!("{folder}{name}"));
                }
            }
        }
        pages.sort();
        assert_eq!(Manual.list(), pages);
    }

    #[test]
    fn pages_are_read_by_name_and_listed() {
        let read = |rest: &str| Manual.read(rest, &Cancel::new()).map(|page| page.text);
        assert!(read("tools/read").unwrap().starts_with("# "));
        assert_eq!(read("tools/read.md"), read("tools/read"));
        assert!(read("").unwrap().contains("relay://guide.md\n"));
        assert!(read("nothing").unwrap_err().to_string().contains("relay:// for a list"));
    }
}

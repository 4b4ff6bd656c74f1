//! Prompt templates: files whose text the user sends with `/NAME arguments`.
//!
//! They are Markdown files in the user's `prompts` folder and in the repository's `.relay/prompts`; folders of other
//! programs are searched where the settings say so. A template is text and nothing else: no command in it is run, and
//! what it expands to is sent as the user's message, so they see it.

mod expand;

use serde::{Deserialize, Serialize};

pub use expand::{arguments, expand};

use crate::frontmatter::FrontMatter;
use crate::prompt::chain;
use crate::sources::{FILE_LIMIT_BYTES, Owner, Place, Reader, Skipped};

/// The most templates.
const LIMIT: usize = 500;
/// The folder of the user's own templates, in their config folder.
const USER_FOLDER: &str = "prompts";

/// `commands.*`: which folders of other programs are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// `~/.claude/commands`.
    pub enable_claude_user: bool,
    /// The repository's `.claude/commands`.
    pub enable_claude_project: bool,
    /// `~/.config/opencode/command`.
    pub enable_opencode_user: bool,
    /// The repository's `.opencode/command`.
    pub enable_opencode_project: bool,
}

impl Settings {
    fn project_folders(self) -> Vec<&'static str> {
        let mut folders = vec![".relay/prompts"];
        folders.extend(self.enable_claude_project.then_some(".claude/commands"));
        folders.extend(self.enable_opencode_project.then_some(".opencode/command"));
        folders
    }
}

/// A template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Template {
    /// Its name: that of its file; in a folder, `folder:name`.
    pub name: String,
    /// What it is for: its own words, or its first line.
    pub description: String,
    /// What its arguments are, for the list of commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// Where it is.
    pub path: String,
    /// Who wrote it.
    pub owner: Owner,
    /// Its text.
    #[serde(skip)]
    pub text: String,
}

/// All templates, the first with each name: the user's, then the repository's from the working folder up to its root.
#[must_use]
pub fn discover(
    reader: &mut Reader,
    user: Option<Place<'_>>,
    project: Place<'_>,
    folder: &str,
    settings: Settings,
) -> Vec<Template> {
    let mut found = Vec::new();
    if let Some(user) = user {
        read_folder(reader, user, USER_FOLDER, &mut found);
    }
    for at in chain(folder).iter().rev() {
        for name in settings.project_folders() {
            let folder = if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") };
            read_folder(reader, project, &folder, &mut found);
        }
    }
    found
}

fn read_folder(reader: &mut Reader, place: Place<'_>, folder: &str, found: &mut Vec<Template>) {
    for path in reader.names(place, folder, |name| name.ends_with(".md") && !name.starts_with('.')) {
        let below = path.get(folder.len() + 1..).unwrap_or(&path);
        let name = below.trim_end_matches(".md").replace('/', ":");
        let Some(text) = reader.text(place, &path, FILE_LIMIT_BYTES) else { continue };
        if found.len() >= LIMIT {
            reader.skipped.push(Skipped::new(text.path, format!("{LIMIT} templates are enough")));
            return;
        }
        if let Some(known) = found.iter().find(|known| known.name == name) {
            let reason = format!("another template has the name `{name}`: {}", known.path);
            reader.skipped.push(Skipped::new(text.path, reason));
            continue;
        }
        if text.is_cut {
            let reason = format!("it has more than {} KiB", FILE_LIMIT_BYTES >> 10);
            reader.skipped.push(Skipped::new(text.path, reason));
            continue;
        }
        let matter = FrontMatter::parse(&text.text);
        let first = matter.body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        found.push(Template {
            description: matter.text("description").unwrap_or_else(|| first.chars().take(80).collect()),
            argument_hint: matter.text("argument-hint"),
            text: matter.body.trim().to_owned(),
            name,
            path: text.path,
            owner: text.owner,
        });
    }
}

/// The message that a line of the user means: the template's text, if the line names one.
#[must_use]
pub fn message(templates: &[Template], line: &str) -> Option<String> {
    let rest = line.strip_prefix('/')?;
    let (name, given) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let template = templates.iter().find(|template| template.name == name)?;
    Some(expand(&template.text, &arguments(given), given.trim()))
}

#[cfg(test)]
mod tests {
    use relay_workspace::Workspace;

    use super::*;

    #[test]
    fn templates_are_found_and_the_users_come_first() {
        let (project, user) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |root: &std::path::Path, name: &str, text: &str| {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        };
        write(
            user.path(),
            "prompts/review.md",
            "---\ndescription: Mine.\nargument-hint: FILE\n---\nReview $1.\n",
        );
        write(project.path(), ".relay/prompts/review.md", "Theirs.");
        write(project.path(), ".relay/prompts/db/migrate.md", "\nMigrate $ARGUMENTS now.\n");
        write(project.path(), ".claude/commands/fix.md", "Fix.");
        let (user, project) =
            (Workspace::open(user.path()).unwrap(), Workspace::open(project.path()).unwrap());
        let mut reader = Reader::default();
        let mut find = |settings| {
            let own = Place::user(user.root_dir(), "~/.config/relay");
            discover(&mut reader, Some(own), Place::project(project.root_dir()), "", settings)
        };
        let found = find(Settings::default());
        let names: Vec<&str> = found.iter().map(|template| template.name.as_str()).collect();
        assert_eq!(names, ["review", "db:migrate"]);
        assert_eq!(found[1].description, "Migrate $ARGUMENTS now.");
        assert_eq!(message(&found, "/review 'a b.rs' c").as_deref(), Some("Review a b.rs."));
        assert_eq!(message(&found, "/db:migrate up  2").as_deref(), Some("Migrate up  2 now."));
        assert_eq!((message(&found, "/other"), message(&found, "review")), (None, None));
        let claude = find(Settings { enable_claude_project: true, ..Settings::default() });
        assert_eq!(claude.last().map(|template| template.name.as_str()), Some("fix"));
        assert_eq!(reader.skipped.len(), 2, "{:?}", reader.skipped);
    }
}

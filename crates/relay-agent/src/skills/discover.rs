//! Finding skills: the user's, then the repository's from the working folder up to its root.
//!
//! The first skill with a name counts, and the user's come first: a repository must not be able to replace one.

use relay_workspace::Kind;

use super::{Settings, Skill};
use crate::frontmatter::FrontMatter;
use crate::prompt::chain;
use crate::sources::{FILE_LIMIT_BYTES, Owner, Place, Reader, Skipped};

/// The most skills that are used.
const LIMIT: usize = 200;
/// The longest name of a skill.
const NAME_LIMIT_CHARS: usize = 64;

/// All skills, the first with each name. `places` are the user's folders of skills, each holding one folder per skill,
/// and last the root of the repository.
#[must_use]
pub fn discover(reader: &mut Reader, places: &[Place<'_>], folder: &str, settings: &Settings) -> Vec<Skill> {
    let mut found: Vec<Skill> = Vec::new();
    if !settings.enabled {
        return found;
    }
    for (root, place) in places.iter().enumerate() {
        let folders = match place.owner {
            Owner::User => vec![String::new()],
            Owner::Project => project_folders(folder, settings),
        };
        for folder in folders {
            read_folder(reader, *place, root, &folder, &mut found);
        }
    }
    let mut kept: Vec<Skill> = Vec::new();
    for skill in found.into_iter().filter(|skill| settings.admits(&skill.name)) {
        match kept.iter().find(|known| known.name == skill.name) {
            Some(known) => reader.skipped.push(Skipped::new(
                skill.path,
                format!("another skill has the name `{}`: {}", skill.name, known.path),
            )),
            None => kept.push(skill),
        }
    }
    kept
}

/// The folders of a repository, nearest first.
fn project_folders(folder: &str, settings: &Settings) -> Vec<String> {
    let mut folders = Vec::new();
    for at in chain(folder).iter().rev() {
        for name in settings.project_folders() {
            folders.push(if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") });
        }
    }
    folders
}

fn read_folder(reader: &mut Reader, place: Place<'_>, root: usize, folder: &str, found: &mut Vec<Skill>) {
    let entries = match folder.is_empty() {
        true => place.dir.entries().unwrap_or_default(),
        false => reader.entries(place, folder),
    };
    for (name, kind) in entries {
        let at = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        match kind {
            Kind::Directory if found.len() < LIMIT => {}
            Kind::Directory => {
                reader.skipped.push(Skipped::new(at, format!("{LIMIT} skills are enough")));
                return;
            }
            Kind::Symlink => {
                reader.skipped.push(Skipped::new(at, "it is a symbolic link"));
                continue;
            }
            _ => continue,
        }
        let Some(text) = reader.text(place, &format!("{at}/SKILL.md"), FILE_LIMIT_BYTES) else { continue };
        let matter = FrontMatter::parse(&text.text);
        let name = matter.text("name").unwrap_or(name);
        if !is_name(&name) {
            let reason = "its name may have letters, digits, `-`, `_` and `.`, at most 64 of them";
            reader.skipped.push(Skipped::new(text.path, reason));
            continue;
        }
        let Some(description) = matter.text("description") else {
            reader.skipped.push(Skipped::new(text.path, "it has no description"));
            continue;
        };
        let is_hidden = matter.flag("hide").or(matter.flag("disable-model-invocation")).unwrap_or(false);
        found.push(Skill {
            name,
            description,
            is_hidden,
            path: text.path,
            owner: place.owner,
            root,
            folder: at,
        });
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.starts_with('.') && name.chars().all(is_plain) && name.chars().count() <= NAME_LIMIT_CHARS
}

#[cfg(test)]
mod tests {
    use relay_workspace::Workspace;

    use super::*;
    use crate::skills;

    fn skill(root: &std::path::Path, path: &str, text: &str) {
        let folder = root.join(path);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }

    #[test]
    fn skills_are_found_in_every_place_and_the_users_come_first() {
        let (project, user) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        skill(user.path(), "review", "---\nname: review\ndescription: mine\n---\nuser text");
        skill(project.path(), ".relay/skills/review", "---\nname: review\ndescription: theirs\n---\n");
        skill(project.path(), ".relay/skills/deploy", "---\ndescription: Deploy.\nhide: true\n---\nsteps");
        skill(
            project.path(),
            "sub/.agents/skills/db",
            "---\nname: db\ndescription: >\n  Two\n  lines.\n---\n",
        );
        skill(project.path(), ".claude/skills/pdf", "---\nname: pdf\ndescription: PDF.\n---\nsee REF.md");
        std::fs::write(project.path().join(".claude/skills/pdf/REF.md"), "reference").unwrap();
        skill(project.path(), ".claude/skills/bad", "---\nname: ../evil\ndescription: x\n---\n");
        skill(project.path(), ".claude/skills/silent", "no front matter");
        let (user, project) =
            (Workspace::open(user.path()).unwrap(), Workspace::open(project.path()).unwrap());
        let places = [Place::user(user.root_dir(), "~/skills"), Place::project(project.root_dir())];
        let mut reader = Reader::default();
        let found = discover(&mut reader, &places, "sub", &Settings::default());
        let names: Vec<String> =
            found.iter().map(|skill| format!("{}: {}", skill.name, skill.description)).collect();
        assert_eq!(names, ["review: mine", "db: Two lines.", "deploy: Deploy.", "pdf: PDF."]);
        assert!(found[2].is_hidden && !found[0].is_hidden);
        assert_eq!(reader.skipped.len(), 3, "{:?}", reader.skipped);
        let mut read =
            |address: &str| skills::read(&mut reader, &found, &places, address).map(|text| text.text);
        assert!(read("skill://review").unwrap().ends_with("user text"));
        assert_eq!(read("skill://pdf/REF.md").as_deref(), Some("reference"));
        for outside in
            ["skill://pdf/../deploy/SKILL.md", "skill://pdf//etc/passwd", "skill://none", "skill://pdf/none"]
        {
            assert_eq!(read(outside), None, "{outside}");
        }
        let off = Settings { enabled: false, ..Settings::default() };
        assert!(discover(&mut reader, &places, "sub", &off).is_empty());
    }
}

//! Gathers the sources of the agent's system prompt on this machine: the project, the user's folders, the
//! environment. `relay-agent` composes the prompt; this module decides nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use relay_agent::prompt::{Environment, Material, Options, Places, gather};
use relay_agent::resources::{Resource, Scheme};
use relay_agent::skills::{self, Skill};
use relay_agent::sources::{Place, Reader, Text};
use relay_agent::tool::ToolError;
use relay_diagnostics::Cancel;
use relay_engine::Engine;
use relay_store::Store;
use relay_workspace::Workspace;

/// Folders of the user that hold skills, opened.
struct Own {
    folders: Vec<(Workspace, String)>,
}

/// Everything that goes into the system prompt of a session started here.
pub fn material(workspace: &Workspace, store: &Store, model: Option<String>, options: Options) -> Material {
    let cwd = std::env::current_dir().and_then(std::fs::canonicalize).unwrap_or_default();
    let folder = cwd.strip_prefix(workspace.root()).ok().and_then(Path::to_str).unwrap_or_default();
    let folder = folder.replace(std::path::MAIN_SEPARATOR, "/");
    let config = Workspace::open(store.config_dir()).ok();
    let shown = tilde(store.config_dir());
    let own = own_skills(store, &options);
    let places = Places {
        project: workspace.root_dir(),
        folder: &folder,
        user: config.as_ref().map(|config| (config.root_dir(), shown.as_str())),
        skills: own.folders.iter().map(|(folder, shown)| (folder.root_dir(), shown.as_str())).collect(),
    };
    gather(&places, environment(workspace, &cwd, model), options)
}

/// `skill://NAME`: the text of a skill, or of another file in its folder.
pub struct SkillTexts {
    skills: Vec<Skill>,
    own: Own,
    engine: Arc<Engine>,
}

impl SkillTexts {
    /// The skills of a session started here, as [`material`] found them.
    pub fn new(engine: Arc<Engine>, store: &Store, material: &Material) -> Self {
        Self { skills: material.skills.clone(), own: own_skills(store, &material.options), engine }
    }

    /// The skill with this name, and its text.
    pub fn find(&self, name: &str) -> Option<(&Skill, Text)> {
        let skill = self.skills.iter().find(|skill| skill.name == name)?;
        Some((skill, self.text(name)?))
    }

    /// All skills.
    pub fn all(&self) -> &[Skill] {
        &self.skills
    }

    fn text(&self, address: &str) -> Option<Text> {
        let own = self.own.folders.iter().map(|(folder, shown)| Place::user(folder.root_dir(), shown));
        let places: Vec<Place<'_>> =
            own.chain([Place::project(self.engine.workspace().root_dir())]).collect();
        skills::read(&mut Reader::default(), &self.skills, &places, address)
    }
}

impl Scheme for SkillTexts {
    fn name(&self) -> &str {
        "skill"
    }

    fn read(&self, rest: &str, _: &Cancel) -> Result<Resource, ToolError> {
        let text = self.text(rest).ok_or_else(|| {
            let there = self.list().join(", ");
            ToolError::Failed(format!("There is no skill `{rest}`. There are: {there}."))
        })?;
        let notes = if text.is_cut { vec!["Only its beginning is shown.".to_owned()] } else { Vec::new() };
        Ok(Resource { text: text.text, media_type: "text/markdown".to_owned(), notes, ..Resource::default() })
    }

    fn list(&self) -> Vec<String> {
        self.skills.iter().map(|skill| skill.name.clone()).collect()
    }
}

/// The user's folders of skills that exist: Relay's own, then those in the home folder and those the settings name.
fn own_skills(store: &Store, options: &Options) -> Own {
    let mut paths = vec![store.config_dir().join("skills")];
    if let Some(home) = home() {
        paths.extend(options.skills.home_folders().into_iter().map(|name| home.join(name)));
    }
    paths.extend(
        options.skills.custom_directories.iter().map(PathBuf::from).filter(|path| path.is_absolute()),
    );
    let open = |path: &PathBuf| Some((Workspace::open(path).ok()?, tilde(path)));
    Own { folders: paths.iter().filter_map(open).collect() }
}

fn environment(workspace: &Workspace, cwd: &Path, model: Option<String>) -> Environment {
    let root = workspace.root();
    Environment {
        os: format!("{} ({})", std::env::consts::OS, std::env::consts::ARCH),
        shell: std::env::var("SHELL").ok(),
        date: jiff::Zoned::now().date().to_string(),
        cwd: cwd.display().to_string(),
        root: (cwd != root).then(|| root.display().to_string()),
        branch: branch(workspace),
        model,
    }
}

/// The checked-out branch, read from `.git/HEAD` without starting git.
fn branch(workspace: &Workspace) -> Option<String> {
    const LIMIT_BYTES: u64 = 4_096;
    let head = workspace.root_dir().read(".git/HEAD", LIMIT_BYTES).ok()??;
    let text = String::from_utf8(head.bytes).ok()?;
    text.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// A path with `~` for the home folder: shorter, and the same on every machine.
pub fn tilde(path: &Path) -> String {
    match home().and_then(|home| path.strip_prefix(home).ok().map(Path::to_path_buf)) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

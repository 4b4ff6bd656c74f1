//! The system prompt of a session, from the user's folders, the project and the machine.

use std::path::Path;

use jiff::Zoned;
use relay_agent::prompt::{Environment, Material, Options, Places, gather};
use relay_diagnostics::Diagnostic;
use relay_engine::Engine;
use relay_store::Store;
use relay_workspace::Workspace;

use crate::cli::AgentArgs;
use crate::failure::{BAD_USAGE, Failure};

/// The longest text that `--system-prompt` takes from a file.
const PROMPT_BYTES: u64 = 1 << 20;

/// Reads everything that goes into the prompt.
pub fn material(
    engine: &Engine,
    store: &Store,
    args: &AgentArgs,
    skills: relay_agent::skills::Settings,
    model: &str,
) -> Result<Material, Failure> {
    let options = Options {
        system_prompt: args.system_prompt.as_deref().map(text_or_file).transpose()?,
        append: args.append_system_prompt.as_deref().map(text_or_file).transpose()?,
        no_rules: args.no_rules,
        no_files: false,
        skills,
    };
    let root = engine.workspace().root();
    let cwd = std::env::current_dir().unwrap_or_else(|_| root.to_owned());
    let folder = cwd.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default().to_owned();
    let inside = cwd.starts_with(root);
    let config = Workspace::open(store.config_dir()).ok();
    let own_skills = Workspace::open(&store.config_dir().join("skills")).ok();
    let places = Places {
        project: engine.workspace().root_dir(),
        folder: &folder,
        user: config.as_ref().map(|config| (config.root_dir(), "~/.config/relay")),
        skills: own_skills
            .as_ref()
            .map(|dir| (dir.root_dir(), "~/.config/relay/skills"))
            .into_iter()
            .collect(),
    };
    let environment = Environment {
        os: format!("{} ({})", std::env::consts::OS, std::env::consts::ARCH),
        shell: std::env::var("SHELL").ok(),
        date: Zoned::now().date().to_string(),
        cwd: if inside { cwd.display().to_string() } else { root.display().to_string() },
        root: (inside && cwd != root).then(|| root.display().to_string()),
        branch: branch(root),
        model: Some(model.to_owned()),
    };
    Ok(gather(&places, environment, options))
}

/// The git branch that is checked out. Only read, never asked of git: a fact for the prompt is not worth a program.
fn branch(root: &Path) -> Option<String> {
    let git = Workspace::open(&root.join(".git")).ok()?;
    let head = git.read(&git.path("HEAD").ok()?).ok()??;
    let head = String::from_utf8(head.bytes).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// A text as it is, or what is in the file of that name.
fn text_or_file(given: &str) -> Result<String, Failure> {
    use std::io::Read as _;
    let is_file = given.len() < 4096 && !given.contains('\n') && Path::new(given).is_file();
    if !is_file {
        return Ok(given.to_owned());
    }
    let mut text = String::new();
    std::fs::File::open(given).and_then(|file| file.take(PROMPT_BYTES).read_to_string(&mut text)).map_err(
        |error| Failure::usage(Diagnostic::error(BAD_USAGE, format!("{given} cannot be read: {error}"))),
    )?;
    Ok(text)
}

//! Where to search: paths, globs, file types, and which files are skipped by default.

use std::sync::Arc;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::SearchError;
use super::crawl::{Plan, Start};
use crate::read::Kind;
use crate::rules::{IGNORE_FILE, Rules};
use crate::workspace::Workspace;

/// Where to search.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Files and folders, from the root; none means the root.
    pub paths: Vec<String>,
    /// Globs as of `.gitignore`: files must match one of them; with `!` in front they must not.
    pub globs: Vec<String>,
    /// Names of file types: `rust`, `py`, `ts`.
    pub types: Vec<String>,
    /// Names of file types that are left out.
    pub types_not: Vec<String>,
    /// Whether names that begin with a dot are looked at.
    pub hidden: bool,
    /// Whether ignore files count.
    pub gitignore: bool,
    /// Whether folders named `node_modules` are entered.
    pub node_modules: bool,
    /// How many folders deep; none means all.
    pub depth: Option<usize>,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            globs: Vec::new(),
            types: Vec::new(),
            types_not: Vec::new(),
            hidden: true,
            gitignore: true,
            node_modules: true,
            depth: None,
        }
    }
}

impl Scope {
    pub(super) fn plan(&self, workspace: &Workspace) -> Result<Plan, SearchError> {
        let mut plan = Plan {
            starts: Vec::new(),
            missing: Vec::new(),
            globs: self.overrides(workspace)?,
            types: self.file_types()?,
            hidden: self.hidden,
            gitignore: self.gitignore,
            node_modules: self.node_modules,
            depth: self.depth,
        };
        if self.paths.is_empty() {
            plan.starts.push(Start::Folder { path: String::new(), rules: plan.rules_above(workspace) });
        }
        for path in &self.paths {
            match start(workspace, &plan, path)? {
                Some(start) => plan.starts.push(start),
                None => plan.missing.push(path.clone()),
            }
        }
        if plan.starts.is_empty() { Err(SearchError::Missing(plan.missing)) } else { Ok(plan) }
    }

    fn overrides(&self, workspace: &Workspace) -> Result<Override, SearchError> {
        let mut builder = OverrideBuilder::new(workspace.root());
        let failed = |glob: &str, error: ignore::Error| SearchError::Glob {
            glob: glob.to_owned(),
            message: error.to_string(),
        };
        for glob in &self.globs {
            builder.add(glob).map_err(|error| failed(glob, error))?;
        }
        builder.build().map_err(|error| failed(&self.globs.join(" "), error))
    }

    fn file_types(&self) -> Result<Types, SearchError> {
        if self.types.is_empty() && self.types_not.is_empty() {
            return Ok(Types::empty());
        }
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        let known: Vec<String> = builder.definitions().iter().map(|one| one.name().to_owned()).collect();
        for name in self.types.iter().chain(&self.types_not) {
            if name != "all" && !known.contains(name) {
                return Err(SearchError::Type(name.clone()));
            }
        }
        self.types.iter().for_each(|name| {
            builder.select(name);
        });
        self.types_not.iter().for_each(|name| {
            builder.negate(name);
        });
        builder.build().map_err(|error| SearchError::Type(error.to_string()))
    }
}

/// Where a named path leads; nothing if it does not exist.
pub(super) fn start(workspace: &Workspace, plan: &Plan, path: &str) -> Result<Option<Start>, SearchError> {
    let root = workspace.root().to_string_lossy().into_owned();
    let inside = path
        .strip_prefix(&root)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        .map(|rest| rest.trim_start_matches('/'));
    let path = inside.unwrap_or(path).trim_end_matches('/');
    let path = path.strip_prefix("./").unwrap_or(path);
    if matches!(path, "" | ".") {
        return Ok(Some(Start::Folder { path: String::new(), rules: plan.rules_above(workspace) }));
    }
    let path = workspace.path(path)?;
    let Ok(Some(facts)) = workspace.facts(&path) else { return Ok(None) };
    match facts.kind {
        Kind::File => Ok(Some(Start::File { path: path.as_str().to_owned() })),
        Kind::Directory => {
            let rules = plan.rules_down_to(workspace, path.as_str());
            Ok(Some(Start::Folder { path: path.as_str().to_owned(), rules }))
        }
        Kind::Symlink | Kind::Special => Ok(None),
    }
}

impl Plan {
    fn rules_above(&self, workspace: &Workspace) -> Option<Arc<Rules>> {
        if self.gitignore { Rules::above(workspace.root()) } else { None }
    }

    /// The rules of the folders above `path`, without its own.
    fn rules_down_to(&self, workspace: &Workspace, path: &str) -> Option<Arc<Rules>> {
        let mut rules = self.rules_above(workspace);
        if !self.gitignore {
            return rules;
        }
        let mut folder = String::new();
        for name in path.split('/') {
            let place = workspace.root().join(&folder);
            let opened = if folder.is_empty() {
                workspace.root_dir().try_clone().map(Some)
            } else {
                workspace.root_dir().open_dir(&folder)
            };
            if let Ok(Some(dir)) = opened {
                for file in [IGNORE_FILE, ".ignore", ".rgignore"] {
                    rules = Rules::from_file(&dir, file, &place, rules);
                }
            }
            folder = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        }
        rules
    }
}

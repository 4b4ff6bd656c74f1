//! Repositories and folders of a user, for tests.

use std::path::{Path, PathBuf};

use relay_agent::prompt::{Environment, Material, Options, Places, gather};
use relay_workspace::Workspace;

/// A repository and the folders of a user.
pub struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["repo", "config", "skills"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Self { folder }
    }

    pub fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file: `repo/…`, `config/…` or `skills/…`.
    pub fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
        self
    }

    /// What goes into a prompt, for a session in `folder`.
    pub fn material(&self, folder: &str, options: Options) -> Material {
        let open = |name: &str| Workspace::open(&self.folder.path().join(name)).expect(name);
        let (repo, config, skills) = (open("repo"), open("config"), open("skills"));
        let places = Places {
            project: repo.root_dir(),
            folder,
            user: Some((config.root_dir(), "~/.config/relay")),
            skills: vec![(skills.root_dir(), "~/.config/relay/skills")],
        };
        gather(&places, environment(), options)
    }
}

pub fn environment() -> Environment {
    Environment {
        os: "linux (x86_64)".to_owned(),
        shell: Some("/bin/bash".to_owned()),
        date: "2026-11-18".to_owned(),
        cwd: "/home/ann/shop/api".to_owned(),
        root: Some("/home/ann/shop".to_owned()),
        branch: Some("main".to_owned()),
        model: Some("anthropic/claude-sonnet-4-5".to_owned()),
    }
}

/// A file that shows what a model reads.
pub fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

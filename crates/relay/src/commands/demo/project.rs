//! The demo's project: a temporary folder with two shell scripts, a config and, where there is git, a repository.

use std::path::{Path, PathBuf};

use relay_diagnostics::Cancel;
use relay_engine::{Config, Engine};
use relay_exec::git;
use relay_store::Store;
use relay_txn::project as files;
use relay_workspace::OwnPath;
use tempfile::TempDir;

use super::open_workspace;
use crate::failure::Failure;
use crate::open;

/// The check every change of the demo must pass.
pub const POST_COMMAND: &str = "sh test.sh";

const GREET: &str = "#!/bin/sh\n# Greets someone by name.\nname=${1:-world}\necho \"Hello, $name!\"\n";

const TEST: &str = r#"#!/bin/sh
# Fails when greet.sh does not greet properly.
got=$(sh greet.sh Ada)
if [ "$got" != "Hello, Ada!" ]; then
    echo "test.sh: expected \"Hello, Ada!\", got \"$got\"" >&2
    exit 1
fi
"#;

/// Folders to remove when the demo ends, unless the user keeps the project.
pub struct Project {
    folder: TempDir,
    /// The demo's own user data. A project that is kept gets the user's instead, so that its ledger stays readable.
    user: Option<TempDir>,
}

impl Project {
    /// Makes the folder and everything in it.
    pub fn make(keep: bool) -> Result<Self, Failure> {
        let folder = |prefix| {
            tempfile::Builder::new().prefix(prefix).tempdir().map_err(|error| Failure::environment(&error))
        };
        let user = if keep { None } else { Some(folder("relay-demo-user-")?) };
        let project = Self { folder: folder("relay-demo-")?, user };
        let workspace = open_workspace(project.root())?;
        let config = Config {
            project_id: Some("relay-demo".to_owned()),
            post_command: POST_COMMAND.to_owned(),
            ..Config::default()
        };
        project.add("greet.sh", GREET)?;
        project.add("test.sh", TEST)?;
        let made = files::create_file(&workspace, &OwnPath::config(), config.to_json().as_bytes());
        made.map_err(|error| Failure::environment(&error))?;
        project.make_repository();
        Ok(project)
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The engine for it, with a store of its own.
    pub fn engine(&self, cancel: &Cancel) -> Result<Engine, Failure> {
        Ok(Engine::open(open_workspace(self.root())?, self.store()?, cancel.clone())?)
    }

    /// The user data of the demo.
    pub fn store(&self) -> Result<Store, Failure> {
        match &self.user {
            Some(folder) => Ok(Store::at(folder.path())),
            None => open::store(),
        }
    }

    /// Adds a file before the agent starts.
    pub fn add(&self, name: &str, text: &str) -> Result<(), Failure> {
        let workspace = open_workspace(self.root())?;
        let path = workspace.path(name).map_err(|refusal| Failure::environment(&refusal))?;
        let made = files::create_file(&workspace, &path, text.as_bytes());
        made.map(|_| ()).map_err(|error| Failure::environment(&error))
    }

    /// The content of a file of the project.
    pub fn reads(&self, name: &str) -> Result<String, Failure> {
        let workspace = open_workspace(self.root())?;
        let path = workspace.path(name).map_err(|refusal| Failure::environment(&refusal))?;
        let file = workspace.read(&path).map_err(|error| Failure::environment(&error))?;
        Ok(file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default())
    }

    /// The content of all project files, to compare before with after.
    pub fn fingerprint(&self) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let workspace = open_workspace(self.root())?;
        let mut files = Vec::new();
        for name in ["greet.sh", "test.sh", "README.md"] {
            let path = workspace.path(name).map_err(|refusal| Failure::environment(&refusal))?;
            let file = workspace.read(&path).map_err(|error| Failure::environment(&error))?;
            files.push((name.to_owned(), file.map(|file| file.bytes).unwrap_or_default()));
        }
        Ok(files)
    }

    /// Leaves the folder where it is.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    /// A real repository, so that the project looks like one. Without git the demo shows the same.
    fn make_repository(&self) {
        // Whether it worked does not matter to the demo.
        drop(git::create(self.root(), "A greeting", &Cancel::new()));
    }
}

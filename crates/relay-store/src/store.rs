//! The user's data, by name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::dirs::Dirs;
use crate::error::StoreError;
use crate::folder::Folder;

/// The folders of the user's data. Creating the value touches nothing on disk.
#[derive(Clone, Debug)]
pub struct Store {
    dirs: Dirs,
    /// Where sessions are, if not with the other data.
    sessions: Option<PathBuf>,
}

impl Store {
    /// The user's own folders, as the environment names them.
    ///
    /// # Errors
    /// Neither XDG variables nor a home folder are set.
    pub fn from_env() -> Result<Self, StoreError> {
        Dirs::resolve(std::env::var_os).map(|dirs| Self { dirs, sessions: None })
    }

    /// A store below one folder, for tests and demonstrations.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { dirs: Dirs::below(folder), sessions: None }
    }

    /// With the agent's sessions in another folder.
    #[must_use]
    pub fn with_sessions_in(mut self, folder: &Path) -> Self {
        self.sessions = Some(folder.to_owned());
        self
    }

    /// The folder of all sessions.
    pub(crate) fn sessions_dir(&self) -> PathBuf {
        self.sessions.clone().unwrap_or_else(|| self.data_dir().join("sessions"))
    }

    /// Where settings are.
    #[must_use]
    pub fn config_dir(&self) -> &Path {
        &self.dirs.config
    }

    /// The folder for data that must not be lost: trust and the ledger key.
    #[must_use]
    pub fn data_dir(&self) -> &Path {
        &self.dirs.data
    }

    /// The folder for state that may be lost.
    #[must_use]
    pub fn state_dir(&self) -> &Path {
        &self.dirs.state
    }

    /// The folder for things that can be rebuilt.
    #[must_use]
    pub fn cache_dir(&self) -> &Path {
        &self.dirs.cache
    }

    /// Makes the folder of another program, with its parents and for the user alone, if it is missing. An existing one
    /// belongs to that program and stays as it is.
    ///
    /// # Errors
    /// The system refuses.
    pub fn make_folder(&self, path: &Path) -> Result<(), StoreError> {
        if path.exists() { Ok(()) } else { Folder::create(path).map(drop) }
    }

    /// A file of the user's own settings, such as `models.toml`; `None` when there is none.
    ///
    /// # Errors
    /// It is not sound, or not text.
    pub fn settings_file(&self, name: &str) -> Result<Option<String>, StoreError> {
        let bytes = match self.linked_settings(name)? {
            Some((folder, target)) => folder.read(&target)?,
            None => Folder::open(self.config_dir())?.map(|folder| folder.read(name)).transpose()?.flatten(),
        };
        let Some(bytes) = bytes else { return Ok(None) };
        String::from_utf8(bytes).map(Some).map_err(|_| StoreError::Corrupt {
            path: self.config_dir().join(name),
            reason: "it is not UTF-8 text".to_owned(),
        })
    }

    /// Puts a new text into a file of the user's own settings, in one step.
    ///
    /// # Errors
    /// The file is not sound, or the system refuses; then it is as it was.
    pub fn replace_settings_file(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let config = Folder::create(self.config_dir())?;
        let writer = config.lock()?;
        match self.linked_settings(name)? {
            Some((folder, target)) => writer.instead_in(&folder).replace(&target, text.as_bytes()),
            None => writer.replace(name, text.as_bytes()),
        }
    }

    /// A text that was cached under a folder and a name; `None` when there is none.
    ///
    /// # Errors
    /// It is not sound.
    pub fn cached(&self, folder: &str, name: &str) -> Result<Option<String>, StoreError> {
        let Some(folder) = Folder::open(&self.cache_dir().join(folder))? else { return Ok(None) };
        Ok(folder.read(name)?.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// Caches a text under a folder and a name.
    ///
    /// # Errors
    /// The system refuses.
    pub fn cache(&self, folder: &str, name: &str, text: &str) -> Result<(), StoreError> {
        Folder::create(&self.cache_dir().join(folder))?.lock()?.replace(name, text.as_bytes())
    }

    /// The folder and name of the file that a settings file is a link to. People keep such files elsewhere, with their
    /// other dotfiles; as with links to folders, what counts is who owns the file at the end.
    fn linked_settings(&self, name: &str) -> Result<Option<(Folder, String)>, StoreError> {
        let place = self.config_dir().join(name);
        if !place.is_symlink() {
            return Ok(None);
        }
        let target = place.canonicalize().map_err(|source| StoreError::io(&place, source))?;
        let name = target.file_name().and_then(OsStr::to_str).map(str::to_owned);
        let (Some(parent), Some(name)) = (target.parent(), name) else {
            return Err(StoreError::BadName { name: target.display().to_string() });
        };
        Ok(Folder::open(parent)?.map(|folder| (folder, name)))
    }

    /// The data folder, made if it is missing.
    pub(crate) fn data(&self) -> Result<Folder, StoreError> {
        Folder::create(self.data_dir())
    }

    /// The data folder, if there is one.
    pub(crate) fn existing_data(&self) -> Result<Option<Folder>, StoreError> {
        Folder::open(self.data_dir())
    }
}

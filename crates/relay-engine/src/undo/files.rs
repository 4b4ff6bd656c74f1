//! The files while transactions are undone: what is on disk, what they become, and under which name.

use std::collections::{BTreeMap, BTreeSet};

use relay_edit::{Stat, stat};
use relay_txn::{FileChange, Image, Target};
use relay_workspace::{ReadError, RelPath};

use super::select::Step;
use crate::engine::Engine;
use crate::outcome::stop::Stop;
use crate::plan::contain::{path_refused, unreadable};
use crate::plan::planning::makes_room;

/// How a file was restored; the strongest of all steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    /// It was as the transaction left it, and is as it was before.
    #[default]
    Exact,
    /// Later changes of other lines stayed.
    Merged,
    /// It is as it was before, whatever happened since, because that was asked for.
    Forced,
}

impl How {
    /// The word for it, in reports and in the ledger.
    pub const fn name(self) -> &'static str {
        match self {
            How::Exact => "exact",
            How::Merged => "merged",
            How::Forced => "forced",
        }
    }
}

/// One file, on disk and in the making.
struct File {
    disk: Option<Image>,
    now: Option<Image>,
}

/// All files that were looked at.
pub(super) struct Files<'a> {
    engine: &'a Engine,
    /// Every path that what is undone had changed.
    touched: BTreeSet<&'a str>,
    /// Every folder it had made.
    made: BTreeSet<&'a str>,
    files: BTreeMap<String, File>,
    how: BTreeMap<String, How>,
    /// Files that get back what they had besides content and mode.
    given_back: BTreeSet<String>,
    /// Where the content of a file comes from, if from under another name.
    from: BTreeMap<String, String>,
}

/// What has to be done.
pub(super) struct Inversion {
    /// One change per file.
    pub changes: Vec<FileChange>,
    /// Files that already are as they were before.
    pub already_so: Vec<String>,
    how: BTreeMap<String, How>,
}

impl Inversion {
    /// How a file is restored.
    pub fn how(&self, path: &str) -> How {
        self.how.get(path).copied().unwrap_or_default()
    }
}

impl<'a> Files<'a> {
    pub fn new(engine: &'a Engine, steps: &'a [Step<'a>]) -> Self {
        let touched = steps.iter().flat_map(|step| step.paths.iter().map(String::as_str)).collect();
        let made =
            steps.iter().flat_map(|step| step.entry.record.folders.iter().map(String::as_str)).collect();
        Self {
            engine,
            touched,
            made,
            files: BTreeMap::new(),
            how: BTreeMap::new(),
            given_back: BTreeSet::new(),
            from: BTreeMap::new(),
        }
    }

    /// What the file has become so far; read from disk the first time.
    pub fn now(&mut self, path: &str) -> Result<Option<&Image>, Stop> {
        if !self.files.contains_key(path) {
            let disk = self.read(path)?;
            self.files.insert(path.to_owned(), File { now: disk.clone(), disk });
        }
        Ok(self.files.get(path).and_then(|file| file.now.as_ref()))
    }

    fn read(&self, name: &str) -> Result<Option<Image>, Stop> {
        let path = checked(self.engine, name)?;
        let failed = |error: ReadError| Stop::refused(unreadable(&error));
        let workspace = self.engine.workspace();
        match workspace.read(&path) {
            Ok(read) => Ok(read.map(|file| Image::new(file.bytes, file.mode))),
            // The content of a link is where it points.
            Err(ReadError::Symlink { path: asked, link }) if asked == link => {
                let target = workspace.read_link(&path).map_err(failed)?;
                let facts = workspace.facts(&path).map_err(failed)?;
                Ok(target.zip(facts).map(|(bytes, facts)| Image::new(bytes, facts.mode)))
            }
            Err(error) if self.may_swap(&error) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Whether a folder is where the file was, or something else where its folder was, and what is undone may have put
    /// it there. Whether it can be removed completely is for the transaction to find out.
    fn may_swap(&self, error: &ReadError) -> bool {
        makes_room(error, &self.touched)
            || match error {
                ReadError::Directory { path } => self.made.contains(path.as_str()),
                ReadError::Symlink { link, .. } => self.touched.contains(link.as_str()),
                _ => false,
            }
    }

    /// A name under which there is nothing, and that is not the right one.
    pub fn forget(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// The file becomes this.
    pub fn set(&mut self, path: &str, image: Option<Image>, how: How) -> Result<(), Stop> {
        self.now(path)?;
        if let Some(file) = self.files.get_mut(path) {
            file.now = image;
        }
        let noted = self.how.entry(path.to_owned()).or_default();
        *noted = how.max(*noted);
        Ok(())
    }

    /// The file gets back what it had besides content and mode, also if those do not change.
    pub fn give_back(&mut self, path: &str) {
        self.given_back.insert(path.to_owned());
    }

    /// The file `to` has the content of what is `from` so far, and `from` goes.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), Stop> {
        self.set(from, None, How::Exact)?;
        let source = self.from.remove(from).unwrap_or_else(|| from.to_owned());
        self.from.insert(to.to_owned(), source);
        Ok(())
    }

    /// One change per file, from what is on disk to what it becomes.
    pub fn finish(self) -> Result<Inversion, Stop> {
        let mut changes = Vec::new();
        let mut already_so = Vec::new();
        for (path, file) in &self.files {
            if file.now == file.disk && !(file.now.is_some() && self.given_back.contains(path)) {
                already_so.push(path.clone());
                continue;
            }
            let source = self.source(path, file);
            let before = source.map(|(_, image)| image).or(file.disk.as_ref());
            let Stat { added, removed, .. } = stat(bytes(before), bytes(file.now.as_ref()));
            changes.push(FileChange {
                path: checked(self.engine, path)?,
                before: file.disk.clone(),
                after: file.now.clone().map(|image| Target { bytes: image.bytes, mode: Some(image.mode) }),
                renamed_from: source.map(|(from, _)| checked(self.engine, from)).transpose()?,
                added,
                removed,
            });
        }
        Ok(Inversion { changes, already_so, how: self.how })
    }

    /// The file on disk that this one takes its name from.
    fn source(&self, path: &str, file: &File) -> Option<(&str, &Image)> {
        let from = self.from.get(path).filter(|from| *from != path)?;
        let gone = self.files.get(from).filter(|gone| gone.now.is_none() && file.disk.is_none())?;
        Some((from, gone.disk.as_ref()?))
    }
}

fn bytes(image: Option<&Image>) -> &[u8] {
    image.map(|image| &*image.bytes).unwrap_or_default()
}

fn checked(engine: &Engine, name: &str) -> Result<RelPath, Stop> {
    engine.workspace().path(name).map_err(|refusal| Stop::refused(path_refused(name, &refusal)))
}

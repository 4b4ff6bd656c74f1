//! Capture: what a command does to the workspace becomes changes of a transaction.
//!
//! A [`Scan`] before the command knows every file that is not ignored, and holds its content: in a cache inside the
//! state folder, kept open, so that it outlives whatever the command removes. A second scan afterwards shows what
//! happened ([`Effects`]). Files are read only when the disk says that they changed since they were last seen; only the
//! first scan of a workspace reads everything.
//!
//! A process that captures one command after the other remembers its last scan ([`Memory`]): as long as a lookout notices
//! nothing, that is also what there is before the next command. After a command everything is looked at, always.
//!
//! Nothing is reverted here, and nothing is guessed: what cannot be captured is listed with its reason, and what another
//! transaction did meanwhile is left to that transaction. Relay's state and ignored files are never looked at, and of
//! git's own folder only what git would run.

mod attribute;
mod cache;
mod effects;
mod folder;
mod index;
mod journal;
mod memory;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use relay_workspace::{
    Facts, GitProgramChange, GitPrograms, Ignored, Included, Kind, Lookout, Mounts, ReadError, Survey,
    Surveyed, Workspace,
};
use uuid::Uuid;

use self::cache::{Cache, Pack};
use self::index::{Kept, Key};
use crate::belongings::{Belongings, Extended, Owner};
use crate::disk::Disk;
use crate::draft::{FileChange, Image};
use crate::error::TxnError;
use crate::key::LedgerKey;
use crate::limits::MAX_FILE_BYTES;
use crate::protocol::Protocol;
use crate::record::FolderRecord;

pub(crate) use effects::effects;
pub(crate) use journal::PREFIX;
pub use journal::{Command, Interrupted, Journals, Running};
pub(crate) use journal::{begin, interrupted, unfinished};
pub(crate) use memory::Memory;

/// So many changed files are kept without opening the whole cache, where it was opened before.
const FEW_CHANGED: usize = 64;

/// Everything a command could change, as it was at one moment, with the contents.
#[derive(Debug, Clone)]
pub struct Scan {
    survey: Arc<Survey>,
    /// What is held of each entry of the survey. A later scan that found nothing changed has the very same list.
    held: Arc<Vec<Held>>,
    pack: Arc<Pack>,
    /// The transactions that were in the ledger.
    known: BTreeSet<Uuid>,
    /// What git would run; unknown where the scan was written down and read again.
    git: Option<GitPrograms>,
    /// What was mounted inside the workspace.
    mounts: Mounts,
    /// The ignored files in it.
    included: Included,
    /// Nothing was looked at for it, because certainly nothing happened since an earlier one.
    is_reused: bool,
}

impl Scan {
    /// Whether both saw exactly the same.
    fn is_same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.survey.entries, &other.survey.entries) && Arc::ptr_eq(&self.held, &other.held)
    }

    /// The file or link at a path; the inner `None` if there is something else, or its content is not held.
    fn image(&self, path: &str) -> Option<Option<Image>> {
        let at = self.survey.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        let (entry, held) = (self.survey.entries.get(at)?, self.held.get(at)?);
        let bytes = match held {
            Held::File(kept, _) => self.pack.read(kept),
            Held::Link(target) => Some(target.clone()),
            Held::Folder | Held::Nothing(_) => None,
        };
        Some(bytes.map(|bytes| Image { bytes: bytes.into(), mode: entry.facts.mode }))
    }

    /// A transaction whose changes are in the files already, though it is not in the ledger yet.
    pub fn know(&mut self, uuid: Uuid) {
        self.known.insert(uuid);
    }

    /// The transactions that were in the ledger.
    pub(crate) fn known(&self) -> &BTreeSet<Uuid> {
        &self.known
    }

    /// The ignored files that were asked for, as far as they could be kept.
    #[must_use]
    pub fn included(&self) -> Included {
        self.included
    }

    /// Whether it is what an earlier scan saw, because certainly nothing happened since.
    #[must_use]
    pub fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// How many files are watched.
    #[must_use]
    pub fn files(&self) -> usize {
        self.held.iter().filter(|held| !matches!(held, Held::Folder)).count()
    }

    /// A short text that is the same as long as every watched file has the same content, mode and place.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (entry, held) in self.survey.entries.iter().zip(self.held.iter()) {
            hasher.update(entry.path.as_str().as_bytes());
            hasher.update(&[0]);
            match held {
                Held::File(kept, _) => {
                    hasher.update(&kept.hash).update(&entry.facts.mode.to_le_bytes());
                }
                Held::Link(target) => {
                    hasher.update(target).update(&[1]);
                }
                Held::Folder => {}
                Held::Nothing(_) => {
                    hasher.update(&entry.facts.size.to_le_bytes()).update(&[2]);
                }
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// What is held of one thing in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Held {
    /// A file, with its content in the pack.
    File(Kept, Attached),
    /// A link, and where it points.
    Link(Vec<u8>),
    /// A folder.
    Folder,
    /// Its content could not be kept.
    Nothing(Obstacle),
}

/// A file's extended attributes as the index keeps them: JSON, or nothing where there are none, which is the rule.
type Attached = Option<Arc<str>>;

/// Why something cannot be captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// The file is larger than a transaction may carry.
    TooLarge,
    /// All contents together exceed what is kept.
    TooMuch,
    /// It may not be read.
    Unreadable,
    /// It is a pipe, a socket or a device.
    Special,
    /// It is on another file system, or on the other side of a mount.
    Mounted,
    /// It is git's own folder.
    Git,
    /// It is a folder, of which nothing but its permissions or owner changed.
    Folder,
    /// No transaction may touch a file of this name.
    Name,
    /// Its path is longer than a record can name.
    LongPath,
    /// A file and a folder changed places, and one of them cannot be captured.
    Swapped,
    /// It is not known whether it was there before.
    Unknown,
    /// The kept content is damaged.
    Damaged,
    /// It may be all that is left of a file that is gone and could not be captured.
    OnlyCopy,
}

impl Obstacle {
    /// The reason as the end of a sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::TooLarge => "is larger than a transaction may carry",
            Self::TooMuch => "does not fit into what Relay keeps of a workspace",
            Self::Unreadable => "may not be read",
            Self::Special => "is a pipe, a socket or a device",
            Self::Mounted => "is mounted from elsewhere, where no transaction reaches",
            Self::Folder => "is a folder; Relay does not record its permissions and owner",
            Self::Git => "is git's own, which Relay does not keep",
            Self::Name => "has a name that no transaction may touch",
            Self::LongPath => "has a path longer than 4,096 bytes",
            Self::Swapped => "was exchanged with a folder or with something that cannot be captured",
            Self::Unknown => "may have been there before",
            Self::Damaged => "was kept, but the kept content is damaged",
            Self::OnlyCopy => "may be all that is left of a file that is gone and could not be captured",
        }
    }
}

/// What happened to a workspace between two scans.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    /// The changes, by path. Lines are not counted here.
    pub changes: Vec<FileChange>,
    /// Folders that are new, outermost first.
    pub made_folders: Vec<String>,
    /// Folders that are gone, innermost first.
    pub removed_folders: Vec<FolderRecord>,
    /// What files had besides content and mode, where they are gone or have something else now, by path.
    pub belongings: BTreeMap<String, Belonged>,
    /// What changed and cannot be undone, by path.
    pub uncaptured: Vec<Uncaptured>,
    /// What git runs and is different now. Not part of the changes: it stays.
    pub git_programs: Vec<GitProgramChange>,
    /// What other transactions changed meanwhile.
    pub unattributed: Vec<Unattributed>,
    /// What happened to files before other transactions landed on them, oldest first.
    pub overtaken: Vec<Overtaken>,
    /// The transactions that were in the ledger at the second scan. What landed later is not parted from the rest.
    pub(crate) as_of: Option<BTreeSet<Uuid>>,
}

impl Effects {
    /// Whether nothing happened that a transaction could hold.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.made_folders.is_empty() && self.removed_folders.is_empty()
    }
}

/// Changes of files on which another transaction landed afterwards.
#[derive(Debug, Clone)]
pub struct Overtaken {
    /// The transaction that landed on them.
    pub by: Uuid,
    /// Its number.
    pub(crate) by_sequence: u64,
    /// From what the files were to what that transaction found.
    pub changes: Vec<FileChange>,
}

/// What a file had besides content and mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belonged {
    /// Before the command.
    pub before: Belongings,
    /// After it; `None` if the file is gone.
    pub after: Option<Belongings>,
}

/// Something that changed and could not be captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncaptured {
    /// Where it is.
    pub path: String,
    /// Why.
    pub obstacle: Obstacle,
}

/// Something that another transaction changed meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unattributed {
    /// Where it is.
    pub path: String,
    /// The transaction.
    pub uuid: Uuid,
}

/// Looks at the workspace, and keeps the content of everything in it, and of the ignored files asked for. A lookout is
/// there where scan follows scan in one process.
pub(crate) fn scan(
    protocol: &Protocol<Disk>,
    workspace: &Workspace,
    earlier: Option<&Scan>,
    ignored: &Ignored,
    lookout: Option<&Lookout>,
) -> Result<Scan, TxnError> {
    protocol.ensure_state(crate::layout::CAPTURE)?;
    let known = protocol.record_names()?;
    let mut survey = workspace.survey_covered(earlier.map(|earlier| &*earlier.survey), lookout);
    let included = survey.include(workspace, ignored);
    let git = Some(workspace.git_programs(&survey.repositories));
    let mounts = workspace.mounts();
    let (held, pack) = match earlier.and_then(|earlier| unchanged_since(earlier, &survey, &mounts)) {
        Some(unchanged) => unchanged,
        None => contents((protocol, workspace), &mut survey, &mounts, earlier, lookout.is_some())?,
    };
    let survey = Arc::new(survey);
    Ok(Scan { survey, held, pack, known, git, mounts, included, is_reused: false })
}

/// What is held of each entry, and the pack with the contents.
type Contents = (Arc<Vec<Held>>, Arc<Pack>);

/// What is held, if everything is as an earlier scan saw it.
fn unchanged_since(earlier: &Scan, survey: &Survey, mounts: &Mounts) -> Option<Contents> {
    let is_unchanged = Arc::ptr_eq(&earlier.survey.entries, &survey.entries)
        && earlier.mounts == *mounts
        && !earlier.survey.has_fresh();
    is_unchanged.then(|| (Arc::clone(&earlier.held), Arc::clone(&earlier.pack)))
}

/// What is held: what an earlier scan holds already, and the rest from the cache or read now.
fn contents(
    (protocol, workspace): (&Protocol<Disk>, &Workspace),
    survey: &mut Survey,
    mounts: &Mounts,
    earlier: Option<&Scan>,
    is_session: bool,
) -> Result<Contents, TxnError> {
    let mut known = earlier.map(|earlier| Known::from(earlier, survey, is_session));
    let mut cache = match &mut known {
        Some(known) if known.missing == 0 => None,
        Some(known) => match known.cache(workspace, protocol.key()) {
            Some(cache) => Some(cache),
            None => {
                // All from one place: where the cache begins anew, contents move to another pack.
                known.held.clear();
                Some(Cache::open(workspace, protocol.key())?)
            }
        },
        None => Some(Cache::open(workspace, protocol.key())?),
    };
    let mut from_earlier =
        known.as_mut().map(|known| std::mem::take(&mut known.held)).unwrap_or_default().into_iter();
    let started = survey.started;
    let mut held = Vec::with_capacity(survey.entries.len());
    for entry in Arc::make_mut(&mut survey.entries) {
        let from_earlier = from_earlier.next().flatten();
        held.push(match (entry.facts.kind, from_earlier, &mut cache) {
            _ if mounts.cover(entry.path.as_str()) => Held::Nothing(Obstacle::Mounted),
            (Kind::Directory, ..) => Held::Folder,
            (Kind::Special, ..) => Held::Nothing(Obstacle::Special),
            (Kind::Symlink, ..) => link(workspace, &entry.path),
            (Kind::File, Some(held), _) => held,
            (Kind::File, None, Some(cache)) => {
                match cache.find(entry.path.as_str(), &Key::of(&entry.facts)) {
                    Some((kept, attached)) => Held::File(kept, attached),
                    None => keep(workspace, &entry.path, &mut entry.facts, cache)?,
                }
            }
            // Nothing is missing where there is no cache.
            (Kind::File, None, None) => Held::Nothing(Obstacle::Unreadable),
        });
    }
    let files = survey.entries.iter().zip(&held).filter_map(|(entry, held)| match held {
        Held::File(kept, attached) if !entry.facts.is_fresh_at(started) => {
            Some((entry.path.as_str(), Key::of(&entry.facts), *kept, attached.as_deref()))
        }
        _ => None,
    });
    let pack = match (cache, known) {
        (Some(cache), _) => cache.close(files)?,
        (None, Some(known)) => Arc::clone(&known.earlier.pack),
        (None, None) => {
            return Err(TxnError::io("open", crate::layout::CAPTURE, std::io::ErrorKind::NotFound.into()));
        }
    };
    Ok((Arc::new(held), pack))
}

/// What an earlier scan holds of the files of a survey.
struct Known<'a> {
    earlier: &'a Scan,
    /// Of each entry, if it is a file that did not change since.
    held: Vec<Option<Held>>,
    /// How many files it does not hold.
    missing: usize,
    /// What it holds of those from before they changed, if they are few and the cache was opened before.
    stale: Option<Vec<Kept>>,
}

impl<'a> Known<'a> {
    fn from(earlier: &'a Scan, survey: &Survey, is_session: bool) -> Self {
        let (mut missing, mut stale) = (0, is_session.then(Vec::new));
        let mut then = earlier.survey.entries.iter().zip(earlier.held.iter()).peekable();
        let held = survey.entries.iter().map(|entry| {
            while then.next_if(|(was, _)| was.path < entry.path).is_some() {}
            let found = then.next_if(|(was, _)| was.path == entry.path);
            if entry.facts.kind != Kind::File {
                return None;
            }
            let is_same = |was: &Surveyed| {
                Key::of(&was.facts) == Key::of(&entry.facts) && !was.facts.is_fresh_at(earlier.survey.started)
            };
            let is_held = |held: &Held| !matches!(held, Held::Nothing(Obstacle::Mounted));
            let same =
                found.filter(|(was, held)| is_same(was) && is_held(held)).map(|(_, held)| held.clone());
            if same.is_none() {
                missing += 1;
                if let (Some(stale), Some((_, Held::File(kept, _)))) = (&mut stale, found) {
                    stale.push(*kept);
                }
            }
            same
        });
        let held = held.collect();
        Self { earlier, held, missing, stale: stale.filter(|_| missing <= FEW_CHANGED) }
    }

    /// The pack of the earlier scan, to add a few contents to.
    fn cache(&self, workspace: &Workspace, key: &LedgerKey) -> Option<Cache> {
        let stale = self.stale.as_ref()?;
        let mut cache = Cache::reopen(workspace, key, &self.earlier.pack)?;
        stale.iter().for_each(|kept| cache.remember(*kept));
        Some(cache)
    }
}

/// A link, and where it points.
fn link(workspace: &Workspace, path: &relay_workspace::RelPath) -> Held {
    match workspace.read_link(path) {
        Ok(Some(target)) => Held::Link(target),
        Ok(None) | Err(_) => Held::Nothing(Obstacle::Unreadable),
    }
}

/// Reads a file that is not as it was last seen. The facts become those of what was read.
fn keep(
    workspace: &Workspace,
    path: &relay_workspace::RelPath,
    facts: &mut Facts,
    cache: &mut Cache,
) -> Result<Held, TxnError> {
    let opened = match workspace.open_file(path) {
        Ok(Some((file, opened))) if opened.size <= MAX_FILE_BYTES => Ok((file, opened)),
        Ok(Some(_)) | Err(ReadError::TooLarge { .. }) => Err(Obstacle::TooLarge),
        // Gone, or replaced by something else, since it was listed.
        Ok(None) | Err(_) => Err(Obstacle::Unreadable),
    };
    match opened {
        Ok((file, opened)) => {
            *facts = opened;
            cache.keep(file)
        }
        Err(obstacle) => Ok(Held::Nothing(obstacle)),
    }
}

/// What a file or link has besides content and mode.
fn belongings(facts: &Facts, held: &Held) -> Belongings {
    let attached = match held {
        Held::File(_, Some(attached)) => serde_json::from_str(attached).unwrap_or_default(),
        _ => Extended::default(),
    };
    Belongings { owner: owner(facts), extended: attached }
}

/// Whom something belongs to.
fn owner(facts: &Facts) -> Owner {
    Owner { user: facts.owner, group: facts.group }
}

//! The files as they will be after the edits so far.
//!
//! Everything in here is UTF-8 or bytes of no known encoding: files in UTF-16 are decoded on the way in and written
//! back in their own encoding on the way out, and only if that says the same text again.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, HashMap};

use super::{Change, Snapshot};
use crate::content::Content;
use crate::encoding::{Decoded, text_of};
use crate::lines::BOM;

/// The most bytes all failures of a reply may search for the file that was meant.
const ELSEWHERE_BYTES: usize = 100_000_000;
/// How many bytes it counts as to look into one more file.
const FILE_BYTES: usize = 1_000;
/// How many paths that do not exist are compared with those that do.
const SUGGESTIONS: usize = 50;

/// The files of a snapshot, with what the edits so far made of them.
#[derive(Debug)]
pub(crate) struct VirtualFiles<'s> {
    snapshot: &'s Snapshot,
    /// Every path of the snapshot in order, then every other one that an edit touched.
    files: Vec<(Cow<'s, str>, File<'s>)>,
    /// Where a path is among them.
    places: HashMap<Cow<'s, str>, usize>,
    /// Where the path is that was asked for last: an edit asks for its own several times.
    last: Cell<usize>,
    /// The files of the snapshot that are in another encoding.
    decoded: BTreeMap<&'s str, Decoded>,
    /// New path to the path in the snapshot its bytes came from.
    origins: BTreeMap<String, String>,
    /// Whether a file can be run, where an edit said so.
    modes: BTreeMap<String, bool>,
    /// How many bytes were searched for lines that may belong into another file.
    elsewhere: Cell<usize>,
    /// For how many paths a better one was looked for.
    suggestions: Cell<usize>,
    /// What the author saw, with the edits so far applied to it.
    views: BTreeMap<String, Vec<u8>>,
}

impl<'s> VirtualFiles<'s> {
    /// The snapshot as it is.
    pub fn new(snapshot: &'s Snapshot, views: &BTreeMap<String, Vec<u8>>) -> Self {
        let decode = |(path, bytes): (&'s String, &'s Vec<u8>)| Some((path.as_str(), Decoded::of(bytes)?));
        let untouched = |(path, bytes): (&'s String, &'s Vec<u8>)| {
            (Cow::Borrowed(path.as_str()), File { before: Some(bytes), now: Now::Untouched })
        };
        Self {
            snapshot,
            files: snapshot.files.iter().map(untouched).collect(),
            places: snapshot.files.keys().map(|path| Cow::Borrowed(path.as_str())).zip(0..).collect(),
            last: Cell::new(0),
            decoded: snapshot.files.iter().filter_map(decode).collect(),
            origins: BTreeMap::new(),
            modes: BTreeMap::new(),
            elsewhere: Cell::new(0),
            suggestions: Cell::new(0),
            views: views.iter().map(|(path, view)| (path.clone(), text_of(view).into_owned())).collect(),
        }
    }

    /// Where a path is among the files.
    fn place(&self, path: &str) -> Option<usize> {
        let last = self.last.get();
        if self.files.get(last).is_some_and(|(known, _)| known == path) {
            return Some(last);
        }
        let place = *self.places.get(path)?;
        self.last.set(place);
        Some(place)
    }

    fn file(&self, path: &str) -> Option<&File<'s>> {
        self.files.get(self.place(path)?).map(|(_, file)| file)
    }

    fn file_mut(&mut self, path: &str) -> Option<&mut File<'s>> {
        let place = self.place(path)?;
        self.files.get_mut(place).map(|(_, file)| file)
    }

    /// Whether it is known what the author saw of a file.
    pub fn has_view(&self, path: &str) -> bool {
        self.views.contains_key(path)
    }

    /// What the author saw of a file, with the edits so far applied to it.
    pub fn view(&self, path: &str) -> Option<&[u8]> {
        self.views.get(path).map(Vec::as_slice)
    }

    /// Whether an edit changed a file already.
    pub fn is_touched(&self, path: &str) -> bool {
        self.file(path).is_some_and(|file| !matches!(file.now, Now::Untouched))
    }

    /// What the author saw of a file, if that is not what is there now.
    pub fn stale_view(&self, path: &str) -> Option<&[u8]> {
        self.views.get(path).map(Vec::as_slice).filter(|view| self.get(path) != Some(*view))
    }

    /// Gives a file content that was made from what it holds now, and what the author saw its own.
    pub fn set_patched(&mut self, path: &str, content: Content, view: Option<Vec<u8>>) {
        // Parts are parts of the file as it was before all edits, or they are put together.
        let is_as_on_disk = !self.decoded.contains_key(path) && !self.has_view(path);
        if let Some(file @ File { before: Some(_), now: Now::Untouched }) = self.file_mut(path)
            && is_as_on_disk
        {
            file.now = Now::Holds(Touched::new(content));
            return;
        }
        let content = content.into_bytes(self.get(path).unwrap_or_default());
        self.set(path, Some(content));
        if let Some(view) = view {
            self.views.insert(path.to_owned(), view);
        }
    }

    /// The content of a file, if it exists now.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        let file = self.file(path)?;
        let original = || self.decoded.get(path).map_or(file.before, |decoded| Some(&decoded.text));
        match &file.now {
            Now::Untouched => original(),
            Now::Holds(touched) => Some(touched.bytes(original)),
            Now::Gone => None,
        }
    }

    /// The content of a file before all edits.
    pub fn original(&self, path: &str) -> Option<&[u8]> {
        let decoded = self.decoded.get(path).map(|decoded| decoded.text.as_slice());
        decoded.or_else(|| self.file(path)?.before)
    }

    /// The content that a file had before all edits, whatever it was called then, if one of them touched it.
    pub fn origin(&self, path: &str) -> Option<&[u8]> {
        let origin = self.origins.get(path).map_or(path, String::as_str);
        self.is_touched(path).then(|| self.original(origin)).flatten()
    }

    /// Every path that exists now.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let untouched = self.files.iter().filter(|(_, file)| matches!(file.now, Now::Untouched));
        let touched = self.files.iter().filter(|(_, file)| matches!(file.now, Now::Holds(_)));
        untouched.chain(touched).map(|(path, _)| path.as_ref())
    }

    /// Whether one more file may be searched to explain a failure.
    pub fn may_search(&self, bytes: usize) -> bool {
        self.elsewhere.set(self.elsewhere.get().saturating_add(bytes + FILE_BYTES));
        self.elsewhere.get() <= ELSEWHERE_BYTES
    }

    /// Whether a better one may be looked for, for one more path that does not exist.
    pub fn may_suggest(&self) -> bool {
        let suggestions = self.suggestions.get();
        self.suggestions.set(suggestions + 1);
        suggestions < SUGGESTIONS
    }

    /// Gives a file new content, or none.
    pub fn set(&mut self, path: &str, content: Option<Vec<u8>>) {
        if content.is_none() {
            self.origins.remove(path);
            self.modes.remove(path);
        }
        if let Some(view) = self.views.get_mut(path) {
            match &content {
                Some(content) => view.clone_from(content),
                None => drop(self.views.remove(path)),
            }
        }
        let now = content.map_or(Now::Gone, |bytes| Now::Holds(Touched::new(Content::Whole(bytes))));
        if let Some(file) = self.file_mut(path) {
            file.now = now;
            return;
        }
        let path: Cow<'_, str> = path.to_owned().into();
        self.places.insert(path.clone(), self.files.len());
        self.files.push((path, File { before: None, now }));
    }

    /// Whether a file can be run as a program.
    pub fn is_executable(&self, path: &str) -> bool {
        let inherited = || was_executable(self.snapshot, self.origins.get(path).map_or(path, String::as_str));
        self.modes.get(path).copied().unwrap_or_else(inherited)
    }

    /// Says whether a file can be run as a program.
    pub fn set_executable(&mut self, path: &str, executable: bool) {
        self.modes.insert(path.to_owned(), executable);
    }

    /// Gives a file another name.
    pub fn rename(&mut self, from: &str, to: &str) {
        // A file that was touched before is not copied once more.
        let now = self.file_mut(from).map(|file| std::mem::replace(&mut file.now, Now::Gone));
        let content = match now {
            Some(Now::Holds(touched)) => Some(touched.into_bytes(|| self.original(from))),
            Some(Now::Untouched) => self.original(from).map(<[u8]>::to_vec),
            Some(Now::Gone) | None => None,
        };
        let origin = self.origins.remove(from).or_else(|| self.original(from).map(|_| from.to_owned()));
        let mode = self.modes.remove(from);
        self.set(from, None);
        self.set(to, content);
        if let Some(origin) = origin.filter(|origin| origin != to) {
            self.origins.insert(to.to_owned(), origin);
        }
        if let Some(executable) = mode {
            self.set_executable(to, executable);
        }
    }

    /// A path as it is now.
    pub fn remember(&self, path: &str) -> Remembered {
        Remembered {
            path: path.to_owned(),
            now: self.file(path).map_or(Now::Gone, |file| file.now.clone()),
            origin: self.origins.get(path).cloned(),
            mode: self.modes.get(path).copied(),
            view: self.views.get(path).cloned(),
        }
    }

    /// Makes a path what it was.
    pub fn restore(&mut self, was: Remembered) {
        let Remembered { path, now, origin, mode, view } = was;
        if let Some(file) = self.file_mut(&path) {
            file.now = now;
        }
        put(&mut self.origins, &path, origin);
        put(&mut self.modes, &path, mode);
        put(&mut self.views, &path, view);
    }

    /// What is different from the snapshot, in path order, without what was before; the path that cannot be written in its
    /// encoding otherwise.
    pub fn into_changes(self) -> Result<Vec<Change<Content>>, String> {
        let Self { snapshot, mut files, decoded, mut origins, modes, .. } = self;
        // Mostly nothing was touched that is not in the snapshot.
        if files.len() > snapshot.files.len() {
            files.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        let mut changes = Vec::with_capacity(files.len());
        for (path, File { before, now }) in files {
            let after = match now {
                Now::Untouched if !modes.contains_key(path.as_ref()) => continue,
                Now::Untouched => {
                    let text = decoded.get(path.as_ref()).map_or(before, |decoded| Some(&decoded.text));
                    text.map(|text| Touched::new(Content::Whole(text.to_vec())))
                }
                Now::Holds(touched) => Some(touched),
                Now::Gone => None,
            };
            let path = path.into_owned();
            let renamed_from = origins.remove(&path);
            let source = renamed_from.as_ref().unwrap_or(&path);
            let after = match (after, decoded.get(source.as_str())) {
                (Some(text), Some(decoded)) => match encoded(decoded, text.bytes(|| None)) {
                    Some(bytes) => Some(Content::Whole(bytes)),
                    None => return Err(path),
                },
                (after, _) => after.map(|touched| touched.content),
            };
            let is_same = match (before, &after) {
                (Some(before), Some(after)) => after.is_same(before),
                (before, after) => before.is_none() && after.is_none(),
            };
            let executable =
                modes.get(&path).copied().filter(|mode| *mode != was_executable(snapshot, source));
            if !is_same || executable.is_some() {
                changes.push(Change { before: None, path, after, renamed_from, executable });
            }
        }
        Ok(changes)
    }
}

/// A path before all edits, and now.
#[derive(Debug)]
struct File<'s> {
    /// Its bytes in the snapshot; `None` when there is no such file.
    before: Option<&'s [u8]>,
    now: Now,
}

/// What is known of a path at some moment.
#[derive(Debug)]
pub(crate) struct Remembered {
    path: String,
    now: Now,
    origin: Option<String>,
    mode: Option<bool>,
    view: Option<Vec<u8>>,
}

/// Gives a path this value, or none.
fn put<T>(map: &mut BTreeMap<String, T>, path: &str, value: Option<T>) {
    match value {
        Some(value) => drop(map.insert(path.to_owned(), value)),
        None => drop(map.remove(path)),
    }
}

/// What the edits so far made of a path.
#[derive(Clone, Debug)]
enum Now {
    Untouched,
    Holds(Touched),
    Gone,
}

/// What a file holds that was touched.
#[derive(Clone, Debug)]
struct Touched {
    content: Content,
    /// All of it, once somebody asked.
    whole: OnceCell<Vec<u8>>,
}

impl Touched {
    const fn new(content: Content) -> Self {
        Self { content, whole: OnceCell::new() }
    }

    /// All of it. Parts are parts of the original.
    fn bytes<'t>(&'t self, original: impl FnOnce() -> Option<&'t [u8]>) -> &'t [u8] {
        match &self.content {
            Content::Whole(bytes) => bytes,
            Content::Spliced(spliced) => {
                self.whole.get_or_init(|| spliced.bytes(original().unwrap_or_default()))
            }
        }
    }

    fn into_bytes<'o>(self, original: impl FnOnce() -> Option<&'o [u8]>) -> Vec<u8> {
        let Self { content, whole } = self;
        whole.into_inner().unwrap_or_else(|| content.into_bytes(original().unwrap_or_default()))
    }
}

/// Whether a file could be run before all edits.
fn was_executable(snapshot: &Snapshot, path: &str) -> bool {
    snapshot.files.contains_key(path) && snapshot.executable.contains(path)
}

/// The text in the encoding of its file, read back to be sure that it is this text and no other.
fn encoded(file: &Decoded, text: &[u8]) -> Option<Vec<u8>> {
    let bytes = file.encoding.encode(text)?;
    let back = text_of(&bytes);
    let same = back.as_ref() == text || back.strip_prefix(BOM) == Some(text);
    same.then_some(bytes)
}

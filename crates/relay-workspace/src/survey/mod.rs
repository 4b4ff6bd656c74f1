//! A survey: every file, link and folder that no ignore rule covers, with what the disk says about each.
//!
//! Two surveys, before and after a program worked in the tree, show what may have changed without reading a file. The
//! later one is made with the rules of the earlier one as well: a file that was ignored then must not look new because
//! the ignore file has gone. Folders are listed by several threads at once, because this is asked for before and after
//! every command. Nothing is read here but ignore files, and nothing is decided.

mod work;

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use self::work::Part;
use crate::lookout::Lookout;
use crate::read::{Facts, Kind};
use crate::rel_path::RelPath;
use crate::rules::{self, IGNORE_FILE, Rules};
use crate::workspace::Workspace;

/// More files with several names than this are not looked at one by one.
const MAX_LINKED: usize = 500;

/// One thing a survey found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// Where it is.
    pub path: RelPath,
    /// What the disk says about it.
    pub facts: Facts,
}

/// What [`Workspace::survey`] found.
#[derive(Debug)]
pub struct Survey {
    /// Files, links, folders and special files, sorted by path. A later survey that found all of it unchanged has the very
    /// same list.
    pub entries: Arc<Vec<Surveyed>>,
    /// Files whose names no transaction may use, sorted: Relay's configuration, disguised names, names that are not UTF-8.
    /// What is in a folder of such a name is among them. The names are only for people.
    pub unnameable: Vec<(String, Facts)>,
    /// Folders that could not be listed.
    pub unreadable: Vec<String>,
    /// Folders with a `.git`, sorted; the root is empty. What is in them does not matter here, only that they exist.
    pub repositories: Vec<String>,
    /// When it began.
    pub started: SystemTime,
    /// Whether the limit on the number of entries was kept.
    pub is_complete: bool,
    is_remembered: bool,
    /// Whether the ignore rules were those of the earlier survey everywhere.
    is_settled: bool,
    /// Whether a lookout covers every folder, from before it was listed.
    is_covered: bool,
    above: Option<Arc<Rules>>,
    /// The rules of every folder that has an ignore file, by the folder's path. A later survey keeps those of the
    /// first: they say what was not looked at then.
    rules: Arc<HashMap<String, Arc<Rules>>>,
}

impl Survey {
    /// A survey from what was written down of one: these entries, sorted by path. Of the rules nothing is known.
    #[must_use]
    pub fn remembered(entries: Vec<Surveyed>, started: SystemTime) -> Self {
        Self {
            entries: Arc::new(entries),
            unnameable: Vec::new(),
            unreadable: Vec::new(),
            repositories: Vec::new(),
            started,
            is_complete: true,
            is_remembered: true,
            is_settled: false,
            is_covered: false,
            above: None,
            rules: Arc::default(),
        }
    }

    /// What was found at a path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Surveyed> {
        let at = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(at)
    }

    /// Whether a file at this path, had it been there, would have been found: no ignore rule covers it, and every folder
    /// it would be in could be listed. `root` is the workspace's.
    #[must_use]
    pub fn would_hold(&self, root: &Path, path: &str) -> bool {
        // Of a survey that was written down the rules are not known.
        if !self.is_complete || self.is_remembered || self.unreadable.iter().any(String::is_empty) {
            return false;
        }
        let (mut rules, mut place) = (self.above.as_ref(), root.to_path_buf());
        let mut folder = String::new();
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            rules = self.rules.get(&folder).or(rules);
            place.push(name);
            let kind = if names.peek().is_some() { Kind::Directory } else { Kind::File };
            if rules.is_some_and(|rules| rules.ignore(&place, kind)) {
                return false;
            }
            if !folder.is_empty() {
                folder.push('/');
            }
            folder.push_str(name);
            if self.unreadable.contains(&folder) {
                return false;
            }
        }
        true
    }

    /// What was in a folder, if it had no folders and no ignore file in it and no name came or went since. A folder's
    /// time of change moves with every name in it, and cannot be set back.
    fn unchanged_leaf(&self, folder: &RelPath, facts: &Facts) -> Option<Range<usize>> {
        let was = self.get(folder.as_str())?.facts;
        let is_same =
            was.is_same_file(facts) && (was.modified, was.changed) == (facts.modified, facts.changed);
        if !cfg!(unix)
            || !is_same
            || was.is_fresh_at(self.started)
            || self.rules.contains_key(folder.as_str())
        {
            return None;
        }
        let is_below =
            |name: &str| name.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if self.unreadable.iter().any(|name| name == folder.as_str())
            || self.repositories.iter().any(|name| name == folder.as_str())
            || self.unnameable.iter().any(|(name, _)| is_below(name))
        {
            return None;
        }
        let prefix = format!("{folder}/");
        let start = self.entries.partition_point(|entry| entry.path.as_str() < prefix.as_str());
        let rest = self.entries.get(start..)?;
        let length = rest.partition_point(|entry| entry.path.as_str().starts_with(&prefix));
        let inside = rest.get(..length)?;
        let is_plain =
            |entry: &Surveyed| entry.facts.kind != Kind::Directory && entry.path.file_name() != IGNORE_FILE;
        (self.is_complete && inside.iter().all(is_plain)).then_some(start..start + length)
    }

    /// Whether this is also what a survey without an earlier one would have found: the same rules hold.
    #[must_use]
    pub fn is_as_if_first(&self, workspace: &Workspace) -> bool {
        let above = || Rules::above(workspace.root());
        !self.is_remembered && self.is_settled && rules::say_the_same(self.above.as_ref(), above().as_ref())
    }

    /// Whether a survey now would find exactly this, if nothing happened in the folders that a lookout covers. To be asked
    /// before the lookout is, so that what happens meanwhile counts.
    #[must_use]
    pub fn still_holds(&self, workspace: &Workspace) -> bool {
        if !self.is_covered || !self.is_complete || !self.unreadable.is_empty() {
            return false;
        }
        // These can be written to from folders that are not covered.
        let has_names = |entry: &&Surveyed| entry.facts.links > 1 && entry.facts.kind != Kind::Directory;
        let mut linked = self.entries.iter().filter(has_names);
        let is_same = |entry: &Surveyed| matches!(workspace.facts(&entry.path), Ok(Some(facts)) if facts == entry.facts);
        linked.by_ref().take(MAX_LINKED).all(is_same)
            && linked.next().is_none()
            && self.is_as_if_first(workspace)
    }

    /// Whether something changed so shortly before the survey that a further change might not show.
    #[must_use]
    pub fn has_fresh(&self) -> bool {
        self.entries.iter().any(|entry| entry.facts.is_fresh_at(self.started))
    }
}

impl Workspace {
    /// Looks at everything that is not ignored, at [`SURVEY_LIMIT_ENTRIES`](crate::SURVEY_LIMIT_ENTRIES) things at most. With an `earlier` survey,
    /// what was ignored then counts as ignored now.
    #[must_use]
    pub fn survey(&self, earlier: Option<&Survey>) -> Survey {
        self.survey_covered(earlier, None)
    }

    /// The same, and has a lookout cover every folder before it is listed.
    #[must_use]
    pub fn survey_covered(&self, earlier: Option<&Survey>, lookout: Option<&Lookout>) -> Survey {
        let above = match earlier {
            Some(earlier) => earlier.above.clone(),
            None => Rules::above(self.root()),
        };
        let started = SystemTime::now();
        let mut whole = Part::default();
        for part in work::parts(self, earlier, lookout, above.as_ref()) {
            whole.join(part);
        }
        let Part { folders, mut unnameable, mut unreadable, mut repositories, rules, .. } = whole;
        let rules = earlier.map_or_else(|| Arc::new(rules), |earlier| Arc::clone(&earlier.rules));
        let (entries, is_complete) = work::entries(folders, earlier);
        if let Some(lookout) = lookout {
            lookout.tidy(entries.iter().filter(|entry| entry.facts.kind == Kind::Directory).count());
        }
        unnameable.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        unreadable.sort_unstable();
        repositories.sort_unstable();
        Survey {
            entries,
            unnameable,
            unreadable,
            repositories,
            started,
            is_complete,
            is_remembered: false,
            is_settled: !whole.is_unsettled,
            is_covered: lookout.is_some() && !whole.is_uncovered,
            above,
            rules,
        }
    }
}

//! The files of a generated case, as the account of a reply asks about them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use relay_edit::{Files, Plan};

/// Files before and after the edits of a reply.
pub struct Project {
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
}

impl Project {
    /// What a plan makes of files.
    pub fn new(before: &[(&str, &str)], plan: &Plan) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        let before = before.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let after = plan
            .changes
            .iter()
            .filter_map(|change| Some((change.path.clone(), text(change.after.as_deref()?))));
        Self { before, after: after.collect() }
    }

    /// What a file holds in the end.
    pub fn content(&self, path: &str) -> String {
        self.after.get(path).or_else(|| self.before.get(path)).cloned().unwrap_or_default()
    }
}

impl Files for Project {
    fn before(&self, path: &str) -> Option<Cow<'_, str>> {
        self.before.get(path).map(|text| text.as_str().into())
    }

    fn after(&self, path: &str) -> Option<Cow<'_, str>> {
        self.after.get(path).map(|text| text.as_str().into())
    }

    fn changed(&self) -> Vec<String> {
        self.after.keys().cloned().collect()
    }

    fn find(&self, is_wanted: &dyn Fn(&str) -> bool, test: &dyn Fn(&str) -> bool) -> Option<String> {
        self.before.iter().find(|(path, text)| is_wanted(path) && test(text)).map(|(path, _)| path.clone())
    }

    fn exists(&self, path: &str) -> bool {
        self.before.contains_key(path)
    }
}

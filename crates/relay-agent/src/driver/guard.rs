//! What workflows keep from being changed: while an interview finds out what is wanted, nothing is built yet; and the state
//! of workflows is Relay's own, whatever mode a session is in.
//!
//! Policy decides how much may happen at all; this only takes away, and no grant brings it back.

use std::path::{Component, Path};

use crate::tool::Access;

/// The mode of a session in which requirements are found out.
pub const INTERVIEW_MODE: &str = "deep-interview";
/// Where such a session may write: what it found out, and what is planned from it.
const RESULTS: [&str; 2] = [".relay/specs", ".relay/plans"];
/// Where the state of workflows is kept.
const STATE: &str = ".relay/state";

/// Why a call that needs this is refused in this mode; nothing if it is not.
pub fn refusal(mode: &str, needs: &[Access], root: &Path) -> Option<String> {
    let changed = needs.iter().filter_map(|access| match access {
        Access::Changes(path) if !path.starts_with("local://") => Some(path.as_str()),
        _ => None,
    });
    changed.into_iter().find_map(|path| {
        let place = settled(path, root);
        let is_below = |folder: &str| place.as_deref().is_some_and(|place| is_below(place, folder));
        if is_below(STATE) {
            return Some(format!(
                "{path} holds the state of a workflow, which Relay keeps itself. Leave it as it is; it changes with the \
                 workflow's own steps"
            ));
        }
        (mode == INTERVIEW_MODE && !RESULTS.iter().any(|folder| is_below(folder))).then(|| {
            format!(
                "{path} cannot be changed while the interview is under way: only files below {} can. Finish the interview \
                 first, or end it",
                RESULTS.join(" and ")
            )
        })
    })
}

/// A path from the root, as far as words alone say; nothing for one that leads out of it.
fn settled(path: &str, root: &Path) -> Option<String> {
    let path = Path::new(path);
    let path = if path.is_absolute() { path.strip_prefix(root).ok()? } else { path };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

fn is_below(place: &str, folder: &str) -> bool {
    // Where names are compared without case, another case is the same folder.
    let place = place.to_ascii_lowercase();
    place.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mode: &str, path: &str, expected: Option<&str>) {
        let said = refusal(mode, &[Access::Changes(path.to_owned())], Path::new("/repo"));
        match expected {
            Some(words) => {
                assert!(said.as_ref().is_some_and(|said| said.contains(words)), "{path}: {said:?}");
            }
            None => assert_eq!(said, None, "{path}"),
        }
    }

    #[test]
    fn an_interview_writes_specs_and_plans_alone() {
        for path in
            [".relay/specs/a.md", "./.relay/plans/x/b.md", "/repo/.relay/specs/a.md", "local://PLAN.md"]
        {
            check(INTERVIEW_MODE, path, None);
        }
        for path in [
            "src/a.rs",
            ".relay/specs",
            ".relay/specs/../rules/a.md",
            "../.relay/specs/a.md",
            "/elsewhere/.relay/specs/a.md",
            ".relay/specs/../../src/a.rs",
            "",
            "ftp://x",
        ] {
            check(INTERVIEW_MODE, path, Some("while the interview is under way"));
            check("none", path, None);
        }
    }

    #[test]
    fn the_state_of_workflows_is_never_edited() {
        for mode in ["none", INTERVIEW_MODE, "goal"] {
            check(mode, ".relay/state/deep-interview-state.json", Some("holds the state of a workflow"));
            check(mode, ".relay/specs/../State/x.json", Some("holds the state of a workflow"));
        }
    }

    #[test]
    fn what_changes_nothing_is_not_refused() {
        let needs = [Access::Reads("src/a.rs".to_owned()), Access::Conversation];
        assert_eq!(refusal(INTERVIEW_MODE, &needs, Path::new("/repo")), None);
    }
}

//! Containment: turns every path of a reply into one that Relay may write, or refuses the reply.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use relay_diagnostics::{Code, Diagnostic, Severity};
use relay_edit::{Dialect, Edit, Operation};
use relay_txn::FileChange;
use relay_workspace::{PathRefusal, ReadError, RelPath, Sensitive, Workspace, sensitive};

use crate::approval::{Approver, Decision};
use crate::codes;
use crate::intake::submission::FILES_LIMIT;
use crate::outcome::stop::Stop;

/// Edits with paths that may be touched. Each path is checked and typed here, once; later code looks it up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contained {
    /// The edits, with their paths in one spelling, so that the same file always has the same name.
    pub edits: Vec<Edit>,
    paths: Arc<BTreeSet<RelPath>>,
}

/// A refused edit, and the reason.
pub(crate) struct Refused {
    pub edit: Edit,
    pub why: Diagnostic,
}

impl Contained {
    /// The files that the edits name, each once, in the order of their names.
    pub fn paths(&self) -> impl Iterator<Item = &RelPath> {
        paths(&self.edits).into_iter().filter_map(|name| self.path(name))
    }

    /// A path that one of the edits names.
    pub fn path(&self, name: &str) -> Option<&RelPath> {
        self.paths.get(name)
    }

    /// Some of these edits, or parts of them.
    pub fn with(&self, edits: Vec<Edit>) -> Self {
        Self { edits, paths: Arc::clone(&self.paths) }
    }

    /// The files among them that other tools execute, each with the reason.
    pub fn sensitive(&self) -> Vec<(RelPath, Sensitive)> {
        self.paths().filter_map(|path| Some((path.clone(), sensitive(path)?))).collect()
    }
}

/// Checks every path of a reply.
pub(crate) fn contain(workspace: &Workspace, edits: Vec<Edit>) -> Result<(Contained, Vec<Refused>), Stop> {
    let (mut kept, mut refused) = (Vec::with_capacity(edits.len()), Vec::new());
    let mut paths = Vec::with_capacity(edits.len());
    for mut edit in edits {
        match normalise(workspace, &mut edit, &mut paths) {
            Ok(()) => kept.push(edit),
            Err(why) => refused.push(Refused { why: why.at(edit.line), edit }),
        }
    }
    let contained = Contained { edits: kept, paths: Arc::new(paths.into_iter().collect()) };
    let count = contained.paths.len();
    if count > FILES_LIMIT {
        return Err(Stop::refused(
            Diagnostic::error(
                codes::TOO_MANY_FILES,
                format!("the reply names {count} files, {FILES_LIMIT} are allowed"),
            )
            .hinted("Split it into several replies."),
        ));
    }
    Ok((contained, refused))
}

fn normalise(workspace: &Workspace, edit: &mut Edit, paths: &mut Vec<RelPath>) -> Result<(), Diagnostic> {
    if edit.dialect == Dialect::Hashline
        && let Some(inside) = Path::new(&edit.path).strip_prefix(workspace.root()).ok().and_then(Path::to_str)
    {
        edit.path = inside.to_owned();
    }
    let mut settle = |raw: &mut String| {
        let path = workspace.path(raw).map_err(|refusal| path_refused(raw, &refusal))?;
        if path.as_str() != *raw {
            path.as_str().clone_into(raw);
        }
        paths.push(path);
        Ok(())
    };
    settle(&mut edit.path)?;
    match &mut edit.operation {
        Operation::Rename { to } => settle(to),
        _ => Ok(()),
    }
}

/// A refused path as a finding.
pub(crate) fn path_refused(raw: &str, refusal: &PathRefusal) -> Diagnostic {
    let hint = refusal.hint().map(str::to_owned);
    Diagnostic { hint, ..Diagnostic::error(Code::new(refusal.code()), refusal.to_string()).on(raw) }
}

/// A file that could not be read as a finding.
pub(crate) fn unreadable(error: &ReadError) -> Diagnostic {
    let hint = error.hint().map(str::to_owned);
    Diagnostic { hint, ..Diagnostic::error(Code::new(error.code()), error.to_string()).on(error.path()) }
}

/// The files that a path which does not exist may have been meant for, as a question.
pub(crate) fn did_you_mean(workspace: &Workspace, path: &RelPath) -> Option<String> {
    let near = workspace.suggest(path);
    (!near.is_empty()).then(|| format!("Did you mean {}?", near.join(" or ")))
}

/// The line of the reply where each path is first named.
pub(crate) fn lines_of(edits: &[Edit]) -> HashMap<&str, usize> {
    let mut lines = HashMap::new();
    for edit in edits {
        edit.paths().for_each(|name| {
            lines.entry(name).or_insert(edit.line);
        });
    }
    lines
}

/// Every path the edits name, once.
pub(crate) fn paths(edits: &[Edit]) -> BTreeSet<&str> {
    let mut paths = Vec::with_capacity(edits.len());
    paths.extend(edits.iter().flat_map(Edit::paths));
    paths.into_iter().collect()
}

/// Asks before writing files that other tools execute. `--yes` does not answer this.
pub(crate) fn allow_sensitive(contained: &Contained, approver: &mut dyn Approver) -> Result<(), Stop> {
    let found = contained.sensitive();
    let hint = "Look at the change with --dry-run; allow it with --allow-sensitive.";
    agree_to(&found, hint, approver).map_err(|refused| match refused {
        None => Stop::interrupted(),
        Some(mut reasons) => {
            let lines = lines_of(&contained.edits);
            for reason in &mut reasons {
                reason.line = reason.path.as_deref().and_then(|path| lines.get(path).copied());
            }
            Stop::Refused(reasons)
        }
    })
}

/// Asks about files that other tools execute. `Err(None)` when the person left, otherwise why not, one by one.
pub(crate) fn agree_to(
    found: &[(RelPath, Sensitive)],
    hint: &str,
    approver: &mut dyn Approver,
) -> Result<(), Option<Vec<Diagnostic>>> {
    if found.is_empty() {
        return Ok(());
    }
    match approver.allow_sensitive(found) {
        Decision::Yes => Ok(()),
        Decision::Interrupted => Err(None),
        Decision::No | Decision::NobodyThere => Err(Some(
            found
                .iter()
                .map(|(path, reason)| Diagnostic {
                    severity: Severity::Error,
                    ..sensitive_warning(path, *reason).hinted(hint)
                })
                .collect(),
        )),
    }
}

/// Asks about changes, already made, to files that other tools execute. `--yes` does not answer this.
pub(crate) fn agree_to_changes<'a>(
    changes: impl Iterator<Item = &'a FileChange>,
    hint: &str,
    approver: &mut dyn Approver,
) -> Result<(), Stop> {
    agree_to(&sensitive_changes(changes), hint, approver)
        .map_err(|refused| refused.map_or_else(Stop::interrupted, Stop::RolledBack))
}

/// The files among changes that other tools execute, each with the reason.
pub(crate) fn sensitive_changes<'a>(
    changes: impl IntoIterator<Item = &'a FileChange>,
) -> Vec<(RelPath, Sensitive)> {
    let paths = changes.into_iter().map(|change| &change.path);
    paths.filter_map(|path| Some((path.clone(), sensitive(path)?))).collect()
}

/// The explanation for a file that other tools execute.
pub(crate) fn sensitive_warning(path: &RelPath, reason: Sensitive) -> Diagnostic {
    let message = format!("{path} is read by {}, which {}", reason.tool, reason.reason);
    Diagnostic::warning(codes::SENSITIVE_PATH, message).on(path.as_str())
}

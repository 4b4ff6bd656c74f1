//! Containment: every path of a reply becomes one that may be touched, or the reply is refused.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use relay_diagnostics::{Code, Diagnostic, Severity};
use relay_edit::{Dialect, Edit, Operation};
use relay_txn::FileChange;
use relay_workspace::{PathRefusal, ReadError, RelPath, Sensitive, Workspace, sensitive};

use crate::approval::{Approver, Decision};
use crate::codes;
use crate::intake::submission::FILES_LIMIT;
use crate::outcome::stop::Stop;

/// The edits with their paths checked and in one spelling, so that the same file always has the same name, and why
/// the others may not go on.
pub(crate) fn contain(workspace: &Workspace, edits: Vec<Edit>) -> Result<(Vec<Edit>, Vec<Diagnostic>), Stop> {
    let (edits, refused) = contain_telling(workspace, edits)?;
    Ok((edits, refused.into_iter().map(|(_, why)| why).collect()))
}

/// An edit that may not go on, and why.
pub(crate) type Refused = (Edit, Diagnostic);

/// The same, with the edits that may not go on.
pub(crate) fn contain_telling(
    workspace: &Workspace,
    edits: Vec<Edit>,
) -> Result<(Vec<Edit>, Vec<Refused>), Stop> {
    let (mut kept, mut refused) = (Vec::with_capacity(edits.len()), Vec::new());
    for mut edit in edits {
        match normalise(workspace, &mut edit) {
            Ok(()) => kept.push(edit),
            Err(refusal) => {
                let refusal = refusal.at(edit.line);
                refused.push((edit, refusal));
            }
        }
    }
    let edits = kept;
    // An edit names two files at most, so a few need not be counted.
    let count = if 2 * edits.len() > FILES_LIMIT { paths(&edits).len() } else { 0 };
    if count > FILES_LIMIT {
        return Err(Stop::refused(
            Diagnostic::error(
                codes::TOO_MANY_FILES,
                format!("the reply names {count} files, {FILES_LIMIT} are allowed"),
            )
            .hinted("Split it into several replies."),
        ));
    }
    Ok((edits, refused))
}

fn normalise(workspace: &Workspace, edit: &mut Edit) -> Result<(), Diagnostic> {
    if edit.dialect == Dialect::Hashline
        && let Some(inside) = Path::new(&edit.path).strip_prefix(workspace.root()).ok().and_then(Path::to_str)
    {
        edit.path = inside.to_owned();
    }
    let settle = |raw: &mut String| match workspace.path(raw) {
        Ok(path) if path.as_str() == *raw => Ok(()),
        Ok(path) => {
            path.as_str().clone_into(raw);
            Ok(())
        }
        Err(refusal) => Err(path_refused(raw, &refusal)),
    };
    settle(&mut edit.path)?;
    match &mut edit.operation {
        Operation::Rename { to } => settle(to),
        _ => Ok(()),
    }
}

/// A refused path as a finding.
pub(crate) fn path_refused(raw: &str, refusal: &PathRefusal) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::new(refusal.code()), refusal.to_string()).on(raw);
    match refusal.hint() {
        Some(hint) => diagnostic.hinted(hint),
        None => diagnostic,
    }
}

/// A file that could not be read as a finding.
pub(crate) fn unreadable(error: &ReadError) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::new(error.code()), error.to_string()).on(error.path());
    match error.hint() {
        Some(hint) => diagnostic.hinted(hint),
        None => diagnostic,
    }
}

/// The line of the reply where each path is first named.
pub(crate) fn lines_of(edits: &[Edit]) -> HashMap<&str, usize> {
    let mut lines = HashMap::new();
    for edit in edits {
        names(edit).for_each(|name| {
            lines.entry(name).or_insert(edit.line);
        });
    }
    lines
}

/// Every path the edits name, once.
pub(crate) fn paths(edits: &[Edit]) -> BTreeSet<&str> {
    let mut paths = Vec::with_capacity(edits.len());
    paths.extend(edits.iter().flat_map(names));
    paths.into_iter().collect()
}

/// The paths of one edit.
pub(crate) fn names(edit: &Edit) -> impl Iterator<Item = &str> {
    let to = match &edit.operation {
        Operation::Rename { to } => Some(to.as_str()),
        _ => None,
    };
    std::iter::once(edit.path.as_str()).chain(to)
}

/// The files among them that other tools execute, each with the reason.
pub(crate) fn sensitive_files(workspace: &Workspace, edits: &[Edit]) -> Vec<(RelPath, Sensitive)> {
    let found: BTreeMap<&str, Sensitive> =
        edits.iter().flat_map(names).filter_map(|path| Some((path, sensitive(path)?))).collect();
    let checked = |(path, reason)| Some((workspace.path(path).ok()?, reason));
    found.into_iter().filter_map(checked).collect()
}

/// Asks before files are written that other tools execute. `--yes` is no answer to this.
pub(crate) fn allow_sensitive(
    workspace: &Workspace,
    edits: &[Edit],
    allowed: bool,
    approver: &mut dyn Approver,
) -> Result<(), Stop> {
    if allowed {
        return Ok(());
    }
    let found = sensitive_files(workspace, edits);
    let hint = "Look at the change with --dry-run; allow it with --allow-sensitive.";
    agree_to(&found, hint, approver).map_err(|refused| match refused {
        None => Stop::interrupted(),
        Some(mut reasons) => {
            let lines = lines_of(edits);
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

/// Asks about those of the changes, made already, that other tools execute. `--yes` is no answer to this.
pub(crate) fn agree_to_changes<'a>(
    changes: impl Iterator<Item = &'a FileChange>,
    hint: &str,
    approver: &mut dyn Approver,
) -> Result<(), Stop> {
    let found: Vec<_> = changes
        .filter_map(|change| sensitive(&change.path).map(|reason| (change.path.clone(), reason)))
        .collect();
    agree_to(&found, hint, approver)
        .map_err(|refused| refused.map_or_else(Stop::interrupted, Stop::RolledBack))
}

/// What is to be known about a file that other tools execute.
pub(crate) fn sensitive_warning(path: &RelPath, reason: Sensitive) -> Diagnostic {
    let message = format!("{path} is read by {}, which {}", reason.tool, reason.reason);
    Diagnostic::warning(codes::SENSITIVE_PATH, message).on(path.as_str())
}

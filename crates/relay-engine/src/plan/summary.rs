//! `changeSummary` against what the reply really does. Models make mistakes here; a difference causes a warning,
//! never a refusal.

use std::collections::{HashMap, HashSet};

use relay_diagnostics::Diagnostic;
use relay_edit::Control;

use crate::codes;
use crate::outcome::{FileOperation, FileReport};

/// One warning for each file on which summary and edits disagree.
pub(crate) fn compare(control: &Control, files: &[FileReport]) -> Vec<Diagnostic> {
    if control.change_summary.is_empty() {
        return Vec::new();
    }
    let announced = announced(control);
    let mut warnings = Vec::new();
    let mut verbs: HashMap<&str, Vec<&str>> = HashMap::new();
    for (verb, path) in &announced {
        verbs.entry(path).or_default().push(verb);
    }
    let mut names: HashSet<&str> = HashSet::new();
    for file in files {
        let of_name = |name: &str| verbs.get(name).into_iter().flatten().copied();
        let from = file.renamed_from.as_deref().filter(|from| *from != file.path);
        let of_file: Vec<&str> = of_name(&file.path).chain(from.into_iter().flat_map(of_name)).collect();
        names.extend([file.path.as_str()].into_iter().chain(from));
        match of_file.first() {
            None => {
                warnings.push(format!("{} ({}) is not in changeSummary", file.path, file.operation.name()));
            }
            Some(_) if of_file.iter().any(|verb| fits(verb, file.operation)) => {}
            Some(verb) => warnings.push(format!(
                "changeSummary says `{verb}: {}`, the reply would {} it",
                file.path,
                file.operation.name()
            )),
        }
    }
    for (verb, path) in &announced {
        if !names.contains(path) {
            warnings.push(format!("changeSummary says `{verb}: {path}`, but no block changes that file"));
        }
    }
    warnings
        .into_iter()
        .map(|message| {
            Diagnostic::warning(codes::SUMMARY_MISMATCH, message)
                .at(control.line)
                .hinted("Check that the reply is complete.")
        })
        .collect()
}

/// Verb and path of every item; a rename written `old -> new` names both.
fn announced(control: &Control) -> Vec<(&str, &str)> {
    let items = control.change_summary.iter();
    items
        .flat_map(|item| {
            let paths = item.path.split(" -> ").flat_map(|part| part.split(" → "));
            paths.map(|path| (item.verb.as_str(), path.trim().trim_start_matches("./")))
        })
        .collect()
}

fn fits(verb: &str, operation: FileOperation) -> bool {
    match verb.to_lowercase().as_str() {
        "edit" | "modify" | "update" | "change" => {
            matches!(operation, FileOperation::Modify | FileOperation::Rename)
        }
        "new" | "create" | "add" => operation == FileOperation::Create,
        "delete" | "remove" => operation == FileOperation::Delete,
        "rename" | "move" => operation == FileOperation::Rename,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use relay_edit::SummaryItem;

    use super::*;
    use crate::outcome::FileStatus;

    fn check(summary: &[(&str, &str)], files: &[(FileOperation, &str)], expected: &[&str]) {
        let control = Control {
            change_summary: summary
                .iter()
                .map(|(verb, path)| SummaryItem { verb: (*verb).to_owned(), path: (*path).to_owned() })
                .collect(),
            ..Control::default()
        };
        let files: Vec<FileReport> = files
            .iter()
            .map(|(operation, path)| FileReport {
                path: (*path).to_owned(),
                operation: *operation,
                renamed_from: (*operation == FileOperation::Rename).then(|| format!("old-{path}")),
                status: FileStatus::NotApplied,
                added: 0,
                removed: 0,
                mode: None,
                placement: String::new(),
            })
            .collect();
        let found: Vec<String> = compare(&control, &files).into_iter().map(|d| d.message).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn agreement_and_an_absent_summary_are_silent() {
        check(&[], &[(FileOperation::Modify, "a")], &[]);
        check(
            &[("edit", "./a"), ("new", "b"), ("delete", "c"), ("rename", "old-d")],
            &[
                (FileOperation::Modify, "a"),
                (FileOperation::Create, "b"),
                (FileOperation::Delete, "c"),
                (FileOperation::Rename, "d"),
            ],
            &[],
        );
    }

    #[test]
    fn a_rename_may_name_both_ends_and_a_file_may_be_named_twice() {
        check(&[("rename", "old-d -> d")], &[(FileOperation::Rename, "d")], &[]);
        check(&[("new", "c"), ("edit", "c")], &[(FileOperation::Create, "c")], &[]);
    }

    #[test]
    fn every_kind_of_difference_is_reported() {
        check(
            &[("new", "a"), ("edit", "ghost")],
            &[(FileOperation::Modify, "a"), (FileOperation::Delete, "b")],
            &[
                "changeSummary says `new: a`, the reply would modify it",
                "b (delete) is not in changeSummary",
                "changeSummary says `edit: ghost`, but no block changes that file",
            ],
        );
    }
}

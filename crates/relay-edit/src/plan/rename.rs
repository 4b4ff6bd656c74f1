//! Gives a file another name, where nothing has it.

use super::explain::Explain;
use super::virtual_files::VirtualFiles;
use super::{EditOutcome, EditStatus};
use crate::{Diagnostic, Edit, codes};

/// Renames the file of an edit.
pub(super) fn rename(
    edit: &Edit,
    to: &str,
    files: &mut VirtualFiles<'_>,
) -> Result<EditOutcome, Box<Diagnostic>> {
    if edit.path == to {
        return Ok(EditOutcome::new(EditStatus::Unchanged, "already has this name"));
    }
    if files.get(&edit.path).is_none() {
        return Err(Box::new(Explain { edit, files }.missing("renamed")));
    }
    if files.get(to).is_some() {
        let finding = Diagnostic::error(
            codes::FILE_EXISTS,
            format!("`{}` cannot become `{to}`: that file exists", edit.path),
        )
        .hinted("delete the other file first in the same reply, or choose another name")
        .on(to)
        .at(edit.line);
        return Err(Box::new(finding));
    }
    files.rename(&edit.path, to);
    Ok(EditOutcome::new(EditStatus::Applied, "renamed"))
}

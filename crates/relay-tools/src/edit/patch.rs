//! `{path, edits: [{op, diff?, rename?}]}`: hunks for one file, a new file, or its end.

use relay_diagnostics::Diagnostic;
use relay_edit::{Dialect, Edit, Operation, codes, parse};
use serde_json::Value;

/// What the file is called while its hunks are read, so that no path can be mistaken for something else.
const HERE: &str = "file";

/// Reads the entries of a call.
pub fn read(path: &str, list: &[Value]) -> (Vec<Edit>, Vec<Diagnostic>) {
    let (mut edits, mut findings) = (Vec::new(), Vec::new());
    for (number, item) in (1..).zip(list) {
        let text = |name: &str| item.get(name).and_then(Value::as_str);
        let (diff, rename) = (text("diff").unwrap_or_default(), text("rename"));
        let edit = |operation: Operation| Edit {
            path: path.to_owned(),
            operation,
            dialect: Dialect::ApplyPatch,
            line: number,
        };
        match text("op") {
            Some("create") => edits.push(edit(Operation::Write { content: content(diff) })),
            Some("delete") => edits.push(edit(Operation::Delete)),
            _ => match hunks(diff, number) {
                Ok(operation) => edits.extend(operation.map(edit)),
                Err(found) => findings.extend(found.into_iter().map(|finding| finding.on(path))),
            },
        }
        if let Some(to) = rename.filter(|to| !to.is_empty()) {
            edits.push(edit(Operation::Rename { to: to.to_owned() }));
        }
    }
    (edits, findings)
}

/// The hunks of an update; nothing where the file only gets another name.
fn hunks(diff: &str, number: usize) -> Result<Option<Operation>, Vec<Diagnostic>> {
    // Headers of a unified diff say what the path says already.
    let is_header =
        |line: &&str| ["--- ", "+++ ", "diff --git ", "index "].iter().any(|word| line.starts_with(word));
    let body: Vec<&str> = diff.lines().skip_while(|line| is_header(line) || line.trim().is_empty()).collect();
    if body.is_empty() {
        return Ok(None);
    }
    let refuse = |message: String| {
        let finding = Diagnostic::error(codes::BAD_DIFF, format!("edit {number}: {message}"));
        vec![finding.hinted("a hunk begins with `@@`; its lines begin with a blank, `-` or `+`")]
    };
    if let Some(line) =
        body.iter().find(|line| line.starts_with("*** ") && line.trim_end() != "*** End of File")
    {
        return Err(refuse(format!("`{line}` does not belong into the hunks of one file.")));
    }
    // Without a header the whole text is one hunk.
    let head = if body.first().is_some_and(|line| line.starts_with("@@")) { "" } else { "@@\n" };
    let text =
        format!("*** Begin Patch\n*** Update File: {HERE}\n{head}{}\n*** End Patch\n", body.join("\n"));
    let reply = parse(&text, Some(Dialect::ApplyPatch));
    let errors: Vec<Diagnostic> = reply.diagnostics.into_iter().filter(Diagnostic::is_error).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    match <[Edit; 1]>::try_from(reply.edits) {
        Ok([Edit { path, operation: operation @ Operation::Patch { .. }, .. }]) if path == HERE => {
            Ok(Some(operation))
        }
        _ => Err(refuse("the hunks cannot be read.".to_owned())),
    }
}

/// The content of a new file, which some models write with a plus before every line.
fn content(diff: &str) -> String {
    let lines: Vec<&str> = diff.lines().collect();
    let plain: Option<Vec<&str>> = lines.iter().map(|line| line.strip_prefix('+')).collect();
    match plain {
        Some(plain) if !plain.is_empty() => plain.join("\n") + "\n",
        _ if diff.is_empty() || diff.ends_with('\n') => diff.to_owned(),
        _ => format!("{diff}\n"),
    }
}

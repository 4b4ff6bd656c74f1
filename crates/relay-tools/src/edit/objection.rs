//! A call that cannot land any more is stopped while the model still writes it, where the user wants that
//! (`edit.streamingAbort`).
//!
//! Only operations that are complete are looked at: the one the model is writing is left out. What is found is what the
//! model would read after the call, some thousand tokens earlier.

use relay_agent::tool::Asking;
use relay_diagnostics::Diagnostic;
use relay_edit::{Options, plan_with};
use relay_engine::views::{self, Views};
use serde_json::{Map, Value};

use super::land::errors;
use super::mode::Mode;
use super::partial;
use super::preview::files;
use super::wanted::Wanted;

/// Why the call cannot land, as far as it is written.
pub fn objection(arguments: &str, asking: Asking<'_>) -> Option<String> {
    if !asking.services.is_on("edit.streamingAbort", false) {
        return None;
    }
    let mut arguments = partial::object(arguments)?;
    let mode = Mode::written(&arguments).unwrap_or_else(|| Mode::of(asking));
    if mode == Mode::Vim || !complete(mode, &mut arguments) {
        return None;
    }
    let engine = &asking.services.engine;
    let wanted = Wanted::read(mode, &arguments, asking.services);
    let said = |findings: &[Diagnostic]| {
        findings.iter().any(Diagnostic::is_error).then(|| errors(mode, findings).to_string())
    };
    if let Some(said) = said(&wanted.findings) {
        return Some(said);
    }
    let files = files(engine, &wanted)?;
    let names = wanted.edits.iter().map(|edit| edit.path.as_str());
    let seen = match mode {
        Mode::Hashline => views::in_session(engine, &asking.services.session, names),
        _ => Views::default(),
    };
    let options = Options { views: seen.contents, shown: seen.shown, ..Options::default() };
    said(&plan_with(&wanted.edits, &files, &options).diagnostics)
}

/// Leaves out the operation that is being written; whether another one is left.
fn complete(mode: Mode, arguments: &mut Map<String, Value>) -> bool {
    if let Some(Value::Array(edits)) = arguments.get_mut("edits") {
        edits.pop();
        return !edits.is_empty();
    }
    let Some(Value::String(input)) = arguments.get_mut("input") else { return false };
    let begins = |line: &str| match mode {
        Mode::ApplyPatch => line.starts_with("@@") || line.starts_with("*** "),
        _ => line.starts_with(['\u{bb}', '\u{ab}', '\u{2254}', '\u{a7}']),
    };
    let mut starts = Vec::new();
    let mut at = 0;
    for line in input.split_inclusive('\n') {
        if begins(line) {
            starts.push(at);
        }
        at += line.len();
    }
    // What is being written is cut off, and then headers that nothing follows any more.
    let is_header = |at: usize| {
        let line = input.get(at..).unwrap_or_default();
        ["§", "*** Begin Patch", "*** Update File:", "*** Move to:"].iter().any(|head| line.starts_with(head))
    };
    let Some(mut end) = starts.pop() else { return false };
    while let Some(header) = starts.pop_if(|at| is_header(*at)) {
        end = header;
    }
    if starts.is_empty() {
        return false;
    }
    input.truncate(end);
    if mode == Mode::ApplyPatch {
        input.push_str("*** End Patch\n");
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(mode: Mode, input: &str, expected: Option<&str>) {
        let mut arguments = json!({ "input": input }).as_object().unwrap().clone();
        let left = complete(mode, &mut arguments).then(|| arguments["input"].as_str().unwrap().to_owned());
        assert_eq!(left.as_deref(), expected, "{input}");
    }

    #[test]
    fn what_is_being_written_is_left_out() {
        check(Mode::Hashline, "§a\n≔1ab\nx\n»2", Some("§a\n≔1ab\nx\n"));
        check(Mode::Hashline, "§a\n≔1ab\nx", None);
        check(Mode::Hashline, "§a\n≔1ab\nx\n§b\n»EOF\ny", Some("§a\n≔1ab\nx\n"));
        let patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n";
        check(Mode::ApplyPatch, patch, None);
        check(
            Mode::ApplyPatch,
            &format!("{patch}*** Update File: b\n@@\n-z"),
            Some(&format!("{patch}*** End Patch\n")),
        );
        check(Mode::ApplyPatch, &format!("{patch}@@\n-z"), Some(&format!("{patch}*** End Patch\n")));
    }
}

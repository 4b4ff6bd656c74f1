//! From the arguments of a call to edits, whatever form they are in.

use relay_agent::tool::Services;
use relay_diagnostics::Diagnostic;
use relay_edit::{Dialect, Edit, Operation, parse, sections};
use serde_json::{Map, Value};

use super::land::{likeness, relative};
use super::mode::Mode;
use super::{notebooks, patch, replace};

/// What a call wants.
#[derive(Debug)]
pub struct Wanted {
    /// The form it is written in.
    pub mode: Mode,
    /// The edits, in their order.
    pub edits: Vec<Edit>,
    /// What is wrong with the arguments, or doubtful.
    pub findings: Vec<Diagnostic>,
}

impl Wanted {
    /// Reads the arguments of a call; the engine knows the files, the settings how much quotes may differ.
    pub fn read(mode: Mode, arguments: &Map<String, Value>, services: &Services) -> Self {
        let engine = &services.engine;
        let path = || relative(engine, text(arguments, "path"));
        let list = || arguments.get("edits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let (mut edits, findings) = match mode {
            Mode::Hashline => {
                let reply = sections(text(arguments, "input"));
                (reply.edits, reply.diagnostics)
            }
            Mode::ApplyPatch => envelope(text(arguments, "input")),
            Mode::Replace => {
                let path = path();
                replace::read(&path, list(), notebooks::text(engine, &path).as_deref(), likeness(services))
            }
            Mode::Patch => patch::read(&path(), list()),
            Mode::Vim => (Vec::new(), Vec::new()),
        };
        for edit in &mut edits {
            edit.path = relative(engine, &edit.path);
            if let Operation::Rename { to } = &mut edit.operation {
                *to = relative(engine, to);
            }
        }
        Self { mode, edits, findings }
    }
}

/// An argument that is a text; nothing where it is not there.
pub fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The edits of an envelope. What is around it in the text is not a reply, so everything must belong to it.
pub fn envelope(input: &str) -> (Vec<Edit>, Vec<Diagnostic>) {
    let is = |line: Option<&str>, marker: &str| line.is_some_and(|line| line.trim() == marker);
    let refuse = |message: &str| {
        let finding = Diagnostic::error(relay_edit::codes::BAD_DIFF, message);
        (Vec::new(), vec![finding.hinted("send the whole patch again")])
    };
    let input = input.trim();
    if !is(input.lines().next(), "*** Begin Patch") {
        return refuse("The first line of the patch must be '*** Begin Patch'");
    }
    if !is(input.lines().next_back(), "*** End Patch") {
        return refuse("The last line of the patch must be '*** End Patch'");
    }
    let reply = parse(input, Some(Dialect::ApplyPatch));
    let mut findings = reply.diagnostics;
    if reply.edits.is_empty() && findings.is_empty() {
        findings.push(
            Diagnostic::error(relay_edit::codes::BAD_DIFF, "No files were modified.")
                .hinted("name files with `*** Add File:`, `*** Update File:` or `*** Delete File:`"),
        );
    }
    (reply.edits, findings)
}

/// Every path that a call would change, as it is written. Policy decides about them before anything is read.
pub fn named_paths(arguments: &Map<String, Value>) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let one = ["path", "file"].iter().map(|name| text(arguments, name)).filter(|path| !path.is_empty());
    paths.extend(one.map(str::to_owned));
    for edit in arguments.get("edits").and_then(Value::as_array).into_iter().flatten() {
        paths.extend(edit.get("rename").and_then(Value::as_str).map(str::to_owned));
    }
    let input = text(arguments, "input");
    let edits = match Mode::written(arguments) {
        Some(Mode::ApplyPatch) => envelope(input).0,
        Some(Mode::Hashline) => sections(input).edits,
        _ => Vec::new(),
    };
    for edit in edits {
        if let Operation::Rename { to } = edit.operation {
            paths.push(to);
        }
        paths.push(edit.path);
    }
    paths.sort();
    paths.dedup();
    paths
}

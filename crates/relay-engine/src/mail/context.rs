//! Gathers what a message shows from the workspace, masks it, and keeps it within the session's budget.

use relay_workspace::Workspace;

use super::fold;
use super::masks::Masks;
use super::numbers::numbered;
use super::outbox::{Message, Shown, render, written};
use super::result::CommandResult;
use super::session::PrivateState;
use crate::context::views::range;
use crate::engine::Engine;

/// What the task is called where secrets are looked for; no file has this name.
pub(super) const TASK: &str = "the task";
/// What the results are called there.
const RESULTS: &str = "the results";

/// No command's output is cut to less, whatever the budget says: a shorter one would be useless.
const SHORTEST_OUTPUT: usize = 300;

/// Writes the session's next message, and remembers what it shows.
pub(super) fn write_outbox(engine: &Engine, state: &mut PrivateState, masks: &mut Masks, note: Option<&str>) {
    let budget = fold::bytes(state.budget_tokens);
    let listing = fold::listing(&files(engine.workspace()), budget / 4);
    let is_first = state.session.sequence_number == 1;
    let results = results(&state.session.last_results, budget / 4);
    let used = listing.len() + results.iter().map(size).sum::<usize>();
    let requests = state.session.read_file_requests.clone();
    let room = budget.saturating_sub(used);
    let changed = changed(engine, state, masks, &requests, room / 2);
    let room = room.saturating_sub(changed.iter().map(|shown| shown.text.len()).sum());
    let contents = contents(engine, state, masks, &requests, room);
    let note = note.map(|note| masks.mask(TASK, note));
    state.outbox = render(&Message {
        session: &state.session.session_id,
        sequence: state.session.sequence_number,
        task: &state.session.task,
        listing: &listing,
        results: (!is_first).then_some(&results),
        changed: &changed,
        contents: &contents,
        note: note.as_deref(),
    });
}

fn size(result: &CommandResult) -> usize {
    written(result).len()
}

/// Every file with its size.
fn files(workspace: &Workspace) -> Vec<(String, u64)> {
    let sized = |path: relay_workspace::RelPath| {
        let facts = workspace.facts(&path).ok().flatten()?;
        Some((path.to_string(), facts.size))
    };
    workspace.walk().filter_map(sized).collect()
}

/// The results, with outputs that share the room they may take.
fn results(results: &[CommandResult], limit_bytes: usize) -> Vec<CommandResult> {
    let outputs = results.iter().filter(|result| result.output.is_some()).count().max(1);
    let each = (limit_bytes / outputs).max(SHORTEST_OUTPUT);
    let shown = |result: &CommandResult| CommandResult {
        output: result.output.as_ref().map(|output| fold::set_in(output, each)),
        ..result.clone()
    };
    results.iter().map(shown).collect()
}

/// The results, masked: the session's own file may be on a USB stick, too.
pub(super) fn masked(results: &[CommandResult], masks: &mut Masks) -> Vec<CommandResult> {
    let mask = |result: &CommandResult| CommandResult {
        summary: masks.mask(RESULTS, &result.summary),
        output: result.output.as_ref().map(|output| masks.mask(RESULTS, output)),
        ..result.clone()
    };
    results.iter().map(mask).collect()
}

/// The files that were asked for, as long as there is room. What is shown is what line numbers mean from now on.
fn contents(
    engine: &Engine,
    state: &mut PrivateState,
    masks: &mut Masks,
    requests: &[String],
    mut room_bytes: usize,
) -> Vec<Shown> {
    let mut contents = Vec::new();
    for request in requests {
        let (name, lines) = parts(engine, request);
        let Some(text) = read_text(engine, name) else {
            let notice = Some(format!("'{name}' can no longer be read"));
            contents.push(Shown { path: name.to_owned(), text: String::new(), notice });
            continue;
        };
        let masked = masks.mask(name, &text);
        let plain = masked.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let total = plain.split_inclusive('\n').count();
        // Numbers refer to what was shown last. If the model knows another version, showing a part would leave it
        // with two.
        let is_known = state.views.get(name).is_none_or(|view| view.text.as_ref() == Some(&masked));
        let (first, last) = lines.filter(|_| is_known).unwrap_or((1, total));
        let part = numbered(&part(&plain, first, last), first);
        let (kept, shown, wanted) = fold::beginning(&part, room_bytes);
        room_bytes -= kept.len();
        let notice = match (shown < wanted, shown < total) {
            (true, _) => Some(format!(
                "only {shown} lines from line {first} of the {total} lines of '{name}' are shown, \
                 for the message would be too long"
            )),
            (false, true) => Some(format!("lines {first} to {last} of the {total} lines of '{name}'")),
            (false, false) => None,
        };
        contents.push(Shown { path: name.to_owned(), text: kept.to_owned(), notice });
        state.views.set(name, masked, false);
    }
    contents
}

/// What the last reply's edits changed, with the numbers it has now. A file that is shown anyway is left out.
fn changed(
    engine: &Engine,
    state: &PrivateState,
    masks: &Masks,
    requests: &[String],
    mut room_bytes: usize,
) -> Vec<Shown> {
    let mut shown = Vec::new();
    for path in state.regions.paths().into_iter().filter(|path| !requests.contains(path)) {
        let Some(text) = state.views.get(&path).and_then(|view| view.text.as_deref()) else { continue };
        let plain = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let total = plain.split_inclusive('\n').count();
        let is_current = masks.restore(&path, text).ok() == read_text(engine, &path);
        let differs =
            if is_current { "" } else { "; the file on disk differs by now: read it before you continue" };
        for (first, last) in state.regions.shown(&path, total) {
            let part = numbered(&part(&plain, first, last), first);
            let (kept, lines, _) = fold::beginning(&part, room_bytes);
            room_bytes -= kept.len();
            if lines > 0 {
                let last = first + lines - 1;
                let notice = Some(format!("lines {first} to {last} of {total}, after your edits{differs}"));
                shown.push(Shown { path: path.clone(), text: kept.to_owned(), notice });
            }
        }
    }
    shown
}

/// Some lines of a text.
fn part(text: &str, first: usize, last: usize) -> String {
    text.split_inclusive('\n').take(last).skip(first.saturating_sub(1)).collect()
}

/// A request as a file and lines of it. If a file has exactly this name, the whole file is meant.
fn parts<'r>(engine: &Engine, request: &'r str) -> (&'r str, Option<(usize, usize)>) {
    let split = request.rsplit_once(':').and_then(|(path, lines)| Some((path, range(lines)?)));
    match split {
        Some((path, lines)) if read_text(engine, request).is_none() => (path, Some(lines)),
        _ => (request, None),
    }
}

/// The text of a file; `None` if there is none, or it is not text.
pub(super) fn read_text(engine: &Engine, name: &str) -> Option<String> {
    let path = engine.workspace().path(name).ok()?;
    let file = engine.workspace().read(&path).ok().flatten()?;
    relay_edit::text(&file.bytes)
}

//! What a message shows: gathered from the workspace, masked, and kept within the session's budget.

use relay_workspace::Workspace;

use super::fold;
use super::masks::Masks;
use super::outbox::{Message, Shown, render, written};
use super::result::CommandResult;
use super::session::State;
use crate::engine::Engine;

/// No output of a command is cut to less, whatever the budget says: a shorter one helps nobody.
const SHORTEST_OUTPUT: usize = 300;

/// Writes the session's next message, and remembers what it shows.
pub(super) fn write_outbox(engine: &Engine, state: &mut State, masks: &mut Masks, note: Option<&str>) {
    let budget = fold::bytes(state.budget_tokens);
    let listing = fold::listing(&files(engine.workspace()), budget / 4);
    let is_first = state.session.sequence_number == 1;
    let results = results(&state.session.last_results, masks, budget / 4);
    let used = listing.len() + results.iter().map(size).sum::<usize>();
    let requests = state.session.read_file_requests.clone();
    let contents = contents(engine, state, masks, &requests, budget.saturating_sub(used));
    let task = masks.mask("task", &state.session.task);
    let note = note.map(|note| masks.mask("task", note));
    state.outbox = render(&Message {
        session: &state.session.session_id,
        sequence: state.session.sequence_number,
        task: &task,
        listing: &listing,
        results: (!is_first).then_some(&results),
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
fn results(results: &[CommandResult], masks: &mut Masks, limit_bytes: usize) -> Vec<CommandResult> {
    let outputs = results.iter().filter(|result| result.output.is_some()).count().max(1);
    let each = (limit_bytes / outputs).max(SHORTEST_OUTPUT);
    let shown = |result: &CommandResult| CommandResult {
        summary: masks.mask("results", &result.summary),
        output: result.output.as_ref().map(|output| fold::set_in(&masks.mask("results", output), each)),
        ..result.clone()
    };
    results.iter().map(shown).collect()
}

/// The files that were asked for, as long as there is room. What is shown is what line numbers mean from now on.
fn contents(
    engine: &Engine,
    state: &mut State,
    masks: &mut Masks,
    requests: &[String],
    mut room_bytes: usize,
) -> Vec<Shown> {
    let mut contents = Vec::new();
    for name in requests {
        let Some(text) = read_text(engine, name) else {
            let notice = Some(format!("'{name}' can no longer be read"));
            contents.push(Shown { path: name.clone(), text: String::new(), notice });
            continue;
        };
        let masked = masks.mask(name, &text);
        let plain = masked.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let (kept, lines, total) = fold::beginning(&plain, room_bytes);
        room_bytes -= kept.len();
        let notice = (lines < total).then(|| {
            format!(
                "only {lines} of the {total} lines of '{name}' are shown, for the message would be too long"
            )
        });
        contents.push(Shown { path: name.clone(), text: kept.to_owned(), notice });
        state.views.set(name, masked, false);
    }
    contents
}

/// The text of a file; `None` if there is none, or it is not text.
pub(super) fn read_text(engine: &Engine, name: &str) -> Option<String> {
    let path = engine.workspace().path(name).ok()?;
    let file = engine.workspace().read(&path).ok().flatten()?;
    relay_edit::text(&file.bytes)
}

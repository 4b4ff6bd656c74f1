//! The plan of a compaction: what to prune, what to summarise, what to keep.
//!
//! Planning is pure. The plan names results to prune and holds the requests to a summarising model; [`Plan::finish`]
//! makes the entry from the answers. [`carry_out`](super::carry_out) or the turn loop itself asks the model.

use serde_json::Value;

use super::files::FileLists;
use super::prune::{self, Pruning};
use super::request::{Request, Subject, parted};
use super::settings::Settings;
use super::verbatim::Verbatim;
use super::view::{Seen, View, begins_turn};
use super::{transcript, view};
use crate::session::Entry;
use crate::session::body::Compaction;

/// What joins the summary of the history and that of the turn that was cut.
const SPLIT: &str = "\n\n---\n\n**Turn Context (split turn):**\n\n";

/// Why a conversation is compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// The window is nearly full.
    Threshold,
    /// The provider refused it as too long.
    Overflow,
    /// The user asked for it.
    Request,
    /// It is large and idle.
    Idle,
}

/// Everything a plan depends on besides the branch.
#[derive(Clone, Debug)]
pub struct Situation<'a> {
    /// Why.
    pub trigger: Trigger,
    /// The settings.
    pub settings: &'a Settings,
    /// The model's context window in tokens.
    pub window: u64,
    /// What the user wants the summary to be about.
    pub focus: Option<String>,
    /// Instructions that must survive word for word, besides those pinned in the session.
    pub pinned: Vec<String>,
    /// What hooks add.
    pub hooks: Hooks,
}

impl<'a> Situation<'a> {
    /// A situation without focus, pins and hooks.
    #[must_use]
    pub fn new(trigger: Trigger, settings: &'a Settings, window: u64) -> Self {
        Self { trigger, settings, window, focus: None, pinned: Vec::new(), hooks: Hooks::default() }
    }
}

/// What hooks add to a compaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hooks {
    /// A question that replaces Relay's.
    pub instructions: Option<String>,
    /// Lines for the summarising model to consider.
    pub context: Vec<String>,
    /// Data to store in the entry for the next time.
    pub preserve_data: Option<Value>,
}

/// Why there is nothing to compact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Nothing {
    /// Nothing was said yet, or everything said belongs to what is kept.
    #[error("there is nothing to compact yet")]
    TooShort,
    /// Nothing was said since the last compaction.
    #[error("the conversation is compacted already")]
    AlreadyCompacted,
    /// The threshold is not reached.
    #[error("the conversation is not long enough to be compacted by itself")]
    NotDue,
}

/// What a compaction will do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Results to replace by a note, whatever else happens.
    pub prunings: Vec<Pruning>,
    /// What to summarise; `None` if pruning is enough.
    pub cut: Option<Cut>,
    /// How many tokens the conversation has.
    pub tokens_before: u64,
    hooks: Hooks,
    focus: Option<String>,
    max_output: u64,
}

/// Where a conversation is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The first entry that is kept.
    pub first_kept_entry_id: String,
    /// How many tokens are summarised.
    pub summarised_tokens: u64,
    /// Whether the cut is inside a turn.
    pub is_split: bool,
    /// The files that were read and changed so far.
    pub files: FileLists,
    /// What survives word for word.
    pub verbatim: Verbatim,
    previous: Option<String>,
    history: Vec<String>,
    turn: Vec<String>,
}

/// How many tokens the model reads of a branch: the provider's count where it is known, with an estimate of what was
/// said since; system prompt and tools are part of the provider's count only.
#[must_use]
pub fn context_tokens(path: &[&Entry]) -> u64 {
    View::new(path).tokens()
}

/// Plans a compaction of a branch, from its root to its leaf.
///
/// # Errors
/// There is nothing to compact.
pub fn plan(path: &[&Entry], situation: &Situation<'_>) -> Result<Plan, Nothing> {
    let view = View::new(path);
    let settings = situation.settings;
    let tokens_before = view.tokens();
    if situation.trigger == Trigger::Threshold && !settings.is_due(tokens_before, situation.window) {
        return Err(Nothing::NotDue);
    }
    if view.previous.is_some() && !view.seen.iter().any(|seen| seen.is_new) {
        return Err(Nothing::AlreadyCompacted);
    }
    let mut prunings = prune::usual(&view);
    let saved: u64 = prunings.iter().map(Pruning::saved).sum();
    let plan = |prunings, cut| Plan {
        prunings,
        cut,
        tokens_before,
        hooks: situation.hooks.clone(),
        focus: situation.focus.clone(),
        max_output: max_output(settings, situation.window),
    };
    let is_enough = !settings.is_due(tokens_before.saturating_sub(saved), situation.window);
    if situation.trigger == Trigger::Threshold && saved > 0 && is_enough {
        return Ok(plan(prunings, None));
    }
    let Some(at) = find_cut(&view, situation) else {
        return if prunings.is_empty() { Err(Nothing::TooShort) } else { Ok(plan(prunings, None)) };
    };
    let kept = view.seen.get(at..).unwrap_or_default();
    // Summarised entries stay in the log unchanged; pruning affects only what the model continues to read.
    prunings.retain(|pruning| kept.iter().any(|seen| seen.entry.id() == pruning.entry_id));
    if situation.trigger == Trigger::Overflow {
        let room = settings.threshold(situation.window) / 2;
        let forced = prune::forced(kept, room);
        prunings.retain(|pruning| !forced.contains(pruning));
        prunings.extend(forced);
    }
    let Some(cut) = make_cut(path, &view, at, &situation.pinned) else { return Err(Nothing::TooShort) };
    Ok(plan(prunings, Some(cut)))
}

/// How long a summary may become: four fifths of the reserve, so that it always fits.
fn max_output(settings: &Settings, window: u64) -> u64 {
    (settings.reserve_tokens * 4 / 5).min(window / 4).max(512)
}

/// The first entry that is kept: the oldest of the newest entries that together have what is kept, or the next one
/// where the branch may be cut.
fn find_cut(view: &View<'_>, situation: &Situation<'_>) -> Option<usize> {
    let all: u64 = view.seen.iter().map(|seen| seen.tokens).sum();
    let mut keep = situation.settings.keep_recent(situation.window);
    if situation.trigger == Trigger::Request {
        // A user who asks for it wants a shorter conversation even if it is not long.
        keep = keep.min(all / 2);
    }
    // The choice of what to keep relies on estimates, which may be too small for this conversation.
    let keep = (keep as f64 / view.scale()) as u64;
    let mut kept = 0;
    let wanted = view.seen.iter().enumerate().rev().find_map(|(at, seen)| {
        kept += seen.tokens;
        (kept >= keep).then_some(at)
    })?;
    let can_cut = |at: &usize| *at > 0 && view.can_cut.get(*at).copied().unwrap_or(false);
    let cut = (wanted..view.seen.len()).find(can_cut).or_else(|| (0..wanted).rev().find(can_cut))?;
    let summarised: u64 = view.seen.iter().take(cut).map(|seen| seen.tokens).sum();
    // Saving a few words is not worth a request and a cold cache, and would recur after every turn.
    let is_worth_it = matches!(situation.trigger, Trigger::Request | Trigger::Overflow)
        || summarised >= (situation.window / 50).min(2_000);
    is_worth_it.then_some(cut)
}

fn make_cut(path: &[&Entry], view: &View<'_>, at: usize, pinned: &[String]) -> Option<Cut> {
    let (summarised, kept) = view.seen.split_at_checked(at)?;
    let first = kept.first()?;
    // A turn that is cut has a beginning before the cut and goes on after it.
    let turn_start = match begins_turn(first.entry) {
        true => at,
        false => summarised.iter().rposition(|seen| begins_turn(seen.entry)).unwrap_or(at),
    };
    let parts = |seen: &[Seen<'_>]| {
        let messages = seen.iter().filter_map(|seen| transcript::part(&*seen.message()?));
        messages.collect::<Vec<_>>()
    };
    let (history, turn) = summarised.split_at_checked(turn_start)?;
    let mut files = FileLists::from_details(view.previous.and_then(|previous| previous.details.as_ref()));
    summarised.iter().for_each(|seen| files.add(seen.entry));
    Some(Cut {
        first_kept_entry_id: first_kept(path, first.entry),
        summarised_tokens: summarised.iter().map(|seen| seen.tokens).sum(),
        is_split: !turn.is_empty(),
        files,
        verbatim: Verbatim::collect(path, view, at, pinned),
        previous: view.previous.map(stripped),
        history: parts(history),
        turn: parts(turn),
    })
}

/// Entries directly before the first kept message that the model does not see (a change of model, a label) belong to
/// what follows them.
fn first_kept(path: &[&Entry], first: &Entry) -> String {
    let Some(at) = path.iter().position(|entry| entry.id() == first.id()) else {
        return first.id().to_owned();
    };
    let is_quiet = |entry: &&&Entry| {
        view::message(entry).is_none()
            && !matches!(
                entry.kind(),
                crate::session::Kind::Compaction
                    | crate::session::Kind::ResetBoundary
                    | crate::session::Kind::Other
            )
    };
    let quiet = path.iter().take(at).rev().take_while(is_quiet).count();
    path.get(at - quiet).map_or_else(|| first.id().to_owned(), |entry| entry.id().to_owned())
}

/// A summary without the parts that Relay appended, which are computed anew.
fn stripped(compaction: &Compaction) -> String {
    const ADDED: [&str; 4] = [
        "\n\n<pinned-instructions>\n",
        "\n\n<latest-request>\n",
        "\n\n<read-files>\n",
        "\n\n<modified-files>\n",
    ];
    let added = compaction.details.as_ref().map(|details| {
        let pinned = details.get("pinned").and_then(Value::as_array);
        let texts = pinned.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let latest = details.get("latestRequest").and_then(Value::as_str).map(str::to_owned);
        let verbatim = Verbatim { latest_request: latest, pinned: texts.collect() };
        verbatim.shown() + &FileLists::from_details(Some(details)).shown()
    });
    let summary = compaction.summary.as_str();
    match added.and_then(|added| summary.strip_suffix(added.as_str())) {
        Some(summary) => summary.to_owned(),
        // Another program wrote it. Its lists, which have the same form, are the last things in the text.
        None if summary.trim_end().ends_with("-files>") => {
            let end = ADDED.iter().filter_map(|tag| summary.rfind(tag)).min();
            end.and_then(|end| summary.get(..end)).unwrap_or(summary).to_owned()
        }
        None => summary.to_owned(),
    }
}

impl Plan {
    /// The requests to a summarising model: none, one, or two if a turn is cut.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let Some(cut) = &self.cut else { return Vec::new() };
        let request = |subject, conversation: &[String], previous| Request {
            subject,
            conversation: conversation.to_vec(),
            previous,
            context: self.hooks.context.clone(),
            focus: self.focus.clone(),
            instructions: self.hooks.instructions.clone(),
            max_output: self.max_output,
        };
        let mut requests = Vec::new();
        if !cut.history.is_empty() || (cut.turn.is_empty() && cut.previous.is_some()) {
            requests.push(request(Subject::History, &cut.history, cut.previous.clone()));
        }
        if !cut.turn.is_empty() {
            requests.push(Request {
                // A hook's question is asked once, about the first part.
                instructions: self.hooks.instructions.clone().filter(|_| requests.is_empty()),
                max_output: (self.max_output / 2).max(512),
                ..request(Subject::Turn, &cut.turn, None)
            });
        }
        requests
    }

    /// The entry, made from the answers to [`Plan::requests`] in their order. None if pruning was all.
    #[must_use]
    pub fn finish(&self, answers: &[String]) -> Option<Compaction> {
        let cut = self.cut.as_ref()?;
        let subjects = self.requests();
        let (mut short, mut history, mut turn) = (None, None, None);
        for (request, answer) in subjects.iter().zip(answers) {
            match request.subject {
                Subject::Turn => turn = Some(answer.trim().to_owned()),
                _ => {
                    let (line, rest) = parted(answer);
                    short = line;
                    history = Some(rest);
                }
            }
        }
        // Only a turn was summarised, so the earlier data still applies.
        let history = history.or_else(|| cut.previous.clone());
        let mut summary = match (history, turn) {
            (Some(history), Some(turn)) => format!("{history}{SPLIT}{turn}"),
            (Some(history), None) => history,
            (None, turn) => format!("No earlier conversation.{SPLIT}{}", turn.unwrap_or_default()),
        };
        let short = short.or_else(|| first_line(&summary));
        summary.push_str(&cut.verbatim.shown());
        summary.push_str(&cut.files.shown());
        let mut details = cut.files.details();
        cut.verbatim.add_to(&mut details);
        Some(Compaction { short_summary: short, details: Some(details), ..self.entry(cut, summary) })
    }

    /// The entry with a summary that an extension brought.
    #[must_use]
    pub fn finish_with(&self, summary: String, details: Option<Value>) -> Option<Compaction> {
        let cut = self.cut.as_ref()?;
        let short = first_line(&summary);
        Some(Compaction {
            short_summary: short,
            details,
            from_extension: Some(true),
            ..self.entry(cut, summary)
        })
    }

    fn entry(&self, cut: &Cut, summary: String) -> Compaction {
        Compaction {
            summary,
            first_kept_entry_id: Some(cut.first_kept_entry_id.clone()),
            tokens_before: self.tokens_before,
            preserve_data: self.hooks.preserve_data.clone(),
            ..Compaction::default()
        }
    }
}

/// The first line with words in it, for lists.
fn first_line(summary: &str) -> Option<String> {
    let line = summary.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    Some(line.trim_start_matches(['-', '*', ' ']).chars().take(100).collect())
}

//! Fills a budget: first the frame, then files in order, and last the names of what is left out.
//!
//! A text never has more tokens than its parts together ([`super::tokens`]), so parts that fit one by one fit as a whole,
//! and a pack never exceeds its budget.

use relay_diagnostics::Diagnostic;

use super::render::{self, Frame};
use super::{LeftOut, Shown};
use crate::codes;
use crate::context::tokens;

/// Why something is left out.
const REASON: &str = "does not fit the budget";

/// The name under which the project's tree is left out.
const TREE: &str = "(the tree of the project)";

/// What a pack holds.
pub(super) struct Fitted {
    pub shown: Vec<Shown>,
    pub left_out: Vec<LeftOut>,
    /// How many of the omitted files the pack names.
    pub named: usize,
}

/// Chooses what fits; everything without a budget.
///
/// # Errors
/// Not even the frame fits.
pub(super) fn fit(
    frame: &mut Frame<'_>,
    files: Vec<Shown>,
    mut left_out: Vec<LeftOut>,
    budget: Option<usize>,
) -> Result<Fitted, Box<Diagnostic>> {
    let Some(budget) = budget else {
        return Ok(Fitted { shown: files, left_out, named: render::LEFT_OUT_SHOWN });
    };
    if frame.tokens() > budget && !frame.tree.is_empty() {
        let tokens = tokens::estimate(&std::mem::take(&mut frame.tree));
        left_out.push(LeftOut { path: TREE.to_owned(), reason: REASON.to_owned(), tokens: Some(tokens) });
    }
    let needed = frame.tokens();
    let Some(room) = budget.checked_sub(needed) else { return Err(Box::new(too_small(needed, budget))) };
    let all: usize = files.iter().map(|file| file.tokens).sum();
    if left_out.is_empty() && all <= room {
        return Ok(Fitted { shown: files, left_out, named: 0 });
    }
    // There is always room to say that something is left out; how many names fit is decided at the end.
    let notice = tokens::estimate(&render::left_out_notice(usize::MAX));
    let Some(mut room) = room.checked_sub(notice) else {
        return Err(Box::new(too_small(needed + notice, budget)));
    };
    let mut shown = Vec::new();
    for file in files {
        match room.checked_sub(file.tokens) {
            Some(rest) => {
                room = rest;
                shown.push(file);
            }
            None => left_out.push(LeftOut {
                path: file.path,
                reason: REASON.to_owned(),
                tokens: Some(file.tokens),
            }),
        }
    }
    let mut named = 0;
    for left in left_out.iter().take(render::LEFT_OUT_SHOWN) {
        let Some(rest) = room.checked_sub(tokens::estimate(&render::left_out_line(left))) else { break };
        room = rest;
        named += 1;
    }
    Ok(Fitted { shown, left_out, named })
}

fn too_small(needed: usize, budget: usize) -> Diagnostic {
    let message =
        format!("the pack needs about {needed} tokens without any file, and the budget is {budget}");
    let hint = "Raise --budget, shorten the task, or leave out --diff.";
    Diagnostic::error(codes::BUDGET_TOO_SMALL, message).hinted(hint)
}

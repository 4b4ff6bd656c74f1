//! `edit`: parts of files, in the form that the model writes best.
//!
//! Each form is read into edits, and all edits land through the engine: the same certificates, all or nothing, the same
//! undo. `mode` chooses the form, `spec` declares it, `wanted` and the files named after forms read it, `land` lands it and
//! words what came of it, `preview` shows it while the model still writes.

mod by_anchor;
mod compact;
mod land;
mod mode;
mod notebooks;
mod objection;
mod partial;
mod patch;
mod preview;
mod replace;
mod similar;
mod spec;
mod vim;
mod wanted;

use relay_agent::tool::{Access, Asking, Call, Output, Services, Spec, Tool, ToolError};
use serde_json::{Map, Value};

pub use compact::{compact, first_changed_line, unified};
pub use land::{generated, land_edits, refuse_in_plan_mode, refused, relative, remember, worded};
use mode::Mode;
use vim::Buffers;
use wanted::{Wanted, named_paths};

/// The tool.
pub struct Edit {
    specs: [Spec; 5],
    buffers: Buffers,
}

impl Edit {
    pub fn new() -> Self {
        Self { specs: Mode::ALL.map(spec::of), buffers: Buffers::default() }
    }

    fn spec_of(&self, mode: Mode) -> &Spec {
        let [hashline, replace, patch, apply_patch, vim] = &self.specs;
        match mode {
            Mode::Hashline => hashline,
            Mode::Replace => replace,
            Mode::Patch => patch,
            Mode::ApplyPatch => apply_patch,
            Mode::Vim => vim,
        }
    }

    /// Whether the model of a call edits by anchors, so that it needs them.
    pub fn takes_anchors(call: &Call<'_>) -> bool {
        let asking = Asking { model: &call.facts.model, services: call.services };
        let tools = &call.facts.tools;
        let has_edit = tools.is_empty() || tools.iter().any(|name| name == "edit");
        has_edit && Mode::of(asking) == Mode::Hashline
    }

    /// The form that arguments are in: the one that was asked for, or another that they fit.
    fn mode(asking: Asking<'_>, arguments: &Map<String, Value>) -> Mode {
        Mode::written(arguments).unwrap_or_else(|| Mode::of(asking))
    }
}

impl Tool for Edit {
    fn spec(&self) -> &Spec {
        self.spec_of(Mode::Hashline)
    }

    fn spec_for(&self, asking: Asking<'_>) -> &Spec {
        self.spec_of(Mode::of(asking))
    }

    fn grammar_for(&self, asking: Asking<'_>) -> Option<&'static str> {
        spec::grammar(Mode::of(asking))
    }

    fn schema_for(&self, asking: Asking<'_>, arguments: &Map<String, Value>) -> &Value {
        &self.spec_of(Self::mode(asking, arguments)).parameters
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        named_paths(arguments).into_iter().map(Access::Changes).collect()
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        refuse_in_plan_mode(call)?;
        let asking = Asking { model: &call.facts.model, services: call.services };
        let mode = Self::mode(asking, call.arguments);
        if mode == Mode::Vim {
            return self.buffers.run(call);
        }
        let wanted = Wanted::read(mode, call.arguments, call.services);
        land::land(call, wanted)
    }

    fn preview(&self, arguments: &Map<String, Value>, services: &Services) -> Option<String> {
        let mode = Mode::written(arguments)?;
        preview::difference(mode, arguments, services).map(|(diff, _)| diff)
    }

    fn preview_partial(&self, arguments: &str, asking: Asking<'_>) -> Option<Output> {
        preview::preview(arguments, asking)
    }

    fn objection(&self, arguments: &str, asking: Asking<'_>) -> Option<String> {
        objection::objection(arguments, asking)
    }
}

#[cfg(test)]
mod tests;

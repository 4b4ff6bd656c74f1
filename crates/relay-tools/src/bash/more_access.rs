//! A command that failed because of its sandbox can be run again with more access, with one key.
//!
//! That a failure comes from the sandbox is a guess from what was printed; nothing is decided by it but whether to ask.

use relay_agent::policy::Permit;
use relay_agent::tool::{Call, Choice, Form, Output, Question, ToolError, UiAnswer};

/// What programs print when a write or a system call was refused.
const REFUSED: [&str; 6] = [
    "Read-only file system",
    "Operation not permitted",
    "Permission denied",
    "Device or resource busy",
    "EROFS",
    "EACCES",
];
/// What they print when there is no network.
const NO_NETWORK: [&str; 12] = [
    "Could not resolve host",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Network is unreachable",
    "ENETUNREACH",
    "ENOTFOUND",
    "EAI_AGAIN",
    "getaddrinfo",
    "Connection refused",
    "dns error",
    "failed to lookup address",
    "no such host",
];

/// Asks whether to run a failed command again with more access, and does that.
pub fn offer(
    call: &Call<'_>,
    output: Output,
    again: impl FnOnce(Permit) -> Result<Output, ToolError>,
) -> Result<Output, ToolError> {
    // A role or a policy that may change nothing does not get more by failing.
    let may_have_more = call.permit.writes && call.facts.bash_prefixes.is_empty();
    if !output.is_error || !call.permit.confined || !may_have_more {
        return Ok(output);
    }
    let text = output.plain_text();
    let (refused, network) = suspects(&text);
    let network = network && !call.permit.network;
    if !refused && !network {
        return Ok(output);
    }
    if !call.services.ui.is_attended() || call.cancel.is_cancelled() {
        return Ok(with_hint(output, network));
    }
    let command = call.text("command").unwrap_or_default();
    let choice =
        |id: &str, label: &str| Choice { id: id.to_owned(), label: label.to_owned(), description: None };
    let mut options = Vec::new();
    if network {
        options.push(choice("network", "Run it again with network access"));
    }
    options.push(choice("open", "Run it again without the sandbox"));
    options.push(choice("no", "Leave it"));
    let question = Question {
        title: "Sandbox".to_owned(),
        message: format!(
            "`{command}` failed, possibly because of the sandbox. Run it again with more access?"
        ),
        form: Form::Select { options, several: false, other: false },
        timeout_ms: None,
        details: None,
    };
    let chosen = match call.services.ui.ask(&question, call.cancel) {
        UiAnswer::Chosen { ids, .. } => ids.into_iter().next().unwrap_or_default(),
        _ => String::new(),
    };
    match chosen.as_str() {
        "network" => again(Permit { network: true, ..call.permit }),
        "open" => again(Permit { confined: false, network: true, writes: true }),
        _ => Ok(output),
    }
}

/// Whether an output looks like a refused write or call, and whether like a missing network.
fn suspects(text: &str) -> (bool, bool) {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    (says(&REFUSED), says(&NO_NETWORK))
}

/// Without a person to ask, the model at least learns what was in the way.
fn with_hint(mut output: Output, network: bool) -> Output {
    let hint = if network {
        "[The sandbox has no network. `--allow network` grants it.]"
    } else {
        "[The sandbox may be the reason: commands write only in the workspace and the temporary folder.]"
    };
    output.content.push(relay_agent::session::Block::text(hint));
    output
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::bash::Bash;
    use crate::testing::{Lab, Scripted};

    /// Runs a command that fails as in a sandbox, with a person who chooses this. How often it ran, and what was asked.
    fn check(printed: &str, permit: Permit, chosen: &str) -> (usize, Vec<String>) {
        let answer = UiAnswer::Chosen { ids: vec![chosen.to_owned()], words: None };
        let person = Scripted::new(vec![answer]);
        let mut lab = Lab::with(&[], Arc::clone(&person) as Arc<dyn relay_agent::tool::Ui>);
        lab.permit = permit;
        let command = format!("echo x >> runs; echo '{printed}' >&2; exit 1");
        lab.call(&Bash::new(), json!({ "command": command })).unwrap();
        let runs = std::fs::read_to_string(lab.root().join("runs")).unwrap().lines().count();
        let questions = person.questions.lock().unwrap();
        let options = questions.iter().flat_map(|question| match &question.form {
            Form::Select { options, .. } => options.iter().map(|option| option.id.clone()).collect(),
            _ => Vec::new(),
        });
        (runs, options.collect())
    }

    #[test]
    fn one_answer_runs_it_again_with_more_access() {
        let sandboxed = Permit { confined: true, network: false, writes: true };
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        assert_eq!(check("Read-only file system", sandboxed, "open"), (2, ids(&["open", "no"])));
        assert_eq!(
            check("Could not resolve host: x", sandboxed, "network"),
            (2, ids(&["network", "open", "no"]))
        );
        assert_eq!(check("Permission denied", sandboxed, "no"), (1, ids(&["open", "no"])));
        assert_eq!(check("no such file", sandboxed, "open"), (1, Vec::new()));
        let open = Permit { confined: false, ..sandboxed };
        assert_eq!(check("Permission denied", open, "open"), (1, Vec::new()));
        let read_only = Permit { writes: false, ..sandboxed };
        assert_eq!(check("Permission denied", read_only, "open"), (1, Vec::new()));
    }

    #[test]
    fn refusals_are_recognised() {
        assert_eq!(suspects("touch: cannot touch '/x': Read-only file system"), (true, false));
        assert_eq!(suspects("npm error code EAI_AGAIN"), (false, true));
        assert_eq!(suspects("error[E0308]: mismatched types"), (false, false));
    }
}

//! Recognition: is a text that arrived unasked, as on a clipboard, a reply for this project?
//!
//! A clipboard may hold anything: prose, code, passwords, replies for other projects, Relay's own instructions. Only
//! text that names this project is accepted without asking. This module reads nothing from disk and remembers nothing.

use std::collections::BTreeSet;

use relay_edit::{Reply, codes, parse, prompt};

use crate::context::pack::is_pack;
use crate::repair::message;

/// What a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// A reply that names this project.
    Reply,
    /// Edits without a control block.
    Bare {
        /// The files it changes.
        paths: Vec<String>,
    },
    /// A reply for another project, with that project's name.
    Elsewhere(String),
    /// A reply without a project in its control block.
    Unaddressed,
    /// It names this project and changes nothing.
    WithoutEdits,
    /// A text that Relay itself wrote for a model.
    FromRelay,
    /// Anything else.
    Other,
}

/// Classifies a text for the project with this name.
#[must_use]
pub fn recognise(text: &str, project_id: &str) -> Recognised {
    if is_pack(text) || message::is_prompt(text) || prompt::holds_instructions(text) {
        return Recognised::FromRelay;
    }
    let reply = parse(text, None);
    let is_broken = reply.diagnostics.iter().any(relay_diagnostics::Diagnostic::is_error);
    match &reply.control {
        Some(control) => match &control.project_id {
            Some(theirs) if theirs != project_id => Recognised::Elsewhere(theirs.clone()),
            Some(_) if reply.edits.is_empty() && !is_broken => Recognised::WithoutEdits,
            Some(_) => Recognised::Reply,
            None if reply.edits.is_empty() => Recognised::Other,
            None => Recognised::Unaddressed,
        },
        None if names_in_broken_control(&reply, text, project_id) => Recognised::Reply,
        None if reply.edits.is_empty() => Recognised::Other,
        None => Recognised::Bare { paths: paths(&reply) },
    }
}

/// Names a reply in a few words, for a person: by its uuid and the first file it changes.
#[must_use]
pub fn describe(text: &str) -> String {
    let reply = parse(text, None);
    let uuid = reply.control.as_ref().and_then(|control| control.uuid.as_deref());
    let named = uuid.map_or_else(|| "a reply".to_owned(), |uuid| format!("the reply {}", uuid.trim()));
    match paths(&reply).as_slice() {
        [] => named,
        [only] => format!("{named} (`{only}`)"),
        [first, ..] => format!("{named} (`{first}`, …)"),
    }
}

/// The files a reply changes, each once, in its order.
fn paths(reply: &Reply) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let paths = reply.edits.iter().map(|edit| &edit.path);
    paths.filter(|path| seen.insert(path.as_str())).cloned().collect()
}

/// Even a control block that is not valid YAML names its project.
fn names_in_broken_control(reply: &Reply, text: &str, project_id: &str) -> bool {
    reply.diagnostics.iter().any(|found| found.code == codes::BAD_CONTROL)
        && text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("projectId:"))
            .any(|named| named.trim().trim_matches(['"', '\'']) == project_id)
}

#[cfg(test)]
mod tests {
    use relay_edit::{Dialect, system_prompt};

    use super::*;

    fn check(text: &str, expected: Recognised) {
        assert_eq!(recognise(text, "shop"), expected, "{text}");
    }

    const BLOCK: &str = "```text // {a.txt}\nnew\n```\n\n";

    fn bare() -> Recognised {
        Recognised::Bare { paths: vec!["a.txt".to_owned()] }
    }

    fn control(lines: &str) -> String {
        format!("```yaml\n{lines}\n```\n")
    }

    #[test]
    fn only_a_text_that_names_the_project_is_a_reply_for_it() {
        let uuid = "uuid: 00000000-0000-4000-8000-000000000001";
        check(&format!("{BLOCK}{}", control(&format!("projectId: shop\n{uuid}"))), Recognised::Reply);
        check(&format!("{BLOCK}{}", control("projectId: shop")), Recognised::Reply);
        check(
            &format!("{BLOCK}{}", control(&format!("projectId: shopping\n{uuid}"))),
            Recognised::Elsewhere("shopping".to_owned()),
        );
        check(&format!("{BLOCK}{}", control(uuid)), Recognised::Unaddressed);
        check(BLOCK, bare());
        check(&control(&format!("projectId: shop\n{uuid}")), Recognised::WithoutEdits);
        for other in ["", "hunter2", "fn main() {}", "projectId: shop", "{\"uuid\": 1}", "uuid: 7\nkind: Pod"]
        {
            assert!(
                matches!(recognise(other, "shop"), Recognised::Other | Recognised::WithoutEdits),
                "{other}"
            );
        }
    }

    #[test]
    fn an_invalid_control_block_still_names_the_project() {
        let broken = control("projectId: shop\nuuid: [");
        check(&format!("{BLOCK}{broken}"), Recognised::Reply);
        check(&format!("{BLOCK}{}", broken.replace("shop", "other")), bare());
    }

    #[test]
    fn the_instructions_for_a_model_are_not_a_reply_despite_their_example() {
        for dialect in Dialect::ALL {
            let text = system_prompt(*dialect, Some("shop"));
            check(&text, Recognised::FromRelay);
            check(&format!("Here is my repository.\n\n{text}\n\nNow do it."), Recognised::FromRelay);
        }
    }

    #[test]
    fn a_reply_is_named_by_its_uuid_and_its_first_file() {
        assert_eq!(describe("nothing"), "a reply");
        let two = format!("{BLOCK}{}", BLOCK.replace("a.txt", "b.txt"));
        assert_eq!(describe(&format!("{two}{BLOCK}")), "a reply (`a.txt`, …)");
        let named = format!("{BLOCK}{}", control("projectId: shop\nuuid: 1-2"));
        assert_eq!(describe(&named), "the reply 1-2 (`a.txt`)");
    }
}

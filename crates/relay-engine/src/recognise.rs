//! Recognition: is a text that came by itself, as on a clipboard, a reply for this project?
//!
//! A clipboard holds anything: prose, code, passwords, replies for other projects, Relay's own instructions. Only what
//! names this project is taken unasked. Nothing is read from disk here, and nothing is remembered.

use relay_edit::{Reply, codes, parse, prompt};

use crate::pack::is_pack;
use crate::report::repair;

/// What a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// A reply that names this project.
    Reply,
    /// Edits without a control block.
    Bare,
    /// A reply for another project, named as it is there.
    Elsewhere(String),
    /// A reply whose control block names no project.
    Unaddressed,
    /// It names this project and changes nothing.
    WithoutEdits,
    /// A text that Relay itself wrote for a model.
    FromRelay,
    /// Anything else.
    Other,
}

/// Says what a text is to the project of this name.
#[must_use]
pub fn recognise(text: &str, project_id: &str) -> Recognised {
    if is_pack(text) || repair::is_prompt(text) || prompt::holds_instructions(text) {
        return Recognised::FromRelay;
    }
    let reply = parse(text, None);
    let is_broken = reply.diagnostics.iter().any(relay_edit::Diagnostic::is_error);
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
        None => Recognised::Bare,
    }
}

/// Whether a text can be a reply with a control block at all. Cheap, to keep long texts of other kinds out of the parser.
#[must_use]
pub fn may_have_control(text: &str) -> bool {
    text.contains("projectId:") || text.contains("uuid:")
}

/// A control block that is no YAML still tells whom it was for.
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

    fn control(lines: &str) -> String {
        format!("```yaml\n{lines}\n```\n")
    }

    #[test]
    fn only_what_names_the_project_is_a_reply_for_it() {
        let uuid = "uuid: 00000000-0000-4000-8000-000000000001";
        check(&format!("{BLOCK}{}", control(&format!("projectId: shop\n{uuid}"))), Recognised::Reply);
        check(&format!("{BLOCK}{}", control("projectId: shop")), Recognised::Reply);
        check(
            &format!("{BLOCK}{}", control(&format!("projectId: shopping\n{uuid}"))),
            Recognised::Elsewhere("shopping".to_owned()),
        );
        check(&format!("{BLOCK}{}", control(uuid)), Recognised::Unaddressed);
        check(BLOCK, Recognised::Bare);
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
    fn a_control_block_that_is_no_yaml_still_names_the_project() {
        let broken = control("projectId: shop\nuuid: [");
        check(&format!("{BLOCK}{broken}"), Recognised::Reply);
        check(&format!("{BLOCK}{}", broken.replace("shop", "other")), Recognised::Bare);
    }

    #[test]
    fn the_instructions_for_a_model_are_no_reply_although_their_example_is_one() {
        for dialect in Dialect::ALL {
            let text = system_prompt(*dialect, Some("shop"));
            check(&text, Recognised::FromRelay);
            check(&format!("Here is my repository.\n\n{text}\n\nNow do it."), Recognised::FromRelay);
        }
    }

    #[test]
    fn what_cannot_be_a_reply_is_known_without_parsing() {
        assert!(may_have_control("x\nprojectId: a"));
        assert!(!may_have_control("a text about a project"));
    }
}

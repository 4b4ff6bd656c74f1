//! Sections as the argument of a tool call: nothing is around them, so everything in the text belongs to them.

use super::super::{Line, Reader, Taken};
use super::{Hashline, header, headless};
use crate::{Diagnostic, Reply, Severity, codes};

/// Reads sections that form a text of their own. If the author gave up (`*** Abort`), what is above applies and a warning says
/// so: a call, unlike a reply, is sent on purpose.
///
/// ```
/// let reply = relay_edit::sections("§a.py\n»EOF\nx = 1\n");
/// assert_eq!((reply.edits.len(), reply.diagnostics.len()), (1, 0));
/// ```
#[must_use]
pub fn sections(input: &str) -> Reply {
    let lines = || input.lines().enumerate().map(|(at, text)| Line { text, number: at + 1 });
    let is_frame = |line: &Line<'_>| line.text.trim().is_empty() || line.text.trim_end() == "*** Begin Patch";
    let first = lines().find(|line| !is_frame(line)).unwrap_or(Line { text: "", number: 1 });
    if header(first.text).is_none() {
        return Reply { diagnostics: vec![headless(first)], ..Reply::default() };
    }
    let mut reader = Box::<Hashline>::default();
    let mut ended = None;
    let mut rest = None;
    for line in lines() {
        if ended.is_some() {
            rest = Some(line.number).filter(|_| !line.text.trim().is_empty());
            if rest.is_some() {
                break;
            }
        } else if reader.line(line, true) != Taken::More {
            ended = Some(line.number);
            // Below an abort nothing counts.
            if reader.aborted {
                break;
            }
        }
    }
    let parsed = reader.finish();
    let mut diagnostics: Vec<Diagnostic> = parsed.findings.into_list().into_iter().map(settled).collect();
    if let Some((ended, rest)) = ended.zip(rest) {
        let message = format!("line {rest}: there is text below `*** End Patch` in line {ended}.");
        let finding = Diagnostic::error(codes::BAD_ANCHOR, message).at(rest);
        diagnostics.push(finding.hinted("send all sections in one envelope, or without one"));
    }
    Reply { edits: parsed.edits, diagnostics, ..Reply::default() }
}

fn settled(finding: Diagnostic) -> Diagnostic {
    if finding.code != codes::ABORTED {
        return finding;
    }
    let message =
        "the input ended with `*** Abort`; the operations above it were applied, nothing below it was";
    Diagnostic { severity: Severity::Warning, message: message.into(), hint: None, ..finding }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, edits: usize, message: &str) {
        let reply = sections(input);
        assert_eq!(reply.edits.len(), edits, "{input} {:#?}", reply.diagnostics);
        match message {
            "" => assert!(reply.diagnostics.is_empty(), "{:#?}", reply.diagnostics),
            _ => assert!(reply.diagnostics.iter().any(|found| found.message.contains(message)), "{reply:#?}"),
        }
    }

    #[test]
    fn everything_belongs_to_the_sections() {
        check("§a.rs\n»EOF\nThat should do it.\n", 1, "");
        check("\n§a.rs\n»EOF\n```\nx\n```\n\n", 1, "");
        check("*** Begin Patch\n§a\n≔1ab\nx\n§§§b\n≔2cd..3ef\n*** End Patch\n", 2, "");
        check("§a\n≔1ab\n\n»EOF\nx", 1, "");
    }

    #[test]
    fn an_abort_keeps_what_is_above_it() {
        check("§a\n»EOF\nx\n*** Abort\n§b\n»EOF\ny\n", 1, "`*** Abort`");
        assert!(!sections("§a\n»EOF\nx\n*** Abort\n").diagnostics.iter().any(Diagnostic::is_error));
    }

    #[test]
    fn nothing_is_dropped_silently() {
        check(
            "*** Begin Patch\n§a\n»EOF\nx\n*** End Patch\n*** Begin Patch\n§b\n",
            1,
            "below `*** End Patch`",
        );
        check("", 0, "input must begin with \"§PATH\"");
        check("hello\n§a\n", 0, "got: \"hello\"");
    }
}

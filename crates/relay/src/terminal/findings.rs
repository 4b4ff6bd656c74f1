//! The reviewers' findings, shown beside the code.

use relay_backends::review::{Finding, Reviewed, Severity, Verdict};

use super::report::line;
use super::style::{BAD, FAINT, GOOD, NOTE, PLACE, STRONG, count, paint};
use super::visible;

/// How many lines of code are shown on either side of a finding's line.
const AROUND: usize = 2;

/// What is shown.
pub struct Shown<'a> {
    /// The findings of all reviewers together.
    pub findings: &'a [Finding],
    /// The verdict.
    pub verdict: Verdict,
    /// What each reviewer said.
    pub reviewed: &'a [Reviewed],
}

/// The findings, each with its place in the code, then the verdict.
pub fn text(shown: &Shown<'_>, source: &dyn Fn(&str) -> Option<String>) -> String {
    let mut text = String::new();
    for (index, finding) in shown.findings.iter().enumerate() {
        one(&mut text, index + 1, finding, source);
    }
    for reviewed in shown.reviewed {
        about(&mut text, reviewed);
    }
    let (style, word) = match shown.verdict {
        Verdict::Ship => (GOOD, "✓ ship"),
        Verdict::Iterate => (BAD, "✗ iterate"),
        Verdict::Abstain => (NOTE, "? no verdict"),
    };
    let number = count(shown.findings.len(), "finding");
    line(&mut text, format_args!("{}  {number}", paint(style.bold(), word)));
    if shown.findings.iter().any(|finding| finding.fix.is_some()) {
        let how = paint(PLACE, "relay review --apply N");
        line(&mut text, format_args!("  {} {how}", paint(FAINT, "land a suggested fix with")));
    }
    text
}

fn one(text: &mut String, number: usize, finding: &Finding, source: &dyn Fn(&str) -> Option<String>) {
    let style = match finding.severity {
        Severity::Blocker => BAD,
        Severity::Important => NOTE,
        Severity::Nit => FAINT,
    };
    let place = format!("{}:{}", visible(&finding.file), finding.line);
    let by = if finding.by.is_empty() { String::new() } else { format!("  ({})", finding.by.join(", ")) };
    line(
        text,
        format_args!(
            "{} {}  {}{}",
            paint(STRONG, format_args!("{number}.")),
            paint(style, finding.severity.name()),
            paint(PLACE, place),
            paint(FAINT, visible(&by))
        ),
    );
    for part in finding.message.lines() {
        line(text, format_args!("   {}", visible(part)));
    }
    if let Some(code) = source(&finding.file) {
        beside(text, &code, usize::try_from(finding.line).unwrap_or(usize::MAX));
    }
    if finding.fix.is_some() {
        line(text, format_args!("   {}", paint(FAINT, "has a suggested fix")));
    }
    text.push('\n');
}

/// The lines around the finding.
fn beside(text: &mut String, code: &str, at: usize) {
    let first = at.saturating_sub(AROUND).max(1);
    for (number, code) in
        (1..).zip(code.lines()).skip(first - 1).take_while(|(number, _)| *number <= at + AROUND)
    {
        let mark = if number == at { ">" } else { " " };
        let row = format!("   {mark} {number:>5} │ {}", visible(code));
        if number == at {
            line(text, format_args!("{row}"));
        } else {
            line(text, format_args!("{}", paint(FAINT, row)));
        }
    }
}

/// Further notes about a reviewer's answer.
fn about(text: &mut String, reviewed: &Reviewed) {
    let name = visible(&reviewed.backend);
    if let Some(reason) = &reviewed.fallback {
        let note =
            format!("note: {name}'s own review failed ({}); the generic one was used", visible(reason));
        line(text, format_args!("{}", paint(FAINT, note)));
    }
    if reviewed.reading.dropped > 0 {
        let number = count(reviewed.reading.dropped, "finding");
        let note = format!("note: dropped {number} of {name} outside the changes");
        line(text, format_args!("{}", paint(FAINT, note)));
    }
    if !reviewed.reading.was_understood {
        line(text, format_args!("{} of {name} cannot be read in full; it said:", paint(NOTE, "the answer")));
        for part in reviewed.text.lines().take(40) {
            line(text, format_args!("   {}", visible(part)));
        }
    }
}

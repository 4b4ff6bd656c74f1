//! Merges the findings of several reviewers: what they agree on is listed once, with all their names.

use super::finding::Finding;

/// How many lines apart two findings about the same thing may be.
const NEAR_LINES: u32 = 3;

/// What share of their words two messages must have in common to be about the same thing.
const SHARED_WORDS: f64 = 0.5;

/// Merges findings, the most severe first.
#[must_use]
pub fn merge(reviews: impl IntoIterator<Item = (String, Vec<Finding>)>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    for (reviewer, findings) in reviews {
        for mut finding in findings {
            finding.by = vec![reviewer.clone()];
            match merged.iter_mut().find(|known| is_same(known, &finding)) {
                Some(known) => agree(known, finding),
                None => merged.push(finding),
            }
        }
    }
    merged.sort_by(|a, b| {
        b.severity.cmp(&a.severity).then_with(|| a.file.cmp(&b.file)).then_with(|| a.line.cmp(&b.line))
    });
    merged
}

/// Takes the more severe view, and the first fix that any of them has.
fn agree(known: &mut Finding, other: Finding) {
    known.severity = known.severity.max(other.severity);
    known.fix = known.fix.take().or(other.fix);
    for reviewer in other.by {
        if !known.by.contains(&reviewer) {
            known.by.push(reviewer);
        }
    }
}

fn is_same(a: &Finding, b: &Finding) -> bool {
    a.file == b.file
        && a.line.abs_diff(b.line) <= NEAR_LINES
        && shared(&a.message, &b.message) >= SHARED_WORDS
}

/// The share of words that two messages have in common.
fn shared(a: &str, b: &str) -> f64 {
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 2)
            .map(str::to_lowercase)
            .collect()
    };
    let (a, b) = (words(a), words(b));
    let fewer = a.len().min(b.len());
    if fewer == 0 {
        return if a == b { 1.0 } else { 0.0 };
    }
    let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    count(a.intersection(&b).count()) / count(fewer)
}

#[cfg(test)]
mod tests {
    use super::super::finding::Severity;
    use super::*;

    fn found(line: u32, severity: Severity, message: &str) -> Finding {
        let (file, message) = ("a.rs".to_owned(), message.to_owned());
        Finding { file, line, severity, message, fix: None, by: Vec::new() }
    }

    #[test]
    fn findings_that_two_agree_on_are_listed_once() {
        let one = vec![found(10, Severity::Nit, "The loop never ends when n is zero")];
        let other = vec![
            found(11, Severity::Blocker, "loop never ends for zero n"),
            found(11, Severity::Nit, "name is misspelt"),
        ];
        let merged = merge([("codex".to_owned(), one), ("claude".to_owned(), other)]);
        assert_eq!(merged.len(), 2);
        assert_eq!(
            (merged[0].severity, merged[0].by.join("+")),
            (Severity::Blocker, "codex+claude".to_owned())
        );
    }

    #[test]
    fn the_same_words_elsewhere_are_another_finding() {
        let review =
            vec![found(10, Severity::Nit, "unused variable"), found(90, Severity::Nit, "unused variable")];
        assert_eq!(merge([("codex".to_owned(), review)]).len(), 2);
    }
}

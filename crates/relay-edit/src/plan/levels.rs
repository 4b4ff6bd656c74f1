//! How a reply writes the levels of a file, for sections that show nothing of it.
//!
//! A section whose old lines have no indentation says nothing about how its author indents; another section of the same
//! file may. They are placed one after the other, so what one of them shows is known to all only when everything is
//! planned once more. Nothing is placed here.

use std::collections::BTreeMap;

use super::EditOutcome;
use crate::Edit;
use crate::matcher::{Placement, Reindent};

/// For each path how its levels are written, where that is not as in the file.
pub(super) type Levels = BTreeMap<String, Reindent>;

/// What some sections of a reply show that others of the same file do not.
pub(super) fn shown(edits: &[Edit], outcomes: &[EditOutcome]) -> Levels {
    let is_units = |placement: &Placement| placement.reindent.levels().is_some();
    // Mostly nothing is indented otherwise.
    if !outcomes.iter().flat_map(placements).any(is_units) {
        return Levels::new();
    }
    let mut rules: BTreeMap<&str, Vec<Reindent>> = BTreeMap::new();
    for (edit, outcome) in edits.iter().zip(outcomes) {
        let rule = |rule: &Reindent| rule.levels().unwrap_or_else(|| rule.clone());
        let found = placements(outcome).map(|placement| rule(&placement.reindent));
        rules.entry(&edit.path).or_default().extend(found);
    }
    let agreed = rules.into_iter().filter_map(|(path, rules)| {
        let mut others = rules.iter().filter(|rule| **rule != Reindent::Keep);
        let rule = others.next()?;
        let agree = matches!(rule, Reindent::Units { .. }) && others.all(|other| other == rule);
        (agree && rules.contains(&Reindent::Keep)).then(|| (path.to_owned(), rule.clone()))
    });
    agreed.collect()
}

fn placements(outcome: &EditOutcome) -> impl Iterator<Item = &Placement> {
    outcome.certificates.iter().flat_map(|certificate| &certificate.placements)
}

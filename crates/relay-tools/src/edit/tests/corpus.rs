//! The corpus of real edits, written as calls: nothing may land otherwise than it is meant.

use std::collections::BTreeMap;

use relay_diagnostics::Diagnostic;
use relay_edit::{Edit, Snapshot, plan};
use serde_json::{Value, json};

use super::super::wanted::envelope;
use super::super::{patch, replace, similar};

/// Old and new texts of a reply in SEARCH/REPLACE blocks, by file.
fn sections(reply: &str) -> Option<BTreeMap<String, Vec<Value>>> {
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let (mut path, mut side) = (None, 0);
    let (mut old, mut new, mut last) = (String::new(), String::new(), "");
    for line in reply.lines() {
        match (side, line.trim_end()) {
            (0, "<<<<<<< SEARCH") => {
                let name = last.trim().trim_matches(['`', '*']);
                if !name.is_empty() && !name.starts_with("```") && !name.starts_with(">>>>") {
                    path = Some(name.to_owned());
                }
                side = 1;
            }
            (1, "=======") => side = 2,
            (2, ">>>>>>> REPLACE") => {
                let edit =
                    json!({ "old_text": std::mem::take(&mut old), "new_text": std::mem::take(&mut new) });
                files.entry(path.clone()?).or_default().push(edit);
                side = 0;
            }
            (1, _) => old.push_str(&format!("{line}\n")),
            (2, _) => new.push_str(&format!("{line}\n")),
            _ => {}
        }
        if !line.trim().is_empty() && !line.starts_with("```") {
            last = line;
        }
    }
    (side == 0 && !files.is_empty()).then_some(files)
}

/// The envelope in a reply.
fn enveloped(reply: &str) -> Option<&str> {
    let start = reply.find("*** Begin Patch")?;
    let end = reply.rfind("*** End Patch")? + "*** End Patch".len();
    reply.get(start..end)
}

/// The hunks of an envelope that only updates files, by file.
fn updates(patch: &str) -> Option<BTreeMap<String, String>> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut path: Option<String> = None;
    for line in patch.lines().skip(1) {
        match line.strip_prefix("*** ") {
            Some(directive) if directive.starts_with("Update File: ") => {
                path = Some(directive.trim_start_matches("Update File: ").trim().to_owned());
            }
            Some("End of File") | None => {
                files.entry(path.clone()?).or_default().push_str(&format!("{line}\n"));
            }
            Some("End Patch") => {}
            Some(_) => return None,
        }
    }
    Some(files)
}

/// What became of a case: nothing landed, or what did is right.
fn is_right(case: &Value, edits: &[Edit]) -> Result<bool, String> {
    let text = |value: &Value| value.as_str().map(|text| text.as_bytes().to_vec());
    let before = case["files"].as_object().unwrap();
    let files = before.iter().filter_map(|(path, content)| Some((path.clone(), text(content)?))).collect();
    let snapshot = Snapshot { files, ..Snapshot::default() };
    let plan = plan(edits, &snapshot);
    if plan.diagnostics.iter().any(Diagnostic::is_error) {
        return Ok(false);
    }
    let expect = &case["expect"];
    let mut after = snapshot.files.clone();
    for change in plan.changes {
        match change.after {
            Some(bytes) => drop(after.insert(change.path, bytes)),
            None => drop(after.remove(&change.path)),
        }
    }
    if after == snapshot.files {
        return Ok(false);
    }
    let accepted = std::iter::once(&expect["files"]).chain(expect["alt"].as_array().into_iter().flatten());
    let fits = |wanted: &Value| {
        let wanted = wanted.get("files").unwrap_or(wanted).as_object().cloned().unwrap_or_default();
        wanted.iter().all(|(path, content)| after.get(path) == text(content).as_ref())
    };
    let is_meant = expect["status"] == "applied" && accepted.into_iter().any(fits);
    if is_meant || by_line(expect, &after) { Ok(true) } else { Err(case["id"].to_string()) }
}

/// Each line is the expected one or that of an alternative.
fn by_line(expect: &Value, after: &BTreeMap<String, Vec<u8>>) -> bool {
    let Some(wanted) = expect["files"].as_object().filter(|_| expect["status"] == "applied") else {
        return false;
    };
    wanted.iter().all(|(path, content)| {
        let found =
            String::from_utf8_lossy(after.get(path).map(Vec::as_slice).unwrap_or_default()).into_owned();
        let alternatives: Vec<Value> = expect["alt"].as_array().cloned().unwrap_or_default();
        let of = |value: &Value| value.get("files").unwrap_or(value)[path].as_str().map(str::to_owned);
        let all: Vec<String> =
            alternatives.iter().filter_map(of).chain(content.as_str().map(str::to_owned)).collect();
        let count = found.lines().count();
        all.iter().any(|one| one.lines().count() == count)
            && found
                .lines()
                .enumerate()
                .all(|(at, line)| all.iter().any(|one| one.lines().nth(at) == Some(line)))
    })
}

/// The cases of the corpus; none where it is not there.
fn cases() -> Option<Vec<Value>> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/practice.jsonl");
    let corpus = std::env::var("RELAY_CORPUS").unwrap_or_else(|_| beside.to_owned());
    let Ok(text) = std::fs::read_to_string(&corpus) else {
        println!("NOT TESTED: no corpus; set RELAY_CORPUS to score one");
        return None;
    };
    Some(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// What a file of a case holds, as edits see it.
fn content(case: &Value, path: &str) -> Option<String> {
    case["files"][path].as_str().map(|text| text.replace("\r\n", "\n"))
}

/// The text with this many of its small letters replaced, far apart.
fn with_slips(text: &str, slips: usize, seed: usize) -> String {
    let letters: Vec<usize> =
        text.char_indices().filter(|(_, c)| c.is_ascii_lowercase()).map(|(at, _)| at).collect();
    let mut bytes = text.as_bytes().to_vec();
    for slip in 0..slips {
        if let Some(at) = letters.get((seed * 31 + slip * letters.len() / slips) % letters.len().max(1)) {
            bytes[*at] = b'a' + (bytes[*at] - b'a' + 7) % 26;
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Quotes with slips, up to as many as the threshold allows and beyond: they land as they are meant or not at all.
#[test]
fn quotes_with_slips_land_as_they_are_meant_or_not_at_all() {
    let Some(cases) = cases() else { return };
    let (mut tried, mut landed, mut wrong) = (0, 0, Vec::new());
    for case in cases.iter().filter(|case| case["dialect"] == "search_replace") {
        let Some(files) = sections(case["response"].as_str().unwrap()) else { continue };
        for seed in (0..12).step_by(3) {
            let mut edits = Vec::new();
            let mut is_refused = false;
            for (path, list) in &files {
                let mut list = list.clone();
                for edit in &mut list {
                    let old = edit["old_text"].as_str().unwrap();
                    let slips = old.chars().count() * (seed + 1) / 12 / 16;
                    edit["old_text"] = with_slips(old, slips, seed).into();
                }
                let (read, findings) =
                    replace::read(path, &list, content(case, path).as_deref(), Some(similar::LOWEST));
                is_refused |= findings.iter().any(Diagnostic::is_error);
                edits.extend(read);
            }
            tried += 1;
            match is_right(case, &edits) {
                _ if is_refused => {}
                Ok(is_landed) => landed += usize::from(is_landed),
                Err(id) => wrong.push(format!("{id} seed {seed}")),
            }
        }
    }
    println!("{landed} of {tried} calls with slips landed");
    assert!(wrong.is_empty(), "{} WRONG: {wrong:#?}", wrong.len());
    assert!(landed * 4 > tried, "{landed} of {tried}");
}

#[test]
fn calls_of_the_corpus_land_as_they_are_meant_or_not_at_all() {
    let Some(cases) = cases() else { return };
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases {
        let reply = case["response"].as_str().unwrap();
        let mut score = |form: &'static str, edits: &[Edit]| {
            let count = counts.entry(form).or_default();
            count.0 += 1;
            match is_right(&case, edits) {
                Ok(landed) => count.1 += usize::from(landed),
                Err(id) => wrong.push(format!("{form} {id}")),
            }
        };
        match case["dialect"].as_str() {
            Some("search_replace") => {
                let Some(files) = sections(reply) else { continue };
                let edits: Vec<Edit> =
                    files.iter().flat_map(|(path, list)| replace::plain(path, list)).collect();
                score("replace, engine alone", &edits);
                let read = files.iter().map(|(path, list)| {
                    replace::read(path, list, content(&case, path).as_deref(), Some(similar::LOWEST))
                });
                let (edits, findings): (Vec<_>, Vec<_>) = read.unzip();
                if !findings.concat().iter().any(Diagnostic::is_error) {
                    score("replace", &edits.concat());
                }
            }
            Some("apply_patch") => {
                let Some(envelope_text) = enveloped(reply) else { continue };
                let (edits, findings) = envelope(envelope_text);
                if !findings.iter().any(Diagnostic::is_error) {
                    score("apply_patch", &edits);
                }
                let Some(files) = updates(envelope_text) else { continue };
                let read = files
                    .iter()
                    .map(|(path, diff)| patch::read(path, &[json!({ "op": "update", "diff": diff })]));
                let (edits, findings): (Vec<_>, Vec<_>) = read.unzip();
                if findings.concat().is_empty() {
                    score("patch", &edits.concat());
                }
            }
            _ => {}
        }
    }
    for (form, (cases, landed)) in &counts {
        println!("{form}: {landed} of {cases} landed");
    }
    assert!(wrong.is_empty(), "{} WRONG: {wrong:#?}", wrong.len());
    assert!(counts.values().all(|(cases, landed)| landed * 2 > *cases), "{counts:?}");
}

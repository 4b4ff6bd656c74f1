//! `{path, edits: [{old_text, new_text, all?}]}`: text for text in one file.
//!
//! Text in whole lines, or from word to word, is left to the engine, which places it by its lines. What begins or ends
//! inside a word, and every occurrence of a text, is worked out here and handed over by anchors; such text must be in the
//! file byte for byte. Text that the engine cannot place is looked for by likeness (`similar`), if the settings allow it.

use std::borrow::Cow;

use relay_diagnostics::Diagnostic;
use relay_edit::{Base, Dialect, Edit, Hunk, Operation, Plan, Snapshot, codes, plan};
use serde_json::Value;

use super::{by_anchor, similar};

/// The largest file that edits may make: each could double it.
const LARGEST: usize = 16 << 20;
/// How many lines a message about several places names.
const NAMED: usize = 10;

/// One edit of a call.
struct Item<'a> {
    number: usize,
    old: Cow<'a, str>,
    new: Cow<'a, str>,
    all: bool,
}

/// Reads the edits of a file; `content` is its text, with lines that end in `\n`. Old text that is not in it may be this
/// much alike instead.
pub fn read(
    path: &str,
    list: &[Value],
    content: Option<&str>,
    threshold: Option<f64>,
) -> (Vec<Edit>, Vec<Diagnostic>) {
    let mut items: Vec<Item<'_>> = items(list);
    let mut findings = match (content, threshold) {
        (Some(content), Some(threshold)) => find_similar(path, &mut items, content, threshold),
        _ => Vec::new(),
    };
    for item in items.iter().filter(|item| item.old.is_empty()) {
        let finding = item.refused(path, "old_text is empty, so nothing says where new_text belongs.");
        findings.push(finding.hinted("copy the text to replace; use `write` for a new file"));
    }
    let is_exact = |item: &&Item<'_>| item.all || content.is_some_and(|content| item.is_inside_word(content));
    let Some(exact) = items.iter().find(is_exact).filter(|_| findings.is_empty()) else {
        let edits = items.iter().map(|item| item.edit(path)).collect();
        return (edits, findings);
    };
    let Some(content) = content else {
        findings.push(exact.not_found(path));
        return (Vec::new(), findings);
    };
    let mut now = content.to_owned();
    for item in &items {
        match item.apply(path, &now) {
            Ok(after) => now = after,
            Err(finding) => findings.push(finding),
        }
    }
    let operation = Operation::Patch { hunks: by_anchor::hunks(content, &now), base: Base::Original };
    let edit = Edit { path: path.to_owned(), operation, dialect: Dialect::Hashline, line: exact.number };
    (vec![edit], findings)
}

/// Puts the file's own lines in place of those that were quoted otherwise, where there is only one place for them.
fn find_similar(path: &str, items: &mut [Item<'_>], content: &str, threshold: f64) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    if items.iter().all(|item| item.all || content.contains(&*item.old)) {
        return findings;
    }
    // Each edit is for what those before it made.
    let mut now = Cow::Borrowed(content);
    for item in items {
        let plan = item.plan(path, &now);
        if !item.all && plan.diagnostics.iter().any(|found| found.code == codes::NOT_FOUND) {
            match similar::find(&item.old, &item.new, &now, threshold) {
                Ok(Some(similar)) => {
                    findings.push(similar.warning(item.number, path));
                    (item.old, item.new) = (similar.old.into(), similar.new.into());
                }
                Ok(None) => {}
                Err(places) => {
                    let what = format!("is not in {path}, and {} places are similar", places.len());
                    findings.push(item.ambiguous(path, &what, &places));
                }
            }
        }
        if let Some(after) = item.apply(path, &now).ok().or_else(|| after(item.plan(path, &now))) {
            now = Cow::Owned(after);
        }
    }
    findings
}

fn after(plan: Plan) -> Option<String> {
    String::from_utf8(plan.changes.into_iter().next()?.after?).ok()
}

fn items(list: &[Value]) -> Vec<Item<'_>> {
    (1..)
        .zip(list)
        .map(|(number, item)| Item {
            number,
            old: item.get("old_text").and_then(Value::as_str).unwrap_or_default().into(),
            new: item.get("new_text").and_then(Value::as_str).unwrap_or_default().into(),
            all: item.get("all").and_then(Value::as_bool).unwrap_or_default(),
        })
        .collect()
}

/// The edits of a list that are for one place each, for which no file is needed.
#[cfg(test)]
pub fn plain(path: &str, list: &[Value]) -> Vec<Edit> {
    items(list).iter().map(|item| item.edit(path)).collect()
}

impl Item<'_> {
    fn refused(&self, path: &str, message: &str) -> Diagnostic {
        Diagnostic::error(codes::NOT_FOUND, format!("edit {}: {message}", self.number)).on(path)
    }

    fn not_found(&self, path: &str) -> Diagnostic {
        self.refused(path, &format!("No match found for old_text in {path}."))
            .hinted("old_text must be in the file byte for byte; read the file again")
    }

    /// One place, in lines. Models write both texts with or without a last newline and mean the same.
    fn edit(&self, path: &str) -> Edit {
        let (old, new): (Vec<&str>, Vec<&str>) = (self.old.lines().collect(), self.new.lines().collect());
        let hunks = vec![Hunk::from_sides(&old, &new, self.number)];
        let operation = Operation::Patch { hunks, base: Base::Sequential };
        Edit { path: path.to_owned(), operation, dialect: Dialect::ToolCall, line: self.number }
    }

    /// What the engine makes of it alone.
    fn plan(&self, path: &str, content: &str) -> Plan {
        let files = [(path.to_owned(), content.as_bytes().to_vec())].into();
        plan(&[self.edit(path)], &Snapshot { files, ..Snapshot::default() })
    }

    /// Whether the text is in the file, but only where it begins or ends inside a word.
    fn is_inside_word(&self, content: &str) -> bool {
        let old = self.old.replace("\r\n", "\n");
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let cuts = |at: usize| {
            let (before, after) = content.split_at_checked(at).unwrap_or_default();
            is_word(before.chars().next_back()) && is_word(after.chars().next())
        };
        let mut places = content.match_indices(&old).peekable();
        !old.is_empty()
            && places.peek().is_some()
            && places.all(|(at, found)| cuts(at) || cuts(at + found.len()))
    }

    /// The text with this edit in it.
    fn apply(&self, path: &str, content: &str) -> Result<String, Diagnostic> {
        let (old, new) = (self.old.replace("\r\n", "\n"), self.new.replace("\r\n", "\n"));
        if self.all {
            return match content.matches(&*old).count() {
                0 => Err(self.not_found(path)),
                count if content.len().saturating_add(count.saturating_mul(new.len())) > LARGEST => {
                    let message = format!("{count} times new_text is more than {} MiB.", LARGEST >> 20);
                    Err(self.refused(path, &message))
                }
                _ => Ok(content.replace(&old, &new)),
            };
        }
        let places: Vec<usize> = content.match_indices(&old).map(|(at, _)| at).collect();
        let line_of = |at: &usize| content.get(..*at).map_or(1, |before| before.matches('\n').count() + 1);
        let is_line = |at: &usize| {
            let is_start =
                content.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
            let rest = content.get(at + old.len()..).unwrap_or_default();
            is_start && (old.ends_with('\n') || rest.is_empty() || rest.starts_with('\n'))
        };
        let lines: Vec<usize> = places.iter().copied().filter(is_line).collect();
        match (places.as_slice(), lines.as_slice()) {
            ([], _) => Err(self.not_found(path)),
            // A whole line says more than a part of another one.
            (_, [at]) => Ok(whole_lines(content, *at, &old, &new)),
            ([at], _) => Ok(spliced(content, (*at, at + old.len()), &new)),
            (several, _) => {
                let lines: Vec<usize> = several.iter().map(line_of).collect();
                Err(self.ambiguous(path, &format!("is in {path} {} times", lines.len()), &lines))
            }
        }
    }

    fn ambiguous(&self, path: &str, what: &str, lines: &[usize]) -> Diagnostic {
        let named: Vec<String> = lines.iter().take(NAMED).map(usize::to_string).collect();
        let more = if lines.len() > NAMED { ", …" } else { "" };
        let message = format!("edit {}: old_text {what} (lines {}{more})", self.number, named.join(", "));
        Diagnostic::error(codes::AMBIGUOUS, message)
            .on(path)
            .hinted("quote more of the text around the one you mean, or set `all`")
    }
}

fn spliced(content: &str, (start, end): (usize, usize), new: &str) -> String {
    [content.get(..start).unwrap_or_default(), new, content.get(end..).unwrap_or_default()].concat()
}

/// Whole lines for whole lines, whether or not the texts have their last newline; no text removes the lines.
fn whole_lines(content: &str, at: usize, old: &str, new: &str) -> String {
    let old_end = at + old.strip_suffix('\n').unwrap_or(old).len();
    let line_end = if content.get(old_end..).is_some_and(|rest| rest.starts_with('\n')) { 1 } else { 0 };
    let new = new.strip_suffix('\n').unwrap_or(new);
    match new.is_empty() {
        true => spliced(content, (at, old_end + line_end), ""),
        false => spliced(content, (at, old_end), new),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(content: &str, edits: &[(&str, &str, bool)], expected: Result<&str, &str>) {
        let list: Vec<Value> = edits
            .iter()
            .map(|(old, new, all)| json!({ "old_text": old, "new_text": new, "all": all }))
            .collect();
        let (edits, findings) = read("f", &list, Some(content), None);
        let message = findings.first().map(|finding| finding.message.clone());
        let files = [("f".to_owned(), content.as_bytes().to_vec())].into();
        let options = relay_edit::Options { repeats: relay_edit::Repeats::Kept, ..Default::default() };
        let snapshot = relay_edit::Snapshot { files, ..Default::default() };
        let plan = relay_edit::plan_with(&edits, &snapshot, &options);
        let found = match message {
            Some(message) => Err(message),
            None => Ok(plan.changes.first().map_or_else(
                || format!("{:?}", plan.diagnostics),
                |change| String::from_utf8(change.after.clone().unwrap()).unwrap(),
            )),
        };
        match expected {
            Ok(text) => assert_eq!(found.as_deref(), Ok(text)),
            Err(part) => assert!(found.as_ref().is_err_and(|message| message.contains(part)), "{found:?}"),
        }
    }

    #[test]
    fn text_inside_a_word_is_replaced_where_it_is_once() {
        check("let max_width = 1;\n", &[("max_w", "min_w", false)], Ok("let min_width = 1;\n"));
        check("ab\nabc\n", &[("bc", "x", false)], Ok("ab\nax\n"));
        check(
            "getValue()\nsetValue()\n",
            &[("Valu", "x", false)],
            Err("old_text is in f 2 times (lines 1, 2)"),
        );
    }

    #[test]
    fn what_is_nearly_there_is_used_with_a_warning() {
        let file =
            "fn one() {\n    let timeout = compute_timeout(base);\n    start(timeout);\n}\n\nfn two() {}\n";
        let edits = json!([
            { "old_text": "    let timeout = compute_timeuot(base);\n    start(timeout);\n", "new_text": "    go(compute_timeuot(base));\n" },
            { "old_text": "fn two() {}\n", "new_text": "fn three() {}\n" },
        ]);
        let list = edits.as_array().unwrap();
        let landed = |threshold| {
            let (edits, findings) = read("f", list, Some(file), threshold);
            let files = [("f".to_owned(), file.as_bytes().to_vec())].into();
            let after = after(plan(&edits, &Snapshot { files, ..Snapshot::default() }));
            (after, findings.into_iter().map(|finding| finding.message).collect::<Vec<_>>())
        };
        let (after, warnings) = landed(Some(0.95));
        assert_eq!(
            after.as_deref(),
            Some("fn one() {\n    go(compute_timeuot(base));\n}\n\nfn three() {}\n")
        );
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains(
            "line 2 is `let timeout = compute_timeout(base);`, not `let timeout = compute_timeuot"
        ));
        assert_eq!(landed(None), (None, vec![]));
        assert_eq!(landed(Some(0.99)), (None, vec![]));
    }

    /// A few edits of every occurrence could make a file of any size.
    #[test]
    fn edits_that_grow_without_end_are_refused() {
        check("o\n", &[("o", "oo", true); 60], Err("times new_text is more than 16 MiB"));
    }

    /// Each edit sees what those before it made.
    #[test]
    fn edits_apply_in_order() {
        check("foobar\nx\n", &[("oba", "-", false), ("fo-r", "done", false)], Ok("done\nx\n"));
        check("aa\nb\n", &[("a", "c", true), ("cc", "d", false)], Ok("d\nb\n"));
        check("aXa\nb\n", &[("Xa", "y", false), ("missing", "z", false)], Err("No match found for old_text"));
    }

    /// What becomes equal to its neighbours stays.
    #[test]
    fn results_that_repeat_their_neighbours_are_kept() {
        let before = "ya(1)\nxa(1)\nxb(2)\nyb(2)\n";
        check(before, &[("x", "y", true)], Ok("ya(1)\nya(1)\nyb(2)\nyb(2)\n"));
    }

    #[test]
    fn whole_lines_are_removed_with_their_end() {
        check("one\ntwo\nthree\n", &[("two\n", "", true)], Ok("one\nthree\n"));
        check("fooX\ntwo\nthree\n", &[("ooX", "y", false), ("two", "", false)], Ok("fy\nthree\n"));
    }
}

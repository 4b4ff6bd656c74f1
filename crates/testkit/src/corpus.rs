//! Scores the binary on a corpus of edit cases: one JSON object per line, with the files before, a reply, and what must
//! come of it.

use std::collections::BTreeMap;
use std::fmt;
use std::thread;

use serde_json::Value;

use crate::TestEnv;

/// How one case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// As expected.
    Ok,
    /// As one of the accepted alternatives.
    Alt,
    /// Refused, although it could be applied.
    Rejected,
    /// Refused, but something on disk has changed.
    Part,
    /// Reported as landed, with other content than expected.
    Wrong,
}

/// The verdicts on a corpus.
#[derive(Debug, Default)]
pub struct Score {
    /// Dialect and noise to verdicts.
    table: BTreeMap<(String, String), [usize; 5]>,
    /// The cases that are not right or were refused without need or reason, and what the binary said to them.
    failing: Vec<(Verdict, String, String)>,
    /// Reasons for refusals (`why`) to how many cases were refused for them.
    refused: BTreeMap<String, usize>,
    /// The cases with a block of another class than expected, and which classes were found.
    misread: Vec<(String, String)>,
    /// How many cases could land, and how many of them did.
    applicable: usize,
    landed: usize,
}

/// The result of one case.
struct Judged {
    verdict: Verdict,
    refused: bool,
    /// What the binary said.
    said: String,
    /// The classes of the reply's blocks, where the case names others.
    misread: Option<String>,
}

/// How many cases run at once: most of their time is spent waiting for the disk.
const AT_ONCE: usize = 8;

/// Path to content; `None` for a file that is not there.
type Files = BTreeMap<String, Option<String>>;

impl Score {
    /// Runs every case of a corpus file through the binary.
    ///
    /// # Panics
    /// The file cannot be read or is not a corpus.
    #[must_use]
    pub fn of(relay: &str, corpus: &str) -> Self {
        let text = std::fs::read_to_string(corpus).unwrap_or_else(|error| panic!("{corpus}: {error}"));
        let read = |line: &str| -> Value {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{corpus}: {error}"))
        };
        let cases: Vec<Value> = text.lines().filter(|line| !line.trim().is_empty()).map(read).collect();
        let judged = thread::scope(|scope| {
            let part = cases.len().div_ceil(AT_ONCE).max(1);
            let judge_all = |cases: &[Value]| cases.iter().map(|case| judge(relay, case)).collect::<Vec<_>>();
            let parts: Vec<_> =
                cases.chunks(part).map(|cases| scope.spawn(move || judge_all(cases))).collect();
            parts
                .into_iter()
                .flat_map(|part| part.join().expect("a case that can be run"))
                .collect::<Vec<_>>()
        });
        let mut score = Self::default();
        for (case, Judged { verdict, refused, said, misread }) in cases.iter().zip(judged) {
            let word = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
            score.misread.extend(misread.map(|found| (word("id"), found)));
            if case["expect"]["status"] == "applied" {
                score.applicable += 1;
                score.landed += usize::from(verdict <= Verdict::Alt && !refused);
            }
            score.table.entry((word("dialect"), word("noise"))).or_default()[verdict as usize] += 1;
            if verdict >= Verdict::Rejected {
                score.failing.push((verdict, word("id"), said));
            } else if refused {
                if word("why").is_empty() && case["expect"]["status"] != "rejected" {
                    score.failing.push((verdict, word("id"), said));
                }
                *score.refused.entry(word("why")).or_default() += 1;
            }
        }
        score
    }

    /// How many cases were rightly refused although they give no reason (`why`).
    #[must_use]
    pub fn unexplained(&self) -> usize {
        self.refused.get("").copied().unwrap_or_default()
    }

    /// How many cases have a block of another class than expected.
    #[must_use]
    pub fn misread(&self) -> usize {
        self.misread.len()
    }

    /// The share of the cases that could land and did, in percent.
    #[must_use]
    pub fn landed(&self) -> f64 {
        100.0 * self.landed as f64 / self.applicable.max(1) as f64
    }

    /// How many cases had a verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.table.values().map(|counts| counts[verdict as usize]).sum()
    }

    /// The share of right cases in the dialect that has the smallest one, in percent.
    #[must_use]
    pub fn worst_dialect(&self) -> f64 {
        self.dialects().values().map(share).fold(100.0, f64::min)
    }

    fn dialects(&self) -> BTreeMap<&str, [usize; 5]> {
        let mut dialects: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
        for ((dialect, _), counts) in &self.table {
            let sums = dialects.entry(dialect).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        dialects
    }
}

fn share(counts: &[usize; 5]) -> f64 {
    100.0 * (counts[0] + counts[1]) as f64 / counts.iter().sum::<usize>().max(1) as f64
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<34}{:>6}{:>6}{:>10}{:>6}{:>7}", "", "ok", "alt", "rejected", "part", "WRONG")?;
        for ((dialect, noise), [ok, alt, rejected, part, wrong]) in &self.table {
            writeln!(f, "{dialect:<16}{noise:<18}{ok:>6}{alt:>6}{rejected:>10}{part:>6}{wrong:>7}")?;
        }
        for (dialect, counts) in self.dialects() {
            writeln!(
                f,
                "{dialect:<16}{:>4} cases, {:.1} % right",
                counts.iter().sum::<usize>(),
                share(&counts)
            )?;
        }
        for (why, count) in self.refused.iter().filter(|(why, _)| !why.is_empty()) {
            writeln!(f, "{count:>4} refused: {why}")?;
        }
        for (id, found) in &self.misread {
            writeln!(f, "blocks of {id}: {found}")?;
        }
        for (verdict, id, said) in &self.failing {
            writeln!(f, "{verdict:?} {id}: {said}")?;
        }
        Ok(())
    }
}

fn judge(relay: &str, case: &Value) -> Judged {
    let before = files(&case["files"]);
    let env = TestEnv::new(relay);
    for (path, text) in &before {
        env.write(path, text.as_deref().unwrap_or_default());
    }
    let misread = misread(&env, case);
    let run = env
        .relay(&["apply", "--json", "--allow-sensitive"])
        .stdin(case["response"].as_str().unwrap_or_default())
        .run();
    let said = format!("code {}: {}{}", run.code, run.stdout, run.stderr);
    let after = on_disk(&env);
    let expect = &case["expect"];
    let mut expected = before.clone();
    expected.extend(files(&expect["files"]));
    if run.code != 0 {
        let applicable = expect["status"] == "applied" && expect["reject_ok"] != true;
        let verdict = match (after == before, applicable) {
            (false, _) => Verdict::Part,
            (true, true) => Verdict::Rejected,
            (true, false) => Verdict::Ok,
        };
        return Judged { verdict, refused: true, said, misread };
    }
    expected.retain(|_, text| text.is_some());
    let verdict = if expect["status"] == "rejected" {
        if after == before { Verdict::Ok } else { Verdict::Wrong }
    } else if after == expected {
        Verdict::Ok
    } else {
        compare(&after, &expected, expect)
    };
    Judged { verdict, refused: false, said, misread }
}

/// The classes of a reply's blocks, in the order of the reply, where a case names others.
fn misread(env: &TestEnv, case: &Value) -> Option<String> {
    let expected = case["blocks"].as_array()?;
    let run = env
        .relay(&["apply", "--explain", "--json", "--allow-sensitive"])
        .stdin(case["response"].as_str().unwrap_or_default())
        .run();
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let found: Vec<&Value> = report["blocks"].as_array().into_iter().flatten().collect();
    let is_same = found.iter().map(|block| &block["class"]).eq(expected);
    (!is_same).then(|| format!("expected {expected:?}, found {found:?}"))
}

/// The verdict on files that are not what was expected first of all.
fn compare(after: &Files, expected: &Files, expect: &Value) -> Verdict {
    let alternatives: Vec<Files> = expect["alt"].as_array().into_iter().flatten().map(files).collect();
    let accepted = after.keys().chain(expected.keys()).all(|path| {
        let sides = std::iter::once(expected).chain(&alternatives).filter_map(|side| side.get(path));
        is_mixture(after.get(path), &sides.collect::<Vec<_>>())
    });
    if accepted { Verdict::Alt } else { Verdict::Wrong }
}

/// Whether each line is that of one of the sides.
fn is_mixture(found: Option<&Option<String>>, sides: &[&Option<String>]) -> bool {
    let Some(Some(found)) = found else { return sides.is_empty() || sides.iter().any(|side| side.is_none()) };
    let lines: Vec<&str> = found.split('\n').collect();
    let sides: Vec<Vec<&str>> =
        sides.iter().filter_map(|side| side.as_deref()).map(|s| s.split('\n').collect()).collect();
    sides.iter().any(|side| side.len() == lines.len())
        && lines.iter().enumerate().all(|(at, line)| sides.iter().any(|side| side.get(at) == Some(line)))
}

fn files(value: &Value) -> Files {
    let map = value.as_object().into_iter().flatten();
    map.map(|(path, text)| (path.clone(), text.as_str().map(str::to_owned))).collect()
}

fn on_disk(env: &TestEnv) -> Files {
    let tree = env.tree().into_iter().filter(|(path, _)| !path.ends_with('/'));
    tree.map(|(path, (_, bytes))| (path, Some(String::from_utf8_lossy(&bytes).into_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mixture_takes_each_line_from_a_side_and_no_other() {
        let (a, b) = (Some("1\n2\n3".to_owned()), Some("1\nx\ny".to_owned()));
        let sides = [&a, &b];
        assert!(is_mixture(Some(&Some("1\nx\n3".to_owned())), &sides));
        assert!(!is_mixture(Some(&Some("1\nz\n3".to_owned())), &sides));
        assert!(!is_mixture(Some(&Some("1\n2".to_owned())), &sides));
        assert!(!is_mixture(None, &sides));
    }
}

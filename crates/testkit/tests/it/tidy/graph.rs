//! The crates depend on each other as ARCHITECTURE.md draws it, and only upwards.

use std::collections::BTreeMap;

use super::packages::{Package, packages};

/// Crate to the crates it uses, as drawn.
type Graph = Vec<(String, Vec<String>)>;

/// The block fenced as `graph`: `a -> b c`, one line per crate.
fn drawn(document: &str) -> Result<Graph, String> {
    let block = document
        .split_once("```graph\n")
        .and_then(|(_, rest)| rest.split_once("\n```"))
        .map(|(block, _)| block)
        .ok_or("ARCHITECTURE.md has no block fenced as ```graph")?;
    let edge = |line: &str| {
        let (name, uses) = line.split_once("->").ok_or_else(|| format!("no arrow in {line:?}"))?;
        Ok((name.trim().to_owned(), uses.split_whitespace().map(str::to_owned).collect()))
    };
    block.lines().filter(|line| !line.trim().is_empty()).map(edge).collect()
}

fn differences(drawn: &Graph, packages: &[Package]) -> Vec<String> {
    let ours: BTreeMap<&str, &Package> = packages
        .iter()
        .filter(|package| package.is_ours)
        .map(|package| (package.name.as_str(), package))
        .collect();
    let mut findings = Vec::new();
    for (name, uses) in drawn {
        let Some(package) = ours.get(name.as_str()) else {
            findings.push(format!("{name} is drawn but does not exist"));
            continue;
        };
        let mut real: Vec<&str> = package
            .dependencies
            .iter()
            .filter(|dependency| !dependency.is_dev && ours.contains_key(dependency.name.as_str()))
            .map(|dependency| dependency.name.as_str())
            .collect();
        real.sort_unstable();
        real.dedup();
        let mut uses: Vec<&str> = uses.iter().map(String::as_str).collect();
        uses.sort_unstable();
        if real != uses {
            findings.push(format!("{name} uses {real:?}, drawn are {uses:?}"));
        }
    }
    for name in ours.keys() {
        if !drawn.iter().any(|(known, _)| known == name) {
            findings.push(format!("{name} exists but is not drawn"));
        }
    }
    findings
}

/// Uses of a crate that is below its user.
fn downwards(drawn: &Graph) -> Vec<String> {
    let mut above: Vec<&str> = Vec::new();
    let mut findings = Vec::new();
    for (name, uses) in drawn {
        let below = uses.iter().filter(|used| !above.contains(&used.as_str()));
        findings.extend(below.map(|used| format!("{name} uses {used}, which is not above it")));
        above.push(name);
    }
    findings
}

#[test]
fn the_crates_depend_on_each_other_as_drawn() {
    let drawn = drawn(&super::read("ARCHITECTURE.md")).unwrap();
    super::assert_none("ARCHITECTURE.md and the manifests differ", &differences(&drawn, &packages()));
    super::assert_none("a crate uses only crates above it", &downwards(&drawn));
}

#[cfg(test)]
mod samples {
    use super::{Package, differences, downwards, drawn};

    fn document(block: &str) -> String {
        format!("# Architecture\n\n```text\nx -> y\n```\n\n```graph\n{block}\n```\n")
    }

    fn check(block: &str, expected: &[&str]) {
        let packages = [
            Package::ours("a", &[("serde", false)]),
            Package::ours("b", &[("a", false), ("testkit", true)]),
            Package::ours("testkit", &[]),
        ];
        assert_eq!(differences(&drawn(&document(block)).unwrap(), &packages), expected);
    }

    #[test]
    fn the_same_is_fine() {
        check("a ->\nb -> a\ntestkit ->", &[]);
    }

    #[test]
    fn every_difference_is_found() {
        check("a ->\nb ->\ntestkit ->", &["b uses [\"a\"], drawn are []"]);
        check("a -> b\nb -> a\ntestkit ->", &["a uses [], drawn are [\"b\"]"]);
        check("a ->\nb -> a", &["testkit exists but is not drawn"]);
        check("a ->\nb -> a\nc ->\ntestkit ->", &["c is drawn but does not exist"]);
    }

    #[test]
    fn a_use_downwards_is_found() {
        let graph = drawn(&document("b -> a\na ->")).unwrap();
        assert_eq!(downwards(&graph), ["b uses a, which is not above it"]);
        assert!(downwards(&drawn(&document("a ->\nb -> a")).unwrap()).is_empty());
    }

    #[test]
    fn a_missing_or_broken_drawing_is_an_error() {
        assert!(drawn("# Architecture\n").is_err());
        assert!(drawn(&document("a b c")).is_err());
    }
}

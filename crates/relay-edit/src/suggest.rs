//! "Did you mean": the nearest of the names that would have been right.

/// Longer names, in bytes, are not compared: it takes time that grows with the square of their length.
const LONG: usize = 300;

/// The candidate most like `wanted`, if one is like it enough to be worth naming.
pub(crate) fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted_folded = wanted.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (score(&wanted_folded, candidate), candidate))
        .filter(|(score, _)| *score >= 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// How alike two names are; the same file name in another folder counts as close.
fn score(wanted: &str, candidate: &str) -> f64 {
    let candidate = candidate.to_lowercase();
    if wanted.len().max(candidate.len()) > LONG {
        return 0.0;
    }
    let whole = strsim::jaro_winkler(wanted, &candidate)
        .min(strsim::normalized_damerau_levenshtein(wanted, &candidate) + 0.15);
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let same_name = name(wanted) == name(&candidate) && !name(wanted).is_empty();
    if same_name { whole.max(0.9) } else { whole }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_misspellings_and_moved_files_and_nothing_else() {
        let paths = ["src/main.rs", "src/parser/mod.rs", "README.md"];
        assert_eq!(nearest("src/mian.rs", paths), Some("src/main.rs"));
        assert_eq!(nearest("main.rs", paths), Some("src/main.rs"));
        assert_eq!(nearest("docs/readme.md", paths), Some("README.md"));
        assert_eq!(nearest("Cargo.toml", paths), None);
        let long = "a/".repeat(200);
        assert_eq!(nearest(&long, [long.as_str()]), None);
        assert_eq!(nearest("uniffied", ["replace", "new-unified", "unified"]), Some("unified"));
    }
}

//! "Did you mean": the nearest known word, when there is one near enough to be worth saying.

/// The candidate nearest to `word`, if a person could have meant it.
#[must_use]
pub fn closest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&word.to_lowercase(), &candidate.to_lowercase()), *candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        assert_eq!(closest("liner", &["linter", "approval"]), Some("linter"));
        assert_eq!(closest("zebra", &["linter", "approval"]), None);
    }
}

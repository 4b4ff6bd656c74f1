//! Fuzzy matching: the characters of a query in their order, better the closer they are together and to beginnings of words.

/// How well something matches, and which of its characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Match {
    /// Higher is better.
    pub score: i32,
    /// Byte offsets of the characters that matched.
    pub places: Vec<usize>,
}

/// Matches a text against the words of a query; every word must match.
///
/// ```
/// use relay_tui::overlay::score;
/// assert!(score("cl so", "claude-sonnet").is_some());
/// assert!(score("xyz", "claude-sonnet").is_none());
/// ```
#[must_use]
pub fn score(query: &str, text: &str) -> Option<Match> {
    let mut whole = Match::default();
    for word in query.split_whitespace() {
        let found = word_score(word, text)?;
        whole.score += found.score;
        whole.places.extend(found.places);
    }
    whole.places.sort_unstable();
    whole.places.dedup();
    Some(whole)
}

fn word_score(word: &str, text: &str) -> Option<Match> {
    let lower = text.to_lowercase();
    let word = word.to_lowercase();
    // As it is written, it is the best there is.
    if lower.len() == text.len()
        && let Some(at) = lower.find(&word)
    {
        let starts = at == 0
            || text
                .get(..at)
                .and_then(|before| before.chars().next_back())
                .is_some_and(|c| !c.is_alphanumeric());
        let score = 100 + if starts { 50 } else { 0 } - i32::try_from(at.min(40)).unwrap_or(40);
        return Some(Match {
            score,
            places: (at..at + word.len()).filter(|at| text.is_char_boundary(*at)).collect(),
        });
    }
    let mut found = Match::default();
    let mut characters = text.char_indices();
    let mut before: Option<(usize, char)> = None;
    for wanted in word.chars() {
        loop {
            let (at, character) = characters.next()?;
            let is_it = character.to_lowercase().eq(wanted.to_lowercase());
            let is_start = before
                .is_none_or(|(_, c)| !c.is_alphanumeric() || (c.is_lowercase() && character.is_uppercase()));
            let is_next = before.is_some_and(|(place, _)| found.places.last() == Some(&place));
            before = Some((at, character));
            if is_it {
                found.score += 1 + i32::from(is_start) * 8 + i32::from(is_next) * 5;
                found.places.push(at);
                break;
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_wins() {
        let best = |query: &str, texts: &[&'static str]| {
            texts
                .iter()
                .filter_map(|text| Some((score(query, text)?.score, *text)))
                .max()
                .map(|(_, text)| text)
        };
        assert_eq!(best("lib", &["src/library.rs", "src/lib.rs", "l/i/b"]), Some("src/library.rs"));
        assert_eq!(best("edmo", &["edited_mono.rs", "editor/mod.rs"]), Some("editor/mod.rs"));
        assert_eq!(best("zzz", &["a"]), None);
        assert_eq!(score("", "a"), Some(Match::default()));
    }
}

//! How many tokens a text has, by estimate.
//!
//! Every provider counts differently, and most say only afterwards. The estimate follows o200k, the vocabulary of
//! OpenAI's newer models: a text is cut into pieces by its rules (a word with the sign before it, three digits, a run of
//! signs, blanks), and a piece has as many tokens as pieces of its kind and length have on average. No vocabulary is
//! needed, which would be 3 MB in the binary and a second at every start.
//!
//! Measured against o200k itself (`tiktoken-rs` 0.12), on files of 2 to 80 kB from the sources of public packages, other
//! ones than those that the averages were taken from (except for JSON, of which there were only 62):
//!
//! | 120 files each | all together | half of them within | 95 % within | the worst |
//! |---|---|---|---|---|
//! | Rust | −2.0 % | 2.0 % | 7.9 % | −29 %, a table of Unicode ranges |
//! | Python | −2.2 % | 2.6 % | 9.6 % | −22 %, a list of 3,000 keywords |
//! | TypeScript | +1.4 % | 1.8 % | 5.6 % | +12 % |
//! | Markdown | −4.9 % | 4.0 % | 11.0 % | −15 % |
//! | JSON | −0.4 % | 0.7 % | 4.9 % | −60 %, invalid punycode |
//!
//! Cl100k, the vocabulary of older models, splits source code and English almost alike: over 839 files of Rust, Python,
//! TypeScript, Markdown, JSON and TOML it has 0.994 to 1.000 times the tokens, and the estimate is as near. Only other scripts
//! cost more there, so they have prices of their own:
//!
//! | 22 files | tokens of cl100k to o200k | estimate for o200k | for cl100k |
//! |---|---|---|---|
//! | Chinese, Japanese, Korean | 1.32 | −5 % | −11 % |
//! | Hebrew, Arabic, Greek, Cyrillic, Hindi … | 1.57 | +4 % | −9 % |
//!
//! Single languages differ more: Russian is estimated half too high for o200k, a quarter for cl100k.
//!
//! Counting exactly would take both vocabularies: 5 MB in the binary, and half a second to read them.
//!
//! A budget should leave that much room. The estimate is linear in the text: about 7 ms for a megabyte. Estimates of parts that
//! end with a line add up to at least that of the whole, so what fits part by part fits together. (A cut inside a word may
//! come to less: costs of long words grow with their length.)

use std::iter::Peekable;
use std::str::Chars;
use std::sync::atomic::{AtomicUsize, Ordering};

/// About how many tokens a text has.
///
/// ```
/// assert_eq!(relay_engine::tokens::estimate("fn main() { println!(\"hello\"); }"), 10);
/// ```
#[must_use]
pub fn estimate(text: &str) -> usize {
    estimate_in(text, Vocabulary::O200k)
}

/// A vocabulary that texts are split by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vocabulary {
    /// That of newer models.
    #[default]
    O200k,
    /// That of older ones.
    Cl100k,
}

impl Vocabulary {
    /// What a letter of another script costs, in hundredths of a token: of those with thousands of signs, and of alphabets.
    fn foreign(self, letter: char) -> usize {
        match (self, letter >= '\u{2e80}') {
            (Self::O200k, true) => 75,
            (Self::O200k, false) => 40,
            (Self::Cl100k, true) => 104,
            (Self::Cl100k, false) => 64,
        }
    }
}

/// About how many tokens a text has in this vocabulary.
#[must_use]
pub fn estimate_in(text: &str, vocabulary: Vocabulary) -> usize {
    let mut rest = Pieces { rest: text.chars().peekable(), vocabulary };
    let mut hundredths = 0;
    while let Some(cost) = rest.next_cost() {
        hundredths += cost;
    }
    hundredths.div_ceil(100)
}

/// From here on a list is worth another thread.
const PARALLEL_BYTES: usize = 1 << 20;

/// About how many tokens texts have together, each on its own. Long lists are looked at by several threads.
#[must_use]
pub fn estimate_all(texts: &[&str], vocabulary: Vocabulary) -> usize {
    let sum = |texts: &[&str]| texts.iter().map(|text| estimate_in(text, vocabulary)).sum::<usize>();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    if bytes < PARALLEL_BYTES || threads < 2 {
        return sum(texts);
    }
    // Texts differ in length, so many small parts keep all threads busy to the end.
    let parts: Vec<&[&str]> = texts.chunks(texts.len().div_ceil(threads * 8)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut tokens = 0;
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            tokens += sum(part);
        }
        tokens
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().map(|thread| thread.join().unwrap_or_default()).sum()
    })
}

/// What a character is to the tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    /// A letter of another script.
    Foreign,
    Digit,
    Blank,
    Line,
    Sign,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        '\n' | '\r' => Class::Line,
        ' ' | '\t' => Class::Blank,
        _ if c.is_ascii() => Class::Sign,
        _ if c.is_whitespace() => Class::Blank,
        _ if c.is_numeric() => Class::Digit,
        _ if c.is_alphabetic() => Class::Foreign,
        _ => Class::Sign,
    }
}

fn is_letter(class: Option<Class>) -> bool {
    matches!(class, Some(Class::Upper | Class::Lower | Class::Foreign))
}

/// A text that is split into pieces from the front.
struct Pieces<'a> {
    rest: Peekable<Chars<'a>>,
    vocabulary: Vocabulary,
}

impl Pieces<'_> {
    fn peek(&mut self) -> Option<Class> {
        self.rest.peek().map(|c| class(*c))
    }

    /// What the next piece costs, in hundredths of a token.
    fn next_cost(&mut self) -> Option<usize> {
        let first = self.rest.next()?;
        Some(match class(first) {
            Class::Digit => self.digits(),
            Class::Blank | Class::Line => self.blanks(first),
            Class::Sign if is_letter(self.peek()) => self.word(None, Some(Class::Sign)),
            Class::Sign => self.signs(first),
            letter => self.word(Some((first, letter)), None),
        })
    }

    /// Up to three digits are one token.
    fn digits(&mut self) -> usize {
        for _ in 0..2 {
            if self.rest.next_if(|c| class(*c) == Class::Digit).is_none() {
                break;
            }
        }
        100
    }

    /// Blanks and line ends: all up to the last line end are one token; the last blank before a word belongs to it.
    fn blanks(&mut self, first: char) -> usize {
        let mut cost = 0;
        let mut last = class(first);
        let mut since_line = usize::from(last == Class::Blank);
        let mut has_line = last == Class::Line;
        while let Some(c) = self.rest.next_if(|c| matches!(class(*c), Class::Blank | Class::Line)) {
            last = class(c);
            has_line |= last == Class::Line;
            since_line = if last == Class::Line { 0 } else { since_line + 1 };
        }
        if has_line {
            cost += 100;
        }
        match self.peek() {
            Some(next @ (Class::Sign | Class::Upper | Class::Lower | Class::Foreign))
                if last == Class::Blank =>
            {
                // A long run of blanks is one token, all but the last of them.
                if since_line > 1 {
                    cost += 100;
                }
                cost + if next == Class::Sign {
                    self.signs_after_blank()
                } else {
                    self.word(None, Some(Class::Blank))
                }
            }
            // Before digits the last blank is a token of its own, and at the end none is set apart.
            Some(Class::Digit) if since_line > 1 => cost + 200,
            _ if since_line > 0 => cost + 100,
            _ => cost,
        }
    }

    fn signs_after_blank(&mut self) -> usize {
        match self.rest.next() {
            Some(first) => self.signs(first),
            None => 0,
        }
    }

    /// A run of signs and the line ends after it.
    fn signs(&mut self, first: char) -> usize {
        let (mut length, mut changes, mut before) = (1, 1, first);
        while let Some(c) = self.rest.next_if(|c| class(*c) == Class::Sign) {
            length += 1;
            changes += usize::from(c != before);
            before = c;
        }
        while self.rest.next_if(|c| class(*c) == Class::Line).is_some() {}
        let foreign = if first.is_ascii() { 0 } else { 30 };
        match length {
            1..=3 => 100 + foreign,
            // One sign over and over is a line drawn across the page; others are rare together.
            _ => 100 + foreign + changes.saturating_sub(3) * 55 + length / 40 * 60,
        }
    }

    /// A word: capitals, then small letters. `first` was taken already, `lead` is what was taken before the word.
    fn word(&mut self, first: Option<(char, Class)>, lead: Option<Class>) -> usize {
        let vocabulary = self.vocabulary;
        let mut word = Word::default();
        if let Some((c, class)) = first {
            word.add(c, class, vocabulary);
        }
        if word.small == 0 {
            while let Some(c) = self.rest.next_if(|c| matches!(class(*c), Class::Upper | Class::Foreign)) {
                word.add(c, class(c), vocabulary);
            }
        }
        while let Some(c) = self.rest.next_if(|c| matches!(class(*c), Class::Lower | Class::Foreign)) {
            word.add(c, class(c), vocabulary);
        }
        word.cost(lead)
    }
}

/// What a word is made of.
#[derive(Default)]
struct Word {
    capitals: usize,
    small: usize,
    /// The cost of letters of other scripts.
    foreign: usize,
}

impl Word {
    fn add(&mut self, c: char, class: Class, vocabulary: Vocabulary) {
        match class {
            Class::Upper => self.capitals += 1,
            Class::Foreign => self.foreign += vocabulary.foreign(c),
            _ => self.small += 1,
        }
    }

    fn cost(&self, lead: Option<Class>) -> usize {
        let length = self.capitals + self.small + usize::from(lead.is_some());
        let beyond = |start: usize, each: usize| length.saturating_sub(start) * each;
        let is_after_sign = lead == Some(Class::Sign);
        if self.foreign > 0 {
            return (self.foreign + length * 25).max(100);
        }
        // What is longer than words are was made by a machine, and no part of it is in the vocabulary.
        beyond(20, 20)
            + match (self.capitals, is_after_sign) {
                (0, false) => 103 + beyond(8, 5),
                (0, true) => 102 + beyond(2, 8) + beyond(7, 7),
                (1, false) => 104 + beyond(7, 8),
                (1, true) if self.small == 0 => 106,
                (1, true) => 148 + beyond(5, 5),
                (_, false) => 100 + beyond(2, 14),
                (_, true) => 140 + beyond(4, 13),
            }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts with the number of tokens that o200k counts.
    const COUNTED: [(&str, usize); 7] = [
        (include_str!("../../../../LICENSE-APACHE"), 2262),
        (RUST, 76),
        (PYTHON, 75),
        (TYPESCRIPT, 83),
        (MARKDOWN, 58),
        (JSON, 58),
        (MIXED, 73),
    ];

    const RUST: &str = r#"
/// Adds one to every element of the list.
pub fn increment(values: &mut Vec<u64>) -> Result<usize, IncrementError> {
    for (index, value) in values.iter_mut().enumerate() {
        *value = value.checked_add(1).ok_or(IncrementError::Overflow { index })?;
    }
    Ok(values.len())
}
"#;
    const PYTHON: &str = r#"
class OrderRepository(BaseRepository):
    """Reads orders from the database."""

    def find_by_customer(self, customer_id: int, *, limit: int = 50) -> list[Order]:
        query = select(Order).where(Order.customer_id == customer_id).limit(limit)
        return [row.to_model() for row in self.session.execute(query).scalars()]
"#;
    const TYPESCRIPT: &str = r#"
export const useDebouncedValue = <T>(value: T, delayMs = 300): T => {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const handle = setTimeout(() => setDebounced(value), delayMs);
    return () => clearTimeout(handle);
  }, [value, delayMs]);
  return debounced;
};
"#;
    const MARKDOWN: &str = "# Release notes\n\n- **Faster start**: the index is read lazily (see [#1234](https://example.org/1234)).\n- Removed `--legacy`.\n\n| key | default |\n|---|---|\n| `timeoutMs` | 30000 |\n";
    const JSON: &str = r#"{"name": "relay", "version": "0.1.0", "private": true, "scripts": {"build": "tsc -p .", "test": "vitest run"}, "limits": [1, 20, 300, 4000]}"#;
    const MIXED: &str = "Größe: 12 345,67 € — naïve café\nПривет, мир! 你好，世界。\nsha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n";

    #[test]
    fn the_estimate_is_near_what_o200k_counts() {
        for (text, counted) in COUNTED {
            let estimated = estimate(text);
            let error = (estimated as f64 / counted as f64 - 1.0).abs();
            assert!(error <= 0.15, "{estimated} instead of {counted} for {text:.60}");
        }
    }

    /// The first article of the declaration of human rights, with what each vocabulary counts.
    const SCRIPTS: [(&str, usize, usize); 3] = [
        ("人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。", 37, 52),
        ("すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。", 35, 45),
        (MARKDOWN, 58, 58),
    ];

    #[test]
    fn other_scripts_have_more_tokens_in_the_older_vocabulary() {
        for (text, o200k, cl100k) in SCRIPTS {
            for (vocabulary, counted) in [(Vocabulary::O200k, o200k), (Vocabulary::Cl100k, cl100k)] {
                let estimated = estimate_in(text, vocabulary);
                let error = (estimated as f64 / counted as f64 - 1.0).abs();
                assert!(error <= 0.25, "{vocabulary:?}: {estimated} instead of {counted} for {text:.30}");
            }
        }
    }

    #[test]
    fn lists_are_added_up_however_many_threads_look_at_them() {
        let long = RUST.repeat(3_000);
        let texts: Vec<&str> = (0..200).map(|n| if n % 7 == 0 { &long[..n * 400] } else { PYTHON }).collect();
        let one_by_one: usize = texts.iter().map(|text| estimate(text)).sum();
        assert_eq!(estimate_all(&texts, Vocabulary::O200k), one_by_one);
        assert_eq!((estimate_all(&[], Vocabulary::Cl100k), estimate_all(&["a"], Vocabulary::Cl100k)), (0, 2));
    }

    #[test]
    fn nothing_is_nothing() {
        assert_eq!((estimate(""), estimate("a"), estimate("\n"), estimate(" ")), (0, 2, 1, 1));
    }

    proptest! {
        #[test]
        fn parts_have_at_least_as_many_tokens_as_the_whole(
            before in "(\\PC|[ \\n\\t.A-Za-z0-9_(){}=/-]){0,40}\n",
            after in "(\\PC|[ \\n\\t.A-Za-z0-9_(){}=/-]){0,40}",
        ) {
            let text = format!("{before}{after}");
            prop_assert!(estimate(&before) + estimate(&after) >= estimate(&text));
        }
    }
}

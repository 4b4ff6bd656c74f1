//! Options and operands of a command, read as `getopt_long` does: `-rf`, `--force`, `--fo` and `--out=x` alike.

use super::super::tree::Word;

/// A command's options and operands.
#[derive(Debug, Default)]
pub(super) struct Options<'a> {
    short: Vec<(char, Option<String>)>,
    long: Vec<(String, Option<String>)>,
    /// Words that are not options.
    pub(super) operands: Vec<&'a Word>,
    /// Whether a word may turn out to be an option when it runs.
    pub(super) is_uncertain: bool,
    /// Whether there was a `--`, and how many operands came before it.
    pub(super) dashes_at: Option<usize>,
}

/// Options with a value: letters, and long names that take the next word.
pub(super) type Valued = (&'static str, &'static [&'static str]);

/// No option takes a value.
pub(super) const PLAIN: Valued = ("", &[]);

impl<'a> Options<'a> {
    /// Reads the words after a command's name.
    pub(super) fn of(words: &'a [Word], valued: Valued) -> Self {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = match word.literal() {
                Some(text) if options.dashes_at.is_none() => text,
                _ => {
                    options.is_uncertain |= options.dashes_at.is_none() && word.may_be_option();
                    options.operands.push(word);
                    continue;
                }
            };
            if text == "--" {
                options.dashes_at = Some(options.operands.len());
            } else if let Some(long) = text.strip_prefix("--") {
                let (name, value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None if valued.1.contains(&long) => (long, words.next().map(|word| word.text.clone())),
                    None => (long, None),
                };
                options.long.push((name.to_owned(), value));
            } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                options.cluster(letters, valued.0, &mut words);
            } else {
                options.operands.push(word);
            }
        }
        options
    }

    fn cluster(&mut self, letters: &str, valued: &str, words: &mut std::slice::Iter<'_, Word>) {
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            if valued.contains(letter) {
                let value = rest.as_str();
                let value = if value.is_empty() {
                    words.next().map(|word| word.text.clone())
                } else {
                    Some(value.to_owned())
                };
                self.short.push((letter, value));
                return;
            }
            self.short.push((letter, None));
        }
    }

    /// Whether a short option is there, alone or among others.
    pub(super) fn has(&self, letter: char) -> bool {
        self.short.iter().any(|(given, _)| *given == letter)
    }

    /// Whether a long option is there, also when it is abbreviated.
    pub(super) fn has_long(&self, name: &str) -> bool {
        self.long.iter().any(|(given, _)| !given.is_empty() && name.starts_with(given.as_str()))
    }

    /// Either form.
    pub(super) fn has_either(&self, letter: char, name: &str) -> bool {
        self.has(letter) || self.has_long(name)
    }

    /// Any of the letters.
    pub(super) fn has_any(&self, letters: &str) -> bool {
        letters.chars().any(|letter| self.has(letter))
    }

    /// Any of the long names.
    pub(super) fn has_any_long(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has_long(name))
    }

    /// The value of an option in either form.
    pub(super) fn value(&self, letter: char, name: &str) -> Option<&str> {
        let short =
            self.short.iter().find(|(given, _)| *given == letter).and_then(|(_, value)| value.as_deref());
        let long =
            || self.long.iter().find(|(given, _)| !given.is_empty() && name.starts_with(given.as_str()));
        short.or_else(|| long().and_then(|(_, value)| value.as_deref()))
    }

    /// Whether all options are among these.
    pub(super) fn only(&self, letters: &str, names: &[&str]) -> bool {
        let is_known = |(given, _): &(String, Option<String>)| names.contains(&given.as_str());
        !self.is_uncertain
            && self.short.iter().all(|(letter, _)| letters.contains(*letter))
            && self.long.iter().all(is_known)
    }

    /// The text of an operand, if it is certain.
    pub(super) fn operand(&self, index: usize) -> Option<&str> {
        self.operands.get(index).and_then(|word| word.literal())
    }
}

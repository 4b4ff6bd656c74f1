//! `[[ … ]]`, which has a grammar of its own: `<` and `>` compare, parentheses group, patterns are not file names.

use super::cursor::{Cursor, Read};
use super::tree::Word;
use super::unparsed::Reason;
use super::word::Place;

impl Cursor<'_> {
    /// The words of a condition, operators among them, up to `]]`.
    pub(super) fn condition(&mut self) -> Read<Vec<Word>> {
        let mut words: Vec<Word> = Vec::new();
        let mut level = 0usize;
        loop {
            self.skip_lines()?;
            if self.take_condition_end() {
                return if level == 0 { Ok(words) } else { self.fail(Reason::Open("(")) };
            }
            let operator = ["&&", "||", "(", ")", "<", ">"].into_iter().find(|operator| self.is_at(operator));
            let is_substitution = self.is_at("<(") || self.is_at(">(");
            let place = match words.last().and_then(Word::literal) {
                Some("=~") => Place::Regex,
                _ => Place::Pattern,
            };
            if let Some(operator) =
                operator.filter(|operator| !(is_substitution || place == Place::Regex && *operator == "("))
            {
                match operator {
                    "(" => level += 1,
                    ")" if level == 0 => return self.unexpected(),
                    ")" => level -= 1,
                    _ => {}
                }
                self.at += operator.len();
                words.push(Word { text: operator.to_owned(), known: operator.len(), ..Word::default() });
                continue;
            }
            let word = self.word_in(place)?;
            if word.span.is_empty() {
                return self.fail(Reason::Open("[["));
            }
            words.push(word);
        }
    }

    fn take_condition_end(&mut self) -> bool {
        let rest = self.rest().strip_prefix("]]");
        let is_end = rest.is_some_and(|rest| rest.chars().next().is_none_or(super::cursor::ends_word));
        is_end && self.take("]]")
    }
}

//! Keys as vim names them: `dw`, `<Esc>`, `<C-r>`, `<lt>`.

use std::collections::VecDeque;

pub const ESCAPE: char = '\u{1b}';
pub const ENTER: char = '\r';
pub const BACKSPACE: char = '\u{8}';

/// Keys that are waiting to be typed.
#[derive(Debug, Default)]
pub struct Keys {
    waiting: VecDeque<char>,
    /// What was typed since the beginning of a command, so that it can be repeated.
    pub typed: Vec<char>,
}

impl Keys {
    /// Keys in vim's notation.
    pub fn named(text: &str) -> Self {
        Self { waiting: named(text), typed: Vec::new() }
    }

    /// A text that is typed word for word.
    pub fn verbatim(text: &str) -> Self {
        Self { waiting: text.chars().map(|c| if c == '\n' { ENTER } else { c }).collect(), typed: Vec::new() }
    }

    /// Keys as they are.
    pub fn of(keys: &[char]) -> Self {
        Self { waiting: keys.iter().copied().collect(), typed: Vec::new() }
    }

    pub fn next(&mut self) -> Option<char> {
        let key = self.waiting.pop_front()?;
        self.typed.push(key);
        Some(key)
    }

    pub fn peek(&self) -> Option<char> {
        self.waiting.front().copied()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

fn named(text: &str) -> VecDeque<char> {
    let mut keys = VecDeque::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let name = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        if let Some((key, after)) = name.and_then(|(name, after)| Some((key(name)?, after))) {
            keys.push_back(key);
            rest = after;
            continue;
        }
        keys.push_back(if first == '\n' { ENTER } else { first });
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    keys
}

fn key(name: &str) -> Option<char> {
    let lower = name.to_ascii_lowercase();
    let control = lower.strip_prefix("c-").and_then(|key| key.chars().next().filter(|_| key.len() == 1));
    if let Some(key) = control {
        let code = match key {
            '[' => 27,
            'a'..='z' => u32::from(key) - u32::from('a') + 1,
            _ => return None,
        };
        return char::from_u32(code);
    }
    match lower.as_str() {
        "esc" => Some(ESCAPE),
        "cr" | "enter" | "return" => Some(ENTER),
        "bs" => Some(BACKSPACE),
        "tab" => Some('\t'),
        "space" => Some(' '),
        "lt" => Some('<'),
        "bar" => Some('|'),
        "bslash" => Some('\\'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_keys() {
        let all = |text: &str| named(text).into_iter().collect::<String>();
        assert_eq!(all("dw<Esc>:w<CR><C-r><lt>x<y"), "dw\u{1b}:w\r\u{12}<x<y");
        assert_eq!(all("a<unknown>"), "a<unknown>");
    }
}

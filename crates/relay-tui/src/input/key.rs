//! Keys and chords: what was pressed, and how it is written in the keybindings file.

use std::fmt;

/// A key without its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// A key with its modifiers. `shift` is only set where the character does not say it already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The key.
    pub code: Code,
    /// Control is held.
    pub ctrl: bool,
    /// Alt, or Option, is held.
    pub alt: bool,
    /// Shift is held.
    pub shift: bool,
}

/// Names in the keybindings file.
const NAMES: [(Code, &str); 15] = [
    (Code::Enter, "enter"),
    (Code::Esc, "escape"),
    (Code::Tab, "tab"),
    (Code::Backspace, "backspace"),
    (Code::Delete, "delete"),
    (Code::Insert, "insert"),
    (Code::Up, "up"),
    (Code::Down, "down"),
    (Code::Left, "left"),
    (Code::Right, "right"),
    (Code::Home, "home"),
    (Code::End, "end"),
    (Code::PageUp, "pageup"),
    (Code::PageDown, "pagedown"),
    (Code::Char(' '), "space"),
];

/// Other spellings that are understood.
const ALIASES: [(&str, Code); 5] = [
    ("esc", Code::Esc),
    ("return", Code::Enter),
    ("del", Code::Delete),
    ("pgup", Code::PageUp),
    ("pgdn", Code::PageDown),
];

impl Key {
    /// A key without modifiers.
    #[must_use]
    pub fn plain(code: Code) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// A character with control held.
    #[must_use]
    pub fn ctrl(character: char) -> Self {
        Self { ctrl: true, ..Self::plain(Code::Char(character)) }
    }

    /// A character with alt held.
    #[must_use]
    pub fn alt(character: char) -> Self {
        Self { alt: true, ..Self::plain(Code::Char(character)) }
    }

    /// The character that this key types, if it types one.
    #[must_use]
    pub fn typed(&self) -> Option<char> {
        match self.code {
            Code::Char(character) if !self.ctrl && !self.alt => Some(character),
            _ => None,
        }
    }

    /// Reads `ctrl+shift+p`, `escape`, `f5`, `alt+up`. `None` for what is not a key.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (modifiers, name) = match text.strip_suffix("++") {
            Some(before) => (before, "+"),
            None => text.rsplit_once('+').filter(|(_, name)| !name.is_empty()).unwrap_or(("", text)),
        };
        let mut key = Self::plain(Code::Esc);
        for modifier in modifiers.split('+').filter(|word| !word.is_empty()) {
            match modifier.to_ascii_lowercase().as_str() {
                "ctrl" | "control" => key.ctrl = true,
                "alt" | "option" | "meta" => key.alt = true,
                "shift" => key.shift = true,
                _ => return None,
            }
        }
        key.code = code(name)?;
        Some(key.normal())
    }

    /// The one form of keys that terminals write in several: `ctrl+shift+p` and `ctrl+P` are the same.
    #[must_use]
    pub fn normal(mut self) -> Self {
        if let Code::Char(character) = self.code {
            if self.ctrl || self.alt {
                self.shift |= character.is_uppercase();
                self.code = Code::Char(character.to_lowercase().next().unwrap_or(character));
            } else {
                if self.shift && character.is_lowercase() {
                    self.code = Code::Char(character.to_uppercase().next().unwrap_or(character));
                }
                self.shift = false;
            }
        }
        self
    }
}

fn code(name: &str) -> Option<Code> {
    let mut characters = name.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        return Some(Code::Char(only));
    }
    let lower = name.to_ascii_lowercase();
    if let Some(number) = lower.strip_prefix('f').and_then(|number| number.parse().ok()) {
        return (1..=24).contains(&number).then_some(Code::F(number));
    }
    let named = NAMES.iter().find(|(_, known)| *known == lower).map(|(code, _)| *code);
    named.or_else(|| ALIASES.iter().find(|(known, _)| *known == lower).map(|(_, code)| *code))
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (is_held, name) in [(self.ctrl, "ctrl+"), (self.alt, "alt+"), (self.shift, "shift+")] {
            if is_held {
                f.write_str(name)?;
            }
        }
        if let Some((_, name)) = NAMES.iter().find(|(code, _)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            Code::Char(character) => write!(f, "{character}"),
            Code::F(number) => write!(f, "f{number}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_written_and_read() {
        for text in
            ["ctrl+c", "escape", "shift+tab", "ctrl+alt+shift+up", "f5", "alt+enter", "space", "ctrl++", "A"]
        {
            assert_eq!(Key::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Key::parse("Ctrl+Shift+P"), Key::parse("ctrl+P"));
        assert_eq!(Key::parse("esc"), Key::parse("Escape"));
        for wrong in ["", "hyper+x", "ctrl+nothing", "f99"] {
            assert_eq!(Key::parse(wrong), None, "{wrong}");
        }
    }
}

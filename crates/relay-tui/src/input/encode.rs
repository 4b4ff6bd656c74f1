//! Keys as the bytes that a program in a terminal reads: what xterm sends.

use super::key::{Code, Key};

/// The bytes of a key. `application` says that the program asked for the other form of the arrow keys.
#[must_use]
pub fn bytes(key: &Key, application: bool) -> Vec<u8> {
    let held = 1 + u8::from(key.shift) + 2 * u8::from(key.alt) + 4 * u8::from(key.ctrl);
    let letter = |letter: char| match held {
        1 if application => format!("\x1bO{letter}"),
        1 => format!("\x1b[{letter}"),
        held => format!("\x1b[1;{held}{letter}"),
    };
    let number = |number: u8| match held {
        1 => format!("\x1b[{number}~"),
        held => format!("\x1b[{number};{held}~"),
    };
    let text = match key.code {
        Code::Up => letter('A'),
        Code::Down => letter('B'),
        Code::Right => letter('C'),
        Code::Left => letter('D'),
        Code::Home => letter('H'),
        Code::End => letter('F'),
        Code::Insert => number(2),
        Code::Delete => number(3),
        Code::PageUp => number(5),
        Code::PageDown => number(6),
        Code::F(key @ 1..=4) if held == 1 => format!("\x1bO{}", char::from(b'O' + key)),
        Code::F(key @ 1..=4) => format!("\x1b[1;{held}{}", char::from(b'O' + key)),
        // The numbers have gaps where old keyboards had other keys.
        Code::F(key @ 5..=5) => number(key + 10),
        Code::F(key @ 6..=10) => number(key + 11),
        Code::F(key @ 11..=14) => number(key + 12),
        Code::F(_) => String::new(),
        Code::Tab if key.shift => "\x1b[Z".to_owned(),
        Code::Enter => alt(key, '\r'),
        Code::Tab => alt(key, '\t'),
        Code::Backspace => alt(key, if key.ctrl { '\x08' } else { '\x7f' }),
        Code::Esc => alt(key, '\x1b'),
        Code::Char(character) => alt(key, if key.ctrl { control(character) } else { character }),
    };
    text.into_bytes()
}

fn alt(key: &Key, character: char) -> String {
    if key.alt { format!("\x1b{character}") } else { character.to_string() }
}

/// The character that Control makes of another one.
fn control(character: char) -> char {
    match character {
        'a'..='z' => char::from(u8::try_from(character).unwrap_or_default() & 0x1f),
        ' ' | '@' | '2' => '\0',
        '[' | '3' => '\x1b',
        '\\' | '4' => '\x1c',
        ']' | '5' => '\x1d',
        '^' | '6' => '\x1e',
        '_' | '-' | '/' | '7' => '\x1f',
        '?' | '8' => '\x7f',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Decoder, Input};

    #[test]
    fn what_is_sent_is_read_as_the_same_key() {
        for chord in [
            "a",
            "A",
            "é",
            "enter",
            "tab",
            "shift+tab",
            "backspace",
            "escape",
            "up",
            "ctrl+left",
            "alt+b",
            "ctrl+c",
            "ctrl+\\",
            "home",
            "end",
            "pageup",
            "delete",
            "insert",
            "f1",
            "f4",
            "f5",
            "f6",
            "f11",
            "f12",
            "shift+f5",
            "ctrl+alt+up",
            "space",
            "alt+enter",
        ] {
            let key = Key::parse(chord).unwrap();
            let mut decoder = Decoder::default();
            let mut inputs = decoder.push(&bytes(&key, false));
            inputs.extend(decoder.settle());
            assert_eq!(inputs, [Input::Key(key)], "{chord}");
        }
        assert_eq!(bytes(&Key::parse("up").unwrap(), true), b"\x1bOA");
    }
}

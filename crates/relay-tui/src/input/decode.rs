//! Bytes of the terminal become keys, pasted text and reports.
//!
//! Understood are the legacy sequences, xterm's `modifyOtherKeys` and the Kitty protocol. Sequences may arrive in pieces, and
//! several at once. What is malformed gives no key and is never an error; lock keys do not change a chord, and a chord on a
//! keyboard that is not Latin is the one at the same place of a Latin keyboard.

use super::key::{Code, Key};
use super::{Input, Report};

/// The longest sequence that is waited for.
const SEQUENCE_BYTES: usize = 4096;
/// The most that is taken from one paste.
const PASTE_BYTES: usize = 8 << 20;
/// A burst of this many bytes with a line break inside is a paste of a terminal that does not mark them.
const BURST_BYTES: usize = 8;

const PASTE_END: &[u8] = b"\x1b[201~";

/// What arrived and is not complete yet.
#[derive(Debug, Default)]
pub struct Decoder {
    waiting: Vec<u8>,
    paste: Option<Vec<u8>>,
}

/// What the beginning of some bytes is.
enum Piece {
    /// Something complete of this many bytes.
    Whole(usize, Option<Input>),
    /// The beginning of pasted text, after this many bytes.
    PasteBegins(usize),
    /// Not all of it has arrived.
    Partial,
}

impl Decoder {
    /// Whether a sequence has begun and not ended: an escape that nothing follows is a key of its own.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes what arrived.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Input> {
        if self.waiting.is_empty() && self.paste.is_none() && is_burst(bytes) {
            return vec![Input::Paste(text_of(bytes))];
        }
        self.waiting.extend_from_slice(bytes);
        self.decode(false)
    }

    /// Nothing more came for a while: what looked like the beginning of a sequence was a key.
    pub fn settle(&mut self) -> Vec<Input> {
        self.decode(true)
    }

    fn decode(&mut self, is_settled: bool) -> Vec<Input> {
        let mut inputs = Vec::new();
        let waiting = std::mem::take(&mut self.waiting);
        let mut rest = waiting.as_slice();
        while !rest.is_empty() {
            if self.paste.is_some() {
                rest = self.paste_more(rest, &mut inputs);
                if self.paste.is_some() {
                    break;
                }
                continue;
            }
            match piece(rest) {
                Piece::Whole(length, input) => {
                    inputs.extend(input);
                    rest = rest.get(length..).unwrap_or_default();
                }
                Piece::PasteBegins(length) => {
                    self.paste = Some(Vec::new());
                    rest = rest.get(length..).unwrap_or_default();
                }
                Piece::Partial if is_settled || rest.len() > SEQUENCE_BYTES => {
                    // An escape by itself, or together with what would have begun a sequence.
                    match rest {
                        [0x1b] => inputs.push(Input::Key(Key::plain(Code::Esc))),
                        [0x1b, second] => inputs.push(Input::Key(Key::alt(char::from(*second)).normal())),
                        _ => {}
                    }
                    rest = &[];
                }
                Piece::Partial => break,
            }
        }
        self.waiting = rest.to_vec();
        inputs
    }

    /// Takes pasted bytes up to the mark of the end; what may be the beginning of that mark waits.
    fn paste_more<'a>(&mut self, rest: &'a [u8], inputs: &mut Vec<Input>) -> &'a [u8] {
        let Some(paste) = &mut self.paste else { return rest };
        match rest.windows(PASTE_END.len()).position(|window| window == PASTE_END) {
            Some(end) => {
                paste.extend(rest.iter().take(end.min(PASTE_BYTES.saturating_sub(paste.len()))));
                inputs.push(Input::Paste(text_of(paste)));
                self.paste = None;
                rest.get(end + PASTE_END.len()..).unwrap_or_default()
            }
            None => {
                let kept = (1..PASTE_END.len())
                    .rev()
                    .find(|length| rest.ends_with(PASTE_END.get(..*length).unwrap_or(rest)));
                let (ready, held) = rest.split_at(rest.len() - kept.unwrap_or(0));
                paste.extend(ready.iter().take(PASTE_BYTES.saturating_sub(paste.len())));
                held
            }
        }
    }
}

/// Many characters at once with a line break among them: nobody types like that.
fn is_burst(bytes: &[u8]) -> bool {
    let inner = bytes.len().saturating_sub(1);
    bytes.len() > BURST_BYTES
        && !bytes.contains(&0x1b)
        && bytes.iter().take(inner).any(|byte| matches!(byte, b'\r' | b'\n'))
}

/// Pasted bytes as text, with line breaks as they are inside the program.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n")
}

fn piece(bytes: &[u8]) -> Piece {
    match bytes {
        [0x1b] => Piece::Partial,
        [0x1b, b'[', rest @ ..] => control_sequence(rest),
        [0x1b, b'O'] => Piece::Partial,
        [0x1b, b'O', last, ..] => Piece::Whole(3, letter(*last).map(|code| Input::Key(Key::plain(code)))),
        [0x1b, b']', rest @ ..] => string(rest, 2, true, background),
        [0x1b, b'_'] => Piece::Partial,
        // Nothing else was asked for that is answered in such a string; the rest are keys with Alt.
        [0x1b, b'_', b'G', ..] => string(bytes.get(2..).unwrap_or_default(), 2, false, graphics),
        [0x1b, 0x1b, ..] => Piece::Whole(1, Some(Input::Key(Key::plain(Code::Esc)))),
        [0x1b, rest @ ..] => match character(rest) {
            Some((length, Some(key))) => {
                Piece::Whole(1 + length, Some(Input::Key(Key { alt: true, ..key }.normal())))
            }
            Some((length, None)) => Piece::Whole(1 + length, None),
            None => Piece::Partial,
        },
        _ => match character(bytes) {
            Some((length, key)) => Piece::Whole(length, key.map(|key| Input::Key(key.normal()))),
            None => Piece::Partial,
        },
    }
}

/// The first character as a key; `None` if more bytes are needed.
fn character(bytes: &[u8]) -> Option<(usize, Option<Key>)> {
    let first = *bytes.first()?;
    let key = match first {
        b'\r' => Key::plain(Code::Enter),
        b'\t' => Key::plain(Code::Tab),
        0x7f | 0x08 => Key::plain(Code::Backspace),
        0 => Key::ctrl(' '),
        1..=26 => Key::ctrl(char::from(first + b'a' - 1)),
        0x1c..=0x1f => Key::ctrl(char::from(first + b'@')),
        _ => {
            let length = match first {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            };
            let encoded = bytes.get(..length)?;
            let decoded = std::str::from_utf8(encoded).ok().and_then(|text| text.chars().next());
            let taken = if decoded.is_some() { length } else { 1 };
            return Some((taken, decoded.filter(|c| !c.is_control()).map(|c| Key::plain(Code::Char(c)))));
        }
    };
    Some((1, Some(key)))
}

/// A string sequence: until BEL (if it may end so) or ST.
fn string(rest: &[u8], before: usize, bell: bool, read: fn(&[u8]) -> Option<Report>) -> Piece {
    for (at, byte) in rest.iter().enumerate() {
        let end = match byte {
            0x07 if bell => 1,
            0x1b if rest.get(at + 1) == Some(&b'\\') => 2,
            _ => continue,
        };
        let report = rest.get(..at).and_then(read);
        return Piece::Whole(before + at + end, report.map(Input::Report));
    }
    Piece::Partial
}

/// The answer to a question about the background: `11;rgb:1e1e/2020/3030`.
fn background(body: &[u8]) -> Option<Report> {
    let text = std::str::from_utf8(body).ok()?.strip_prefix("11;rgb:")?;
    let mut parts = text.split('/').map(|part| u8::from_str_radix(part.get(..2).unwrap_or(part), 16).ok());
    Some(Report::Background(parts.next()??, parts.next()??, parts.next()??))
}

/// The answer to a question about images.
fn graphics(body: &[u8]) -> Option<Report> {
    (body.starts_with(b"G") && body.ends_with(b";OK")).then_some(Report::KittyImages)
}

fn control_sequence(rest: &[u8]) -> Piece {
    // The Linux console writes its function keys with a second bracket.
    if rest == b"[" {
        return Piece::Partial;
    }
    if let [b'[', last, ..] = rest {
        let number = last.checked_sub(b'A').filter(|number| *number < 5).map(|number| Code::F(number + 1));
        return Piece::Whole(4, number.map(|code| Input::Key(Key::plain(code))));
    }
    let Some(end) = rest.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
        // A control character inside a sequence ends it.
        return match rest.iter().position(|byte| *byte < 0x20) {
            Some(at) => Piece::Whole(2 + at, None),
            None => Piece::Partial,
        };
    };
    if let Some(at) = rest.iter().take(end).position(|byte| *byte < 0x20) {
        return Piece::Whole(2 + at, None);
    }
    let body = rest.get(..end).and_then(|body| std::str::from_utf8(body).ok()).unwrap_or("!");
    let last = rest.get(end).copied().unwrap_or_default();
    if last == b'~' && body == "200" {
        return Piece::PasteBegins(2 + end + 1);
    }
    Piece::Whole(2 + end + 1, sequence(body, last))
}

fn sequence(body: &str, last: u8) -> Option<Input> {
    if let Some(private) = body.strip_prefix('?') {
        return report(private, last).map(Input::Report);
    }
    if let Some(mouse) = body.strip_prefix('<') {
        return match mouse.split(';').next()? {
            "64" => Some(Input::Scroll(-3)),
            "65" => Some(Input::Scroll(3)),
            _ => None,
        };
    }
    let parameters: Vec<&str> = body.split(';').collect();
    let number = |at: usize| parameters.get(at).and_then(|text| text.split(':').next()?.parse::<u32>().ok());
    match last {
        b'I' if body.is_empty() => Some(Input::Focus(true)),
        b'O' if body.is_empty() => Some(Input::Focus(false)),
        // An answer about the cursor's place, not F3.
        b'R' if number(0).is_some_and(|row| row > 1) => None,
        b'Z' => Some(Input::Key(Key { shift: true, ..Key::plain(Code::Tab) })),
        b'u' => kitty(&parameters),
        b'~' if number(0) == Some(27) => modified(key_of(number(2)?)?, number(1)?),
        b'~' => modified(Key::plain(numbered(number(0)?)?), modifiers(&parameters)?),
        _ => modified(Key::plain(letter(last)?), modifiers(&parameters)?),
    }
}

fn report(body: &str, last: u8) -> Option<Report> {
    match (last, body) {
        (b'n', "997;1") => Some(Report::Dark(true)),
        (b'n', "997;2") => Some(Report::Dark(false)),
        (b'u', _) => Some(Report::KittyKeys),
        (b'y', "1004;1$" | "1004;2$" | "1004;3$") => Some(Report::Focus),
        (b'c', _) => Some(Report::Done { has_sixel: body.split(';').skip(1).any(|part| part == "4") }),
        _ => None,
    }
}

/// The modifiers of a sequence, the second parameter. A key that is let go gives nothing.
fn modifiers(parameters: &[&str]) -> Option<u32> {
    let Some(text) = parameters.get(1) else { return Some(1) };
    let mut parts = text.split(':');
    let held = parts.next().filter(|text| !text.is_empty()).map_or(Some(1), |text| text.parse().ok())?;
    (parts.next() != Some("3")).then_some(held)
}

/// A key with modifiers as terminals count them: one more than the bits for shift, alt and control. Lock keys are bits too,
/// and do not matter.
fn modified(key: Key, held: u32) -> Option<Input> {
    let bits = held.saturating_sub(1);
    // Chords with the Super or Hyper key are the desktop's.
    if bits & 0b11000 != 0 {
        return None;
    }
    let (shift, alt, ctrl) = (bits & 1 != 0, bits & 0b100010 != 0, bits & 4 != 0);
    Some(Input::Key(Key { shift, alt, ctrl, ..key }.normal()))
}

/// `code:shifted:base;modifiers:event;text u`.
fn kitty(parameters: &[&str]) -> Option<Input> {
    let mut codes = parameters.first()?.split(':').map(|text| text.parse::<u32>().ok());
    let code = codes.next()??;
    let (shifted, base) = (codes.next().flatten(), codes.next().flatten());
    let held = modifiers(parameters)?;
    let bits = held.saturating_sub(1);
    let is_chord = bits & 0b100110 != 0;
    let code = match (is_chord, base, shifted) {
        (true, Some(base), _) if code > 0x7f && code < 0xe000 => base,
        (false, _, Some(shifted)) if bits & 1 != 0 => shifted,
        _ => code,
    };
    modified(key_of(code)?, held)
}

/// The key of a code point, or of Kitty's own numbers for keys without one.
fn key_of(code: u32) -> Option<Key> {
    let code = match code {
        9 => Code::Tab,
        13 | 57414 => Code::Enter,
        27 => Code::Esc,
        8 | 127 => Code::Backspace,
        57399..=57408 => Code::Char(char::from_digit(code - 57399, 10)?),
        57409..=57413 => {
            Code::Char(['.', '/', '*', '-', '+'].get(usize::try_from(code - 57409).ok()?).copied()?)
        }
        57415 => Code::Char('='),
        57417 => Code::Left,
        57418 => Code::Right,
        57419 => Code::Up,
        57420 => Code::Down,
        57421 => Code::PageUp,
        57422 => Code::PageDown,
        57423 => Code::Home,
        57424 => Code::End,
        57425 => Code::Insert,
        57426 => Code::Delete,
        57344..=63743 => return None,
        _ => Code::Char(char::from_u32(code).filter(|character| !character.is_control())?),
    };
    Some(Key::plain(code))
}

fn letter(last: u8) -> Option<Code> {
    Some(match last {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'H' => Code::Home,
        b'F' => Code::End,
        b'M' => Code::Enter,
        b'P'..=b'S' => Code::F(last - b'P' + 1),
        _ => return None,
    })
}

fn numbered(number: u32) -> Option<Code> {
    Some(match number {
        1 | 7 => Code::Home,
        2 => Code::Insert,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        11..=15 => Code::F(u8::try_from(number - 10).ok()?),
        17..=21 => Code::F(u8::try_from(number - 11).ok()?),
        23 | 24 => Code::F(u8::try_from(number - 12).ok()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &str, expected: &[&str]) {
        let mut decoder = Decoder::default();
        let mut inputs = decoder.push(bytes.as_bytes());
        inputs.extend(decoder.settle());
        let shown: Vec<String> = inputs.iter().map(shown).collect();
        assert_eq!(shown, expected, "{bytes:?}");
        // In pieces of one byte it is the same, as long as nothing settles in between.
        let mut slow = Decoder::default();
        let mut pieces: Vec<Input> = bytes.bytes().flat_map(|byte| slow.push(&[byte])).collect();
        pieces.extend(slow.settle());
        assert_eq!(pieces, inputs, "{bytes:?} in pieces");
    }

    fn shown(input: &Input) -> String {
        match input {
            Input::Key(key) => key.to_string(),
            Input::Paste(text) => format!("paste:{text}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn legacy_keys() {
        check("a\x03\r\t\x7f", &["a", "ctrl+c", "enter", "tab", "backspace"]);
        check("\x1b[A\x1bOB\x1b[1;5C\x1b[H\x1b[4~", &["up", "down", "ctrl+right", "home", "end"]);
        check("\x1bOP\x1b[15~\x1b[24~\x1b[[A", &["f1", "f5", "f12", "f1"]);
        check("\x1b[Z\x1bx\x1bX\x1b\r", &["shift+tab", "alt+x", "alt+shift+x", "alt+enter"]);
        check("\x1b", &["escape"]);
        check("\x1b\x1b", &["escape", "escape"]);
        check("\x1bP\x1b_", &["alt+shift+p", "alt+_"]);
        check("世é", &["世", "é"]);
        check("\x1b[3;5~\x1b[1;3A", &["ctrl+delete", "alt+up"]);
    }

    #[test]
    fn kitty_and_modify_other_keys() {
        check("\x1b[99;5u\x1b[27u\x1b[13;2u\x1b[13;5u", &["ctrl+c", "escape", "shift+enter", "ctrl+enter"]);
        check("\x1b[27;5;13~\x1b[27;6;112~", &["ctrl+enter", "ctrl+shift+p"]);
        // Caps lock and num lock are held.
        check("\x1b[99;197u", &["ctrl+c"]);
        // A Cyrillic keyboard, with the key at the place of `c`.
        check("\x1b[1089::99;5u", &["ctrl+c"]);
        check("\x1b[97:65;2u\x1b[57400u\x1b[57414u", &["A", "1", "enter"]);
        // Let go, a modifier alone, the desktop's own chord.
        check("\x1b[99;5:3u\x1b[57441;2u\x1b[99;9u", &[]);
    }

    #[test]
    fn paste_focus_and_reports() {
        check("\x1b[200~a\rb\x1b[31m\x1b[201~c", &["paste:a\nb\x1b[31m", "c"]);
        check("\x1b[I\x1b[O", &["Focus(true)", "Focus(false)"]);
        check("\x1b]11;rgb:1e1e/2020/3030\x1b\\", &["Report(Background(30, 32, 48))"]);
        check("\x1b]11;rgb:ff/00/7f\x07", &["Report(Background(255, 0, 127))"]);
        check(
            "\x1b[?997;2n\x1b[?1u\x1b[?62;4c",
            &["Report(Dark(false))", "Report(KittyKeys)", "Report(Done { has_sixel: true })"],
        );
        check(
            "\x1b[?1004;2$y\x1b[?1004;0$y\x1b[?64;1;2c",
            &["Report(Focus)", "Report(Done { has_sixel: false })"],
        );
        check("\x1b_Gi=31;OK\x1b\\", &["Report(KittyImages)"]);
        check("\x1b[<64;10;5M", &["Scroll(-3)"]);
    }

    #[test]
    fn what_is_malformed_gives_no_key() {
        check("\x1b[999999999999~", &[]);
        check("\x1b[;;;u", &[]);
        check("\x1b[1;1;1\x03", &["ctrl+c"]);
        check("\x1b]11;rgb:zz\x07", &[]);
        check("\x1b[12;40R", &[]);
        let mut decoder = Decoder::default();
        assert_eq!(decoder.push(&[0xff, 0xfe, b'a']), [Input::Key(Key::plain(Code::Char('a')))]);
    }

    #[test]
    fn a_paste_that_is_not_marked_is_one() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.push(b"first line\rsecond"), [Input::Paste("first line\nsecond".to_owned())]);
        assert_eq!(decoder.push(b"ls\r").len(), 3);
    }
}

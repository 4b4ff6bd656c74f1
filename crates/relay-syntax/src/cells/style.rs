//! The colours and the link that hold at a place of a text.

use super::pieces::Piece;

/// How many attributes that end with the same number are known: bold and faint, italics, and so on.
const KINDS: usize = 10;

/// What holds: of every kind the sequence that began it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Active {
    codes: [Option<String>; KINDS],
    /// Bold and faint can hold together.
    faint: bool,
    link: Option<String>,
}

impl Active {
    /// Takes note of a sequence.
    pub fn see(&mut self, piece: &Piece<'_>) {
        let Piece::Escape(text) = piece else { return };
        if let Some(link) = text.strip_prefix("\x1b]8;") {
            let address = link.split_once(';').map_or("", |(_, address)| address);
            let is_end = address.trim_end_matches(['\x07', '\\', '\x1b']).is_empty();
            self.link = (!is_end).then(|| (*text).to_owned());
        } else if let Some(codes) = text.strip_prefix("\x1b[").and_then(|rest| rest.strip_suffix('m')) {
            self.colours(codes);
        }
    }

    fn colours(&mut self, codes: &str) {
        let mut codes = codes.split(';');
        while let Some(code) = codes.next() {
            let number = code.split(':').next().unwrap_or_default().parse::<u16>().unwrap_or(0);
            // `38;5;n` and `38;2;r;g;b` are one colour.
            let mut whole = code.to_owned();
            if matches!(number, 38 | 48 | 58) && !code.contains(':') {
                let kind = codes.next().unwrap_or_default();
                let more = if kind == "2" { 3 } else { 1 };
                let values: Vec<&str> = codes.by_ref().take(more).collect();
                whole = std::iter::once(code).chain([kind]).chain(values).collect::<Vec<_>>().join(";");
            }
            self.set(number, whole);
        }
    }

    fn set(&mut self, number: u16, whole: String) {
        let (kind, begins) = match number {
            0 => {
                let link = self.link.take();
                *self = Self { link, ..Self::default() };
                return;
            }
            1 => (0, true),
            2 => {
                self.faint = true;
                return;
            }
            22 => {
                self.faint = false;
                (0, false)
            }
            3 | 23 => (1, number < 20),
            4 | 21 | 24 => (2, number != 24 && whole != "4:0"),
            5 | 6 | 25 => (3, number < 20),
            7 | 27 => (4, number < 20),
            8 | 28 => (5, number < 20),
            9 | 29 => (6, number < 20),
            30..=39 | 90..=97 => (7, number != 39),
            40..=49 | 100..=107 => (8, number != 49),
            58 | 59 => (9, number != 59),
            _ => return,
        };
        if let Some(place) = self.codes.get_mut(kind) {
            *place = begins.then_some(whole);
        }
    }

    /// What begins all of it again.
    pub fn begin(&self) -> String {
        let faint = self.faint.then_some("2");
        let codes: Vec<&str> = self.codes.iter().flatten().map(String::as_str).chain(faint).collect();
        let mut text = if codes.is_empty() { String::new() } else { format!("\x1b[{}m", codes.join(";")) };
        text.push_str(self.link.as_deref().unwrap_or_default());
        text
    }

    /// What ends all of it.
    pub fn end(&self) -> String {
        let has_colours = self.faint || self.codes.iter().any(Option::is_some);
        let link = if self.link.is_some() { "\x1b]8;;\x1b\\" } else { "" };
        format!("{link}{}", if has_colours { "\x1b[0m" } else { "" })
    }
}

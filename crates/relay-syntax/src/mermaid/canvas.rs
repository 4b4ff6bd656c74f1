//! A drawing of characters. Lines know in which directions they leave a place, so that they join where they meet.

use unicode_width::UnicodeWidthChar;

/// How a drawing looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Only ASCII characters.
    pub ascii: bool,
    /// Columns between boxes.
    pub padding_x: usize,
    /// Rows between boxes.
    pub padding_y: usize,
    /// Blanks inside boxes.
    pub inner: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { ascii: false, padding_x: 5, padding_y: 3, inner: 1 }
    }
}

/// The largest drawing, in places.
const PLACES: usize = 4_000_000;

const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

#[derive(Clone, Copy, Default)]
struct Place {
    lines: u8,
    dotted: bool,
    round: bool,
    text: Option<char>,
    /// The second half of a wide character.
    is_taken: bool,
}

/// A drawing.
pub struct Canvas {
    width: usize,
    places: Vec<Place>,
    ascii: bool,
}

impl Canvas {
    pub fn new(width: usize, height: usize, ascii: bool) -> Result<Self, String> {
        if width.saturating_mul(height) > PLACES {
            return Err("The drawing would be too large; draw a part of the diagram.".to_owned());
        }
        Ok(Self { width, places: vec![Place::default(); width * height], ascii })
    }

    fn at(&mut self, x: usize, y: usize) -> Option<&mut Place> {
        if x >= self.width { None } else { self.places.get_mut(y * self.width + x) }
    }

    /// A straight line, both ends included.
    pub fn line(&mut self, from: (usize, usize), to: (usize, usize), dotted: bool) {
        let ((x1, y1), (x2, y2)) = (from, to);
        if x1 == x2 {
            let (top, bottom) = (y1.min(y2), y1.max(y2));
            for y in top..=bottom {
                let lines = if y > top { UP } else { 0 } | if y < bottom { DOWN } else { 0 };
                self.join(x1, y, lines, dotted);
            }
        } else {
            let (left, right) = (x1.min(x2), x1.max(x2));
            for x in left..=right {
                let lines = if x > left { LEFT } else { 0 } | if x < right { RIGHT } else { 0 };
                self.join(x, y1, lines, dotted);
            }
        }
    }

    fn join(&mut self, x: usize, y: usize, lines: u8, dotted: bool) {
        if let Some(place) = self.at(x, y) {
            place.lines |= lines;
            place.dotted = dotted;
        }
    }

    /// A box with its corners.
    pub fn frame(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), round: bool) {
        let (right, bottom) = (x + width - 1, y + height - 1);
        self.line((x, y), (right, y), false);
        self.line((x, bottom), (right, bottom), false);
        self.line((x, y), (x, bottom), false);
        self.line((right, y), (right, bottom), false);
        for corner in [(x, y), (right, y), (x, bottom), (right, bottom)] {
            if let Some(place) = self.at(corner.0, corner.1) {
                place.round = round;
            }
        }
    }

    /// Words, over whatever is there.
    pub fn text(&mut self, x: usize, y: usize, text: &str) {
        let mut x = x;
        for character in text.chars() {
            let width = character.width().unwrap_or(0);
            if width == 0 {
                continue;
            }
            if let Some(place) = self.at(x, y) {
                place.text = Some(character);
            }
            if width == 2
                && let Some(place) = self.at(x + 1, y)
            {
                place.is_taken = true;
            }
            x += width;
        }
    }

    /// The drawing, without blanks at line ends and without empty lines around it.
    pub fn finish(self) -> String {
        let rows: Vec<String> = self
            .places
            .chunks(self.width.max(1))
            .map(|row| {
                let shown: String = row
                    .iter()
                    .filter(|place| !place.is_taken)
                    .map(|place| place.text.unwrap_or_else(|| glyph(place, self.ascii)))
                    .collect();
                shown.trim_end().to_owned()
            })
            .collect();
        let first = rows.iter().position(|row| !row.is_empty()).unwrap_or(0);
        let last = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
        rows.get(first..last).unwrap_or_default().join("\n")
    }
}

fn glyph(place: &Place, ascii: bool) -> char {
    let horizontal = place.lines & (LEFT | RIGHT) != 0;
    let vertical = place.lines & (UP | DOWN) != 0;
    if ascii {
        return match (horizontal, vertical) {
            (false, false) => ' ',
            (true, true) => '+',
            (true, false) => {
                if place.dotted {
                    '.'
                } else {
                    '-'
                }
            }
            (false, true) => {
                if place.dotted {
                    ':'
                } else {
                    '|'
                }
            }
        };
    }
    const SHAPES: [char; 16] =
        [' ', '│', '│', '│', '─', '┘', '┐', '┤', '─', '└', '┌', '├', '─', '┴', '┬', '┼'];
    let shape = SHAPES.get(usize::from(place.lines)).copied().unwrap_or(' ');
    match (shape, place.dotted, place.round) {
        ('─', true, _) => '╌',
        ('│', true, _) => '╎',
        ('┌', _, true) => '╭',
        ('┐', _, true) => '╮',
        ('└', _, true) => '╰',
        ('┘', _, true) => '╯',
        (shape, ..) => shape,
    }
}

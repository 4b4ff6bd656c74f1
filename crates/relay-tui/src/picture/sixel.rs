//! Pictures as sixels: six rows of pixels to a line of characters, in the 216 colours of a cube.

use std::collections::BTreeMap;

/// Steps of red, green and blue.
const STEPS: i32 = 5;
/// What is fainter than this is not drawn.
const OPAQUE: u8 = 128;
/// Rows of pixels in a band.
const BAND: usize = 6;

/// The body of a sixel sequence for pixels of four bytes each: red, green, blue, and how opaque they are. `None` if there are
/// not as many as `width` and `height` say.
#[must_use]
pub fn encode(width: usize, height: usize, pixels: &[u8]) -> Option<String> {
    if width == 0 || height == 0 || pixels.len() != width.checked_mul(height)?.checked_mul(4)? {
        return None;
    }
    let colors = dithered(width, pixels);
    let mut body = format!("\"1;1;{width};{height}");
    let mut is_defined = [false; 216];
    for (at, band) in colors.chunks(width * BAND).enumerate() {
        if at > 0 {
            body.push('-');
        }
        push_band(&mut body, width, band, &mut is_defined);
    }
    Some(body)
}

/// Each pixel as a colour of the cube, or none; what a colour is off by goes to the pixels beside and below.
fn dithered(width: usize, pixels: &[u8]) -> Vec<Option<u8>> {
    let mut below = vec![[0_i32; 3]; width + 2];
    let mut colors = Vec::with_capacity(pixels.len() / 4);
    for row in pixels.chunks(width * 4) {
        let mut next = vec![[0_i32; 3]; width + 2];
        let mut beside = [0_i32; 3];
        for (at, pixel) in row.chunks(4).enumerate() {
            let [red, green, blue, opaque] = pixel else { continue };
            if *opaque < OPAQUE {
                beside = [0; 3];
                colors.push(None);
                continue;
            }
            let above = below.get(at + 1).copied().unwrap_or_default();
            let (mut index, mut off) = (0, [0; 3]);
            for (channel, value) in [*red, *green, *blue].into_iter().enumerate() {
                let get = |from: [i32; 3]| from.get(channel).copied().unwrap_or_default();
                let wanted = (i32::from(value) + (get(above) + get(beside)) / 16).clamp(0, 255);
                let step = (wanted * STEPS + 127) / 255;
                index = index * (STEPS + 1) + step;
                if let Some(off) = off.get_mut(channel) {
                    *off = wanted - step * 255 / STEPS;
                }
            }
            beside = off.map(|off| off * 7);
            for (place, share) in [(at, 3), (at + 1, 5), (at + 2, 1)] {
                for (sum, off) in next.get_mut(place).into_iter().flatten().zip(off) {
                    *sum += off * share;
                }
            }
            colors.push(u8::try_from(index).ok());
        }
        below = next;
    }
    colors
}

/// One band: each of its colours as a line of characters over the one before.
fn push_band(body: &mut String, width: usize, band: &[Option<u8>], is_defined: &mut [bool; 216]) {
    let mut lines: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
    for (row, pixels) in band.chunks(width).enumerate() {
        for (column, color) in pixels.iter().enumerate() {
            let Some(color) = color else { continue };
            let line = lines.entry(*color).or_insert_with(|| vec![0; width]);
            if let Some(bits) = line.get_mut(column) {
                *bits |= 1 << row;
            }
        }
    }
    for (at, (color, line)) in lines.iter().enumerate() {
        if at > 0 {
            body.push('$');
        }
        body.push_str(&format!("#{color}"));
        if let Some(known) = is_defined.get_mut(usize::from(*color)).filter(|known| !**known) {
            *known = true;
            let percent = |step: u8| u32::from(step) * 100 / STEPS.unsigned_abs();
            let (red, green, blue) = (color / 36, color / 6 % 6, color % 6);
            body.push_str(&format!(";2;{};{};{}", percent(red), percent(green), percent(blue)));
        }
        push_runs(body, line);
    }
}

/// Six bits to a character, and many of the same as a number.
fn push_runs(body: &mut String, line: &[u8]) {
    let end = line.iter().rposition(|bits| *bits != 0).map_or(0, |last| last + 1);
    for run in line.get(..end).unwrap_or_default().chunk_by(|one, other| one == other) {
        let character = char::from(b'?' + run.first().copied().unwrap_or_default());
        match run.len() {
            length @ 0..4 => body.extend(std::iter::repeat_n(character, length)),
            length => body.push_str(&format!("!{length}{character}")),
        }
    }
}

/// Whether a text is the body of a sixel sequence, and nothing that ends it.
#[must_use]
pub fn is_sound(body: &str) -> bool {
    body.bytes()
        .all(|byte| matches!(byte, b'?'..=b'~' | b'0'..=b'9' | b'"' | b'#' | b'!' | b'$' | b'-' | b';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads sixels back: which colour each pixel has.
    fn drawn(body: &str, width: usize, height: usize) -> Vec<Vec<Option<u32>>> {
        let mut canvas = vec![vec![None; width]; height];
        let (mut top, mut column, mut color) = (0, 0, 0);
        let mut rest = body.split_once(&format!("{width};{height}")).unwrap().1;
        let number = |rest: &mut &str| -> u32 {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..end].parse().unwrap();
            *rest = &rest[end..];
            number
        };
        while let Some(character) = rest.chars().next() {
            rest = &rest[1..];
            let (count, bits) = match character {
                '#' => {
                    color = number(&mut rest);
                    while rest.starts_with(';') {
                        rest = &rest[1..];
                        number(&mut rest);
                    }
                    continue;
                }
                '$' => {
                    column = 0;
                    continue;
                }
                '-' => {
                    (column, top) = (0, top + BAND);
                    continue;
                }
                '!' => {
                    let count = number(&mut rest);
                    let bits = rest.as_bytes()[0] - b'?';
                    rest = &rest[1..];
                    (count as usize, bits)
                }
                other => (1, other as u8 - b'?'),
            };
            for _ in 0..count {
                for row in 0..BAND {
                    if bits >> row & 1 == 1 {
                        canvas[top + row][column] = Some(color);
                    }
                }
                column += 1;
            }
        }
        canvas
    }

    #[test]
    fn a_picture_is_what_is_read_back() {
        let (width, height) = (9, 8);
        let mut pixels = Vec::new();
        for row in 0..height {
            for column in 0..width {
                let opaque = if (row, column) == (7, 8) { 0 } else { 255 };
                pixels.extend(if column < 5 { [255, 0, 0, opaque] } else { [0, 0, 255, opaque] });
            }
        }
        let body = encode(width, height, &pixels).unwrap();
        assert!(is_sound(&body) && !is_sound("q\u{1b}\\"), "{body}");
        let canvas = drawn(&body, width, height);
        let (red, blue) = (5 * 36, 5);
        for (row, line) in canvas.iter().enumerate() {
            for (column, color) in line.iter().enumerate() {
                let expected = if column < 5 { red } else { blue };
                let expected = ((row, column) != (7, 8)).then_some(expected);
                assert_eq!(*color, expected, "row {row} column {column}: {body}");
            }
        }
        assert_eq!(encode(3, 3, &pixels), None, "sizes that do not fit");
    }

    #[test]
    fn colours_between_the_steps_are_mixed() {
        let grey = [118, 118, 118, 255].repeat(12 * 12);
        let canvas = drawn(&encode(12, 12, &grey).unwrap(), 12, 12);
        let mut used: Vec<u32> = canvas.into_iter().flatten().flatten().collect();
        let mean: u32 = used.iter().map(|color| color / 36 * 51).sum::<u32>() / 144;
        used.sort_unstable();
        used.dedup();
        assert!(used.len() == 2 && mean.abs_diff(118) < 6, "{used:?} with a mean of {mean}");
    }
}

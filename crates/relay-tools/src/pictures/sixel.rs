//! Pictures as sixels, for terminals that draw them: six rows of one colour after another.
//!
//! Sixels have a palette. Colours are counted in 32 steps per channel and cut at the median into boxes until there are 256,
//! as for every picture of few colours nothing is lost. What is transparent is left as the terminal has it.

use std::collections::BTreeMap;

use image::RgbaImage;

use super::decoded;
use super::encode::fitted;

/// How many colours terminals have at least.
const COLORS: usize = 256;
/// From here on a pixel is drawn.
const VISIBLE: u8 = 128;

/// A picture as sixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sixels {
    /// What is between the sequence that begins sixels and the one that ends them.
    pub body: String,
    /// Its width and height in pixels.
    pub sides: (u32, u32),
}

/// A picture as sixels, no larger than `within` in pixels, in its own shape.
///
/// # Errors
/// It is damaged or too large to decode, or a side of `within` is zero.
pub fn sixels(bytes: &[u8], within: (u32, u32)) -> Result<Sixels, String> {
    let picture = fitted(decoded(bytes)?, within)?.to_rgba8();
    Ok(Sixels { body: drawn(&picture), sides: picture.dimensions() })
}

/// A colour in steps of 8: what the palette is made from.
type Step = [u8; 3];

fn drawn(picture: &RgbaImage) -> String {
    let palette = Palette::of(picture);
    let (width, height) = picture.dimensions();
    // A pixel is as high as it is wide.
    let mut out = format!("\"1;1;{width};{height}");
    for (number, [red, green, blue]) in palette.colors.iter().enumerate() {
        let percent = |value: u8| (u32::from(value) * 100 + 127) / 255;
        out.push_str(&format!("#{number};2;{};{};{}", percent(*red), percent(*green), percent(*blue)));
    }
    for top in (0..height).step_by(6) {
        if top > 0 {
            out.push('-');
        }
        band(picture, &palette, top, &mut out);
    }
    out
}

/// Six rows, one colour after another.
fn band(picture: &RgbaImage, palette: &Palette, top: u32, out: &mut String) {
    let (width, height) = picture.dimensions();
    // For each colour in these rows, the columns with the bits of their pixels.
    let mut rows: BTreeMap<usize, Vec<(u32, u8)>> = BTreeMap::new();
    for x in 0..width {
        for (bit, y) in (top..height.min(top + 6)).enumerate() {
            let pixel = picture.get_pixel(x, y).0;
            let Some(color) = palette.number(pixel) else { continue };
            let columns = rows.entry(color).or_default();
            match columns.last_mut() {
                Some((column, bits)) if *column == x => *bits |= 1 << bit,
                _ => columns.push((x, 1 << bit)),
            }
        }
    }
    for (at, (color, columns)) in rows.iter().enumerate() {
        if at > 0 {
            out.push('$');
        }
        out.push_str(&format!("#{color}"));
        let mut next = 0;
        let mut run = (0, 0);
        for (column, bits) in columns {
            repeat(&mut run, (0, column - next), out);
            repeat(&mut run, (*bits, 1), out);
            next = column + 1;
        }
        flush(run, out);
    }
}

/// Goes on with a run of the same six pixels, or begins another.
fn repeat(run: &mut (u8, u32), (bits, count): (u8, u32), out: &mut String) {
    if count == 0 {
        return;
    }
    if run.0 == bits {
        run.1 += count;
        return;
    }
    flush(std::mem::replace(run, (bits, count)), out);
}

fn flush((bits, count): (u8, u32), out: &mut String) {
    let sign = char::from(63 + bits);
    match count {
        0 => {}
        1..=3 => (0..count).for_each(|_| out.push(sign)),
        _ => out.push_str(&format!("!{count}{sign}")),
    }
}

/// The colours of a picture, and which of them each colour becomes.
struct Palette {
    colors: Vec<Step>,
    numbers: BTreeMap<Step, usize>,
}

fn step(pixel: [u8; 4]) -> Step {
    let [red, green, blue, _] = pixel;
    [red >> 3, green >> 3, blue >> 3]
}

impl Palette {
    fn of(picture: &RgbaImage) -> Self {
        // How often each step is there, and the sum of the colours in it.
        let mut counted: BTreeMap<Step, (u64, [u64; 3])> = BTreeMap::new();
        for pixel in picture.pixels().filter(|pixel| pixel.0[3] >= VISIBLE) {
            let (count, sums) = counted.entry(step(pixel.0)).or_default();
            *count += 1;
            for (sum, value) in sums.iter_mut().zip(pixel.0) {
                *sum += u64::from(value);
            }
        }
        let mut boxes: Vec<Vec<Step>> = vec![counted.keys().copied().collect()];
        while boxes.len() < COLORS {
            let widest = (0..boxes.len()).max_by_key(|at| boxes.get(*at).map_or(0, |steps| widest(steps).1));
            let Some(steps) = widest.map(|at| boxes.swap_remove(at)) else { break };
            if widest_is_one(&steps) {
                boxes.push(steps);
                break;
            }
            let (one, other) = halves(steps, &counted);
            boxes.extend([one, other]);
        }
        let mut palette = Self { colors: Vec::new(), numbers: BTreeMap::new() };
        for steps in boxes.iter().filter(|steps| !steps.is_empty()) {
            let all = steps.iter().filter_map(|step| counted.get(step));
            let (count, sums) = all.fold((0, [0; 3]), |(count, [a, b, c]), (more, [x, y, z])| {
                (count + more, [a + x, b + y, c + z])
            });
            let mean = |sum: u64| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX);
            palette.numbers.extend(steps.iter().map(|step| (*step, palette.colors.len())));
            palette.colors.push(sums.map(mean));
        }
        palette
    }

    /// The colour that a pixel becomes; none if it is transparent.
    fn number(&self, pixel: [u8; 4]) -> Option<usize> {
        self.numbers.get(&step(pixel)).copied().filter(|_| pixel[3] >= VISIBLE)
    }
}

/// The channel in which these steps differ most, and by how much.
fn widest(steps: &[Step]) -> (usize, u8) {
    let range = |channel: usize| {
        let values = steps.iter().filter_map(|step| step.get(channel).copied());
        let (least, most) =
            values.fold((u8::MAX, 0), |(least, most), value| (value.min(least), value.max(most)));
        most.saturating_sub(least)
    };
    (0..3).map(|channel| (channel, range(channel))).max_by_key(|(_, range)| *range).unwrap_or((0, 0))
}

fn widest_is_one(steps: &[Step]) -> bool {
    widest(steps).1 == 0
}

/// Two parts with about as many pixels each.
fn halves(mut steps: Vec<Step>, counted: &BTreeMap<Step, (u64, [u64; 3])>) -> (Vec<Step>, Vec<Step>) {
    let (channel, _) = widest(&steps);
    steps.sort_unstable_by_key(|step| step.get(channel).copied());
    let count = |step: &Step| counted.get(step).map_or(0, |(count, _)| *count);
    let half = steps.iter().map(count).sum::<u64>() / 2;
    let mut sum = 0;
    let at = steps.iter().position(|step| {
        sum += count(step);
        sum > half
    });
    let at = at.unwrap_or(0).clamp(1, steps.len().saturating_sub(1).max(1)).min(steps.len());
    let rest = steps.split_off(at);
    (steps, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::encode::{Encoding, encode};

    /// Draws sixels as a terminal does: the colour of every pixel that is drawn.
    fn shown(sixels: &str) -> BTreeMap<(u32, u32), [u8; 3]> {
        let mut rest = sixels.split_at(sixels.find(['#', '-']).unwrap_or(sixels.len())).1;
        let (mut colors, mut pixels) = (BTreeMap::new(), BTreeMap::new());
        let (mut x, mut top, mut color) = (0, 0, 0);
        while let Some(sign) = rest.chars().next() {
            rest = &rest[1..];
            let mut numbers = Vec::new();
            if matches!(sign, '#' | '!') {
                let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(rest.len());
                numbers = rest[..end].split(';').map(|number| number.parse::<u32>().unwrap()).collect();
                rest = &rest[end..];
            }
            let mut count = 1;
            let mut bits = sign;
            match (sign, numbers.as_slice()) {
                ('#', [number, 2, red, green, blue]) => {
                    let value = |percent: &u32| (percent * 255 / 100) as u8;
                    colors.insert(*number, [value(red), value(green), value(blue)]);
                    continue;
                }
                ('#', [number]) => {
                    color = *number;
                    continue;
                }
                ('!', [repeated]) => {
                    count = *repeated;
                    bits = rest.chars().next().unwrap();
                    rest = &rest[1..];
                }
                ('$', _) => {
                    x = 0;
                    continue;
                }
                ('-', _) => {
                    (x, top) = (0, top + 6);
                    continue;
                }
                _ => {}
            }
            let bits = u32::from(bits) - 63;
            assert!(bits < 64);
            for _ in 0..count {
                for bit in (0..6).filter(|bit| bits >> bit & 1 == 1) {
                    pixels.insert((x, top + bit), colors[&color]);
                }
                x += 1;
            }
        }
        pixels
    }

    #[track_caller]
    fn check(picture: &RgbaImage, tolerance: u8) {
        let pixels = shown(&drawn(picture));
        for (x, y, pixel) in picture.enumerate_pixels() {
            match pixels.get(&(x, y)) {
                Some(color) => {
                    assert!(pixel.0[3] >= VISIBLE, "{x},{y} is transparent");
                    let far = (0..3).any(|at| color[at].abs_diff(pixel.0[at]) > tolerance);
                    assert!(!far, "{x},{y}: {color:?} for {pixel:?}");
                }
                None => assert!(pixel.0[3] < VISIBLE, "{x},{y} is missing"),
            }
        }
        assert!(pixels.keys().all(|(x, y)| *x < picture.width() && *y < picture.height()));
    }

    #[test]
    fn a_terminal_shows_what_the_picture_has() {
        let few = RgbaImage::from_fn(37, 19, |x, y| match (x / 5 + y / 4) % 4 {
            0 => image::Rgba([255, 0, 0, 255]),
            1 => image::Rgba([0, 128, 255, 255]),
            2 => image::Rgba([250, 250, 250, 255]),
            _ => image::Rgba([9, 9, 9, 0]),
        });
        check(&few, 3);
        let many = RgbaImage::from_fn(64, 64, |x, y| image::Rgba([(x * 4) as u8, (y * 4) as u8, 128, 255]));
        check(&many, 24);
        check(&RgbaImage::from_pixel(1, 1, image::Rgba([1, 2, 3, 255])), 3);
        check(&RgbaImage::new(7, 7), 0);
    }

    #[test]
    fn pictures_fit_where_they_are_drawn() {
        let wide =
            image::DynamicImage::ImageRgba8(RgbaImage::from_pixel(300, 100, image::Rgba([7, 7, 7, 255])));
        let bytes = encode(&wide, Encoding::Png).unwrap();
        let drawn = sixels(&bytes, (60, 60)).unwrap();
        assert_eq!(drawn.sides, (60, 20));
        assert!(drawn.body.starts_with("\"1;1;60;20#0;2;3;3;3#0!60~-"), "{drawn:?}");
        assert!(sixels(&bytes, (0, 60)).is_err() && sixels(b"GIF89a", (9, 9)).is_err());
    }
}

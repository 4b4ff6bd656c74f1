//! Lines as bytes for the terminal: styles become the shortest sequences that the terminal understands.

use std::io::Write as _;

use crate::text::{Attrs, Color, Line, Style};

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None: only bold, italic and the like.
    None,
    /// 256.
    Indexed,
    /// 24 bits.
    #[default]
    True,
}

impl Depth {
    /// What the environment says about the terminal.
    ///
    /// `NO_COLOR` means none. `COLORTERM` and Windows Terminal promise 24 bits; the Linux console, `screen` and terminals
    /// without a name have 256 at most; every other is taken to have 24 bits.
    pub fn detect(environment: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| environment(name).filter(|value| !value.is_empty());
        if value("NO_COLOR").is_some() {
            return Self::None;
        }
        if matches!(value("COLORTERM").as_deref(), Some("truecolor" | "24bit"))
            || value("WT_SESSION").is_some()
        {
            return Self::True;
        }
        match value("TERM").as_deref() {
            None | Some("dumb" | "linux") => Self::Indexed,
            Some(name) if name.starts_with("screen") || name == "vt100" || name == "vt220" => Self::Indexed,
            Some("xterm-256color" | "tmux-256color")
                if value("TERM_PROGRAM").as_deref() == Some("Apple_Terminal") =>
            {
                Self::Indexed
            }
            Some(_) => Self::True,
        }
    }
}

/// What the terminal can do, as far as drawing goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Colours.
    pub depth: Depth,
    /// Links can be clicked.
    pub links: bool,
    /// A cleared cell keeps the background it is cleared with.
    pub clears_in_color: bool,
}

/// Writes one line, of at most `width` cells, and clears what is right of it.
pub fn line(out: &mut Vec<u8>, line: &Line, width: usize, abilities: Abilities) {
    let mut style = Style::default();
    let mut cells = 0;
    for span in &line.spans {
        let link = span.link.as_deref().filter(|_| abilities.links);
        if let Some(address) = link {
            put(out, "\x1b]8;;");
            safe(out, address);
            put(out, "\x1b\\");
        }
        change(out, &mut style, span.style, abilities.depth);
        safe(out, &span.text);
        cells += crate::text::width(&span.text);
        if link.is_some() {
            put(out, "\x1b]8;;\x1b\\");
        }
    }
    let fill = line
        .fill
        .filter(|_| abilities.depth != Depth::None)
        .map_or(Style::default(), |color| Style::default().on(color));
    change(out, &mut style, fill, abilities.depth);
    if cells < width {
        if fill != Style::default() && !abilities.clears_in_color {
            put(out, &" ".repeat(width - cells));
        } else {
            put(out, "\x1b[K");
        }
    }
    change(out, &mut style, Style::default(), abilities.depth);
    if let Some(picture) = &line.picture {
        picture.write(out);
    }
}

/// The last line of defence: whatever a widget forgot to clean does not reach the terminal as a control character.
fn safe(out: &mut Vec<u8>, text: &str) {
    if text.bytes().all(|byte| byte >= 0x20 && byte != 0x7f) && !text.chars().any(char::is_control) {
        return put(out, text);
    }
    let cleaned: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    put(out, &cleaned);
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// From one style to another.
fn change(out: &mut Vec<u8>, from: &mut Style, to: Style, depth: Depth) {
    let to = if depth == Depth::None { Style { attrs: to.attrs, ..Style::default() } } else { to };
    if *from == to {
        return;
    }
    let mut codes: Vec<String> = Vec::new();
    let mut before = *from;
    // Attributes cannot be turned off one by one everywhere; back to nothing is understood by all.
    if !to.attrs.contains(before.attrs) || to == Style::default() {
        codes.push(String::new());
        before = Style::default();
    }
    for (attribute, number) in Attrs::ALL {
        if to.attrs.contains(attribute) && !before.attrs.contains(attribute) {
            codes.push(number.to_string());
        }
    }
    if to.fg != before.fg {
        codes.push(color(to.fg, 30, depth));
    }
    if to.bg != before.bg {
        codes.push(color(to.bg, 40, depth));
    }
    *from = to;
    // Writing into memory does not fail.
    drop(write!(out, "\x1b[{}m", codes.join(";")));
}

/// What turns the colour of text on; empty for the terminal's own colour.
pub fn foreground(to: Color, depth: Depth) -> String {
    match (to, depth) {
        (Color::Default, _) | (_, Depth::None) => String::new(),
        (to, depth) => format!("\x1b[{}m", color(to, 30, depth)),
    }
}

/// The parameters of a colour; `base` is 30 for text and 40 for the background.
fn color(color: Color, base: u8, depth: Depth) -> String {
    match (color, depth) {
        (Color::Default, _) => (base + 9).to_string(),
        (Color::Indexed(index @ 0..8), _) => (base + index).to_string(),
        (Color::Indexed(index), _) => format!("{};5;{index}", base + 8),
        (Color::Rgb(red, green, blue), Depth::True) => format!("{};2;{red};{green};{blue}", base + 8),
        (Color::Rgb(red, green, blue), _) => format!("{};5;{}", base + 8, nearest(red, green, blue)),
    }
}

/// The nearest of the 256 colours: the cube of 216, or one of the greys.
fn nearest(red: u8, green: u8, blue: u8) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let distance = |a: [u8; 3]| -> u32 {
        [(a[0], red), (a[1], green), (a[2], blue)]
            .into_iter()
            .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2))
            .sum()
    };
    let step = |value: u8| {
        let at = (0..6_u8)
            .min_by_key(|at| STEPS.get(usize::from(*at)).map_or(u8::MAX, |step| step.abs_diff(value)));
        let at = at.unwrap_or_default();
        (at, STEPS.get(usize::from(at)).copied().unwrap_or_default())
    };
    let ((r, red_step), (g, green_step), (b, blue_step)) = (step(red), step(green), step(blue));
    let average = (u32::from(red) + u32::from(green) + u32::from(blue)) / 3;
    let grey = u8::try_from(average.saturating_sub(8).saturating_add(5) / 10).unwrap_or(23).min(23);
    let shade = 8 + 10 * grey;
    if distance([shade; 3]) < distance([red_step, green_step, blue_step]) {
        232 + grey
    } else {
        16 + 36 * r + 6 * g + b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(drawn: &Line, depth: Depth, expected: &str) {
        let mut out = Vec::new();
        line(&mut out, drawn, 10, Abilities { depth, links: true, clears_in_color: true });
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn styles_are_written_as_short_as_they_can_be() {
        let red = Style::fg(Color::Rgb(255, 0, 0));
        check(&Line::of("a", Style::default()), Depth::True, "a\x1b[K");
        check(
            &Line::of("a", red).and("b", red.bold()),
            Depth::True,
            "\x1b[38;2;255;0;0ma\x1b[1mb\x1b[m\x1b[K",
        );
        check(&Line::of("a", red), Depth::Indexed, "\x1b[38;5;196ma\x1b[m\x1b[K");
        check(&Line::of("a", red.bold()), Depth::None, "\x1b[1ma\x1b[m\x1b[K");
        check(&Line::of("1234567890", Style::default()), Depth::True, "1234567890");
    }

    #[test]
    fn nothing_drives_the_terminal_from_inside_a_line() {
        check(&Line::of("a\x1b[2J", Style::default()), Depth::True, "a\u{fffd}[2J\x1b[K");
    }

    #[test]
    fn greys_are_greys() {
        assert_eq!((nearest(0, 0, 0), nearest(255, 255, 255), nearest(128, 128, 128)), (16, 231, 244));
    }

    #[test]
    fn colours_follow_the_environment() {
        for (variables, expected) in [
            (&[("COLORTERM", "truecolor"), ("TERM", "linux")][..], Depth::True),
            (&[("TERM", "linux")], Depth::Indexed),
            (&[("TERM", "xterm-256color")], Depth::True),
            (&[], Depth::Indexed),
            (&[("WT_SESSION", "1")], Depth::True),
            (&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")], Depth::None),
        ] {
            let find = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Depth::detect(find), expected, "{variables:?}");
        }
    }
}

//! Cells of characters, and that nothing is lost or recoloured however a text is broken.

use super::pieces::{Piece, pieces};
use super::style::Active;
use super::*;

/// Characters whose width has surprised someone: wide, combined, joined, of two code points, of none.
const GRAPHEMES: [(&str, usize); 20] = [
    ("a", 1),
    ("é", 1),
    ("e\u{301}", 1),
    ("世", 2),
    ("한", 2),
    ("ｱ", 1),
    ("Ａ", 2),
    ("👍", 2),
    ("👍🏽", 2),
    ("👩\u{200d}👩\u{200d}👧", 2),
    ("🇩🇪", 2),
    ("1\u{fe0f}\u{20e3}", 2),
    ("❤\u{fe0f}", 2),
    ("ก\u{e33}", 2),
    ("\u{200b}", 0),
    ("·", 1),
    ("─", 1),
    ("\t", 3),
    ("\u{7}", 0),
    ("ﷺ", 1),
];

#[test]
fn every_character_has_its_cells() {
    for (text, cells) in GRAPHEMES {
        assert_eq!(width(text, 3), cells, "{text:?}");
        assert_eq!(width(&format!("\x1b[1m{text}\x1b[0m"), 3), cells, "{text:?} in bold");
        let whole = truncate(&text.repeat(5), cells * 3, Ellipsis::Omit, false, 3);
        assert_eq!(whole, text.repeat(if cells == 0 { 5 } else { 3 }), "{text:?}");
    }
    assert_eq!((width("a\tb", 8), width("a\tb", 1)), (10, 3));
}

#[test]
fn three_ways_to_show_a_cut() {
    let check = |room: usize, ellipsis: Ellipsis, expected: &str| {
        assert_eq!(truncate("日本語 text", room, ellipsis, false, 3), expected);
        let padded = truncate("日本語 text", room, ellipsis, true, 3);
        assert_eq!(width(&padded, 3), room, "{padded:?}");
    };
    check(11, Ellipsis::Unicode, "日本語 text");
    check(10, Ellipsis::Unicode, "日本語 te…");
    check(10, Ellipsis::Ascii, "日本語 ...");
    check(10, Ellipsis::Omit, "日本語 tex");
    check(4, Ellipsis::Unicode, "日…");
    check(5, Ellipsis::Ascii, "日...");
    check(2, Ellipsis::Ascii, "..");
    check(1, Ellipsis::Omit, "");
    check(0, Ellipsis::Unicode, "");
    let red = truncate("\x1b[31mlong words\x1b[0m", 5, Ellipsis::Unicode, false, 3);
    assert_eq!(red, "\x1b[31mlong…\x1b[0m");
}

#[test]
fn slices_keep_the_colours_of_their_place() {
    let line = "\x1b[1mab\x1b[31m世界\x1b[22mcd\x1b[0mef";
    for (start, length, strict, expected) in [
        (0, 3, true, "\x1b[1mab\x1b[31m\x1b[0m"),
        (0, 3, false, "\x1b[1mab\x1b[31m世\x1b[0m"),
        (3, 3, true, "\x1b[1;31m界\x1b[0m"),
        (6, 2, true, "\x1b[31mcd\x1b[0m"),
        (8, 9, true, "ef"),
        (99, 9, true, ""),
        (0, 0, true, ""),
    ] {
        let found = slice(line, start, length, strict, 3);
        assert_eq!(width(&found, 3), width(expected, 3), "{start}+{length}: {found:?}");
        assert_eq!(looks(&found), looks(expected), "{start}+{length}: {found:?}");
    }
    let parts = segments("\x1b[32m0123456789\x1b[0m", 3, (6, 3), true, 3);
    assert_eq!((looks(&parts.before).len(), parts.before_width, parts.after_width), (3, 3, 3));
    assert_eq!(looks(&parts.after), looks("\x1b[32m678"));
    assert_eq!(segments("世世世", 3, (3, 3), false, 3).before_width, 2);
}

/// Every character that is seen, with what holds there.
fn looks(text: &str) -> Vec<(String, String)> {
    let mut active = Active::default();
    let mut seen = Vec::new();
    for piece in pieces(text, 3) {
        active.see(&piece);
        if let Piece::Shown(text, _) = piece {
            seen.push((text.to_owned(), active.begin()));
        }
    }
    seen
}

fn without_blanks(text: &str) -> Vec<(String, String)> {
    looks(text).into_iter().filter(|(text, _)| !matches!(text.as_str(), " " | "\t" | "\n")).collect()
}

#[test]
fn lines_break_between_words() {
    for (text, room, expected) in [
        ("one two three", 8, &["one two", "three"][..]),
        ("one  two", 4, &["one", "two"]),
        ("  indented text", 10, &["  indented", "text"]),
        ("averylongword", 5, &["avery", "longw", "ord"]),
        ("a averylongword", 5, &["a", "avery", "longw", "ord"]),
        ("世界世界", 3, &["世", "界", "世", "界"]),
        ("", 5, &[""]),
        ("a\r\n\nb", 5, &["a", "", "b"]),
        ("trailing   ", 20, &["trailing"]),
    ] {
        assert_eq!(wrap(text, room, 3), expected, "{text:?}");
    }
}

#[test]
fn colours_and_links_go_on_in_the_next_line() {
    let lines =
        wrap("\x1b[1;38;2;1;2;3mone two\x1b[0m \x1b]8;;http://a\x1b\\three four\x1b]8;;\x1b\\ five", 6, 3);
    let expected = [
        "\x1b[1;38;2;1;2;3mone\x1b[0m",
        "\x1b[1;38;2;1;2;3mtwo\x1b[0m\x1b]8;;http://a\x1b\\\x1b]8;;\x1b\\",
        "\x1b]8;;http://a\x1b\\three\x1b]8;;\x1b\\",
        "\x1b]8;;http://a\x1b\\four\x1b]8;;\x1b\\",
        "five",
    ];
    assert_eq!(lines, expected);
}

/// Numbers that look random and are the same in every run.
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % most
    }
}

fn text(numbers: &mut Numbers) -> String {
    const ESCAPES: [&str; 12] = [
        "\x1b[0m",
        "\x1b[1m",
        "\x1b[2m",
        "\x1b[22m",
        "\x1b[31m",
        "\x1b[48;5;200m",
        "\x1b[38;2;9;8;7m",
        "\x1b[39;49m",
        "\x1b[4:3m",
        "\x1b[K",
        "\x1b]8;;http://x\x07",
        "\x1b]8;;\x07",
    ];
    let piece = |numbers: &mut Numbers| match numbers.below(6) {
        0 => ESCAPES[numbers.below(ESCAPES.len())],
        1 => " ",
        2 => ["\n", "  ", "-"][numbers.below(3)],
        _ => GRAPHEMES[numbers.below(GRAPHEMES.len())].0,
    };
    (0..numbers.below(40)).map(|_| piece(numbers)).collect()
}

#[test]
fn whatever_is_wrapped_fits_and_loses_nothing() {
    let mut numbers = Numbers(1);
    for round in 0..4_000 {
        let (text, room) = (text(&mut numbers), 2 + numbers.below(12));
        let lines = wrap(&text, room, 3);
        // A tab is wider than the narrowest line.
        assert!(lines.iter().all(|line| width(line, 3) <= room.max(3)), "{round}: {text:?} {lines:?}");
        let joined: Vec<_> = lines.iter().flat_map(|line| without_blanks(line)).collect();
        assert_eq!(joined, without_blanks(&text), "{round}: {text:?} in {room}: {lines:?}");
        // No line leaves anything on for what is drawn beside it.
        for line in &lines {
            let mut active = Active::default();
            pieces(line, 3).for_each(|piece| active.see(&piece));
            assert_eq!(active, Active::default(), "{round}: {line:?}");
        }
    }
}

#[test]
fn whatever_is_cut_fits_and_is_a_beginning() {
    let mut numbers = Numbers(2);
    for round in 0..4_000 {
        let (text, room) = (text(&mut numbers).replace('\n', ""), numbers.below(20));
        for ellipsis in [Ellipsis::Unicode, Ellipsis::Ascii, Ellipsis::Omit] {
            let cut = truncate(&text, room, ellipsis, false, 3);
            assert!(width(&cut, 3) <= room, "{round}: {text:?} to {room}: {cut:?}");
            let mark = looks(&cut).len().min(ellipsis.text().chars().count());
            let kept = &looks(&cut)[..looks(&cut).len() - mark];
            assert!(cut == text || looks(&text).starts_with(kept), "{round}: {text:?} {cut:?}");
        }
        let (start, length) = (numbers.below(20), numbers.below(20));
        let part = slice(&text, start, length, true, 3);
        assert!(width(&part, 3) <= length, "{round}: {part:?}");
        let found = looks(&part);
        let all = looks(&text);
        let is_part = found.is_empty() || all.windows(found.len()).any(|window| window == found);
        assert!(is_part, "{round}: {text:?} {start}+{length}: {part:?}");
    }
}

//! Rich text (rtf): its words, without their looks.

/// Groups that hold no text of the document.
const SILENT: [&str; 12] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "object",
    "header",
    "footer",
    "themedata",
    "datastore",
    "listtable",
    "generator",
];
/// How deep groups may lie in each other.
const DEPTH: usize = 10_000;

/// What holds for a group.
#[derive(Clone, Copy, Default)]
struct Group {
    is_silent: bool,
    /// How many characters follow a Unicode one for readers that do not know it.
    fallback: usize,
}

/// The text.
pub fn text(bytes: &[u8]) -> Result<String, String> {
    if !bytes.starts_with(b"{\\rtf") {
        return Err("it is not rich text".to_owned());
    }
    let mut groups = vec![Group { is_silent: false, fallback: 1 }];
    let mut text = String::new();
    let mut skip = 0usize;
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        rest = tail;
        let group = groups.last().copied().unwrap_or_default();
        match first {
            b'{' if groups.len() >= DEPTH => return Err("it is damaged: its groups are too deep".to_owned()),
            b'{' => groups.push(group),
            b'}' => drop(groups.pop()),
            b'\\' => {
                let (control, after) = control(tail);
                rest = after;
                apply(control, &mut groups, &mut text, &mut skip);
            }
            b'\r' | b'\n' => {}
            _ if group.is_silent => {}
            _ if skip > 0 => skip -= 1,
            byte => text.push(windows(*byte)),
        }
    }
    Ok(text)
}

/// What follows a backslash.
enum Control<'a> {
    Word(&'a str, Option<i32>),
    Byte(u8),
    Symbol(u8),
}

fn control(bytes: &[u8]) -> (Control<'_>, &[u8]) {
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if letters == 0 {
        let (symbol, rest) = bytes.split_first().map_or((b' ', &[][..]), |(symbol, rest)| (*symbol, rest));
        if symbol == b'\'' {
            let code = rest.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
            let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
            return (Control::Byte(code.unwrap_or(b'?')), rest.get(2..).unwrap_or_default());
        }
        return (Control::Symbol(symbol), rest);
    }
    let (word, rest) = bytes.split_at(letters);
    let length = rest
        .iter()
        .enumerate()
        .take_while(|(at, byte)| byte.is_ascii_digit() || (*at == 0 && **byte == b'-'))
        .count();
    let (number, rest) = rest.split_at(length);
    let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
    (
        Control::Word(std::str::from_utf8(word).unwrap_or_default(), number),
        rest.strip_prefix(b" ").unwrap_or(rest),
    )
}

fn apply(control: Control<'_>, groups: &mut [Group], text: &mut String, skip: &mut usize) {
    let Some(group) = groups.last_mut() else { return };
    match control {
        Control::Symbol(b'*') => group.is_silent = true,
        Control::Word(word, _) if SILENT.contains(&word) => group.is_silent = true,
        Control::Word("uc", number) => {
            group.fallback = number.and_then(|n| usize::try_from(n).ok()).unwrap_or(1).min(8);
        }
        _ if group.is_silent => {}
        Control::Word("par" | "line" | "sect" | "page" | "row", _) => text.push('\n'),
        Control::Word("tab" | "cell", _) => text.push('\t'),
        Control::Word("emdash", _) => text.push('—'),
        Control::Word("endash", _) => text.push('–'),
        Control::Word("bullet", _) => text.push('•'),
        Control::Word("lquote", _) => text.push('‘'),
        Control::Word("rquote", _) => text.push('’'),
        Control::Word("ldblquote", _) => text.push('“'),
        Control::Word("rdblquote", _) => text.push('”'),
        Control::Word("u", Some(number)) => {
            // Signed sixteen bits; what is beyond them is not a character of its own.
            let code = u32::from(number as u16);
            text.push(char::from_u32(code).unwrap_or('\u{fffd}'));
            *skip = group.fallback;
        }
        Control::Word(..) => {}
        Control::Byte(_) if *skip > 0 => *skip -= 1,
        Control::Byte(byte) => text.push(windows(byte)),
        Control::Symbol(symbol @ (b'\\' | b'{' | b'}')) => text.push(char::from(symbol)),
        Control::Symbol(b'~') => text.push(' '),
        Control::Symbol(b'_') => text.push('-'),
        Control::Symbol(b'\n' | b'\r') => text.push('\n'),
        Control::Symbol(_) => {}
    }
}

/// A byte of Windows' western character set.
fn windows(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž', '\u{fffd}',
        '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH.get(usize::from(byte - 0x80)).copied().unwrap_or('\u{fffd}'),
        byte => char::from(byte),
    }
}

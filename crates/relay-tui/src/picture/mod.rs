//! Pictures in the terminal, in the protocols of Kitty and iTerm2 and as sixels; elsewhere a line of text says what there is.
//!
//! A picture is drawn once, with the finished lines of the scrollback, and never in the part of the screen that is drawn again
//! and again. It takes rows of blanks, and the last of these rows carries it: by then the rows above are on the screen.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// How the terminal takes pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Not at all.
    #[default]
    None,
    /// Kitty's, which WezTerm, Ghostty and Konsole know too.
    Kitty,
    /// iTerm2's.
    ITerm2,
    /// Sixels, which xterm, foot, mlterm and Windows Terminal know. Whoever hands a picture over draws it as sixels beforehand.
    Sixel,
}

impl Protocol {
    /// What the environment says about the terminal. Multiplexers show none: they would not know where the picture is.
    pub fn detect(environment: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| environment(name).filter(|value| !value.is_empty());
        let term = value("TERM").unwrap_or_default();
        match value("RELAY_IMAGE_PROTOCOL").as_deref() {
            Some("kitty") => return Self::Kitty,
            Some("iterm2") => return Self::ITerm2,
            Some("sixel") => return Self::Sixel,
            Some("none") => return Self::None,
            _ => {}
        }
        if is_multiplexed(&value) {
            return Self::None;
        }
        match value("TERM_PROGRAM").as_deref() {
            Some("iTerm.app" | "WezTerm" | "mintty" | "vscode") => Self::ITerm2,
            Some("ghostty") => Self::Kitty,
            _ if value("KITTY_WINDOW_ID").is_some() || term.contains("kitty") || term.contains("ghostty") => {
                Self::Kitty
            }
            _ => Self::None,
        }
    }
}

/// Whether what the terminal answers about pictures does not count: a multiplexer is in between, or the user has decided.
pub fn is_multiplexed(value: &impl Fn(&str) -> Option<String>) -> bool {
    if value("RELAY_IMAGE_PROTOCOL").is_some() {
        return true;
    }
    let term = value("TERM").unwrap_or_default();
    ["TMUX", "STY", "ZELLIJ"].iter().any(|name| value(name).is_some())
        || term.starts_with("screen")
        || term.starts_with("tmux")
}

/// How pictures are shown, and how large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The user wants them.
    pub is_on: bool,
    /// The widest, in cells.
    pub columns: usize,
    /// The tallest, in rows.
    pub rows: usize,
    /// How the terminal takes them.
    pub protocol: Protocol,
    /// A multiplexer is in between, whatever the terminal behind it answers.
    pub is_multiplexed: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { is_on: true, columns: 100, rows: 20, protocol: Protocol::None, is_multiplexed: false }
    }
}

impl Limits {
    /// No pictures.
    #[must_use]
    pub fn none(self) -> Self {
        Self { is_on: false, ..self }
    }
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its bytes in base64, or `None` if they are not kept.
    data: Option<Arc<str>>,
    mime_type: String,
    /// Width and height in pixels, if its head says so.
    size: Option<(u32, u32)>,
    bytes: usize,
    sixels: Option<Sixels>,
}

/// A picture as sixels, and the cells it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sixels {
    body: Arc<str>,
    columns: usize,
    rows: usize,
}

/// A picture at a place of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    data: Arc<str>,
    protocol: Protocol,
    /// Cells from the left edge.
    pub indent: usize,
    columns: usize,
    rows: usize,
}

/// The longest picture that is kept, in base64.
const LONGEST: usize = 4 << 20;
/// As much of a chunk as Kitty's protocol allows.
const CHUNK: usize = 4096;

impl Picture {
    /// A picture as tools hand it over. What is not base64 is known by its type only.
    #[must_use]
    pub fn new(mime_type: &str, data: &str) -> Self {
        let head = data.get(..data.len().min(4096) / 4 * 4).unwrap_or_default();
        let head = STANDARD.decode(head).unwrap_or_default();
        let is_sound =
            data.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
        let size = size(&head);
        let is_kept = is_sound && size.is_some() && data.len() <= LONGEST;
        Self {
            data: is_kept.then(|| Arc::from(data)),
            mime_type: mime_type.to_owned(),
            size,
            bytes: data.len() / 4 * 3,
            sixels: None,
        }
    }

    /// The same, drawn as sixels for this many cells.
    #[must_use]
    pub fn with_sixels(mut self, body: &str, columns: usize, rows: usize) -> Self {
        let is_sound = is_sound(body) && body.len() <= LONGEST && columns > 0 && rows > 0;
        self.sixels = is_sound.then(|| Sixels { body: Arc::from(body), columns, rows });
        self
    }

    /// Its bytes are not kept any more.
    pub fn forget(&mut self) {
        (self.data, self.sixels) = (None, None);
    }

    /// Whether its bytes are kept.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.data.is_some()
    }

    /// What there is, in words: `image 640×480 png, 12 KB`.
    #[must_use]
    pub fn about(&self) -> String {
        let kind = self.mime_type.strip_prefix("image/").unwrap_or(&self.mime_type);
        let kilobytes = self.bytes.div_ceil(1024);
        match self.size {
            Some((width, height)) => format!("image {width}x{height} {kind}, {kilobytes} KB"),
            None => format!("image {kind}, {kilobytes} KB"),
        }
    }

    /// The picture in this much room, if it can be shown, and how many rows it takes.
    #[must_use]
    pub fn placed(&self, limits: &Limits, room: usize, height: usize) -> Option<(Placed, usize)> {
        if limits.protocol == Protocol::Sixel {
            return self.placed_sixels(limits, room, height);
        }
        let (data, (width, tall)) = (self.data.clone()?, self.size?);
        let can = match limits.protocol {
            Protocol::None | Protocol::Sixel => false,
            Protocol::Kitty => self.mime_type == "image/png",
            Protocol::ITerm2 => true,
        };
        if !limits.is_on || !can || width == 0 || tall == 0 {
            return None;
        }
        // A cell is about twice as high as wide; a pixel of the picture is not drawn larger than an eighth of a cell.
        let (width, tall) = (u64::from(width), u64::from(tall));
        let most = u64::try_from(room.min(limits.columns)).unwrap_or(100).max(1);
        let highest = u64::try_from(limits.rows.min(height.saturating_sub(2))).unwrap_or(20).max(1);
        let mut columns = width.div_ceil(8).clamp(1, most);
        let mut rows = (columns * tall).div_ceil(width * 2).max(1);
        if rows > highest {
            rows = highest;
            columns = (rows * width * 2 / tall).clamp(1, most);
        }
        let whole = |number: u64| usize::try_from(number).unwrap_or(1);
        let placed =
            Placed { data, protocol: limits.protocol, indent: 0, columns: whole(columns), rows: whole(rows) };
        Some((placed, whole(rows)))
    }

    /// Sixels have their size in pixels: where that is too much room, there is no picture.
    fn placed_sixels(&self, limits: &Limits, room: usize, height: usize) -> Option<(Placed, usize)> {
        let Sixels { body, columns, rows } = self.sixels.clone()?;
        let fits = columns <= room.min(limits.columns) && rows <= limits.rows.min(height.saturating_sub(2));
        let placed = Placed { data: body, protocol: Protocol::Sixel, indent: 0, columns, rows };
        (limits.is_on && fits).then_some((placed, rows))
    }
}

impl Placed {
    /// Draws it: the cursor is in the last of its rows, and is there again afterwards.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut put = |text: &str| out.extend_from_slice(text.as_bytes());
        put("\x1b7\r");
        if self.rows > 1 {
            put(&format!("\x1b[{}A", self.rows - 1));
        }
        if self.indent > 0 {
            put(&format!("\x1b[{}C", self.indent));
        }
        match self.protocol {
            Protocol::None => {}
            Protocol::Sixel => put(&format!("\x1bP0;1;0q{}\x1b\\", self.data)),
            Protocol::ITerm2 => put(&format!(
                "\x1b]1337;File=inline=1;width={};height={};preserveAspectRatio=1;doNotMoveCursor=1:{}\x07",
                self.columns, self.rows, self.data
            )),
            Protocol::Kitty => {
                let mut rest: &str = &self.data;
                let mut head = format!("a=T,f=100,q=2,C=1,c={},r={},", self.columns, self.rows);
                loop {
                    let (chunk, after) = rest.split_at(rest.len().min(CHUNK));
                    put(&format!("\x1b_G{head}m={};{chunk}\x1b\\", u8::from(!after.is_empty())));
                    if after.is_empty() {
                        break;
                    }
                    (rest, head) = (after, String::new());
                }
            }
        }
        put("\x1b8");
    }
}

/// Width and height of a PNG, GIF or JPEG, from its beginning.
fn size(head: &[u8]) -> Option<(u32, u32)> {
    let word = |at: usize| Some(u32::from(*head.get(at)?) << 8 | u32::from(*head.get(at + 1)?));
    if head.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some((word(16)? << 16 | word(18)?, word(20)? << 16 | word(22)?));
    }
    if head.starts_with(b"GIF8") {
        let low = |at: usize| Some(u32::from(*head.get(at)?) | u32::from(*head.get(at + 1)?) << 8);
        return Some((low(6)?, low(8)?));
    }
    if !head.starts_with(b"\xff\xd8") {
        return None;
    }
    let mut at = 2;
    while head.get(at) == Some(&0xff) {
        let marker = *head.get(at + 1)?;
        let is_frame = matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc);
        if is_frame {
            return Some((word(at + 7)?, word(at + 5)?));
        }
        at += 2 + usize::try_from(word(at + 2)?).ok()?;
    }
    None
}

/// Whether a text is the body of a sixel sequence, and nothing that ends it.
fn is_sound(body: &str) -> bool {
    body.bytes()
        .all(|byte| matches!(byte, b'?'..=b'~' | b'0'..=b'9' | b'"' | b'#' | b'!' | b'$' | b'-' | b';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Picture {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.resize(9_000, 7);
        Picture::new("image/png", &STANDARD.encode(bytes))
    }

    #[test]
    fn the_head_says_how_large_it_is() {
        assert_eq!(png(640, 480).about(), "image 640x480 png, 9 KB");
        assert_eq!(size(b"GIF89a\x0a\0\x05\0"), Some((10, 5)));
        assert_eq!(size(b"\xff\xd8\xff\xe0\0\x04\0\0\xff\xc0\0\x11\x08\0\x20\0\x40"), Some((64, 32)));
        assert_eq!(Picture::new("image/png", "not base64!").about(), "image png, 1 KB");
    }

    #[test]
    fn it_fits_into_the_room_and_keeps_its_shape() {
        let limits = |protocol| Limits { protocol, ..Limits::default() };
        let rows = |picture: Picture, room: usize| {
            let (placed, rows) = picture.placed(&limits(Protocol::Kitty), room, 40).unwrap();
            (placed.columns, rows)
        };
        assert_eq!(rows(png(640, 480), 100), (53, 20));
        assert_eq!(rows(png(640, 480), 40), (40, 15));
        assert_eq!(rows(png(16, 16), 100), (2, 1));
        assert!(png(640, 480).placed(&limits(Protocol::None), 100, 40).is_none());
        let jpeg = Picture { mime_type: "image/jpeg".to_owned(), ..png(64, 64) };
        assert!(jpeg.placed(&limits(Protocol::Kitty), 100, 40).is_none());
        assert!(jpeg.placed(&limits(Protocol::ITerm2), 100, 40).is_some());
    }

    #[test]
    fn both_protocols_leave_the_cursor_where_it_was() {
        for protocol in [Protocol::Kitty, Protocol::ITerm2] {
            let (placed, _) = png(64, 64).placed(&Limits { protocol, ..Limits::default() }, 80, 24).unwrap();
            let mut out = Vec::new();
            placed.write(&mut out);
            let text = String::from_utf8(out).unwrap();
            assert!(text.starts_with("\x1b7\r\x1b[3A") && text.ends_with("\x1b8"), "{protocol:?}");
            if protocol == Protocol::Kitty {
                assert!(text.contains("m=1;") && text.contains("\x1b_Gm=0;"), "in chunks");
            }
        }
    }

    #[test]
    fn sixels_are_drawn_as_large_as_they_are() {
        let limits = Limits { protocol: Protocol::Sixel, ..Limits::default() };
        assert!(png(64, 64).placed(&limits, 80, 24).is_none(), "no one has drawn it as sixels");
        let picture = png(64, 64).with_sixels("\"1;1;6;6#0~~~~~~", 8, 4);
        let (placed, rows) = picture.placed(&limits, 80, 24).unwrap();
        let mut out = Vec::new();
        placed.write(&mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!((rows, text.as_str()), (4, "\x1b7\r\x1b[3A\x1bP0;1;0q\"1;1;6;6#0~~~~~~\x1b\\\x1b8"));
        assert!(picture.placed(&limits, 7, 24).is_none() && picture.placed(&limits, 80, 5).is_none());
        assert!(png(6, 6).with_sixels("\x1b\\\x1b[2J", 8, 4).placed(&limits, 80, 24).is_none());
    }

    #[test]
    fn the_environment_decides() {
        for (variables, expected) in [
            (&[("RELAY_IMAGE_PROTOCOL", "sixel"), ("TMUX", "x")][..], Protocol::Sixel),
            (&[("TERM", "xterm-kitty")], Protocol::Kitty),
            (&[("TERM_PROGRAM", "iTerm.app")], Protocol::ITerm2),
            (&[("TERM_PROGRAM", "iTerm.app"), ("TMUX", "x")], Protocol::None),
            (&[("TERM", "xterm-256color")], Protocol::None),
        ] {
            let find = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Protocol::detect(find), expected, "{variables:?}");
        }
    }
}

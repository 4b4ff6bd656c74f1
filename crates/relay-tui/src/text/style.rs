//! How a piece of text looks: colours and attributes.

/// A colour of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// The terminal's own.
    #[default]
    Default,
    /// One of the 256.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// Attributes of text, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attrs(u8);

impl Attrs {
    /// Bold.
    pub const BOLD: Self = Self(1);
    /// Fainter than the rest.
    pub const DIM: Self = Self(2);
    /// Italic.
    pub const ITALIC: Self = Self(4);
    /// Underlined.
    pub const UNDERLINE: Self = Self(8);
    /// Struck through.
    pub const STRIKE: Self = Self(16);
    /// Foreground and background exchanged.
    pub const REVERSE: Self = Self(32);

    /// Each attribute with the number that turns it on.
    pub const ALL: [(Self, u8); 6] = [
        (Self::BOLD, 1),
        (Self::DIM, 2),
        (Self::ITALIC, 3),
        (Self::UNDERLINE, 4),
        (Self::STRIKE, 9),
        (Self::REVERSE, 7),
    ];

    /// Whether all of `other` is on.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// The text's colour.
    pub fg: Color,
    /// The colour below it.
    pub bg: Color,
    /// Bold, italic and so on.
    pub attrs: Attrs,
}

impl Style {
    /// Text in this colour.
    #[must_use]
    pub fn fg(color: Color) -> Self {
        Self { fg: color, ..Self::default() }
    }

    /// The same on this background.
    #[must_use]
    pub fn on(self, bg: Color) -> Self {
        Self { bg, ..self }
    }

    /// The same with more attributes.
    #[must_use]
    pub fn with(self, attrs: Attrs) -> Self {
        Self { attrs: self.attrs.with(attrs), ..self }
    }

    /// The same in bold.
    #[must_use]
    pub fn bold(self) -> Self {
        self.with(Attrs::BOLD)
    }

    /// The same, fainter.
    #[must_use]
    pub fn dim(self) -> Self {
        self.with(Attrs::DIM)
    }

    /// The same in italics.
    #[must_use]
    pub fn italic(self) -> Self {
        self.with(Attrs::ITALIC)
    }

    /// The same, underlined.
    #[must_use]
    pub fn underline(self) -> Self {
        self.with(Attrs::UNDERLINE)
    }
}

//! XML and HTML as a stream of tags and texts. Never fails: what is not markup is text. Entities that a document defines
//! itself are not expanded, so there is nothing to blow up.

/// A piece of markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `<name …>`, without its namespace.
    Open {
        /// The name.
        name: &'a str,
        /// Everything between the name and the end.
        attributes: &'a str,
        /// Whether it ends with `/>`.
        is_empty: bool,
    },
    /// `</name>`
    Close(&'a str),
    /// Text, with its entities resolved.
    Text(String),
}

/// The pieces of a text.
pub struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { rest: text }
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let Some(rest) = self.rest.strip_prefix('<') else {
                let end = self.rest.find('<').unwrap_or(self.rest.len());
                let (text, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Some(Token::Text(unescaped(text)));
            };
            for (start, end) in [("!--", "-->"), ("?", "?>")] {
                if let Some(inner) = rest.strip_prefix(start) {
                    self.rest = inner.split_once(end).map_or("", |(_, rest)| rest);
                }
            }
            if rest.starts_with("!--") || rest.starts_with('?') {
                continue;
            }
            if let Some(inner) = rest.strip_prefix("![CDATA[") {
                let (text, rest) = inner.split_once("]]>").unwrap_or((inner, ""));
                self.rest = rest;
                return Some(Token::Text(text.to_owned()));
            }
            let (tag, after) = rest.split_once('>').unwrap_or((rest, ""));
            self.rest = after;
            if tag.starts_with('!') {
                continue;
            }
            if let Some(name) = tag.strip_prefix('/') {
                return Some(Token::Close(local(name.trim())));
            }
            let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
            return Some(Token::Open { name: local(name), attributes, is_empty });
        }
    }
}

/// The value of an attribute, whatever its namespace.
pub fn attribute(attributes: &str, wanted: &str) -> Option<String> {
    let mut rest = attributes.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, more) = after.get(1..)?.split_once(quote)?;
        if local(name.trim()) == wanted {
            return Some(unescaped(value));
        }
        rest = more.trim_start();
    }
    None
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let known = after
            .split_once(';')
            .filter(|(name, _)| name.len() <= 10)
            .and_then(|(name, tail)| Some((entity(name)?, tail)));
        match known {
            Some((character, tail)) => {
                plain.push(character);
                rest = tail;
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "mdash" => '—',
        "ndash" => '–',
        "hellip" => '…',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "copy" => '©',
        "bull" => '•',
        _ => return None,
    })
}

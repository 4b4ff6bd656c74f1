//! The rules a path must keep, looking at its text alone.
//!
//! A name that any file system treats as protected is protected on all of them: a repository travels, and a case- or
//! Unicode-folding disk is one mount away. So components are compared after folding, the way git's own `verify_path`
//! does it for HFS+ and NTFS, and a little wider. Nothing here reads the disk; a protected name is refused whether it
//! exists or not, because creating it is the attack.

use std::borrow::Cow;

use relay_diagnostics::display::is_invisible;
use unicode_normalization::UnicodeNormalization as _;

use crate::refusal::PathRefusal;
use crate::{CONFIG_FILE, NAME_LIMIT_BYTES, PATH_LIMIT_BYTES, STATE_FOLDER};

/// Who gave the name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// Anyone: all rules apply.
    Reply,
    /// Relay's own, inside its state folder: it may use its own names.
    State,
}

/// The path with single slashes and without `.`, or the rule it breaks.
pub(crate) fn normalise(raw: &str, names: Names) -> Result<String, PathRefusal> {
    let path = || raw.to_owned();
    let mut components = raw.as_bytes().split(|byte| *byte == b'/');
    if raw.len() <= PATH_LIMIT_BYTES && components.all(is_plain) {
        return Ok(path());
    }
    if raw.is_empty() {
        return Err(PathRefusal::Empty);
    }
    if raw.len() > PATH_LIMIT_BYTES {
        return Err(PathRefusal::TooLong { start: start_of(raw), bytes: raw.len() });
    }
    check_start(raw, raw)?;
    if raw.contains('\\') {
        return Err(PathRefusal::Backslash { path: path() });
    }
    let mut normal = String::with_capacity(raw.len());
    for name in raw.split('/').filter(|name| !matches!(*name, "" | ".")) {
        if !is_plain(name.as_bytes()) {
            check_name(raw, name, names)?;
        }
        if !normal.is_empty() {
            normal.push('/');
        }
        normal.push_str(name);
    }
    if normal.is_empty() || raw.ends_with('/') || raw.ends_with("/.") {
        return Err(PathRefusal::Folder { path: path() });
    }
    // Taking `./` away may have uncovered a start that means something else, as in `./~/x`.
    check_start(raw, &normal)?;
    Ok(normal)
}

/// The rules on how a path begins.
fn check_start(raw: &str, text: &str) -> Result<(), PathRefusal> {
    let path = || raw.to_owned();
    if is_drive_or_share(text) {
        return Err(PathRefusal::Drive { path: path() });
    }
    if is_url(text) {
        return Err(PathRefusal::Url { path: path() });
    }
    if text.starts_with('/') {
        return Err(PathRefusal::Absolute { path: path() });
    }
    if text.starts_with('~') {
        return Err(PathRefusal::Home { path: path() });
    }
    Ok(())
}

/// Whether a name is so plain that no rule can concern it: letters, digits, `_`, `-` and inner dots, and no beginning
/// that a device or Relay's own files have. Most names are, and surveys look at every one of them.
pub(crate) fn is_plain(name: &[u8]) -> bool {
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_outer = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let start = name.first_chunk::<3>().map(|start| start.map(|byte| byte.to_ascii_lowercase()));
    let is_suspect = start.is_some_and(|start| {
        matches!(&start, b"con" | b"prn" | b"aux" | b"nul" | b"com" | b"lpt" | b"rel" | b"git")
    });
    name.len() <= NAME_LIMIT_BYTES
        && is_outer(name.first())
        && is_outer(name.last())
        && name.iter().all(is_inner)
        && !is_suspect
}

/// The rules on one component of the path `raw`.
pub(crate) fn check_name(raw: &str, name: &str, names: Names) -> Result<(), PathRefusal> {
    let path = || raw.to_owned();
    let folded = fold(name);
    if folded == ".." {
        return Err(PathRefusal::ParentFolder { path: path() });
    }
    if names == Names::Reply {
        if is_git(&folded) {
            return Err(PathRefusal::Git { path: path() });
        }
        if is_same_file_name(&folded, STATE_FOLDER) || is_short_name(&folded, "relayc") {
            return Err(PathRefusal::RelayState { path: path() });
        }
        if is_same_file_name(&folded, CONFIG_FILE) {
            return Err(PathRefusal::RelayConfig { path: path() });
        }
    }
    for character in name.chars() {
        if character.is_control() {
            return Err(PathRefusal::Control { path: path(), character });
        }
        if is_invisible(character) || is_odd_space(character) || is_false_slash(character) {
            return Err(PathRefusal::Disguised { path: path(), character });
        }
    }
    if is_device(&folded) {
        return Err(PathRefusal::Device { path: path(), name: name.to_owned() });
    }
    if name.ends_with(['.', ' ']) {
        return Err(PathRefusal::TrailingDotOrSpace { path: path(), name: name.to_owned() });
    }
    if name.len() > NAME_LIMIT_BYTES {
        return Err(PathRefusal::NameTooLong { start: start_of(name), bytes: name.len() });
    }
    Ok(())
}

/// The name as the most forgiving file system compares it: compatibility forms composed, case dropped, and the
/// characters that HFS+ ignores left out.
pub(crate) fn fold(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        let has_capitals = name.bytes().any(|byte| byte.is_ascii_uppercase());
        return if has_capitals { name.to_ascii_lowercase().into() } else { name.into() };
    }
    // Upper case first: it also brings together letters that share a capital, such as the dotless i.
    name.nfkc()
        .filter(|character| !is_invisible(*character))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfkc()
        .collect()
}

/// Whether a folded name is `.git` for some file system.
fn is_git(folded: &str) -> bool {
    is_same_file_name(folded, ".git") || is_short_name(folded, "git")
}

/// Whether a folded name means the file `wanted`: NTFS drops trailing dots and spaces, and what follows a colon names a
/// stream of the same file.
fn is_same_file_name(folded: &str, wanted: &str) -> bool {
    let file = folded.split(':').next().unwrap_or(folded);
    file.trim_end_matches(['.', ' ']) == wanted
}

/// Whether a folded name is the short form NTFS makes for a longer one: `git~1`, `relayc~1`, or, when those are taken,
/// two letters, four hexadecimal digits and a number (`gi7eba~1`).
fn is_short_name(folded: &str, stem: &str) -> bool {
    let file = folded.split(['.', ':']).next().unwrap_or(folded).trim_end_matches(' ');
    let Some((before, number)) = file.rsplit_once('~') else { return false };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let hashed = || {
        let letters = stem.get(..2).unwrap_or(stem);
        before
            .strip_prefix(letters)
            .is_some_and(|hash| hash.len() == 4 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    before == stem || hashed()
}

/// Whether a folded name opens a device on Windows, with or without an extension.
fn is_device(folded: &str) -> bool {
    let stem = folded.split(['.', ':']).next().unwrap_or(folded).trim_end_matches(' ');
    match stem {
        "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" => true,
        _ => ["com", "lpt"].iter().any(|port| {
            // Folding has turned the superscript digits, which count as well, into plain ones.
            stem.strip_prefix(port).is_some_and(|digit| matches!(digit.as_bytes(), [b'0'..=b'9']))
        }),
    }
}

/// Whether the character looks like an ordinary space but is not one.
fn is_odd_space(character: char) -> bool {
    matches!(
        character,
        '\u{00A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}

/// Characters that look like a separator but are not one.
fn is_false_slash(character: char) -> bool {
    matches!(
        character,
        '\u{2044}'
            | '\u{2215}'
            | '\u{2216}'
            | '\u{29F5}'
            | '\u{29F8}'
            | '\u{29F9}'
            | '\u{FE68}'
            | '\u{FF0F}'
            | '\u{FF3C}'
    )
}

fn is_drive_or_share(raw: &str) -> bool {
    raw.starts_with("\\\\") || matches!(raw.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn is_url(raw: &str) -> bool {
    raw.split_once(':').is_some_and(|(scheme, rest)| {
        rest.starts_with('/')
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

fn start_of(text: &str) -> String {
    text.chars().take(40).collect()
}

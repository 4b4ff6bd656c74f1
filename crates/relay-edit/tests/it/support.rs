//! What the tests share: short ways to write files, replies and what is expected of them.

use relay_edit::{Diagnostic, EditStatus, Plan, Reply, Snapshot, parse, plan};

/// A snapshot from paths and texts.
pub fn files(files: &[(&str, &str)]) -> Snapshot {
    Snapshot {
        files: files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
        ..Snapshot::default()
    }
}

/// Parses a reply that must be free of errors.
#[track_caller]
pub fn parse_ok(text: &str) -> Reply {
    let reply = parse(text, None);
    let errors: Vec<&Diagnostic> = reply.diagnostics.iter().filter(|finding| finding.is_error()).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    reply
}

/// Parses a reply, in one piece and in pieces of every small size, and checks that it is the same.
#[track_caller]
pub fn parse_in_pieces(text: &str) -> Reply {
    let whole = parse(text, None);
    for size in [1, 2, 3, 5, 7, 64] {
        let mut parser = relay_edit::Parser::new(None);
        let mut early = Vec::new();
        let characters: Vec<char> = text.chars().collect();
        for piece in characters.chunks(size) {
            early.extend(parser.push(&piece.iter().collect::<String>()));
        }
        let reply = parser.finish();
        assert_eq!(reply, whole, "in pieces of {size}");
        assert_eq!(early, whole.edits.iter().take(early.len()).cloned().collect::<Vec<_>>());
    }
    whole
}

/// Plans a reply against files.
#[track_caller]
pub fn plan_reply(before: &[(&str, &str)], reply: &str) -> Plan {
    plan(&parse_ok(reply).edits, &files(before))
}

/// Checks what a reply makes of one file.
#[track_caller]
pub fn check(before: &str, reply: &str, after: &str) -> Plan {
    let plan = plan_reply(&[("a.txt", before)], reply);
    assert!(plan.diagnostics.iter().all(|finding| !finding.is_error()), "{:#?}", plan.diagnostics);
    let found = plan
        .changes
        .first()
        .map_or(before.as_bytes(), |change| change.after.as_deref().expect("still there"));
    assert_eq!(String::from_utf8_lossy(found), after);
    plan
}

/// Checks that a reply fails with a code, changes nothing, and says how to go on.
#[track_caller]
pub fn check_fails(before: &[(&str, &str)], reply: &str, code: relay_edit::Code) -> Diagnostic {
    let plan = plan_reply(before, reply);
    assert!(plan.changes.is_empty(), "{plan:#?}");
    assert!(plan.outcomes.iter().any(|outcome| outcome.status == EditStatus::Failed), "{plan:#?}");
    let finding = plan.diagnostics.iter().find(|finding| finding.code == code);
    let finding = finding.unwrap_or_else(|| panic!("no {code} in {:#?}", plan.diagnostics));
    assert!(finding.hint.is_some() && finding.line.is_some() && finding.path.is_some(), "{finding:#?}");
    finding.clone()
}

/// A `multi-search-replace` block on `a.txt`.
pub fn search_replace(old: &str, new: &str) -> String {
    format!(
        "```text // {{a.txt}} multi-search-replace\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"
    )
}

/// A `new-unified` block on `a.txt`.
pub fn unified(diff: &str) -> String {
    format!("```diff // {{a.txt}} new-unified\n{diff}```\n")
}

/// How a text is written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf8WithMark,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    /// All of them; the ordinary one is the most frequent.
    pub const ALL: &[Self] = &[
        Self::Utf8,
        Self::Utf8,
        Self::Utf8,
        Self::Utf8,
        Self::Utf8,
        Self::Utf8WithMark,
        Self::Utf16Le,
        Self::Utf16Be,
    ];

    /// The bytes of a text, which must be valid where two bytes make a unit.
    pub fn encode(self, text: &[u8]) -> Vec<u8> {
        let wide = |bytes: fn(u16) -> [u8; 2]| {
            let text = std::str::from_utf8(text).expect("text");
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
        };
        match self {
            Self::Utf8 => text.to_vec(),
            Self::Utf8WithMark => [b"\xef\xbb\xbf", text].concat(),
            Self::Utf16Le => wide(u16::to_le_bytes),
            Self::Utf16Be => wide(u16::to_be_bytes),
        }
    }
}

//! Redirections.

use super::cursor::{Cursor, Read};
use super::tree::{Redirect, RedirectKind};
use super::unparsed::Reason;

/// Operators, longest first.
const OPERATORS: [(&str, RedirectKind); 12] = [
    ("&>>", RedirectKind::Append),
    ("<<<", RedirectKind::HereString),
    ("<<-", RedirectKind::HereDocument),
    ("&>", RedirectKind::Truncate),
    (">>", RedirectKind::Append),
    (">|", RedirectKind::Truncate),
    (">&", RedirectKind::Duplicate),
    ("<<", RedirectKind::HereDocument),
    ("<&", RedirectKind::Duplicate),
    ("<>", RedirectKind::ReadWrite),
    (">", RedirectKind::Truncate),
    ("<", RedirectKind::Read),
];

impl Cursor<'_> {
    /// The redirection that is next, if one is.
    pub(super) fn redirect(&mut self) -> Read<Option<Redirect>> {
        let start = self.at;
        let digits = self.rest().find(|next: char| !next.is_ascii_digit()).unwrap_or(0);
        let number = self.rest().get(..digits).filter(|digits| !digits.is_empty());
        if number.is_some() && !self.rest().get(digits..).is_some_and(|rest| rest.starts_with(['<', '>'])) {
            return Ok(None);
        }
        if self.is_variable_descriptor() {
            return self.fail(Reason::Unsupported("a descriptor in braces"));
        }
        let descriptor = match number.map(str::parse) {
            None => None,
            Some(Ok(number)) => Some(number),
            Some(Err(_)) => return self.unexpected(),
        };
        self.at += digits;
        let found = OPERATORS.iter().find(|(operator, _)| self.is_at(operator));
        let Some((operator, kind)) = found.filter(|_| !self.is_at("<(") && !self.is_at(">(")) else {
            self.at = start;
            return Ok(None);
        };
        self.at += operator.len();
        if *kind == RedirectKind::HereDocument {
            let target = self.here_document(*operator == "<<-")?;
            return Ok(Some(Redirect { descriptor, kind: *kind, target }));
        }
        self.skip_blanks();
        let Some(target) = self.word()? else {
            return self.fail(Reason::Expected("a file after the redirection"));
        };
        let is_descriptor = target.text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        let kind = match kind {
            RedirectKind::Duplicate if !is_descriptor || target.expands => RedirectKind::Truncate,
            kind => *kind,
        };
        Ok(Some(Redirect { descriptor, kind, target }))
    }

    /// `{name}>file`
    fn is_variable_descriptor(&self) -> bool {
        let Some((name, rest)) = self.rest().strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            return false;
        };
        super::cursor::is_name(name) && rest.starts_with(['<', '>'])
    }
}

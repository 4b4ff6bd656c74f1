//! Which session a reply is for, and which outbox it answers.
//!
//! The protocol asks the model to copy both from the header. Models forget it, and people save what they like, so a reply
//! without an address is accepted if only one session is open; one with a wrong address never is.

use relay_edit::commands::Written;

/// The address in a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Address {
    pub session: Option<String>,
    pub sequence: Option<u64>,
}

impl Address {
    /// Reads the lines before the first command.
    pub(super) fn of(text: &str, commands: &[Written]) -> Self {
        let until = commands.first().map_or(usize::MAX, |first| first.line - 1);
        let mut address = Self::default();
        for line in text.lines().take(until) {
            let plain = line.replace(['*', '`', '>', '#'], "");
            let Some((key, value)) = plain.split_once(':') else { continue };
            match key.trim().trim_start_matches(['-', '\u{feff}', ' ']).to_ascii_lowercase().as_str() {
                "session" if address.session.is_none() => {
                    address.session =
                        Some(value.trim().to_ascii_lowercase()).filter(|id| super::session::is_id(id));
                }
                "sequence" if address.sequence.is_none() => address.sequence = value.trim().parse().ok(),
                _ => {}
            }
        }
        address
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use relay_edit::commands::parse;

    fn check(text: &str, session: Option<&str>, sequence: Option<u64>) {
        let address = Address { session: session.map(str::to_owned), sequence };
        assert_eq!(Address::of(text, &parse(text)), address, "{text}");
    }

    #[test]
    fn the_address_comes_before_the_first_command() {
        check(
            "Session: a1b2c3d4\nSequence: 3\n[DONE]\nSession: ffffffff\n[/DONE]\n",
            Some("a1b2c3d4"),
            Some(3),
        );
        check("> **Session:** `A1B2C3D4`\n- Sequence: 12\n", Some("a1b2c3d4"), Some(12));
        check("[DONE]\n[/DONE]\nSession: a1b2c3d4\n", None, None);
        check("Session: tomorrow\nSequence: soon\nThe session: all fine\n", None, None);
        check("```\nSession: a1b2c3d4\n", Some("a1b2c3d4"), None);
    }
}

//! `relay conversations`: the conversations that `relay ask --conversation` has named.

use relay_backends::labels::{self, Label};
use relay_diagnostics::Diagnostic;
use serde_json::json;

use crate::cli::{ConversationsArgs, ConversationsCommand};
use crate::failure::{BAD_USAGE, Failure};
use crate::open;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, STRONG, count, paint};
use crate::terminal::{self, visible};

/// How long a day is.
const DAY_SECONDS: i64 = 24 * 60 * 60;

pub fn run(args: &ConversationsArgs) -> Result<u8, Failure> {
    let store = open::store()?;
    let broken = |error: relay_store::StoreError| Failure::environment(&error);
    match &args.command {
        ConversationsCommand::List { json } => {
            let all = labels::all(&store).map_err(broken)?;
            Ok(if *json { terminal::print_document(&json!(all)) } else { terminal::print(&listed(&all)) })
        }
        ConversationsCommand::Delete { label } => {
            if labels::forget(&store, |known| known.label == *label).map_err(broken)? == 0 {
                let message = format!("no conversation is named `{}`", visible(label));
                let diagnostic = Diagnostic::error(BAD_USAGE, message);
                return Err(Failure::usage(diagnostic.hinted("`relay conversations list` shows them.")));
            }
            Ok(terminal::print("forgotten\n"))
        }
        ConversationsCommand::Prune { older_than, all } => {
            let before = jiff::Timestamp::now().as_second() - i64::from(*older_than) * DAY_SECONDS;
            let forgotten = labels::forget(&store, |known| *all || known.used < before).map_err(broken)?;
            Ok(terminal::print(&format!("{} forgotten\n", count(forgotten, "conversation"))))
        }
    }
}

fn listed(all: &[Label]) -> String {
    let mut text = String::new();
    for label in all {
        let when = jiff::Timestamp::from_second(label.used).map(|time| time.to_string()).unwrap_or_default();
        line(
            &mut text,
            format_args!(
                "{}  {}  {}",
                paint(STRONG, visible(&label.label)),
                visible(&label.backend),
                paint(FAINT, format!("{}  {when}", visible(&label.repo)))
            ),
        );
    }
    if all.is_empty() {
        "no conversations yet; `relay ask --conversation NAME` starts one\n".to_owned()
    } else {
        text
    }
}

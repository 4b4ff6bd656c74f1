//! The ledger: what landed, its diff, undo and redo by transaction, turn or session.

use serde_json::{Value, json};

use super::{Entry, List, ListKey, Overlay, Pages, Step, Wish};
use crate::conversation::{Conversation, Level, diff, number};
use crate::input::{Code, Key};
use crate::text::Line;
use crate::theme::Symbol;
use crate::view::View;

/// What landed.
pub struct Ledger {
    list: List,
    tab: usize,
    session: String,
}

impl Ledger {
    /// The ledger of a project, with the changes of this session in a tab.
    #[must_use]
    pub fn new(session: &str) -> Self {
        let mut list = List::new("ledger", Vec::new());
        list.empty = "nothing has landed yet".to_owned();
        list.tabs = vec!["this session".to_owned(), "everything".to_owned()];
        list.hints = vec![
            ("ctrl+z".to_owned(), "undo"),
            ("ctrl+r".to_owned(), "redo"),
            ("ctrl+t".to_owned(), "undo its turn"),
            ("ctrl+s".to_owned(), "undo the session"),
        ];
        Self { list, tab: 0, session: session.to_owned() }
    }

    fn ask(&self) -> Wish {
        Wish::Rpc(match self.tab {
            0 => json!({ "type": "ledger_list", "session": self.session, "limit": 500 }),
            _ => json!({ "type": "ledger_list", "limit": 500 }),
        })
    }
}

impl Overlay for Ledger {
    fn opened(&mut self) -> Vec<Wish> {
        vec![self.ask()]
    }

    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        self.list.lines(view)
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.list.cursor(view)
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        let current = self.list.current().map(|entry| (entry.id.clone(), entry.keywords.clone()));
        if let (true, Code::Char(letter), Some((id, turn))) = (key.ctrl, key.code, current) {
            let command = match letter {
                'z' => Some(json!({ "type": "ledger_undo", "transaction": id })),
                'r' => Some(json!({ "type": "ledger_redo", "transaction": id })),
                't' if !turn.is_empty() => Some(json!({ "type": "ledger_undo", "turn": turn })),
                's' => Some(json!({ "type": "ledger_undo", "session": self.session })),
                _ => None,
            };
            if let Some(command) = command {
                return Step::Do(vec![Wish::Rpc(command)]);
            }
        }
        match self.list.key(key, self.list.rows(view)) {
            ListKey::Chosen => match self.list.current() {
                Some(entry) => {
                    Step::want(Wish::Rpc(json!({ "type": "ledger_show", "transaction": entry.id })))
                }
                None => Step::Close,
            },
            ListKey::Left => Step::Close,
            ListKey::Taken if self.list.tab != self.tab => {
                self.tab = self.list.tab;
                Step::want(self.ask())
            }
            ListKey::Taken | ListKey::Other => Step::Stay,
        }
    }

    fn response(&mut self, command: &str, answer: Result<&Value, &str>) -> Option<Step> {
        match (command, answer) {
            ("ledger_list", Ok(data)) => {
                let transactions = data.get("transactions")?.as_array()?;
                self.list.set(transactions.iter().map(entry).collect());
                Some(Step::Stay)
            }
            ("ledger_undo" | "ledger_redo", Ok(data)) => {
                let status = data.get("status").and_then(Value::as_str).unwrap_or_default();
                let what = if command == "ledger_undo" { "undone" } else { "reapplied" };
                self.list.subtitle = match status {
                    "committed" => what.to_owned(),
                    _ => format!("not {what}: {status}"),
                };
                Some(Step::want(self.ask()))
            }
            ("ledger_show", Ok(data)) => {
                let patch = data.get("diff").and_then(Value::as_str).unwrap_or_default().to_owned();
                Some(Step::want(Wish::Open(Box::new(Pages::patch(
                    "what it changed",
                    diff::read_patch(&patch),
                )))))
            }
            (_, Err(error)) if command.starts_with("ledger") => {
                Some(Step::want(Wish::Notice(Level::Error, error.to_owned())))
            }
            _ => None,
        }
    }
}

fn entry(transaction: &Value) -> Entry {
    let text = |name: &str| transaction.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let files: Vec<&str> = transaction
        .get("files")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let label = match text("summary") {
        summary if summary.is_empty() => files.join(", "),
        summary => summary,
    };
    let when = text("createdAt");
    let note = format!(
        "+{} -{}  {}",
        number(transaction, "added"),
        number(transaction, "removed"),
        when.get(11..16).unwrap_or_default()
    );
    let is_undone = text("status").contains("undone");
    Entry {
        mark: Some(if is_undone { Symbol::StatusAborted } else { Symbol::StatusSuccess }),
        keywords: text("turn"),
        ..Entry::new(text("uuid"), label)
            .detail(format!("#{} {}", number(transaction, "sequence"), text("status")))
            .note(note)
    }
}

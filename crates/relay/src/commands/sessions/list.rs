//! `relay sessions list`.

use jiff::Timestamp;
use relay_agent::session::{self, Listing, SessionInfo};
use serde_json::{Value, json};

use super::{Here, failure};
use crate::commands::log::ago;
use crate::failure::Failure;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, PLACE, STRONG, paint};
use crate::terminal::{self, progress, visible};

/// How many characters of an id are shown; as many as are needed beyond that.
const SHORT_ID: usize = 8;

pub fn run(here: &Here, all: bool, json: bool) -> Result<u8, Failure> {
    let project = (!all).then_some(here.project.as_path());
    let found = session::list(&here.store, project).map_err(|error| failure(&error))?;
    for (path, reason) in &found.unreadable {
        terminal::tell(&format!(
            "warning: `{}` was left out: {reason}\n",
            visible(&path.display().to_string())
        ));
    }
    if json {
        let sessions: Vec<Value> = found.sessions.iter().map(document).collect();
        return Ok(terminal::print_document(&Value::Array(sessions)));
    }
    if found.sessions.is_empty() {
        return Ok(terminal::print(empty(all)));
    }
    Ok(terminal::print_as_is(&table(&found, all)))
}

fn empty(all: bool) -> &'static str {
    if all {
        "there are no sessions yet\n"
    } else {
        "there are no sessions in this project; `relay sessions list --all` lists those of all projects\n"
    }
}

fn table(found: &Listing, all: bool) -> String {
    let ids = short_ids(&found.sessions);
    let rows: Vec<[String; 5]> = found.sessions.iter().zip(&ids).map(|(info, id)| cells(info, id)).collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| terminal::columns(cell)).max().unwrap_or(0)
    };
    let widths = [0, 1, 2, 3, 4].map(width);
    let mut text = String::new();
    for (info, row) in found.sessions.iter().zip(&rows) {
        let [id, age, messages, cost, model] = row;
        let [a, b, c, d, e] = widths;
        let facts = format!("{age:<b$}  {messages:>c$}  {cost:>d$}  {model:<e$}");
        let name = title(info);
        let used = a + terminal::columns(&facts) + 4;
        let room = terminal::print_width().saturating_sub(used).max(20);
        let shown = progress::cut(&visible(&name), room);
        line(
            &mut text,
            format_args!("{}  {}  {}", paint(PLACE, format_args!("{id:<a$}")), facts, paint(STRONG, shown)),
        );
        if all {
            line(&mut text, format_args!("{:a$}  {}", "", paint(FAINT, visible(&info.cwd))));
        }
    }
    text
}

fn cells(info: &SessionInfo, id: &str) -> [String; 5] {
    let age = Timestamp::from_millisecond(info.modified_ms).map(ago).unwrap_or_default();
    let model = info.model.as_deref().map_or("", |model| model.rsplit('/').next().unwrap_or(model));
    [
        id.to_owned(),
        age,
        terminal::style::count(usize::try_from(info.messages).unwrap_or(usize::MAX), "message"),
        format!("${:.2}", info.cost),
        visible(model).into_owned(),
    ]
}

/// A session's name, or its first words.
pub fn title(info: &SessionInfo) -> String {
    let name = info.name.as_deref().unwrap_or(&info.first_message);
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The shortest prefixes of ids that distinguish these sessions.
fn short_ids(sessions: &[SessionInfo]) -> Vec<String> {
    let mut sorted: Vec<&str> = sessions.iter().map(|info| info.id.as_str()).collect();
    sorted.sort_unstable();
    let shared = |one: &str, other: &str| one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let shorten = |info: &SessionInfo| {
        let at = sorted.partition_point(|id| *id < info.id.as_str());
        let before = at.checked_sub(1).and_then(|at| sorted.get(at)).map_or(0, |id| shared(id, &info.id));
        let after = sorted.get(at + 1).map_or(0, |id| shared(id, &info.id));
        info.id.chars().take((before.max(after) + 1).max(SHORT_ID)).collect()
    };
    sessions.iter().map(shorten).collect()
}

/// A session as JSON.
pub fn document(info: &SessionInfo) -> Value {
    let modified = Timestamp::from_millisecond(info.modified_ms).map(session::iso).unwrap_or_default();
    json!({
        "id": info.id,
        "name": info.name,
        "first_message": info.first_message,
        "project": info.cwd,
        "messages": info.messages,
        "model": info.model,
        "cost": info.cost,
        "created": info.created,
        "modified": modified,
        "parent": info.parent,
        "bytes": info.bytes,
        "path": info.path,
    })
}

//! `relay sessions search`.

use relay_agent::session::{self, Hit};
use serde_json::{Value, json};

use super::list::{document, title};
use super::{Here, failure};
use crate::failure::Failure;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, PLACE, STRONG, paint};
use crate::terminal::{self, visible};

pub fn run(here: &Here, text: &str, limit: usize, json: bool) -> Result<u8, Failure> {
    let hits = session::search(&here.store, None, text, limit).map_err(|error| failure(&error))?;
    if json {
        return Ok(terminal::print_document(&Value::Array(hits.iter().map(hit).collect())));
    }
    if hits.is_empty() {
        return Ok(terminal::print("no session has all these words\n"));
    }
    let mut shown = String::new();
    let mut last = None;
    for hit in &hits {
        if last != Some(&hit.session.path) {
            let id: String = hit.session.id.chars().take(8).collect();
            line(
                &mut shown,
                format_args!(
                    "{}  {}  {}",
                    paint(PLACE, visible(&id)),
                    paint(STRONG, visible(&title(&hit.session))),
                    paint(FAINT, visible(&hit.session.cwd))
                ),
            );
            last = Some(&hit.session.path);
        }
        let head = format!("{} {}", visible(&hit.entry_id), visible(&hit.role));
        line(&mut shown, format_args!("    {}  {}", paint(FAINT, head), visible(&hit.excerpt)));
    }
    Ok(terminal::print_as_is(&shown))
}

fn hit(hit: &Hit) -> Value {
    json!({
        "session": document(&hit.session),
        "entry": hit.entry_id,
        "role": hit.role,
        "timestamp": hit.timestamp,
        "excerpt": hit.excerpt,
    })
}

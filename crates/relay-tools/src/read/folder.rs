//! A folder: two levels, newest first, with sizes and ages.

use jiff::Timestamp;
use relay_agent::tool::{Call, Output, ToolError};
use relay_diagnostics::display::visible_line;
use relay_workspace::{Below, Depth, Kind, Place, list_tree};
use serde_json::json;

use super::selector::{MAX_LINES, Selection};

/// What is listed below the first level.
const LEVELS: usize = 2;
const PER_FOLDER: usize = 12;

/// Lists a folder.
///
/// # Errors
/// It cannot be listed.
pub fn read(call: &Call<'_>, place: &Place, selection: &Selection) -> Result<Output, ToolError> {
    let failed = |error: relay_workspace::ReadError| ToolError::failed(error.to_string());
    let dir = place.open_dir().map_err(failed)?;
    let dir = dir.ok_or_else(|| ToolError::failed(format!("{} has gone.", place.shown())))?;
    ToolError::check(call.cancel)?;
    let listed = list_tree(&dir, Depth { levels: LEVELS, per_folder: PER_FOLDER, entries: MAX_LINES })
        .map_err(failed)?;
    let now = Timestamp::now().as_second();
    let mut lines = Vec::new();
    draw(&listed, 0, now, &mut lines);
    let total = lines.len();
    let cap = selection.range.map_or(MAX_LINES, |range| range.last.unwrap_or(MAX_LINES));
    let mut text = match lines.is_empty() {
        true => "(empty directory)\n".to_owned(),
        false => lines.iter().take(cap).map(|line| format!("{line}\n")).collect(),
    };
    let is_cut = total > cap;
    if is_cut {
        text.push_str(&format!("[Showing {cap} of {total} lines]\n"));
    }
    let details = json!({
        "isDirectory": true, "resolvedPath": place.absolute().display().to_string(),
        "meta": { "source": place.shown(), "limits": is_cut.then(|| json!({ "resultLimit": cap })) },
    });
    Ok(Output::text(text).with_details(details))
}

fn draw(below: &Below, level: usize, now: i64, lines: &mut Vec<String>) {
    let indent = "  ".repeat(level);
    for entry in &below.entries {
        let name = visible_line(&entry.name);
        let age = age(now - entry.facts.modified.0);
        lines.push(match entry.facts.kind {
            Kind::Directory => format!("{indent}- {name}/ ({age})"),
            Kind::File => format!("{indent}- {name} ({}, {age})", size(entry.facts.size)),
            Kind::Symlink => format!("{indent}- {name}@ (link, {age})"),
            Kind::Special => format!("{indent}- {name} (not a file, {age})"),
        });
        if let Some(inner) = &entry.below {
            draw(inner, level + 1, now, lines);
        }
    }
    if below.more > 0 {
        lines.push(format!("{indent}- … {} more", below.more));
    }
}

/// `512B`, `1.5KB`, `20MB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KB", "MB", "GB"] {
        if value < 1024.0 || unit == "GB" {
            return if unit == "B" || value >= 100.0 {
                format!("{value:.0}{unit}")
            } else {
                format!("{value:.1}{unit}")
            };
        }
        value /= 1024.0;
    }
    String::new()
}

/// `just now`, `5m ago`, `3h ago`, `2d ago`, `4mo ago`, `1y ago`.
fn age(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    match seconds {
        ..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => format!("{}m ago", seconds / MINUTE),
        HOUR..DAY => format!("{}h ago", seconds / HOUR),
        DAY..2_592_000 => format!("{}d ago", seconds / DAY),
        2_592_000..31_536_000 => format!("{}mo ago", seconds / 2_592_000),
        _ => format!("{}y ago", seconds / 31_536_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ages_are_short() {
        assert_eq!(
            [0, 1023, 1536, 20 << 20, 300 << 30].map(size),
            ["0B", "1023B", "1.5KB", "20.0MB", "300GB"]
        );
        let ages = [-5, 59, 60, 7_200, 90_000, 3_000_000, 40_000_000].map(age);
        assert_eq!(ages, ["just now", "just now", "1m ago", "2h ago", "1d ago", "1mo ago", "1y ago"]);
    }
}

//! Matches as a model reads them: by file, with anchors.

use relay_agent::tool::{Call, Output};
use relay_diagnostics::display::visible_line;
use relay_workspace::search::{FileMatches, Found};
use serde_json::json;

use crate::read::display::{Display, MAX_BYTES};
use crate::read::selector::Selection;

/// How many paths are named that could not be searched.
const UNREADABLE_NAMED: usize = 5;

/// Shows a page of matches; `total` is how many there are in all. Hands back how many of its files are shown.
pub fn show(call: &Call<'_>, page: &Found, skip: usize, total: usize) -> (Output, usize) {
    let mut text = String::new();
    let (mut files, mut shown, mut cut_lines) = (0, 0, 0);
    let display = match Display::of(call, &Selection::default(), true) {
        Display::Plain => Display::Numbers,
        display => display,
    };
    for file in &page.files {
        let block = block(file, display);
        if text.len() + block.len() > MAX_BYTES {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&block);
        files += 1;
        shown += file.lines.iter().filter(|line| line.is_match).count();
        cut_lines += file.lines.iter().filter(|line| line.is_cut).count();
    }
    if total == 0 {
        text.push_str("No matches found\n");
    } else if shown == 0 {
        text.push_str(&format!("[No matches after the first {skip}; there are {total}]\n"));
    } else if skip + shown < total {
        text.push_str(&format!(
            "\n[Showing {shown} of {total} matches in {} files; use skip={} for more, or narrow the search]\n",
            page.matching_files,
            skip + shown
        ));
    }
    if cut_lines > 0 {
        text.push_str(&format!("[{cut_lines} long lines are cut]\n"));
    }
    if !page.missing.is_empty() {
        text.push_str(&format!("Skipped missing paths: {}\n", page.missing.join(", ")));
    }
    if !page.unreadable.is_empty() {
        text.push_str(&unreadable(&page.unreadable));
    }
    let details = json!({
        "matches": total, "shown": shown, "files": page.matching_files, "searchedFiles": page.searched_files,
        "missing": page.missing, "skip": skip,
    });
    (Output::text(text).with_details(details), files)
}

/// Names the first of the paths that could not be searched: they may not be text, or have lines that are too long.
fn unreadable(paths: &[String]) -> String {
    let named: Vec<_> = paths.iter().take(UNREADABLE_NAMED).map(|path| visible_line(path)).collect();
    let more = if paths.len() > UNREADABLE_NAMED { ", …" } else { "" };
    format!("[{} paths could not be searched: {}{more}]\n", paths.len(), named.join(", "))
}

/// A file's matches below its name. A gap between lines is a line of its own.
fn block(file: &FileMatches, display: Display) -> String {
    let mut text = format!("# {}\n", visible_line(&file.path));
    let mut last = None;
    for line in &file.lines {
        if last.is_some_and(|last| last + 1 < line.number) {
            text.push_str("...\n");
        }
        last = Some(line.number);
        let mark = if line.is_match { '*' } else { ' ' };
        let number = usize::try_from(line.number).unwrap_or(usize::MAX);
        // The letters of a line that was cut would be those of another text.
        let display = if line.is_cut { Display::Numbers } else { display };
        let end = if line.is_cut { "…" } else { "" };
        text.push_str(&format!("{mark}{}{}{end}\n", display.prefix(number, line.text.as_bytes()), line.text));
    }
    text
}

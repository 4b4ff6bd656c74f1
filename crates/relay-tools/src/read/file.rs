//! Text files: summarised, whole, or as a window on one that is too large to be read as a whole.

use relay_agent::tool::{Call, Output, ToolError};
use relay_diagnostics::display::visible_line;
use relay_engine::views::{self, Seen};
use relay_syntax::{Language, Segment, Summary, SummarySettings, summarise};
use relay_workspace::{Facts, File, Place, ReadError, Wish, read_lines, read_opened};
use serde_json::json;

use super::display::{Display, MAX_BYTES, Page, Paging, default_limit};
use super::folder::size;
use super::selector::Selection;

/// Files up to here are read as a whole, so that what was shown can be remembered for edits.
const WHOLE_BYTES: u64 = 2 << 20;
/// How far beyond the lines that are shown a large file is read to count its lines.
const COUNT_BYTES: u64 = 4 << 20;
/// How much of a large file says whether it is text.
const SNIFF_BYTES: usize = 8 << 10;

/// A file that is open.
pub struct Opened<'a> {
    pub place: &'a Place,
    pub file: File,
    pub facts: Facts,
    pub selection: Selection,
}

/// What the system said, in words that fit a read.
pub fn failed(error: &ReadError) -> ToolError {
    ToolError::failed(match error {
        ReadError::NotRegular { path } => {
            format!(
                "`{}` is a FIFO, a socket or a device; only files and folders can be read.",
                visible_line(path)
            )
        }
        error => format!("{error}."),
    })
}

impl Opened<'_> {
    /// Shows it.
    ///
    /// # Errors
    /// The system refuses, or the call was asked to end.
    pub fn read(self, call: &Call<'_>) -> Result<Output, ToolError> {
        ToolError::check(call.cancel)?;
        if self.facts.size <= WHOLE_BYTES {
            match read_opened(&self.file, &self.facts, WHOLE_BYTES) {
                Ok(bytes) => return self.whole(call, &bytes),
                // It grew, or its size was never true, as for the files of `/proc`.
                Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {}
                Err(error) => return Err(self.refused(&error)),
            }
            let reopened = self.place.open_file().map_err(|error| failed(&error))?;
            let Some((file, facts)) = reopened else {
                return Err(ToolError::failed(format!("{} has gone.", self.place.shown())));
            };
            return Self { file, facts, ..self }.large(call);
        }
        self.large(call)
    }

    fn refused(&self, error: &std::io::Error) -> ToolError {
        match error.kind() {
            std::io::ErrorKind::Interrupted => ToolError::aborted(),
            std::io::ErrorKind::WouldBlock => ToolError::failed(format!(
                "{} has nothing to read now and would have to be waited for.",
                self.place.shown()
            )),
            _ => ToolError::failed(format!("{} cannot be read: {error}.", self.place.shown())),
        }
    }

    fn binary(&self) -> Output {
        let name = visible_line(self.place.shown()).into_owned();
        Output::text(format!("[Cannot read binary file '{name}' ({})]\n", size(self.facts.size)))
    }

    fn output(&self, page: Page, more: serde_json::Value) -> Output {
        let mut details = page.details();
        if let Some(object) = details.as_object_mut() {
            object.insert("path".to_owned(), self.place.shown().into());
            object.insert("resolvedPath".to_owned(), self.place.absolute().display().to_string().into());
            object.insert("meta".to_owned(), json!({ "source": self.place.shown() }));
            object.extend(more.as_object().cloned().unwrap_or_default());
        }
        Output::text(page.text).with_details(details)
    }

    fn whole(&self, call: &Call<'_>, bytes: &[u8]) -> Result<Output, ToolError> {
        let Some(lines) = relay_edit::line_bytes(bytes) else { return Ok(self.binary()) };
        let workspace = call.services.engine.workspace();
        let path = self.place.in_workspace(workspace);
        let display = Display::of(call, &self.selection, path.is_some());
        let remember = |pieces: &[(usize, usize)]| {
            let Some(path) = &path else { return Ok(()) };
            let is_all = matches!(pieces, [(1, last)] if *last >= lines.len());
            let seen = Seen { path, content: bytes, lines: (!is_all).then_some(pieces) };
            let kept = views::remember_in(&call.services.engine, &call.services.session, &[seen]);
            kept.map_err(|error| ToolError::failed(error.to_string()))
        };
        if let Some(text) = relay_edit::text(bytes)
            && let Some(summary) = self.summary(call, &text)
        {
            remember(&shown_pieces(&summary))?;
            return Ok(self.summarised(&summary, &text, display));
        }
        let (first, count) = self.selection.window(default_limit(call));
        let paging = Paging { name: self.place.shown(), display, selection: self.selection };
        let window = lines.iter().skip(first - 1).take(count).map(Vec::as_slice);
        let page = paging.of_lines(window, first, Some(lines.len()), false);
        if page.shown.0 <= page.shown.1 || lines.is_empty() {
            remember(&[page.shown])?;
        }
        Ok(self.output(page, json!({})))
    }

    fn summary(&self, call: &Call<'_>, text: &str) -> Option<Summary> {
        let services = call.services;
        if self.selection != Selection::default() || !services.is_on("read.summarize.enabled", true) {
            return None;
        }
        let count = |key: &str, default: f64| services.number(key, default).max(1.0) as usize;
        let settings = SummarySettings {
            prose: services.is_on("read.summarize.prose", false),
            min_body_lines: count("read.summarize.minBodyLines", 4.0),
            min_comment_lines: count("read.summarize.minCommentLines", 6.0),
        };
        summarise(Language::of_path(self.place.shown())?, text, &settings)
    }

    fn summarised(&self, summary: &Summary, text: &str, display: Display) -> Output {
        let mut shown = summary.text(text, |number, line| display.prefix(number, line.as_bytes()));
        let footer = summary.footer(self.place.shown());
        if shown.len() > MAX_BYTES {
            let end = (0..=MAX_BYTES).rev().find(|at| shown.is_char_boundary(*at)).unwrap_or(0);
            let end = shown.get(..end).and_then(|text| text.rfind('\n')).map_or(0, |at| at + 1);
            shown.truncate(end);
            shown.push_str(
                "[The summary is longer than what is shown at once; read line ranges for the rest.]\n",
            );
        }
        shown.push_str(&footer);
        shown.push('\n');
        let page = Page { text: shown, shown: (1, summary.lines), total: Some(summary.lines) };
        let more = json!({ "summary": {
            "lines": summary.lines, "elidedSpans": summary.elided_spans, "elidedLines": summary.elided_lines,
        } });
        self.output(page, more)
    }

    fn large(self, call: &Call<'_>) -> Result<Output, ToolError> {
        let (first, count) = self.selection.window(default_limit(call));
        // Prefixes need room too, so less than what is shown at once is read.
        let wish = Wish { first, count, budget_bytes: MAX_BYTES.max(count * 512), count_bytes: COUNT_BYTES };
        let found = read_lines(&self.file, &wish, call.cancel).map_err(|error| self.refused(&error))?;
        let sniffed: Vec<u8> = found.lines.concat();
        if sniffed.iter().take(SNIFF_BYTES).any(|byte| *byte == 0) {
            return Ok(self.binary());
        }
        let can_change = self.place.in_workspace(call.services.engine.workspace()).is_some();
        let display = Display::of(call, &self.selection, can_change);
        let paging = Paging { name: self.place.shown(), display, selection: self.selection };
        let page = paging.of_lines(found.lines.iter().map(Vec::as_slice), first, found.total, found.is_cut);
        Ok(self.output(page, json!({})))
    }
}

/// The lines that a summary shows as they are.
fn shown_pieces(summary: &Summary) -> Vec<(usize, usize)> {
    let piece = |segment: &Segment| match *segment {
        Segment::Shown { first, last } => vec![(first, last)],
        Segment::Elided { .. } => Vec::new(),
        Segment::Folded { open, close } => vec![(open, open), (close, close)],
    };
    summary.segments.iter().flat_map(piece).collect()
}

//! `*** Begin Patch` envelopes: Add, Update (with Move to) and Delete, with `@@` lines that name what is above.
//!
//! A directive begins where the envelope does. A line that is indented further has a sign, the space of a context line, so
//! that ` *** Delete File: a` is text of the file that is patched.

mod directive;

use super::{Dialect, End, Line, Parsed, Reader, Taken, fragment, hashline, unified};
use crate::align::realign;
use crate::elision::elision;
use crate::matcher::has_identity;
use crate::{Base, Diagnostic, Edit, EndOfFile, Hunk, HunkLine, Operation, codes};
use directive::{Directive, directive};
pub(crate) use directive::{begins, continues, is_directive, is_end};

/// An envelope that begins in this line and has no end.
pub(crate) fn unended(line: usize) -> Diagnostic {
    Diagnostic::error(codes::UNCLOSED_BLOCK, "this patch has no `*** End Patch`: the reply seems cut off")
        .hinted("send the whole patch again, with `*** End Patch` as its last line")
        .at(line)
}

/// What to send of an envelope that has no end: from this line on it was left out, or may have been.
pub(crate) fn go_on(line: usize) -> String {
    format!(
        "send what begins in line {line} of the reply again, and what was still to come, up to `*** End Patch`"
    )
}

/// What to do about an end in this line that has the sign of a context line before it.
fn signed_end(line: usize) -> String {
    format!(
        "`*** End Patch` in line {line} has a space before it, which makes it a line of the file; write it without"
    )
}

/// Reads one envelope.
#[derive(Debug, Default)]
pub(crate) struct ApplyPatch {
    parsed: Parsed,
    file: Option<File>,
    /// An explicit beginning needs an explicit end.
    begun: Option<usize>,
    ended: bool,
    /// The author gave up.
    aborted: bool,
    /// Where an envelope began that turned out to be another dialect's.
    left: Option<usize>,
    /// How far the envelope is indented as a whole, as in a list: as far as its beginning or its first file.
    indent: Option<usize>,
    has_files: bool,
    /// Where an end of the envelope has the sign of a context line before it.
    signed_end: Option<usize>,
}

#[derive(Debug)]
struct File {
    path: String,
    line: usize,
    kind: Kind,
    /// Part of it cannot be read, so none of it may be taken as written.
    broken: bool,
}

impl File {
    /// What to say of its last line, where that is only the beginning of one. `+let x = call(1` without a newline.
    fn last_line(&self) -> Option<Diagnostic> {
        let (removed, added): (Vec<&str>, Vec<&str>) = match &self.kind {
            Kind::Update { hunks, .. } => {
                let lines = || hunks.iter().flat_map(|pending| &pending.hunk.lines);
                lines().last().filter(|line| !line.is_old())?;
                let removed = lines().filter(|line| !line.is_new()).map(HunkLine::text).collect();
                (removed, lines().filter(|line| !line.is_old()).map(HunkLine::text).collect())
            }
            Kind::Add { content, .. } => (Vec::new(), content.lines().collect()),
            Kind::Delete => return None,
        };
        let last = added.last()?;
        fragment::is_one(last, &removed, &added).then(|| fragment::finding(last, self.line))
    }

    /// Leaves out what may lack its end where the reply ends; whether anything is left. `+let x = call(1` at the end of
    /// a reply.
    fn cut(&mut self, in_line: bool) -> bool {
        match &mut self.kind {
            Kind::Update { to: None, hunks, open, .. } => {
                if std::mem::take(open) {
                    hunks.pop();
                }
                !hunks.is_empty()
            }
            Kind::Delete => !in_line,
            // Half a file is not a file, and a rename does not land without the changes that belong to it.
            Kind::Add { .. } | Kind::Update { .. } => false,
        }
    }
}

/// What the `@@` lines above a hunk say.
#[derive(Debug, Default)]
struct Above {
    scope: Vec<String>,
    line_hint: Option<usize>,
}

/// A hunk that is being read.
#[derive(Debug)]
struct Pending {
    hunk: Hunk,
    /// Empty lines without a sign at its end: context only if the hunk continues after them.
    empty: usize,
}

impl Pending {
    fn push(&mut self, text: &str) {
        if text.is_empty() {
            self.empty += 1;
            return;
        }
        self.keep_empty();
        let mut chars = text.chars();
        self.hunk.lines.push(match chars.next() {
            Some('+') => HunkLine::Added(chars.as_str().to_owned()),
            Some('-') => HunkLine::Removed(chars.as_str().to_owned()),
            Some(' ') => HunkLine::Context(chars.as_str().to_owned()),
            _ => HunkLine::Context(text.to_owned()),
        });
    }

    fn keep_empty(&mut self) {
        let empty = std::mem::take(&mut self.empty);
        self.hunk.lines.extend(std::iter::repeat_n(HunkLine::Context(String::new()), empty));
    }
}

#[derive(Debug)]
enum Kind {
    /// Blank lines without a sign are content only between lines that have one.
    Add {
        content: String,
        blanks: usize,
    },
    Update {
        to: Option<String>,
        hunks: Vec<Pending>,
        above: Above,
        open: bool,
    },
    Delete,
}

impl Reader for ApplyPatch {
    fn line(&mut self, line: Line<'_>, _fenced: bool) -> Taken {
        let line = self.unindented(line);
        // Every line of a patch begins with a sign, so this one belongs to the reply.
        if !line.text.starts_with([' ', '+', '-']) && hashline::is_abort(line.text) {
            self.abort(line.number);
            return Taken::More;
        }
        if self.aborted {
            return hashline::after_abort(line.text);
        }
        let Some(directive) = directive(line.text) else {
            return self.content(line);
        };
        match directive {
            Directive::Begin => {
                self.begun.get_or_insert(line.number);
            }
            Directive::End => {
                self.close_file();
                self.ended = true;
                return Taken::Done;
            }
            Directive::Add(path) => self.open(path, line, Kind::Add { content: String::new(), blanks: 0 }),
            Directive::Update(path) => {
                self.open(
                    path,
                    line,
                    Kind::Update { to: None, hunks: Vec::new(), above: Above::default(), open: false },
                );
            }
            Directive::Delete(path) => self.open(path, line, Kind::Delete),
            Directive::MoveTo(path) => match &mut self.file {
                Some(File { kind: Kind::Update { to, .. }, .. }) => *to = Some(path.to_owned()),
                _ => self.complain(line.number, "`*** Move to:` has no `*** Update File:` before it"),
            },
            Directive::EndOfFile => match &mut self.file {
                Some(File { kind: Kind::Update { hunks, open, .. }, .. }) => {
                    if let Some(pending) = hunks.last_mut() {
                        pending.hunk.end = EndOfFile::Reached;
                    }
                    *open = false;
                }
                _ => self.complain(line.number, "`*** End of File` is outside an update"),
            },
        }
        Taken::More
    }

    fn cut_off(&mut self, end: End) -> Option<Diagnostic> {
        self.end_padded();
        if self.ended {
            return None;
        }
        let begun = self.begun.take();
        let Some(file) = &mut self.file else { return begun.map(unended) };
        // Without an envelope or a fence nothing says where it ends, but a file of its own has content.
        let is_empty = matches!(&file.kind, Kind::Add { content, .. } if content.is_empty()) && !file.broken;
        let fragment = file.last_line().filter(|_| end.in_line);
        if begun.is_none() && !end.in_fence && !is_empty && fragment.is_none() {
            return None;
        }
        let finding = fragment.filter(|_| begun.is_none() && !end.in_fence);
        let finding = finding.unwrap_or_else(|| unended(begun.unwrap_or(file.line))).on(&file.path);
        let hint = self.signed_end.map_or_else(|| go_on(file.line), signed_end);
        if !file.cut(end.in_line) {
            self.file = None;
        }
        Some(finding.hinted(hint))
    }

    fn envelope(&self) -> Option<usize> {
        self.left
    }

    fn take(&mut self) -> Option<Parsed> {
        self.parsed.take()
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        self.end_padded();
        if let (Some(line), false) = (self.begun, self.ended) {
            self.parsed.findings.push(unended(line));
        }
        self.close_file();
        self.parsed
    }
}

impl ApplyPatch {
    /// A line without the indentation of the envelope.
    fn unindented<'t>(&mut self, line: Line<'t>) -> Line<'t> {
        let bare = line.text.trim_start_matches([' ', '\t']);
        let indent = line.text.len() - bare.len();
        if let Some(found) = directive(bare).filter(|_| !self.has_files) {
            self.indent = self.indent.filter(|begun| *begun < indent).or(Some(indent));
            self.has_files = found != Directive::Begin;
        }
        // Where no content can be, a directive may be padded.
        let margin = match &self.file {
            Some(File { kind: Kind::Add { .. } | Kind::Update { .. }, .. }) => {
                self.indent.unwrap_or_default()
            }
            _ if directive(bare).is_some() => indent,
            _ => self.indent.unwrap_or_default(),
        };
        Line { text: line.text.get(indent.min(margin)..).unwrap_or(line.text), ..line }
    }

    /// Ends the envelope at its last line where that is a padded end: one space before it may be a sign, more are none.
    fn end_padded(&mut self) {
        let Some(File { kind: Kind::Update { hunks, .. }, .. }) = &mut self.file else { return };
        let Some(lines) = hunks.last_mut().map(|pending| &mut pending.hunk.lines) else { return };
        let is_padded = |line: &mut HunkLine| {
            let (text, bare) = (line.text(), line.text().trim_start());
            line.is_old()
                && line.is_new()
                && bare.len() < text.len()
                && directive(bare) == Some(Directive::End)
        };
        if self.begun.is_some() && lines.pop_if(is_padded).is_some() {
            (self.begun, self.ended) = (None, true);
        }
    }

    fn content(&mut self, line: Line<'_>) -> Taken {
        if directive(line.text.trim_start()) == Some(Directive::End) {
            self.signed_end.get_or_insert(line.number);
        }
        if matches!(&self.file, Some(File { kind: Kind::Delete, .. })) {
            self.close_file();
        }
        match &mut self.file {
            Some(File { kind: Kind::Add { content, blanks }, .. }) => match line.text.strip_prefix('+') {
                Some(text) => {
                    (0..std::mem::take(blanks)).for_each(|_| content.push('\n'));
                    content.push_str(text);
                    content.push('\n');
                }
                None if line.text.trim().is_empty() => *blanks += usize::from(!content.is_empty()),
                None => {
                    self.complain(
                        line.number,
                        "every line of a new file starts with `+`, and this one does not",
                    );
                    return Taken::More;
                }
            },
            Some(File { kind: Kind::Update { hunks, above, open, .. }, .. }) => {
                update_line(hunks, above, open, line);
            }
            // Another dialect may use the same envelope.
            _ if hashline::begins(line.text) => {
                self.left = self.begun.take();
                return Taken::NotMine;
            }
            _ if line.text.trim().is_empty() || self.begun.is_some() => {
                if !line.text.trim().is_empty() {
                    self.complain(line.number, "this line comes before any `*** Add File:`, `*** Update File:` or `*** Delete File:`");
                }
            }
            _ => return Taken::NotMine,
        }
        Taken::More
    }

    /// The author gave up: the hunks so far are whole, a new file need not be.
    fn abort(&mut self, line: usize) {
        let mut finding = hashline::aborted(line);
        finding.path = self.file.as_ref().map(|file| file.path.clone());
        self.parsed.findings.push(finding);
        self.file.take_if(|file| matches!(file.kind, Kind::Add { .. }));
        self.close_file();
        (self.begun, self.aborted) = (None, true);
    }

    fn open(&mut self, path: &str, line: Line<'_>, kind: Kind) {
        self.close_file();
        self.file = Some(File { path: path.to_owned(), line: line.number, kind, broken: false });
    }

    fn close_file(&mut self) {
        let Some(File { path, line, kind, broken: false }) = self.file.take() else { return };
        match kind {
            Kind::Delete => self.emit(&path, line, Operation::Delete),
            Kind::Add { content, .. } => self.emit(&path, line, Operation::Write { content }),
            Kind::Update { to, hunks, .. } => {
                let hunks: Vec<Hunk> = hunks.into_iter().filter_map(|hunk| tidy(hunk, &path)).collect();
                let moved = to.is_some();
                if let Some(to) = &to {
                    self.emit(&path, line, Operation::Rename { to: to.clone() });
                }
                if hunks.iter().any(|hunk| hunk.adds() || hunk.removes()) {
                    self.emit(
                        to.as_deref().unwrap_or(&path),
                        line,
                        Operation::Patch { hunks, base: Base::Original },
                    );
                } else if !moved {
                    self.complain(line, "this update holds no changed line");
                }
            }
        }
    }

    fn emit(&mut self, path: &str, line: usize, operation: Operation) {
        if path.is_empty() {
            self.parsed.findings.push(
                Diagnostic::error(codes::MISSING_PATH, "this operation names no file")
                    .hinted("write the path behind the colon")
                    .at(line),
            );
            return;
        }
        self.parsed.edits.push(Edit { path: path.to_owned(), operation, dialect: Dialect::ApplyPatch, line });
    }

    fn complain(&mut self, line: usize, message: &str) {
        let mut finding = Diagnostic::error(codes::BAD_DIFF, message)
            .hinted("each file begins with `*** Update File: path`; below it `@@`, then lines that start with a space, `-` or `+`")
            .at(line);
        if let Some(file) = &mut self.file {
            file.broken = true;
            finding.path = Some(file.path.clone());
        }
        self.parsed.findings.push(finding);
    }
}

fn update_line(hunks: &mut Vec<Pending>, above: &mut Above, open: &mut bool, line: Line<'_>) {
    if let Some(rest) = line.text.trim_end().strip_prefix("@@") {
        let named = rest.trim().trim_end_matches("@@").trim();
        if *open {
            *above = Above::default();
        }
        *open = false;
        if named.starts_with('-') {
            // `@@ -1,2 +1,2 @@` borrows the numbers of another dialect; they name no line.
            above.line_hint = unified::hunk_header(line.text).and_then(|header| header.line_hint());
        } else if !named.is_empty() && named != "..." {
            above.scope.push(named.to_owned());
        }
        return;
    }
    if !*open {
        // One space is a blank line with its sign.
        if line.text.trim().is_empty() && line.text != " " && hunks.is_empty() && above.scope.is_empty() {
            return;
        }
        let mut hunk = Hunk::new(Vec::new(), line.number);
        let Above { scope, line_hint } = std::mem::take(above);
        (hunk.scope, hunk.line_hint) = (scope, line_hint);
        hunks.push(Pending { hunk, empty: 0 });
        *open = true;
    }
    if let Some(hunk) = hunks.last_mut() {
        hunk.push(line.text);
    }
}

/// A hunk without the `---` and `+++` lines of another dialect that name the same file once more; one of the two may have
/// been lost.
fn without_headers(mut hunk: Hunk, path: &str) -> Hunk {
    let names = |header: &str| unified::means(&unified::header_path(header), path);
    let is_header = |line: &&HunkLine| match line {
        HunkLine::Removed(text) => text.strip_prefix("-- ").is_some_and(names),
        HunkLine::Added(text) => text.strip_prefix("++ ").is_some_and(names),
        HunkLine::Context(_) => false,
    };
    let headers = hunk.lines.iter().take(2).take_while(is_header).count();
    hunk.lines.drain(..headers);
    hunk
}

/// A hunk that is complete; `None` if it neither changes nor proves anything. One that only has context stays: if one of its
/// lines is not in the file, the line has lost its sign.
fn tidy(mut pending: Pending, path: &str) -> Option<Hunk> {
    // If only a blank line shows where the new lines go, it is not a separator.
    if pending.hunk.end != EndOfFile::Unsaid || pending.hunk.old_lines().next().is_none() {
        pending.keep_empty();
    }
    let mut hunk = without_headers(pending.hunk, path);
    let tells = || hunk.old_lines().any(|line| has_identity(&[line]) && elision(line).is_none());
    if !hunk.adds() && !hunk.removes() && !tells() {
        return None;
    }
    // This dialect puts new lines without any old ones at the end of the file.
    if hunk.old_lines().next().is_none() && hunk.scope.is_empty() && hunk.end == EndOfFile::Unsaid {
        hunk.end = EndOfFile::Reached;
    }
    hunk.lines = realign(hunk.lines);
    Some(hunk)
}

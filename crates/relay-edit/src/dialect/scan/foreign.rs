//! Blocks of the dialects that have markers of their own: finding where one begins, and feeding its reader.

use super::super::fence::{FenceLine, fence_line};
use super::super::limits::{EDITS, Excess};
use super::super::{Dialect, Line, Parsed, Reader, Taken, path_line};
use super::super::{
    apply_patch, commands, edit_repl, git_diff, hashline, search_replace, tagged, toolcall, unified,
};
use super::code::Code;
use super::shell::Shell;
use super::{Inside, Scanner};
use crate::passage::Body;
use crate::script::is_shell;
use crate::{Edit, leak};

/// This many lines of a script are looked at above a command.
const SCRIPT: usize = 16;

impl Scanner {
    /// A reader for the block this line begins, if it begins one.
    pub(super) fn detect(&mut self, line: Line<'_>, code: Option<&Code>) -> Option<Box<dyn Reader>> {
        let text = line.text;
        if self.forced.is_none() && code.is_none() && toolcall::begins(text) {
            self.context.carried = toolcall::path_of(text).or_else(|| self.context.carried.take());
            return Some(Box::new(toolcall::Element::new(line)));
        }
        if self.forced.is_none() && code.is_none() && toolcall::begins_json(text) {
            return Some(Box::new(toolcall::Objects::new(line.number)));
        }
        if self.reads(Dialect::ApplyPatch) && apply_patch::begins(text) {
            return Some(Box::new(apply_patch::ApplyPatch::default()));
        }
        if self.reads(Dialect::Hashline) && hashline::begins(text) {
            return Some(Box::new(hashline::Hashline::new(self.doubts.envelope.take())));
        }
        if self.reads(Dialect::Commands) && commands::begins(text) {
            return Some(Box::new(commands::Commands::default()));
        }
        if self.reads(Dialect::Unified) && git_diff::begins(text) {
            return Some(Box::new(git_diff::GitDiff::new(None)));
        }
        if self.reads(Dialect::Unified)
            && let Some(path) =
                code.and_then(|code| code.path.clone().or_else(|| code.is_diff().then(String::new)))
            && unified::is_hunk_header(text)
        {
            return Some(Box::new(git_diff::GitDiff::new(Some(path))));
        }
        if code.is_none()
            && self.reads(Dialect::WholeFile)
            && let Some((name, path)) = tagged::opens(text).zip(self.path_above())
        {
            self.context.carried = Some(path.clone());
            return Some(Box::new(tagged::Tagged::new(name, path)));
        }
        if self.reads(Dialect::EditRepl) && edit_repl::begins(text) {
            let above = self.words_above();
            let path =
                self.take_path(code, path_line::plain_before_marker).or_else(|| self.context.carried.clone());
            let is_sentence = self.may_be_sentence(path.as_deref(), above.as_deref());
            self.context.carried.clone_from(&path);
            return Some(Box::new(edit_repl::EditRepl::new(path, is_sentence)));
        }
        if self.reads(Dialect::SearchReplace) && search_replace::begins(text) {
            let read =
                if code.is_some() { path_line::before_marker_in_code } else { path_line::before_marker };
            let above = self.words_above();
            let path = self
                .take_path(code, read)
                .or_else(|| code.and_then(Code::shown_path))
                .or_else(|| code.and_then(|code| self.heading_above(code)))
                .or_else(|| self.context.carried.clone());
            let is_sentence = self.may_be_sentence(path.as_deref(), above.as_deref());
            self.context.carried.clone_from(&path);
            if path.is_none() {
                let presumed = self.mentioned_above(code).or_else(|| self.context.before_prose.clone());
                self.context.before_prose.clone_from(&presumed);
                return Some(Box::new(search_replace::SearchReplace::presuming(presumed)));
            }
            self.context.before_prose.clone_from(&path);
            return Some(Box::new(search_replace::SearchReplace::new(path, is_sentence)));
        }
        None
    }

    /// The line above a section, if it is several words without quotes around any of them.
    fn words_above(&self) -> Option<String> {
        let last = self.prose.written_before(self.prose.len())?;
        let text = self.prose.get(last)?.text.trim();
        (text.contains(' ') && !text.contains(['`', '"', '\'', '<'])).then(|| text.to_owned())
    }

    /// Whether a path that was taken from the line above a section may be a sentence that speaks of one.
    fn may_be_sentence(&self, path: Option<&str>, above: Option<&str>) -> bool {
        path.filter(|path| path.contains(' ')).is_some_and(|path| {
            above.is_some_and(|above| above.contains(path)) || self.context.carried.as_deref() == Some(path)
        })
    }

    pub(super) fn start(&mut self, reader: Box<dyn Reader>, line: Line<'_>) {
        if !search_replace::begins(line.text) {
            self.context.before_prose = None;
        }
        self.doubts.after_diff = None;
        self.context.shell = self.shell_above();
        if let Some(finding) = self.context.shell.as_ref().and_then(|shell| shell.finding(line.number)) {
            self.findings.push(finding);
        }
        if let Some(control) = self.control.as_mut() {
            control.is_last = false;
        }
        let code = match std::mem::take(&mut self.state) {
            Inside::Code(code) => Some(Code { held_edits: true, ..code }),
            _ => None,
        };
        if code.is_none() {
            self.passages.open(line.number, &self.prose, self.tail);
        }
        // Outside a fence the edits may be quoted by a document whose end was misread; the next fence will show.
        if code.as_ref().is_some_and(|code| !code.doubted) {
            self.doubts.question = None;
        }
        self.foreign_line(reader, code, line);
    }

    /// The command above a block, with what the script it is in did before.
    fn shell_above(&self) -> Option<Shell> {
        let at = self.prose.written_before(self.prose.len())?;
        let command = self.prose.get(at)?;
        let reach = at.saturating_sub(SCRIPT)..at;
        match &self.state {
            Inside::Code(code) => {
                let first = reach.start.max(code.prose_start + 1);
                let above = self.prose.range(first..at).map(|line| line.text);
                Shell::read(command.text, above, at > code.prose_start && is_shell(&code.language))
            }
            // Outside a fence only what is written directly above belongs to it.
            _ => {
                let joined = self.prose.range(reach).rev().zip(1..).take_while(|(line, above)| {
                    line.number + above == command.number && !line.text.trim().is_empty()
                });
                let first = at - joined.count();
                Shell::read(command.text, self.prose.range(first..at).map(|line| line.text), false)
            }
        }
    }

    pub(super) fn foreign_line(
        &mut self,
        mut reader: Box<dyn Reader>,
        mut code: Option<Code>,
        line: Line<'_>,
    ) {
        if let Some(code) = code.as_mut() {
            code.fence.note(line.text);
        }
        if let (Some(around), Some(FenceLine::Bare(fence))) = (&code, fence_line(line.text))
            && around.fence.accepts(fence)
            && fence.indent <= around.fence.indent
            && !reader.owns_fences()
        {
            self.doubts.open_end = reader.is_open_ended().then_some(line.number + 1);
            self.absorb(reader.finish());
            self.context.shell = None;
            self.tail = self.prose.len();
            self.code_line_of(code, line);
            return;
        }
        if let (Some(around), Some(FenceLine::Labelled(fence, _))) = (&code, fence_line(line.text))
            && around.fence.accepts(fence)
            && reader.is_open_ended()
        {
            self.findings.push(hashline::doubted_fence(line.number));
        }
        let text = code.as_ref().map_or(line.text, |code| code.fence.unindent(line.text));
        if self.context.shell.as_ref().is_some_and(|shell| shell.ends(text)) && !reader.owns_fences() {
            self.foreign_end(reader, code, line, Taken::Done);
            // What the text is piped into is after its end.
            let rest = text.trim_start().trim_start_matches(['\'', '"', '@']);
            return self.follow_script(Line { text: rest, ..line });
        }
        let taken = reader.line(Line { text, ..line }, code.is_some());
        if let Some(parsed) = reader.take() {
            self.absorb(parsed);
        }
        match taken {
            Taken::More => self.state = Inside::Foreign(reader, code),
            Taken::Done | Taken::NotMine => self.foreign_end(reader, code, line, taken),
        }
    }

    /// The block has ended with this line, or before it.
    pub(super) fn foreign_end(
        &mut self,
        reader: Box<dyn Reader>,
        code: Option<Code>,
        line: Line<'_>,
        taken: Taken,
    ) {
        self.doubts.envelope = reader.envelope();
        self.doubts.open_end = (reader.is_open_ended() && taken == Taken::NotMine).then_some(line.number);
        self.absorb(reader.finish());
        self.context.script = self.context.shell.take().and_then(Shell::script);
        self.tail = self.prose.len();
        if code.is_none() {
            let last = if taken == Taken::NotMine { line.number.saturating_sub(1) } else { line.number };
            self.passages.close(last, Body::Read);
        }
        if taken == Taken::NotMine {
            self.doubts.after_diff = code.is_none().then_some(line.number);
            self.code_line_of(code, line);
        } else {
            self.state = code.map_or(Inside::Prose, Inside::Code);
        }
    }

    pub(super) fn code_line_of(&mut self, code: Option<Code>, line: Line<'_>) {
        match code {
            Some(code) => self.code_line(code, line),
            None => self.prose_line(line),
        }
    }

    pub(super) fn absorb(&mut self, mut parsed: Parsed) {
        if !parsed.findings.is_empty() {
            self.findings.extend(parsed.findings);
        }
        if let Some(calls) = parsed.calls.take() {
            self.passages.note_calls(&calls);
            parsed.edits.extend(calls.edits);
        }
        if parsed.edits.is_empty() || self.leaks.has_leaked {
            return;
        }
        parsed.edits.iter_mut().for_each(|edit| match &self.context.shell {
            Some(shell) => shell.settle(edit),
            None => path_line::settle(edit, None),
        });
        let leak = |edit: &Edit| Some((leak::of_edit(edit)?, edit.path.clone()));
        match parsed.edits.iter().filter(|_| self.leaks.may_leak).filter_map(leak).min() {
            Some((line, path)) => {
                self.leaked(line, Some(&path));
                self.edits.extend(parsed.edits.into_iter().filter_map(|edit| leak::before(edit, line)));
            }
            None => self.edits.extend(parsed.edits),
        }
        if self.edits.len() > EDITS {
            self.spent.excess = Some(Excess::Edits);
        }
    }

    /// Routing leaked into the reply: no edit from here on counts, whatever it says.
    pub(super) fn leaked(&mut self, line: usize, path: Option<&str>) {
        self.leaks.has_leaked = true;
        let finding = leak::finding(line);
        self.findings.push(match path {
            Some(path) => finding.on(path),
            None => finding,
        });
    }

    pub(super) fn begins_foreign(&self, text: &str) -> bool {
        self.reads(Dialect::ApplyPatch) && apply_patch::begins(text)
            || self.reads(Dialect::Unified) && (git_diff::begins(text) || unified::is_hunk_header(text))
            || self.reads(Dialect::EditRepl) && edit_repl::begins(text)
            || self.reads(Dialect::Hashline) && hashline::begins(text)
            || self.reads(Dialect::Commands) && commands::begins(text)
            || self.reads(Dialect::SearchReplace) && search_replace::begins(text)
    }
}

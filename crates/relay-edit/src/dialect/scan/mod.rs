//! The scanner: decides for each line of a reply whether it is prose, part of a block, or opens one.
//!
//! It never fails. What it cannot read becomes a finding, and reading continues after it, so that one reply's
//! mistakes are all reported at once.

mod blocks;
mod code;
mod command;
mod folder;
mod foreign;
mod not_the_file;
mod passages;
mod shell;
mod stray;
mod unfenced;

use std::collections::{HashMap, HashSet};

use super::block::Block;
use super::fence::{Fence, FenceLine, fence_line};
use super::findings::Findings;
use super::limits::{Excess, LINES};
use super::{Dialect, End, Kept, Line, OwnedLine, Reader, Taken, path_line};
use super::{git_diff, hashline, instruct, tagged, toolcall, unified};
use crate::control::{self, Candidate};
use crate::passage::{Body, Passage, Snippet};
use crate::{Control, Diagnostic, Edit, Operation, Reply, codes, leak};
use blocks::Question;
use code::{Code, Opening};
use passages::Passages;
use shell::{Script, Shell, Use};

/// Reads a reply line by line.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    forced: Option<Dialect>,
    state: Inside,
    edits: Vec<Edit>,
    /// How many edits were handed out already.
    handed_out: usize,
    findings: Findings,
    prose: Kept,
    /// Where the prose after the last fence begins.
    tail: usize,
    control: Option<Candidate>,
    doubts: Doubts,
    context: Context,
    leaks: Leaks,
    spent: Spent,
    /// A line whose next one shows whether it begins a block: `---` above `+++`, `{` above `"path": …`.
    held: Option<OwnedLine>,
    /// The blocks so far, and the line that is being read.
    passages: Passages,
    at: usize,
}

/// Where the end of a block may have been misread.
#[derive(Debug, Default)]
struct Doubts {
    /// The block that ended last, while later fences can still show that its end was misread.
    question: Option<Question>,
    /// The fence that wraps the whole reply, when one does.
    wrapper: Option<Fence>,
    /// The same with its line, where it may as well be the end of a block whose own fence was lost.
    lost_fence: Option<(Fence, usize)>,
    /// A bare diff ended in the line before, or prose followed it without a fence.
    after_diff: Option<usize>,
    /// The fence in this line may be meant for the file above, where nothing else shows the end of the new lines.
    open_end: Option<usize>,
    /// Where the envelope begins that one dialect's reader left to another's.
    envelope: Option<usize>,
}

/// What was said before a block about the file and the folder it is for.
#[derive(Debug, Default)]
struct Context {
    /// The file of the section before, which the next section means too when nothing else is said.
    carried: Option<String>,
    /// The same, unless the prose since then names a file.
    before_prose: Option<String>,
    /// The command whose here-document the current block is.
    shell: Option<Shell>,
    /// The script after it, while it may still decide what the block does.
    script: Option<Script>,
}

/// A model's own routing in its text.
#[derive(Debug, Default)]
struct Leaks {
    /// Its marker is somewhere in what was read so far; in almost no reply it is.
    may_leak: bool,
    /// It leaked into the reply further up.
    has_leaked: bool,
}

/// How much work the reply has taken.
#[derive(Debug, Default)]
struct Spent {
    /// How many bytes were read again so far, and how many blocks inside each other are being read again.
    read_again_bytes: usize,
    read_again_depth: usize,
    /// There is too much of something, and nothing more is read.
    excess: Option<Excess>,
}

/// What the scanner is inside of.
#[derive(Debug, Default)]
enum Inside {
    #[default]
    Prose,
    /// A fence with a path, whose content has not shown yet what it is.
    Opening(Opening),
    Block(Block),
    Code(Code),
    /// A block of a dialect with its own markers, and the fence around it.
    Foreign(Box<dyn Reader>, Option<Code>),
}

impl Scanner {
    /// A scanner that reads every dialect, or only the one given.
    pub fn new(forced: Option<Dialect>) -> Self {
        Self { forced, ..Self::default() }
    }

    /// Says that the marker of a model's own routing is in the lines that come now.
    pub const fn look_for_leaks(&mut self) {
        self.leaks.may_leak = true;
    }

    /// Takes the next line.
    pub fn line(&mut self, line: Line<'_>) {
        if line.number > LINES {
            self.spent.excess = Some(Excess::Lines);
        }
        if self.spent.excess.is_some() {
            return;
        }
        self.at = line.number;
        if let Some(held) = self.held.take() {
            if self.unindented(line.text).starts_with("+++ ") {
                self.start(Box::new(git_diff::GitDiff::new(None)), held.as_line());
            } else if toolcall::goes_on(&held.text, line.text) {
                self.start(Box::new(toolcall::Objects::new(held.number)), held.as_line());
            } else {
                self.dispatch(held.as_line());
            }
        } else if self.may_begin_diff() && self.unindented(line.text).starts_with("--- ")
            || self.may_begin_call() && toolcall::opens_json(line.text)
        {
            self.held = Some(line.into());
            return;
        }
        self.dispatch(line);
    }

    fn dispatch(&mut self, line: Line<'_>) {
        // By far the most lines are inside a block without a fence, where nothing but its reader decides.
        if let Inside::Foreign(reader, None) = &mut self.state
            && self.context.shell.is_none()
        {
            let taken = reader.line(line, false);
            if let Some(parsed) = reader.take() {
                self.absorb(parsed);
            }
            if taken != Taken::More
                && let Inside::Foreign(reader, code) = std::mem::take(&mut self.state)
            {
                self.foreign_end(reader, code, line, taken);
            }
            return;
        }
        match std::mem::take(&mut self.state) {
            Inside::Prose => self.prose_line(line),
            Inside::Opening(opening) => self.opening_line(opening, line),
            Inside::Block(block) => self.block_line(block, line),
            Inside::Code(code) => self.code_line(code, line),
            Inside::Foreign(reader, code) => self.foreign_line(reader, code, line),
        }
    }

    /// The edits that became whole since the last call.
    ///
    /// Whole files below a path line wait for the end of the reply, which may show that they only illustrate. So does
    /// content for a file with changed lines, because [`Self::drop_illustrations`] may drop it.
    pub fn take_new_edits(&mut self) -> Vec<Edit> {
        let ready = self.edits.get(self.handed_out..).unwrap_or_default();
        let new: Vec<Edit> = ready.iter().take_while(|edit| !self.may_be_dropped(edit)).cloned().collect();
        self.handed_out += new.len();
        new
    }

    fn may_be_dropped(&self, edit: &Edit) -> bool {
        let is_patch = |other: &&Edit| matches!(other.operation, Operation::Patch { .. });
        edit.dialect.is_whole_file()
            || matches!(edit.operation, Operation::Write { .. })
                && self.edits.iter().filter(is_patch).any(|patch| patch.path == edit.path)
    }

    /// Ends the reply; `half` is the number of its last line if that has no end.
    pub fn finish(mut self, half: Option<usize>) -> Reply {
        if let Some(held) = self.held.take() {
            self.dispatch(held.as_line());
        }
        self.note_half(half);
        self.end_open(half.is_some());
        if let Some(excess) = self.spent.excess {
            return excess.refused();
        }
        if let Some((fence, line)) = self.doubts.lost_fence {
            self.findings.push(code::lost_fence(fence, line));
        }
        self.note_headless();
        // What the end of the reply cut off is a block too.
        self.passages.close(self.at, Body::Read);
        let mut passages = std::mem::take(&mut self.passages).into_list();
        if self.forced.is_none() && !self.leaks.has_leaked {
            instruct::read(&mut passages, &mut self.edits);
            unfenced::add(&self.prose, &mut passages);
            self.mark_end(&mut passages);
        }
        self.drop_illustrations(&mut passages);
        self.mark_unreadable(&mut passages);
        let control = self.read_control();
        let in_control = control.as_ref().and_then(|control| control.receipt.clone());
        let receipt = in_control.or_else(|| control::receipt_in_prose(&self.prose));
        Reply {
            reasoning: reasoning(&self.prose),
            edits: self.edits,
            control,
            receipt,
            diagnostics: self.findings.into_list(),
            passages,
        }
    }

    /// Ends whatever the reply ends inside of; `in_line` says that its last line has no end.
    fn end_open(&mut self, in_line: bool) {
        loop {
            match std::mem::take(&mut self.state) {
                Inside::Prose => break,
                Inside::Opening(opening) => {
                    self.unclosed(opening.code.line, Some(&opening.path), &opening.code.fence.longer());
                }
                Inside::Block(mut block) => match block.end_of_reply() {
                    Some(again) => self.close(&block, false, &again),
                    None => self.unclosed(block.line, block.path(), &block.longer_fence()),
                },
                Inside::Code(code) => {
                    self.unclosed(code.line, None, &code.fence.longer());
                    if code.doubted {
                        self.misread();
                    }
                }
                Inside::Foreign(mut reader, code) => {
                    let cut = reader.cut_off(End { in_line, in_fence: code.is_some() });
                    self.absorb(reader.finish());
                    match code {
                        Some(code) => {
                            let unclosed = blocks::unclosed(code.line, None, &code.fence.longer());
                            self.findings.push(match cut {
                                Some(Diagnostic { hint, path, file_lines, .. }) => {
                                    Diagnostic { hint, path, file_lines, ..unclosed }
                                }
                                None => unclosed,
                            });
                        }
                        None => cut.into_iter().for_each(|finding| self.findings.push(finding)),
                    }
                }
            }
        }
    }

    /// Reads the control block, and takes it out of the prose.
    fn read_control(&mut self) -> Option<Control> {
        let control = match self.control.take() {
            Some(candidate) => Some(candidate),
            None => control::trailing(&self.prose, self.tail),
        };
        control.and_then(|candidate| {
            let (control, findings) = control::read(&candidate, &self.prose);
            findings.into_iter().for_each(|finding| self.findings.push(finding));
            // What is after it is prose too; the control block itself is not.
            let behind = self.prose.split_off(candidate.prose.end);
            self.prose.truncate(candidate.prose.start);
            behind.lines().for_each(|line| self.prose.push(line));
            control
        })
    }

    fn reads(&self, dialect: Dialect) -> bool {
        self.forced.is_none_or(|forced| forced == dialect)
    }

    /// A line without the indentation of the fence around it.
    fn unindented<'t>(&self, text: &'t str) -> &'t str {
        match &self.state {
            Inside::Code(code) => code.fence.unindent(text),
            _ => text,
        }
    }

    fn may_begin_diff(&self) -> bool {
        self.reads(Dialect::Unified) && matches!(self.state, Inside::Prose | Inside::Code(_))
    }

    const fn may_begin_call(&self) -> bool {
        self.forced.is_none() && matches!(self.state, Inside::Prose)
    }

    /// Code below a path line next to a real edit of the same file is not read as the file: it may show the edit's result,
    /// or contradict it. The same holds for content in any form that follows changed lines of its file: "```diff …``` Or
    /// simply: `cat > src/a.ts <<EOF`" lands neither or one of the two, never the second over the first.
    fn drop_illustrations(&mut self, passages: &mut [Passage]) {
        if !self.edits.iter().any(|edit| matches!(edit.operation, Operation::Write { .. })) {
            return;
        }
        let others = self.edits.iter().filter(|edit| !edit.dialect.is_whole_file());
        let others: HashSet<String> = others.map(|edit| edit.path.clone()).collect();
        let mut patched: HashMap<String, usize> = HashMap::new();
        for edit in self.edits.iter().filter(|edit| matches!(edit.operation, Operation::Patch { .. })) {
            patched.entry(edit.path.clone()).or_insert(edit.line);
        }
        self.edits.retain(|edit| {
            let Operation::Write { content } = &edit.operation else { return true };
            let Some(passage) = passages.iter_mut().find(|passage| passage.holds(edit.line)) else {
                return true;
            };
            let is_second = patched.get(&edit.path).is_some_and(|first| *first < passage.first);
            let is_shown = is_second || edit.dialect.is_whole_file() && others.contains(&edit.path);
            if is_shown {
                let (path, text) = (Some(edit.path.clone()), content.clone());
                passage.body = Body::Code(Snippet { path, text, ..Snippet::default() });
            }
            !is_shown
        });
    }

    /// Whether the reply ends with its last block, or in the middle of the sentence after it.
    fn mark_end(&self, passages: &mut [Passage]) {
        let end = self.prose.written_before(self.prose.len()).and_then(|at| self.prose.get(at));
        if let Some(Passage { last, body: Body::Code(snippet), .. }) = passages.last_mut() {
            let is_whole = |text: &str| text.trim_end().ends_with(['.', '!', '?', ')', '*', '`']);
            snippet.ends_reply = end.is_none_or(|line| line.number <= *last || !is_whole(line.text));
        }
    }

    /// Blocks that were to be edits, and in which something is wrong instead.
    fn mark_unreadable(&self, passages: &mut [Passage]) {
        for line in self.findings.error_lines() {
            let is_empty = |passage: &&mut Passage| !self.edits.iter().any(|edit| passage.holds(edit.line));
            let found = passages.iter_mut().find(|passage| passage.holds(line) && passage.body == Body::Read);
            if let Some(passage) = found.filter(is_empty) {
                passage.body = Body::Unplaced("it cannot be read as an edit".to_owned());
            }
        }
    }

    fn prose_line(&mut self, line: Line<'_>) {
        if let Some(question) = self.doubts.question.as_mut()
            && line.number == question.closed + 1
        {
            // People and models leave a blank line after a block; text directly below it suggests a misreading.
            question.gap = line.text.trim().is_empty();
            question.likely |=
                !question.gap && fence_line(line.text).is_none() && path_line::read(line.text).is_none();
        }
        if self.doubts.open_end == Some(line.number)
            && !line.text.trim().is_empty()
            && !matches!(fence_line(line.text), Some(FenceLine::Labelled(..)))
            && !self.begins_foreign(line.text)
        {
            // The fence above it may have was inside the new lines.
            self.findings.push(hashline::doubted_fence(line.number - 1));
        }
        let lost_hunk = !self.edits.is_empty() && unified::is_hunk_header(line.text);
        if let Some(end) = self.doubts.after_diff.or_else(|| lost_hunk.then(|| line.number - 1))
            && git_diff::looks_lost(line.text)
        {
            self.doubts.after_diff = None;
            self.findings.push(
                Diagnostic::error(
                    codes::BAD_DIFF,
                    format!("the diff seemed to end in line {end}, and this line looks like part of it"),
                )
                .hinted(
                    "put the whole diff into one fence, and start each of its lines with a space, `-` or `+`",
                )
                .at(line.number),
            );
        }
        match fence_line(line.text) {
            Some(FenceLine::Labelled(fence, info)) => self.open(fence, info, line),
            Some(FenceLine::Bare(fence))
                if self.doubts.wrapper.is_some_and(|wrapper| wrapper.accepts(fence)) =>
            {
                self.doubts.wrapper = None;
                self.doubts.lost_fence = None;
            }
            Some(FenceLine::Bare(fence)) => {
                let doubted = self.doubts.question.as_ref().is_some_and(|question| question.likely);
                self.open_code(fence, String::new(), None, line, doubted);
            }
            None => match self.detect(line, None) {
                Some(reader) => self.start(reader, line),
                None => self.note_prose(line),
            },
        }
    }

    /// Follows the script that continues after a block.
    fn follow_script(&mut self, line: Line<'_>) {
        let Some(script) = self.context.script.as_mut() else { return };
        match script.follow(line.text) {
            Use::None => return,
            Use::AsRead => {}
            Use::Otherwise(finding) => self.findings.push(finding.at(line.number)),
        }
        self.context.script = None;
    }

    fn note_prose(&mut self, line: Line<'_>) {
        if line.text.trim().is_empty() {
            self.context.script = None;
        }
        self.follow_script(line);
        self.note_stray(line, None);
        if hashline::is_abort(line.text) {
            self.findings.push(hashline::aborted(line.number));
        }
        if self.leaks.may_leak && !self.leaks.has_leaked && leak::find(line.text, leak::Form::Prose).is_some()
        {
            self.leaked(line.number, None);
        }
        if !line.text.trim().is_empty() {
            if !path_line::is_dots(line.text) && !tagged::is_tag(line.text) {
                self.context.carried = None;
            }
            if self
                .context
                .before_prose
                .as_deref()
                .is_some_and(|path| path_line::speaks_of_another(line.text, path))
            {
                self.context.before_prose = None;
            }
            if let Some(control) = self.control.as_mut() {
                control.is_last = false;
            }
        }
        self.prose.push(line);
    }
}

/// The prose, trimmed, with the gaps that blocks left closed up.
fn reasoning(prose: &Kept) -> String {
    let mut text = String::new();
    let mut blank = 0;
    for line in prose.lines() {
        if line.text.trim().is_empty() {
            blank += 1;
            continue;
        }
        if !text.is_empty() {
            text.push_str(if blank > 0 { "\n\n" } else { "\n" });
        }
        text.push_str(line.text.trim_end());
        blank = 0;
    }
    text
}

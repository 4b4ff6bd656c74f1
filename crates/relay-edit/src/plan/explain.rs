//! Says why an edit failed, well enough for a model to repair it in one try.

mod hunk;
mod whole;

use super::elide::Loss;
use super::old_lines::OldLines;
use super::patch::PatchFailure;
use super::patchable::{LINES, Unpatchable};
use super::targets;
use super::virtual_files::VirtualFiles;
use crate::matcher::diagnose::{line_range, visible};
use crate::merge::Conflict;
use crate::splice::SpliceError;
use crate::suggest::nearest;
use crate::{Diagnostic, Dialect, Edit, Hunk, codes};

/// What is known when an edit fails.
#[derive(Debug)]
pub(crate) struct Explain<'a> {
    /// The edit.
    pub edit: &'a Edit,
    /// The files at that moment.
    pub files: &'a VirtualFiles<'a>,
}

impl Explain<'_> {
    /// The file does not exist.
    pub fn missing(&self, verb: &str) -> Diagnostic {
        let path = &self.edit.path;
        let similar = if self.files.may_suggest() { nearest(path, self.files.paths()) } else { None };
        let hint = match similar {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "check the path; to create a file, send its whole content".to_owned(),
        };
        let message = match self.edit.dialect {
            Dialect::Hashline => format!("File not found: {path}"),
            _ => format!("`{path}` does not exist, so it cannot be {verb}"),
        };
        self.finding(codes::MISSING_FILE, message, None).hinted(hint)
    }

    /// A section makes a new file of a name that has more in it than a path.
    pub fn misnamed(&self) -> Diagnostic {
        let finding = self.missing("patched");
        let hint = finding.hint.clone().unwrap_or_default();
        finding.hinted(format!("{hint}; around a new name with spaces, put quotes: `§\"my notes.txt\"`"))
    }

    /// The reply has the same change at the same place with other white space.
    pub fn written_twice(&self) -> Diagnostic {
        let message = format!(
            "this reply changes the same lines of `{}` twice, with different white space",
            self.edit.path
        );
        self.finding(codes::OVERLAP, message, None).hinted("send only the one that is meant")
    }

    /// A new line seems to be copied together with its anchor.
    pub fn anchored(&self, text: &str, line: usize) -> Diagnostic {
        let message = format!(
            "`{}` looks copied with its anchor, which would be written into `{}`",
            visible(text.as_bytes()),
            self.edit.path
        );
        let hint = "write the new lines without anchors";
        Diagnostic::error(codes::BAD_ANCHOR, message).hinted(hint).on(&self.edit.path).at(line)
    }

    /// Anchors were copied into new lines, and taken off.
    pub fn without_anchors(&self, lines: usize) -> Diagnostic {
        let message =
            format!("the anchors before {lines} new line(s) of `{}` were taken off", self.edit.path);
        self.warning(codes::ANCHORS_TAKEN_OFF, message).hinted("write new lines without anchors")
    }

    /// A diff deletes a file and does not name all of its lines.
    pub fn deletes_unnamed(&self, left: usize) -> Diagnostic {
        let path = &self.edit.path;
        let message = format!("the diff deletes `{path}` but does not name {left} of its lines");
        self.finding(codes::BAD_DIFF, message, None)
            .hinted("send the whole content as removed lines, or delete the file by name")
    }

    /// The new text would lose part of the file.
    pub fn loss(&self, loss: &Loss, line: usize) -> Diagnostic {
        let path = &self.edit.path;
        let finding = match loss {
            Loss::Elision { text, .. } => {
                Diagnostic::error(codes::ELISION, format!("`{text}` marks code that was left out; it would be written into `{path}`"))
                    .hinted("write the lines out, or send only the changed lines as a patch")
            }
            Loss::Spaces { text } => Diagnostic::error(
                codes::INDENTATION,
                format!("`{}` has unbreakable spaces, and `{path}` has plain ones", visible(text.as_bytes())),
            )
            .hinted("copy the text from its source instead of a page, or write plain spaces"),
            Loss::Numbered { text } => Diagnostic::error(
                codes::AMBIGUOUS,
                format!("`{}` has a line number, like every line of the text, and `{path}` has none", visible(text.as_bytes())),
            )
            .hinted("send the text without line numbers"),
            Loss::Escaped { text } => Diagnostic::error(
                codes::AMBIGUOUS,
                format!("`{}` has the escapes of HTML, like all of the text, and `{path}` has none", visible(text.as_bytes())),
            )
            .hinted("write the characters themselves; if the escapes are meant, send only the changed lines"),
            Loss::Gutted { before, kept, why } => Diagnostic::error(
                codes::SHRINK,
                format!("only {kept} of the {before} lines of `{path}` would be left, and the text seems incomplete: {why}"),
            )
            .hinted("send the whole file, or only the changed lines as a patch; if it shall be this short, allow it with --allow-shrink"),
        };
        finding.on(path).at(line)
    }

    /// The reply holds the whole file already, and not the same.
    pub fn other_version(&self) -> Diagnostic {
        let path = &self.edit.path;
        let message = format!("this reply holds two different versions of `{path}`");
        self.finding(codes::AMBIGUOUS, message, None).hinted("send only the one that is meant")
    }

    /// A patch does not apply: every reason, as long as they are not hundreds.
    pub fn patch_failures(&self, failures: &[PatchFailure]) -> Vec<Diagnostic> {
        const SHOWN: usize = 100;
        let mut findings: Vec<Diagnostic> =
            failures.iter().take(SHOWN).map(|failure| self.patch_failure(failure)).collect();
        if failures.len() > SHOWN {
            let message = format!(
                "{} more hunks of `{}` fail as well, or were not tried",
                failures.len() - SHOWN,
                self.edit.path
            );
            findings.push(
                self.finding(codes::NOT_FOUND, message, None)
                    .hinted("read the file again and write the edit anew"),
            );
        }
        findings
    }

    /// A patch does not apply.
    fn patch_failure(&self, failure: &PatchFailure) -> Diagnostic {
        match failure {
            PatchFailure::NoFile => self.missing("patched"),
            PatchFailure::Hunk { hunk, failure } => self.hunk_failure(*hunk, failure),
            PatchFailure::Target { hunk, failure } => self.target_failure(*hunk, failure),
            PatchFailure::TooLarge => self
                .finding(
                    codes::TOO_LARGE,
                    format!(
                        "this edit of `{}` has too many hunks: the limits are 100,000 of them, and 2 GB of text to search (file size times hunks that build on each other), 100 MB of it in vain",
                        self.edit.path
                    ),
                    None,
                )
                .hinted("send the whole file instead, or split the edit over several replies"),
            PatchFailure::NamedTwice => self
                .finding(
                    codes::TOO_LARGE,
                    format!(
                        "the ranges of this edit of `{}` lie over each other: together they may have 1,000,000 lines more than the file",
                        self.edit.path
                    ),
                    None,
                )
                .hinted("name each line in one range only"),
            PatchFailure::Splice(error) => self.splice_failure(error),
            PatchFailure::Unverified(error) => self
                .finding(
                    codes::UNVERIFIED,
                    format!("the result was not accepted by the verifier: {error}"),
                    None,
                )
                .hinted("nothing was changed; please report this with the reply and the file"),
        }
    }

    /// The file changed in the same lines since the author saw it; where lines are named by number, each hunk that is about
    /// such lines is shown by itself, and the others are not to be written anew.
    pub fn conflicts(&self, conflicts: &[Conflict]) -> Vec<Diagnostic> {
        let is_about = |hunk: &Hunk, conflict: &Conflict| targets::is_near(&hunk.target, &conflict.base);
        let of_hunk = |hunk: &Hunk| {
            let own: Vec<&Conflict> = conflicts.iter().filter(|conflict| is_about(hunk, conflict)).collect();
            (!own.is_empty()).then(|| self.conflict_of(&own, Some(hunk)))
        };
        let is_open = |conflict: &&Conflict| !self.edit.hunks().iter().any(|hunk| is_about(hunk, conflict));
        let open: Vec<&Conflict> = conflicts.iter().filter(is_open).collect();
        let told = self.edit.hunks().iter().filter_map(of_hunk);
        told.chain((!open.is_empty()).then(|| self.conflict_of(&open, None))).collect()
    }

    /// The file changed in the same lines since the author saw it.
    pub fn conflict(&self, conflicts: &[Conflict]) -> Diagnostic {
        self.conflict_of(&conflicts.iter().collect::<Vec<_>>(), None)
    }

    fn conflict_of(&self, conflicts: &[&Conflict], hunk: Option<&Hunk>) -> Diagnostic {
        let places =
            conflicts.iter().take(3).map(|conflict| line_range(conflict.ours.start, conflict.ours.len()));
        let lines = places.collect::<Vec<_>>().join(", ");
        self.finding(
            codes::MERGE_CONFLICT,
            format!(
                "`{}` changed since it was read, in {lines}, which this edit changes too",
                self.edit.path
            ),
            hunk,
        )
        .hinted("read the file again and write the edit anew")
    }

    /// The edits before this one used up what a reply may search.
    pub fn too_much_to_search(&self) -> Diagnostic {
        let message = format!(
            "this edit of `{}` was not tried: the reply has too many edits for files of this size, and may search 800 MB of text",
            self.edit.path
        );
        self.finding(codes::TOO_LARGE, message, None)
            .hinted("send the whole file instead, or split the edits over several replies")
    }

    /// A file that is said to be new exists, with other content.
    pub fn overwrites(&self) -> Diagnostic {
        let path = &self.edit.path;
        let message = format!("`{path}` is added as a new file, and replaces the one that exists");
        let hint = "look at what is lost; to change part of a file, use `*** Update File:`";
        self.warning(codes::OVERWRITES, message).hinted(hint)
    }

    /// The file was not in the author's context.
    pub fn not_in_context(&self) -> Diagnostic {
        let path = &self.edit.path;
        let message = format!("`{path}` was not in view, so this edit was put off");
        let hint = "show the file to the model, then ask for the edit again";
        self.warning(codes::NOT_IN_CONTEXT, message).hinted(hint)
    }

    /// The file must not be patched.
    pub fn unpatchable(&self, why: Unpatchable) -> Diagnostic {
        let path = &self.edit.path;
        let (code, message, hint) = match why {
            Unpatchable::Binary => (
                codes::BINARY,
                format!("`{path}` is not a text file"),
                "binary files are not edited; replace it by hand",
            ),
            Unpatchable::Generated => (
                codes::GENERATED,
                format!("`{path}` says that it is generated and must not be edited"),
                "change what it is generated from; a dialect that quotes the old lines edits it all the same",
            ),
        };
        self.finding(code, message, None).hinted(hint)
    }

    /// The file has more lines than can be edited.
    pub fn too_many_lines(&self) -> Diagnostic {
        let message = format!(
            "`{}` has more than {LINES} lines, which is the most a file may have to be edited",
            self.edit.path
        );
        self.finding(codes::TOO_LARGE, message, None)
            .hinted("change it with a program, or delete it and write it anew under another name")
    }

    /// Payload lines were left out.
    pub fn absorbed(&self, lines: usize) -> Diagnostic {
        let message = format!("{lines} new line(s) repeat the line next to their range and were left out");
        let hint = "do not repeat the lines above and below a range";
        self.warning(codes::DUPLICATE_ABSORBED, message).hinted(hint)
    }

    /// A new file is named as files are in examples, which may mean one that exists.
    pub fn placeholder(&self) -> Diagnostic {
        let message = format!("`{}` is how examples name a file; which one is meant?", self.edit.path);
        self.finding(codes::MISSING_PATH, message, None).hinted("write its path from the root of the project")
    }

    /// The operations of a section leave the file as it is.
    pub fn no_change(&self) -> Diagnostic {
        let message = format!("Edits to {} resulted in no changes being made.", self.edit.path);
        let hint = "there is nothing to do; if a change is missing, ask for it again";
        self.warning(codes::NO_CHANGE, message).hinted(hint)
    }

    /// A title may have been taken for the name of a new file.
    pub fn doubtful_name(&self) -> Diagnostic {
        let message =
            format!("`{}` is written above this code; is it a new file or a title?", self.edit.path);
        let hint = "write `// {path}` behind the fence of a file";
        self.warning(codes::DOUBTFUL_NAME, message).hinted(hint)
    }

    /// Lines were named by number only, or by the two ends of a range.
    pub fn unverified_lines(&self) -> Diagnostic {
        let anchored = self.edit.dialect == Dialect::Hashline;
        let how = if anchored { "by the first and the last one of a range" } else { "by number" };
        let path = &self.edit.path;
        let message =
            format!("the lines of `{path}` are named {how} only; look at the change before you approve it");
        self.warning(codes::LINES_UNVERIFIED, message)
            .hinted("a dialect that quotes the old lines can be checked")
    }

    fn splice_failure(&self, error: &SpliceError) -> Diagnostic {
        let path = &self.edit.path;
        let (code, hunk, message, hint) = match error {
            SpliceError::Overlap(first, second) => (
                codes::OVERLAP,
                *second,
                format!("{} and {} change the same lines of `{path}`", self.name(*first), self.name(*second)),
                "join the two into one",
            ),
            SpliceError::Unanchored(hunk) => (
                codes::NO_ANCHOR,
                *hunk,
                format!("nothing says where the new lines of {} belong in `{path}`", self.name(*hunk)),
                "include the unchanged line above or below the new lines",
            ),
            SpliceError::Indentation(hunk) => (
                codes::INDENTATION,
                *hunk,
                format!("the new lines of {} cannot be indented as `{path}` is", self.name(*hunk)),
                "indent the lines as the file does",
            ),
        };
        self.finding(code, message, self.hunk(hunk)).hinted(hint)
    }

    fn hunk(&self, number: usize) -> Option<&Hunk> {
        self.edit.hunks().get(number)
    }

    fn name(&self, number: usize) -> String {
        match self.edit.hunks().len() {
            0 | 1 => "this hunk".to_owned(),
            total => format!("hunk {} of {total}", number + 1),
        }
    }

    fn warning(&self, code: crate::Code, message: String) -> Diagnostic {
        Diagnostic::warning(code, message).on(&self.edit.path).at(self.edit.line)
    }

    fn finding(&self, code: crate::Code, message: String, hunk: Option<&Hunk>) -> Diagnostic {
        Diagnostic::error(code, message).on(&self.edit.path).at(hunk.map_or(self.edit.line, |hunk| hunk.line))
    }

    /// Another file in which the old lines are. It is only named: the wrong file is never patched.
    fn elsewhere(&self, hunk: Option<&Hunk>) -> Option<&str> {
        let lines = OldLines::of(hunk?)?;
        let others = self.files.paths().filter(|path| *path != self.edit.path);
        let searched = others.map_while(|path| {
            let content = self.files.get(path).unwrap_or_default();
            self.files.may_search(content.len()).then_some((path, content))
        });
        searched.into_iter().find(|(_, content)| lines.stand_in(content)).map(|(path, _)| path)
    }
}

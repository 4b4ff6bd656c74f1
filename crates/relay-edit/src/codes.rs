//! Every [`Code`] this crate gives to a finding, in one place so that they stay stable and documented.

use crate::Code;

/// The strategy after the path of a fenced block is not one Relay knows.
pub const UNKNOWN_STRATEGY: Code = Code::new("unknown-strategy");
/// A fence was opened and the reply ended before it was closed: the reply was cut off.
pub const UNCLOSED_FENCE: Code = Code::new("unclosed-fence");
/// Fences inside a block's content leave it open where the block ends.
pub const AMBIGUOUS_FENCE: Code = Code::new("ambiguous-fence");
/// The header of a fenced block could not be read.
pub const BAD_HEADER: Code = Code::new("bad-header");
/// A fence looks like a block of Relay's and yet names no path, so it was read as prose.
pub const IGNORED_BLOCK: Code = Code::new("ignored-block");
/// A rename block does not hold `{"from": …, "to": …}`.
pub const BAD_RENAME: Code = Code::new("bad-rename");
/// A diff holds no hunk, or lines that belong to none, or deletes a file without naming all of its lines.
pub const BAD_DIFF: Code = Code::new("bad-diff");
/// The path in a diff's header differs from the path of the block.
pub const PATH_MISMATCH: Code = Code::new("path-mismatch");
/// The markers of a SEARCH/REPLACE block are missing, doubled or in the wrong order.
pub const BAD_MARKERS: Code = Code::new("bad-markers");
/// An edit names no path.
pub const MISSING_PATH: Code = Code::new("missing-path");
/// The control block is not valid YAML, or a key has a value of the wrong kind.
pub const BAD_CONTROL: Code = Code::new("bad-control");
/// The control block is not the last thing in the reply.
pub const CONTROL_NOT_LAST: Code = Code::new("control-not-last");
/// The file to be patched, deleted or renamed does not exist.
pub const MISSING_FILE: Code = Code::new("missing-file");
/// The new name of a file is taken.
pub const FILE_EXISTS: Code = Code::new("file-exists");
/// A file the author takes for a new one exists and is replaced.
pub const OVERWRITES: Code = Code::new("overwrites");
/// The old lines of a hunk are nowhere in the file.
pub const NOT_FOUND: Code = Code::new("not-found");
/// The old lines of a hunk are in more than one place, or its new lines can be read in two ways.
pub const AMBIGUOUS: Code = Code::new("ambiguous");
/// A hunk has no old lines, so nothing says where its new lines belong.
pub const NO_ANCHOR: Code = Code::new("no-anchor");
/// Two hunks of one edit claim the same lines.
pub const OVERLAP: Code = Code::new("overlap");
/// The new lines cannot be indented as the file is.
pub const INDENTATION: Code = Code::new("indentation");
/// The result did not pass the independent verifier; this is a defect of Relay, and nothing was changed.
pub const UNVERIFIED: Code = Code::new("unverified");
/// The input is larger than a stated limit.
pub const TOO_LARGE: Code = Code::new("too-large");
/// A block names no strategy and plainly holds a patch, so it was read as one.
pub const ASSUMED_STRATEGY: Code = Code::new("assumed-strategy");
/// A block of a dialect with its own markers was opened and never closed: the reply was cut off.
pub const UNCLOSED_BLOCK: Code = Code::new("unclosed-block");
/// A model's own routing leaked into the reply: nothing from there on can be trusted.
pub const LEAKED_ROUTING: Code = Code::new("leaked-routing");
/// A diff wants something that is not a change of a file's text, such as a symlink or a submodule.
pub const UNSUPPORTED: Code = Code::new("unsupported");
/// A new line represents code that was left out; it is never written into a file.
pub const ELISION: Code = Code::new("elision");
/// Most of a file would be gone, and the new text seems incomplete.
pub const SHRINK: Code = Code::new("shrink");
/// A block may be an edit, and nothing says what it is or where it goes.
pub const UNCLEAR_BLOCK: Code = Code::new("unclear-block");
/// Whole content would replace a file, and is hardly the whole of it.
pub const PART_OF_FILE: Code = Code::new("part-of-file");
/// A title above some code may have been taken for the name of a new file.
pub const DOUBTFUL_NAME: Code = Code::new("doubtful-name");
/// An anchor or a line number of an edit cannot be read, or names no line of the file.
pub const BAD_ANCHOR: Code = Code::new("bad-anchor");
/// The line an anchor names reads otherwise than when the anchor was made.
pub const STALE_ANCHOR: Code = Code::new("stale-anchor");
/// Lines were named by number or by the ends of a range only, and nothing shows that they are still the lines that were meant.
pub const LINES_UNVERIFIED: Code = Code::new("lines-unverified");
/// The author of the reply gave up in the middle.
pub const ABORTED: Code = Code::new("aborted");
/// A reply has more lines or more edits than one may have.
pub const REPLY_TOO_LONG: Code = Code::new("reply-too-long");
/// A reply has more findings than are listed.
pub const NOT_LISTED: Code = Code::new("not-listed");
/// A command in the reply is not run by applying it.
pub const NOT_RUN: Code = Code::new("not-run");
/// A fence inside a command was around the lines of a file, and is none of them.
pub const FENCE_TAKEN_OFF: Code = Code::new("fence-taken-off");
/// Anchors that were copied into new lines were taken off.
pub const ANCHORS_TAKEN_OFF: Code = Code::new("anchors-taken-off");
/// Lines of a payload that repeat their neighbours in the file were left out.
pub const DUPLICATE_ABSORBED: Code = Code::new("duplicate-absorbed");
/// The operations on a file leave it as it is.
pub const NO_CHANGE: Code = Code::new("no-change");
/// The file changed since the author saw it, in the same lines.
pub const MERGE_CONFLICT: Code = Code::new("merge-conflict");
/// The file was not in the author's context; the edit was put off.
pub const NOT_IN_CONTEXT: Code = Code::new("not-in-context");
/// The file is not text and the dialect edits only text.
pub const BINARY: Code = Code::new("binary");
/// The file says of itself that it is generated.
pub const GENERATED: Code = Code::new("generated");

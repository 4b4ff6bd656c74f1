//! The names of everything the engine can find wrong. `docs/formats/json-output.md` explains each one.
//!
//! Refused paths and unreadable files keep the codes that `relay-workspace` gives them.

use relay_diagnostics::Code;

/// The reply holds nothing that could be applied.
pub const NO_EDITS: Code = Code::new("no-edits");
/// `--ignore` names a line that no block has.
pub const NO_SUCH_BLOCK: Code = Code::new("no-such-block");
/// The reply's `projectId` is another project's.
pub const WRONG_PROJECT: Code = Code::new("wrong-project");
/// The control block has no `projectId` although this project has one.
pub const MISSING_PROJECT_ID: Code = Code::new("missing-project-id");
/// The reply names a `projectId`, but this folder has no config to compare it with.
pub const PROJECT_UNCHECKED: Code = Code::new("project-unchecked");
/// The control block has no `uuid`.
pub const MISSING_UUID: Code = Code::new("missing-uuid");
/// The control block's `uuid` is not one.
pub const INVALID_UUID: Code = Code::new("invalid-uuid");
/// The control block's `uuid` is not a random one (version 4).
pub const UUID_NOT_V4: Code = Code::new("uuid-not-v4");
/// The same reply has landed before.
pub const ALREADY_PROCESSED: Code = Code::new("already-processed");
/// Another change has landed under this uuid before.
pub const UUID_REUSED: Code = Code::new("uuid-reused");
/// A transaction with this uuid is under way in another process.
pub const IN_PROGRESS: Code = Code::new("in-progress");
/// `changeSummary` and the edits disagree.
pub const SUMMARY_MISMATCH: Code = Code::new("summary-mismatch");
/// A path makes another tool run something, and the user did not allow that.
pub const SENSITIVE_PATH: Code = Code::new("sensitive-path");
/// A new file's name has a percent escape that other programs may read as a dot or a slash.
pub const ESCAPED_PATH: Code = Code::new("escaped-path");
/// A new file's name has a letter that only looks like a Latin one.
pub const LOOK_ALIKE_PATH: Code = Code::new("look-alike-path");
/// A new file's name is easily taken for that of another file.
pub const SIMILAR_PATH: Code = Code::new("similar-path");
/// A folder that would not be empty is in the place of a new file.
pub const FILE_IS_FOLDER: Code = Code::new("file-is-folder");
/// A file that was named does not exist.
pub const NO_SUCH_FILE: Code = Code::new("no-such-file");
/// The reply exceeds the size limit.
pub const REPLY_TOO_LARGE: Code = Code::new("reply-too-large");
/// The reply names too many files.
pub const TOO_MANY_FILES: Code = Code::new("too-many-files");
/// The config file cannot be used as it is.
pub const INVALID_CONFIG: Code = Code::new("invalid-config");
/// The config file has a key Relay does not know.
pub const UNKNOWN_CONFIG_KEY: Code = Code::new("unknown-config-key");
/// The user's own data (trust, the ledger key) cannot be used.
pub const USER_DATA: Code = Code::new("user-data");
/// The project's commands were not trusted.
pub const UNTRUSTED_COMMANDS: Code = Code::new("untrusted-commands");
/// `preCommand` failed.
pub const PRE_COMMAND_FAILED: Code = Code::new("pre-command-failed");
/// `postCommand` failed.
pub const POST_COMMAND_FAILED: Code = Code::new("post-command-failed");
/// The linter found more errors than `approvalOnErrorCount`.
pub const TOO_MANY_ERRORS: Code = Code::new("too-many-errors");
/// The linter could not be started, or did not end in time.
pub const LINTER_UNAVAILABLE: Code = Code::new("linter-unavailable");
/// A person must approve, and no one could be asked.
pub const APPROVAL_REQUIRED: Code = Code::new("approval-required");
/// A person said no.
pub const NOT_APPROVED: Code = Code::new("not-approved");
/// A file changed between planning and writing, or since the transaction to undo.
pub const CHANGED_SINCE: Code = Code::new("changed-since");
/// Nothing on the ledger matches.
pub const NO_SUCH_TRANSACTION: Code = Code::new("no-such-transaction");
/// More than one transaction matches the prefix.
pub const AMBIGUOUS_TRANSACTION: Code = Code::new("ambiguous-transaction");
/// The transaction is undone already.
pub const ALREADY_UNDONE: Code = Code::new("already-undone");
/// Something landed after the last undo, so that a redo needs a name.
pub const LANDED_SINCE: Code = Code::new("landed-since");
/// Other transactions in the group of an undone one are still in effect.
pub const GROUP_IN_EFFECT: Code = Code::new("group-in-effect");
/// The lines an undo would change have changed since.
pub const UNDO_CONFLICT: Code = Code::new("undo-conflict");
/// The transaction did not change the file that was named.
pub const NOT_IN_TRANSACTION: Code = Code::new("not-in-transaction");
/// A moment or an age could not be understood.
pub const BAD_TIME: Code = Code::new("bad-time");
/// The file, or the line of it, that was asked about does not exist or is not text.
pub const NO_SUCH_LINE: Code = Code::new("no-such-line");
/// The transaction could not be carried out; the workspace is as it was.
pub const TRANSACTION_FAILED: Code = Code::new("transaction-failed");
/// Ctrl-C, or a signal that asks to stop.
pub const INTERRUPTED: Code = Code::new("interrupted");
/// An unfinished transaction of an earlier run was rolled back.
pub const RECOVERED: Code = Code::new("recovered");
/// A command was interrupted before its changes could be recorded; the differences since it started are now on the
/// ledger.
pub const INTERRUPTED_COMMAND: Code = Code::new("interrupted-command");
/// A reply puts invisible or direction-changing characters into a file.
pub const INVISIBLE_CHARACTERS: Code = Code::new("invisible-characters");
/// A file has several hard links, and replacing it would part it from its other names.
pub const HARD_LINKED: Code = Code::new("hard-linked");
/// What landed could not be added to git's index.
pub const NOT_STAGED: Code = Code::new("not-staged");
/// Git was called without programs that the repository's config names.
pub const GIT_PROGRAM_NOT_RUN: Code = Code::new("git-program-not-run");
/// A refused reply could not be saved for its repair.
pub const NOT_WAITING: Code = Code::new("not-waiting");
/// A refused reply waits for its repair, and a reply of the same files does not name it.
pub const STILL_WAITING: Code = Code::new("still-waiting");
/// Something in `.relaycode/` is not what Relay made there, and is in the way.
pub const FOREIGN_STATE: Code = Code::new("foreign-state");
/// A rollback found bytes that another program had written meanwhile, and kept them.
pub const RESCUED: Code = Code::new("rescued");
/// A command changed what git itself runs: a hook, a setting, an attribute. It is not undone.
pub const GIT_PROGRAMS: Code = Code::new("git-programs");
/// A file came back without its owner, group or extended attributes, which only another user may give.
pub const DISOWNED: Code = Code::new("disowned");
/// A transaction was interrupted and cannot be rolled back yet.
pub const RECOVERY_STUCK: Code = Code::new("recovery-stuck");
/// Something a command changed could not be captured, so it cannot be undone with the rest.
pub const NOT_CAPTURED: Code = Code::new("not-captured");
/// A check did not run, because what it changes could not be captured and undone.
pub const CHECK_NOT_RUN: Code = Code::new("check-not-run");
/// Files changed during an operation that should change nothing.
pub const CHANGED_MEANWHILE: Code = Code::new("changed-meanwhile");
/// Another transaction changed files while a command ran.
pub const UNATTRIBUTED: Code = Code::new("unattributed");
/// Another transaction landed on a file that a command had changed; both are on the ledger, in that order.
pub const OVERTAKEN: Code = Code::new("overtaken");
/// A staged original was changed or damaged; the file came back from the record.
pub const ORIGINAL_DAMAGED: Code = Code::new("original-damaged");
/// A record of the ledger, or a state file that recovery needs, cannot be verified.
pub const DAMAGED_STATE: Code = Code::new("damaged-state");
/// No saved content matches, or its path is not known.
pub const NO_SUCH_CONTENT: Code = Code::new("no-such-content");
/// A command was interrupted while its checks ran; its changes stay.
pub const KEPT: Code = Code::new("kept");
/// A command moved git's branches, or changed its index.
pub const GIT_CHANGED: Code = Code::new("git-changed");
/// A wrapped command could not be started.
pub const COMMAND_NOT_STARTED: Code = Code::new("command-not-started");
/// A wrapped command left a process running.
pub const LEFT_RUNNING: Code = Code::new("left-running");
/// No mail session matches.
pub const NO_SESSION: Code = Code::new("no-session");
/// Several mail sessions could be meant.
pub const WHICH_SESSION: Code = Code::new("which-session");
/// The mail session has ended.
pub const SESSION_ENDED: Code = Code::new("session-ended");
/// A reply is for another mail session.
pub const WRONG_SESSION: Code = Code::new("wrong-session");
/// A reply answers another outbox than the newest.
pub const OUT_OF_ORDER: Code = Code::new("out-of-order");
/// A file in the inbox cannot be read as a reply.
pub const BAD_REPLY: Code = Code::new("bad-reply");
/// A mail session needs a task.
pub const NO_TASK: Code = Code::new("no-task");
/// The mail folder, or something in it, cannot be used.
pub const MAIL_FOLDER: Code = Code::new("mail-folder");
/// No reply waits in the inbox.
pub const INBOX_EMPTY: Code = Code::new("inbox-empty");
/// A reply names a receipt that is not known here.
pub const UNKNOWN_RECEIPT: Code = Code::new("unknown-receipt");
/// A reply would write a placeholder, and its value is not known or belongs to another file.
pub const MASKED_VALUE: Code = Code::new("masked-value");
/// Files that were not in view could not be added to the selection.
pub const NOT_SELECTED: Code = Code::new("not-selected");
/// There is nothing to put into a pack.
pub const NOTHING_TO_PACK: Code = Code::new("nothing-to-pack");
/// A pack would be larger than any chat takes.
pub const PACK_TOO_LARGE: Code = Code::new("pack-too-large");
/// Not even a pack without files fits the budget.
pub const BUDGET_TOO_SMALL: Code = Code::new("budget-too-small");
/// A glob cannot be understood.
pub const BAD_PATTERN: Code = Code::new("bad-pattern");
/// What was handed over is a pack, which was written for a model.
pub const IS_A_PACK: Code = Code::new("is-a-pack");
/// Git has no diff to show, or one that is too large.
pub const NO_DIFF: Code = Code::new("no-diff");

//! The names that tools give their arguments.

/// The file a call is about.
pub(super) const PATH: &[&str] = &[
    "path",
    "file",
    "file_path",
    "filepath",
    "filename",
    "file_name",
    "target_file",
    "targetfile",
    "relative_path",
    "relative_workspace_path",
    "absolute_path",
    "absolutepath",
    "relpath",
    "uri",
    "notebook_path",
];

/// The text to be replaced.
pub(super) const OLD: &[&str] = &[
    "old_string", "oldstring", "old_str", "oldstr", "old_text", "oldtext", "old_code", "old_content", "old",
    "search", "search_block", "search_text", "find", "original", "original_text", "before", "from",
    "pattern", "match", "target", "targetcontent",
];

/// The text to put in its place.
pub(super) const NEW: &[&str] = &[
    "new_string", "newstring", "new_str", "newstr", "new_text", "newtext", "new_code", "new_content", "new",
    "replace", "replace_block", "replace_with", "replacement", "replacementcontent", "updated", "after",
    "to", "with",
];

/// The whole text of a file.
pub(super) const CONTENT: &[&str] = &[
    "content", "contents", "file_text", "filetext", "file_content", "full_content", "codecontent", "text",
    "code", "source", "data", "body",
];

/// A patch or diff as one text.
pub(super) const PATCH: &[&str] =
    &["patch", "diff", "input", "patch_text", "patchtext", "udiff", "code_edit"];

/// Arguments that do not affect what happens to a file.
pub(super) const REMARKS: &[&str] = &[
    "command", "comment", "contenttype", "create_dirs", "description", "emptyfile", "encoding",
    "explanation", "id", "identifier", "instruction", "instructions", "language", "line_count", "message",
    "mode", "name", "overwrite", "reason", "reasoning", "requires_approval", "safetoautorun", "summary",
    "task_progress", "thought", "title", "toolaction", "toolsummary", "type", "workspace",
];

/// Lists of further calls or edits.
pub(super) const LISTS: &[&str] = &[
    "edits", "tool_calls", "toolcalls", "tool_uses", "calls", "function_calls", "actions", "operations",
    "changes", "files", "replacements", "replacementchunks", "updates", "modifications", "patches", "args",
];

/// The arguments of a call.
pub(super) const ARGUMENTS: &[&str] = &[
    "arguments", "input", "parameters", "args", "tool_input", "params", "kwargs", "function", "functioncall",
    "function_call",
];

/// The name of a tool.
pub(super) const NAME: &[&str] =
    &["name", "tool", "tool_name", "toolname", "recipient_name", "function_name", "action", "operation"];

/// Parts of the names of tools that change no file.
pub(super) const HARMLESS: &[&str] = &[
    "read", "view", "list", "ls", "grep", "search", "glob", "find", "cat", "fetch", "think", "todo", "ask",
    "question", "attempt_completion", "complete", "finish", "plan", "browser", "web", "memory",
    "diagnostics",
];

/// Parts of the names of tools that run a command.
pub(super) const RUNS: &[&str] =
    &["bash", "shell", "terminal", "execute", "exec", "run", "command", "cmd", "python", "powershell"];

/// An argument's name in the spelling of the lists above.
pub(super) fn normal(key: &str) -> String {
    key.trim().replace('-', "_").to_ascii_lowercase()
}

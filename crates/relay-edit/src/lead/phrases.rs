//! The phrases that say what a block is for. [`super::words`] decides what they mean where they are.

/// Phrases that announce something to look at.
pub(super) const EXAMPLES: &[&str] = &[
    "usage", "example", "e.g.", "for instance", "use it", "used like", "use this like", "use them",
    "how to use", "how to check", "how to test", "how to verify", "to check it", "to try it", "you can now",
    "now you can", "you can then", "you could then", "to use", "in your code", "calling code", "call it",
    "call the", "then call", "would call", "sample", "demonstrat", "illustrat", "for reference",
    "reference only", "conceptual", "pseudocode", "pseudo-code", "sketch", "quick start", "in practice",
    "try it in", "in a repl", "from a repl", "consumers", "callers can", "a caller", "client code",
    "test it with", "you might write", "looks like this in use", "with this, you can", "this lets you",
    "this allows you", "which lets you", "for testing purposes", "a typical", "typical call", "typical use",
    "browser console", "devtools", "in the console",
];

/// How sentences begin that say what has become possible, whatever verb follows.
pub(super) const POSSIBLE: &[&str] = &[
    "you can now", "now you can", "you can then", "you could then", "callers can", "users can",
    "then you can",
];

/// Phrases that announce what a program prints.
pub(super) const OUTPUTS: &[&str] = &[
    "output", "prints", "print out", "you should see", "you'll get", "you will get", "you get:",
    "request body", "you'll see", "you will see", "should look like", "should print", "response",
    "traceback", "stack trace", "error message", "the error", "produces", "displays", "logs", "will show",
    "results in", "should show", "expected result", "result:", "directory structure", "project structure",
    "folder structure", "file structure", "file tree", "directory layout", "structure now", "layout",
    "tree:", "returns:", "renders as", "before this change", "after this change", "fails with",
    "failed with", "warning:", "generates:", "is generated", "expands to", "compiles to",
];

/// Phrases that announce something to type.
pub(super) const RUNS: &[&str] = &[
    "run", "install", "execute", "verify", "in your terminal", "in a terminal", "command", "try it",
    "test it", "test this", "build", "start the", "restart", "migrate", "set up", "setup", "commit",
    "check it", "check that", "to test", "lint",
];

/// Phrases that say that code stays as it is.
pub(super) const UNCHANGED: &[&str] = &[
    "no change", "no changes", "unchanged", "stays the same", "stay the same", "remains the same",
    "nothing to change", "nothing changes", "nothing to do", "already correct", "already fine",
    "don't change", "do not change", "leave as is", "leave this as", "not need to change", "for context",
    "no edit", "is fine as",
];

/// Phrases that show the code as it is now.
pub(super) const QUOTES: &[&str] = &[
    "currently", "current code", "existing code", "the problem", "the bug", "the issue", "the culprit",
    "the cause", "the relevant", "root cause", "at the moment", "right now", "previously", "notice",
    "looks like this", "look at", "original", "this line", "these lines", "this part", "this code",
    "as it is", "you have", "here's what", "was:", "the offending", "consider", "the code in question",
    "before", "old", "current", "existing", "was", "relevant part", "relevant section", "relevant lines",
    "excerpt", "changed part", "part of `", "section of `", "portion of `", "snippet from",
];

/// Phrases that announce the whole of a file as it will be, although they share words with quotations of it.
pub(super) const NOW_LOOKS: &[&str] = &[
    "now looks like", "now look like", "looks like this now", "should now be", "complete file", "full file",
    "entire file", "whole file",
];

/// Phrases that announce the whole of a file.
pub(super) const WHOLE: &[&str] = &[
    "here is", "here's", "updated", "full", "complete", "entire", "whole", "final", "rewritten", "contents",
    "content", "modified", "revised", "refactored", "file", "update", "modify", "edit", "rewrite",
    "overwrite", "change", "changes", "new version", "becomes", "now looks", "should look like this",
    "implementation", "fixed",
];

/// Phrases that announce a new file.
pub(super) const CREATES: &[&str] = &[
    "create", "new file", "save", "new module", "add a file", "add the file", "add file", "a new file",
    "write this to", "write to", "put this in", "put this into", "place this in", "store this", "(new)",
    "new:", "add a new", "make a new", "generate a", "generate the", "for you",
];

/// Verbs that ask for lines to be added where they begin a sentence.
pub(super) const INSERTS: &[&str] = &[
    "add", "insert", "append", "prepend", "put", "place", "paste", "include", "define", "declare",
    "register", "import", "introduce", "extend", "wire", "hook", "drop", "export", "set", "bump", "adjust",
    "tweak", "fix", "then in", "use", "move", "wrap", "call", "make", "pass", "convert", "rename",
    "initialize", "initialise", "handle", "refactor", "implement",
];

/// Verbs that ask for lines to be removed.
pub(super) const REMOVES: &[&str] = &["remove", "delete", "drop", "get rid of", "cut"];

/// Verbs that begin the first half of a replacement.
pub(super) const OLDS: &[&str] = &[
    "replace", "find", "change", "swap", "instead of", "locate", "look for", "search for", "from", "switch",
    "update", "modify", "edit", "search", "ersetze", "ersetzen sie", "ändere", "reemplaza", "sustituye",
    "cambia", "remplace", "remplacez", "substitua",
];

/// The whole of a short sentence that begins the second half of a replacement.
pub(super) const NEWS: &[&str] = &[
    "fixed", "fixed code", "the fix", "corrected", "corrected code", "improved", "improved code", "proposed",
    "suggested", "should read", "update to", "update it to", "and update it to", "with", "with this",
    "with the following", "with that", "to", "to this", "to the following", "by", "by this", "into",
    "into this", "becomes", "new", "new code", "after", "after the change", "updated", "updated code",
    "should be", "change to", "change it to", "change that to", "change this to", "replace with",
    "replace it with", "replace that with", "replace by", "should become", "use", "use this",
    "and replace it with", "and replace with", "with this one", "new version", "to", "so that it reads",
    "it should be", "and change it to", "make it", "and make it", "turn it into", "now",
    "then replace it with", "replacement", "put", "and put", "by the following", "with this version",
    "replace them with", "write", "durch", "durch das hier", "por", "por esto", "par", "par ceci",
];

/// Words that may be before the verb of a sentence.
pub(super) const OPENERS: &[&str] = &[
    "then", "and", "also", "now", "next", "finally", "first", "second", "secondly", "lastly", "please",
    "just", "simply", "you", "should", "can", "need", "to", "must", "we", "i", "i'd", "i'll", "let's", "so",
    "step", "have", "want", "there", "here", "will", "afterwards", "don't", "forget", "remember", "sure",
];

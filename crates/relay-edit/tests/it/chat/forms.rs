//! Forms of a true edit, blocks that are only shown, and damage, as chats write them.

use serde_json::json;

use crate::fuzz::damage::Random;

/// One change of a file.
pub struct Change {
    pub path: String,
    pub before: String,
    pub after: String,
    /// The changed lines, before and after.
    old: String,
    new: String,
}

/// Writes a part of a reply.
type Part = fn(&Change, &mut Random) -> String;

const NAMES: &[&str] = &["store", "router", "billing", "session", "parser", "mailer"];
const NOUNS: &[&str] =
    &["order", "user", "token", "price", "route", "queue", "label", "stamp", "total", "batch"];

impl Change {
    /// A change of a file of several functions, the `at`-th of a reply.
    pub fn new(at: usize, random: &mut Random) -> Self {
        let count = 4 + random.below(5);
        let number = random.below(900);
        let function = |at: usize| {
            let noun = NOUNS[(number + at) % NOUNS.len()];
            format!(
                "def read_{noun}_{at}(source):\n    value = source.fetch(\"{noun}\", {})\n    if value is None:\n        \
                 raise KeyError(\"{noun} {at}\")\n    return value * {}\n",
                number + at,
                at + 2
            )
        };
        let functions: Vec<String> = (0..count).map(function).collect();
        let before = format!("import json\nimport logging\n\n\n{}", functions.join("\n\n"));
        let old = functions[random.below(count)].clone();
        let new = match random.below(3) {
            0 => old.replace("    return value *", "    logging.info(value)\n    return value *"),
            1 => old.replace("raise KeyError(", "raise LookupError("),
            _ => old.replace("if value is None:", "if value is None or value < 0:"),
        };
        let after = before.replace(&old, &new);
        let path = format!("app/{}_{at}.py", random.pick(NAMES));
        Self { path, before, after, old, new }
    }

    fn body(&self) -> String {
        let old = self.old.lines().map(|line| format!("-{line}\n"));
        old.chain(self.new.lines().map(|line| format!("+{line}\n"))).collect()
    }

    fn sections(&self) -> String {
        format!("<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE", self.old, self.new)
    }

    fn patch(&self) -> String {
        format!("*** Begin Patch\n*** Update File: {}\n@@\n{}*** End Patch\n", self.path, self.body())
    }
}

fn python(text: &str) -> String {
    format!("```python\n{text}```")
}

fn under_heading(content: &str, path: &str, random: &mut Random) -> String {
    let code = python(content);
    match random.below(9) {
        0 => format!("### {path}\n\n{code}"),
        1 => format!("**`{path}`**\n\n{code}"),
        2 => format!("Here's the updated `{path}`:\n\n{code}"),
        3 => format!("1. Update `{path}`:\n\n{code}"),
        4 => format!("### [{path}]({path})\n\n{code}"),
        5 => format!("<details>\n<summary>{path}</summary>\n\n{code}\n\n</details>"),
        6 => format!("Replace the contents of `{path}` with:\n\n{code}"),
        7 => format!("```python title=\"{path}\"\n{content}```"),
        _ => format!("The updated file:\n\n```python\n# {path}\n{content}```"),
    }
}

/// True edits in the forms that models write.
pub const FORMS: &[Part] = &[
    told,
    |change, random| under_heading(&change.after, &change.path, random),
    |change, random| under_heading(&change.after, &change.path, random),
    |change, _| format!("```diff\n--- a/{0}\n+++ b/{0}\n@@\n{1}```", change.path, change.body()),
    |change, _| format!("In `{}`:\n\n```diff\n{}```", change.path, change.body()),
    |change, _| format!("{}\n```python\n{}\n```", change.path, change.sections()),
    |change, random| {
        let (above, between) = *random.pick(&[
            ("replace:", "with:"),
            ("find this block:", "Change it to:"),
            ("change this:", "to this:"),
            ("replace this code:", "with the following:"),
        ]);
        let (old, new) = (python(&change.old), python(&change.new));
        format!("In `{}`, {above}\n\n{old}\n\n{between}\n\n{new}", change.path)
    },
    |change, _| {
        let (old, new) = (python(&change.old), python(&change.new));
        format!("**Before** (`{}`):\n\n{old}\n\n**After:**\n\n{new}", change.path)
    },
    |change, random| {
        let (path, old, new) = (&change.path, &change.old, &change.new);
        let call = match random.below(5) {
            0 => json!({"name": "Edit", "input": {"file_path": path, "old_string": old, "new_string": new}}),
            1 => json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new}),
            2 => json!({"path": path, "edits": [{"old_text": old, "new_text": new}]}),
            3 => json!({"tool": "write", "arguments": {"path": path, "content": change.after}}),
            _ => json!({"name": "apply_patch", "arguments": {"input": change.patch()}}),
        };
        match random.below(3) {
            0 => format!("```json\n{call:#}\n```"),
            1 => call.to_string(),
            _ => format!("<tool_call>\n{call}\n</tool_call>"),
        }
    },
    |change, _| change.patch(),
    |change, random| {
        let Change { path, after, old, new, .. } = change;
        match random.below(5) {
            0 => format!(
                "<write_to_file>\n<path>{path}</path>\n<content>\n{after}</content>\n</write_to_file>"
            ),
            1 => format!(
                "<replace_in_file>\n<path>{path}</path>\n<diff>\n{}\n</diff>\n</replace_in_file>",
                change.sections()
            ),
            2 => format!("<edit path=\"{path}\">\n<old>\n{old}</old>\n<new>\n{new}</new>\n</edit>"),
            3 => format!("<file path=\"{path}\">\n{after}</file>"),
            _ => format!(
                "<invoke name=\"Edit\">\n<parameter name=\"file_path\">{path}</parameter>\n<parameter name=\"old_string\">\
                 {old}</parameter>\n<parameter name=\"new_string\">{new}</parameter>\n</invoke>"
            ),
        }
    },
    |change, _| {
        format!("Run this:\n\n```bash\ncat > {} <<'EOF'\n{}EOF\npytest -q\n```", change.path, change.after)
    },
];

/// A whole file below its name, with a sentence between the two that is about something else.
pub fn told(change: &Change, random: &mut Random) -> String {
    let sentence = *random.pick(&[
        "The rest of the file stays the same.",
        "For example, the value is checked first now.",
        "Usage stays the same.",
        "You can run the tests afterwards to verify.",
        "Previously this would fail.",
        "It builds on the change above.",
    ]);
    format!("### `{}`\n\n{sentence}\n\n{}", change.path, python(&change.after))
}

/// Blocks that are there to be looked at.
pub const DISTRACTORS: &[Part] = &[
    |_, random| {
        let lead = *random.pick(&["Then run the tests:", "To verify:", "Install it first:", "Finally:"]);
        let command =
            *random.pick(&["pytest -q", "pip install -U requests", "git add -A && git commit -m 'fix'"]);
        format!("{lead}\n\n```bash\n{command}\n```")
    },
    |_, random| {
        let lead = *random.pick(&[
            "Usage:",
            "For example:",
            "You can now use it like this:",
            "Then call it like so:",
        ]);
        format!("{lead}\n\n```python\nfrom app import client\n\nclient.start(3)\n```")
    },
    |_, _| "You should see:\n\n```\n5 passed in 0.12s\n```".to_owned(),
    |_, _| "The structure is now:\n\n```\napp\n├── main.py\n└── util.py\n```".to_owned(),
    |_, _| "Example response:\n\n```json\n{\n  \"status\": \"ok\"\n}\n```".to_owned(),
    |change, random| {
        let lead =
            *random.pick(&["The problem is here:", "Currently you have:", "This is the code in question:"]);
        format!("{lead}\n\n{}", python(&change.old))
    },
    |change, _| format!("After the change it looks like this:\n\n{}", python(&change.new)),
];

/// Blocks without which a reply must not land.
pub const DAMAGES: &[Part] = &[
    |_, random| {
        let lead = *random.pick(&[
            "Then add this helper:",
            "Also add this near the top:",
            "You'll also need this:",
            "",
        ]);
        let code = python("def read_anything_else(source):\n    return source.fetch_all()\n");
        format!("{lead}\n\n{code}")
    },
    |change, random| {
        let lead = *random.pick(&[
            "Alternatively:",
            "**Option B**",
            "Actually, use this instead:",
            "Another approach:",
        ]);
        format!("{lead}\n\n{}", python(&change.new.replace("return value", "yield value")))
    },
    |change, random| {
        let path = &change.path;
        let command = match random.below(3) {
            0 => format!("sed -i 's/a/b/' {path}"),
            1 => format!("git mv {path} app/other.py"),
            _ => format!("rm {path}"),
        };
        format!("And:\n\n```bash\n{command}\n```")
    },
    |change, _| {
        format!(
            "```json\n{}\n```",
            json!({"name": "edit_symbol", "arguments": {"path": change.path, "symbol": "x", "body": "y"}})
        )
    },
    |_, _| "Put this near the imports:\n\n```diff\n+import anything_else\n```".to_owned(),
    |change, _| {
        format!("### Last step: delete `{}`\n\nNothing uses it.", change.path)
            .replace("Last step: delete", "Delete")
    },
    |change, _| format!("- Rename `{}` to `app/other.py`.", change.path),
    |_, _| {
        "And this one:\n\npython\nCopy code\ndef read_anything_else(source):\n    return source.fetch_all()"
            .to_owned()
    },
    |change, _| {
        format!(
            "In `{}`, replace the `main` function with:\n\n{}",
            change.path,
            python("def main(args):\n    return run(args)\n")
        )
    },
    |change, _| {
        format!(
            "{{\"tool\": \"write\", \"arguments\": {{\"path\": \"{}\", \"content\": \"import",
            change.path
        )
    },
];

/// Words above changed code that make it look like something else.
const MISLEADING: &[&str] = &[
    "For example:",
    "Usage:",
    "Here's what it looks like now:",
    "Output:",
    "The result:",
    "In practice:",
    "For reference:",
    "Notice the new check:",
    "You should see this:",
    "Then run it through the check:",
    "Verify:",
    "The current version:",
    "Same as before, but checked:",
    "Test it:",
    "The logs now include it:",
    "Demonstration:",
    "Quick start:",
    "Setup:",
    "",
];

/// Changed code of a file that no edit of the reply changes, under words that make it look like something else.
pub fn misleading(change: &Change, random: &mut Random) -> String {
    let lead = random.pick(MISLEADING);
    let language = *random.pick(&["python", "python", "python", "", "text", "bash", "output"]);
    let lines: Vec<&str> = change.new.lines().collect();
    let from = random.below(2);
    let code: String = lines[from..].iter().map(|line| format!("{line}\n")).collect();
    format!("{lead}\n\n```{language}\n{code}```")
}

/// Another version of a change that an edit of the reply makes.
pub fn second_version(change: &Change, random: &mut Random) -> String {
    let lead = *random.pick(&[
        "Alternatively:",
        "**Option B**",
        "Or even shorter:",
        "A more defensive version:",
        "If you'd rather not log:",
        "Actually, use this instead:",
        "Wait, that misses a case. Use this:",
        "Scratch that. Better:",
        "Let me redo that:",
        "Looking at it again, this is safer:",
    ]);
    let new = change.new.replace("return value", "yield value");
    let after = change.after.replace(&change.new, &new);
    let version = match random.below(5) {
        0 => python(&new),
        1 => format!("```bash\ncat > {} <<'EOF'\n{after}EOF\n```", change.path),
        2 => format!("`{}`\n\n{}", change.path, python(&after)),
        3 => format!("<file path=\"{}\">\n{after}</file>", change.path),
        _ => {
            let sections = format!("<<<<<<< SEARCH\n{}=======\n{new}>>>>>>> REPLACE", change.old);
            format!("{}\n```python\n{sections}\n```", change.path)
        }
    };
    format!("{lead}\n\n{version}")
}

/// A whole file of which something is missing.
pub fn cut_whole(change: &Change, random: &mut Random) -> String {
    let lines: Vec<&str> = change.after.lines().collect();
    let count = lines.len();
    let (third, two) = (count / 3, count * 2 / 3);
    let remark = *random.pick(&[
        "# ... existing code ...",
        "# rest of the file stays the same",
        "# … weitere Funktionen unverändert …",
        "# ... (other functions)",
        "# (omitted)",
    ]);
    let kept: Vec<&str> = match random.below(5) {
        0 => lines[..two].to_vec(),
        1 => lines[third..].to_vec(),
        2 => [&lines[..third], &lines[two..]].concat(),
        3 => [&lines[..third], &[remark], &lines[two..]].concat(),
        _ => lines[third..two].to_vec(),
    };
    under_heading(&format!("{}\n", kept.join("\n")), &change.path, random)
}

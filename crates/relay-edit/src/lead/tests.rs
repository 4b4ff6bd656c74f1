//! Sentences as models write them above code.

use super::*;

#[track_caller]
fn check(intent: Intent, leads: &[&str]) {
    for lead in leads {
        assert_eq!(Lead::new(lead).intent(), intent, "{lead}");
    }
}

#[test]
fn sentences_say_what_a_block_is_for() {
    check(
        Intent::Whole,
        &[
            "Here's the updated `src/a.ts`:",
            "Update `src/a.ts`:",
            "## 2. Update `aider/waiting.py`",
            "The full file:",
            "Replace the entire contents of `src/a.ts` with:",
            "Replace `src/a.ts` with:",
            "You're right. Here is the complete `src/a.ts`:",
        ],
    );
    check(
        Intent::Create,
        &[
            "Create `src/a.ts`:",
            "1. Create a new file `src/a.ts`:",
            "Save this as `src/a.ts`:",
            "Add a new file `src/a.ts`:",
        ],
    );
    check(
        Intent::Old,
        &[
            "Replace this:",
            "In `src/a.ts`, replace:",
            "Then in `src/undo-stack.ts`, replace",
            "Find:",
            "Change this code:",
            "Open `src/a.ts` and find this block:",
            "Open `src/a.ts`, then look for these lines:",
        ],
    );
    check(
        Intent::New,
        &[
            "with:", "with this:", "with", "To:", "After:", "New code:", "and replace it with:",
            "Change it to:", "Rewrite that to:",
        ],
    );
    check(
        Intent::Insert,
        &[
            "Add this near the imports:",
            "Put this near the imports:",
            "Insert the following after line 33:",
            "In **src/kill-ring.ts**, replace the `rotate` method with:",
            "Replace `run()` with:",
            "Then add the route:",
            "And define the constant at the top of the file:",
        ],
    );
    check(
        Intent::Remove,
        &["Remove this line:", "Then delete these lines:", "In `a.py`, remove the import:"],
    );
    check(
        Intent::Alternative,
        &[
            "Alternatively, make it configurable:",
            "**Option B** – configurable:\n\n`a.py`",
            "If you prefer a class:",
        ],
    );
    check(
        Intent::Correction,
        &["Actually, use this instead:", "Correction:", "Wait, that's wrong. Here is the fixed one:"],
    );
    check(
        Intent::Example,
        &[
            "Usage:",
            "Then use it like so:",
            "For example:",
            "You can now call it:",
            "### Example usage",
            "Example:",
            "## Usage\n\nIt takes two numbers.",
        ],
    );
    check(Intent::Output, &["Output:", "This prints:", "You should see:", "The project structure:"]);
    check(Intent::Run, &["Run the tests:", "## 3. Run the tests", "Install the dependency:", "Then run:"]);
    check(Intent::Unchanged, &["No changes needed here:", "`src/index.ts` stays the same:"]);
    check(
        Intent::Quote,
        &[
            "The problem is this line:",
            "Currently the function looks like this:",
            "The bug is here:",
            "Before:",
            "Old code:",
            "Currently:",
            "Relevant part of `src/a.ts`:",
        ],
    );
    check(Intent::Unsaid, &["", "Hello", "And that is it:", "Usage\n\nIt takes two numbers."]);
}

#[test]
fn prose_names_files_and_not_code() {
    let check = |line: &str, expected: &[&str]| assert_eq!(mentions(line), expected, "{line}");
    check("Here's the updated `src/a.ts`:", &["src/a.ts"]);
    check("### [src/b.ts](src/b.ts)", &["src/b.ts"]);
    check("**File:** src/a.py (new)", &["src/a.py"]);
    check("### src/a.py — full file", &["src/a.py"]);
    check("<summary>aider/colors.py</summary>", &["aider/colors.py"]);
    check("Change `this.ring` in `foo()` and/or elsewhere, e.g. like Node.js does.", &[]);
    check("In `__init__.py` and aider/__main__.py:", &["__init__.py", "aider/__main__.py"]);
    check("See https://example.org/a.js", &[]);
    check("Edit the Makefile and `Dockerfile`.", &["Dockerfile"]);
    check("In `docs/Getting started.md`:", &["docs/Getting started.md"]);
    assert_eq!(Lead::new("### `src/a.ts`\n\nThe change:").path().as_deref(), Some("src/a.ts"));
    assert_eq!(Lead::new("In `a.ts` and `b.ts`:").path(), None);
}

#[test]
fn lines_to_put_code_next_to_are_found() {
    let anchor = |line: &str| Lead::new(line).anchor();
    assert_eq!(anchor("Add this after `import os`:"), Some(("import os".to_owned(), true)));
    assert_eq!(
        anchor("Insert above the line `return bar;` in `a.ts`:"),
        Some(("return bar;".to_owned(), false))
    );
    assert_eq!(anchor("Add this after the `rotate` method:"), None);
    assert_eq!(anchor("Add this after `def f():`:"), None);
}

#[test]
fn a_few_words_link_the_halves_of_a_replacement() {
    for text in ["for this:", "Change them to:", "// After", "✅ After", "Replacement:"] {
        assert!(Lead::new(text).links(), "{text}");
    }
    for text in
        ["Insert this:", "Find this:", "Then run:", "Output:", "Add this below the imports as well:", "a\nb"]
    {
        assert!(!Lead::new(text).links(), "{text}");
    }
}

#[test]
fn words_announce_a_later_version() {
    for text in ["Final version:", "v2:"] {
        assert!(Lead::new(text).revises(), "{text}");
    }
    let long = "This is the final version of the protocol that we agreed upon in spring, and it stays:";
    assert!(!Lead::new(long).revises());
}

#[test]
fn tags_of_a_page_say_nothing() {
    assert_eq!(Lead::new("In `a.ts`\n<details>").last(), Some("In `a.ts`"));
    assert_eq!(Lead::new("<summary>a.ts</summary>").last(), Some("<summary>a.ts</summary>"));
}

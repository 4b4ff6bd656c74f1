//! Good replies in every dialect, and a file they fit.

use relay_edit::Dialect;

pub const FILE: &str = "import x from 'y';\n\nexport function f(a) {\n    if (a) {\n        return 1;\n    }\n    return 2;\n}\n\nexport function g(b) {\n    return b;\n}\n";

pub const SAMPLES: &[(Dialect, &str)] = &[
    (
        Dialect::Fenced,
        "Because.\n\n```ts // {src/a.ts}\n// START\n\nexport const a = 1;\n\n// END\n```\n\n```ts // {a.ts} new-unified\n--- a.ts\n+++ a.ts\n@@ -3,3 +3,3 @@\n export function f(a) {\n-    if (a) {\n+    if (!a) {\n         return 1;\n```\n\n```ts // {b.txt} multi-search-replace\n<<<<<<< SEARCH\n    return 2;\n=======\n    return 3;\n>>>>>>> REPLACE\n```\n\n```json // rename-file\n{\"from\": \"c.py\", \"to\": \"d.py\"}\n```\n\n```yaml\nprojectId: p\nuuid: 4f9c2c1e-6c1b-4e0a-9a53-0d3f6b7e8a21\n```\n",
    ),
    (Dialect::Fenced, "```text // {b.txt}\n//TODO: delete this file\n```\n"),
    (
        Dialect::Unified,
        "Here:\n\n```diff\ndiff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -3,4 +3,4 @@ export\n export function f(a) {\n-    if (a) {\n+    if (b) {\n         return 1;\n     }\n@@ ... @@\n export function g(b) {\n-    return b;\n+    return b + 1;\n }\n```\n",
    ),
    (
        Dialect::Unified,
        "diff --git a/b.txt b/new.txt\nsimilarity index 90%\nrename from b.txt\nrename to new.txt\n--- a/b.txt\n+++ b/new.txt\n@@ -1 +1,2 @@\n import x from 'y';\n+import z from 'z';\ndiff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n--- a/c.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-import x from 'y';\n-\n",
    ),
    (
        Dialect::SearchReplace,
        "a.ts\n```ts\n<<<<<<< SEARCH\n    return 2;\n}\n=======\n    return 4;\n}\n>>>>>>> REPLACE\n```\n\n**src/a.ts**\n```\n------- SEARCH\n:start_line:10\n-------\nexport function g(b) {\n=======\nexport function h(b) {\n+++++++ REPLACE\n```\n",
    ),
    (Dialect::SearchReplace, "new.txt\n<<<<<<< SEARCH\n=======\nfresh\n>>>>>>> REPLACE\n"),
    (
        Dialect::ApplyPatch,
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.ts\n+one\n+two\n*** Update File: a.ts\n*** Move to: moved.ts\n@@ export function f(a) {\n     if (a) {\n-        return 1;\n+        return 9;\n     }\n@@\n-    return b;\n+    return c;\n }\n*** End of File\n*** Delete File: b.txt\n*** End Patch\nEOF\n",
    ),
    (
        Dialect::EditRepl,
        "a.ts\n««« EDIT\nexport function g(b) {\n    return b;\n═══════ REPL\nexport function g(b) {\n    return -b;\n»»» EDIT END\n\nsrc/new.ts\n««« EDIT\n═══════ REPL\nfresh\n»»» EDIT END\n",
    ),
    (
        Dialect::Hashline,
        "§a.ts\n≔5aa..6bb\n        return 1;\n    }\n«3cc\n// before\n»EOF\n// after\n§b.txt\n≔1dd\n»BOF\nfirst\n",
    ),
    (
        Dialect::Commands,
        "[CREATE_FILE path=\"new.ts\"]\none\n[/CREATE_FILE]\n[EDIT_FILE path=\"a.ts\" start_line=\"5\" end_line=\"6\"]\n        return 7;\n    }\n[/EDIT_FILE]\n[DELETE_FILE path=\"b.txt\"]\n[RUN_COMMAND]\nrm -rf /\n[/RUN_COMMAND]\n",
    ),
    (
        Dialect::WholeFile,
        "### `a.ts`\n\n```ts\nexport const whole = true;\n```\n\n```python c.py\nprint(1)\n```\n\nsrc/a.ts:\n```\nx\n```\n",
    ),
];

//! What the demo's model says. Three replies as a chat would give them, in the fenced format.

/// Applies and passes.
pub const LANDS: &str = r#"I'll add a `--shout` option to the greeting and describe it in a README.

```sh // {greet.sh} multi-search-replace
<<<<<<< SEARCH
name=${1:-world}
echo "Hello, $name!"
=======
if [ "$1" = "--shout" ]; then
    shift
    shout=yes
fi
name=${1:-world}
greeting="Hello, $name!"
if [ "$shout" = "yes" ]; then
    greeting=$(printf '%s' "$greeting" | tr '[:lower:]' '[:upper:]')
fi
echo "$greeting"
>>>>>>> REPLACE
```

```markdown // {README.md}
# greet

    sh greet.sh [--shout] [name]
```

```yaml
projectId: relay-demo
uuid: 6f2a1c9e-3b7d-4e58-9a40-1d2c3b4a5f60
changeSummary:
  - edit: greet.sh
  - new: README.md
promptSummary: add a --shout option to the greeting
gitCommitMsg: "feat: greet.sh --shout"
```
"#;

/// Applies, and fails the test.
pub const BREAKS: &str = r#"A friendlier greeting:

```diff // {greet.sh} new-unified
--- a/greet.sh
+++ b/greet.sh
@@ ... @@
 name=${1:-world}
-greeting="Hello, $name!"
+greeting="Hi there, $name!"
 if [ "$shout" = "yes" ]; then
```

```yaml
projectId: relay-demo
uuid: 0d9b8c7a-6f5e-4d3c-8b2a-190807060504
promptSummary: make the greeting friendlier
```
"#;

/// Looks for text that is not there.
pub const DOES_NOT_FIT: &str = r#"I'll make the greeting end with a full stop.

```sh // {greet.sh} multi-search-replace
<<<<<<< SEARCH
    greeting=$(printf '%s' "$greeting" | tr a-z A-Z)
fi
echo "$greeting"
=======
    greeting=$(printf '%s' "$greeting" | tr a-z A-Z)
fi
echo "$greeting."
>>>>>>> REPLACE
```

```yaml
projectId: relay-demo
uuid: 3e4f5a6b-7c8d-4e9f-a0b1-c2d3e4f5a6b7
promptSummary: end the greeting with a full stop
```
"#;

//! Whether code is a piece cut out of something larger. An example, a command or what a program prints is complete in itself; a
//! piece of a file is not, whatever is said about it: "Setup:" above `}`, `#[test]`, `fn reads() {` asks for that attribute.

use super::looks;

/// Whether a text closes a bracket that it does not open; or, where it is code, begins deeper than it goes on or ends with
/// something open. `}`, `#[test]`, `fn reads() {`.
pub(super) fn is_piece(language: &str, text: &str) -> bool {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let depth = |line: &str| line.len() - line.trim_start().len();
    let begins_inside = || lines().next().is_some_and(|first| lines().any(|line| depth(line) < depth(first)));
    let ends_in_string = || ["\"\"\"", "'''"].iter().any(|quote| text.matches(quote).count() % 2 == 1);
    let ends_open =
        || lines().next_back().is_some_and(|last| last.trim_end().ends_with(['{', '(', '[', ':']));
    closes_unopened(text)
        || looks::is_code_of(language) && (begins_inside() || ends_open() || ends_in_string())
}

/// Whether a line begins with a bracket that closes nothing. Brackets inside a line prove nothing: `:)`, `1) install`.
fn closes_unopened(text: &str) -> bool {
    let mut open = [0_usize; 3];
    let kind = |c: char| "([{".find(c).or_else(|| ")]}".find(c)).unwrap_or_default();
    for line in text.lines() {
        let mut is_start = true;
        for c in line.trim_start().chars() {
            match (c, open.get_mut(kind(c))) {
                ('(' | '[' | '{', Some(open)) => *open += 1,
                (')' | ']' | '}', Some(0)) if is_start => return true,
                (')' | ']' | '}', Some(open)) => *open = open.saturating_sub(1),
                _ => is_start = false,
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_begin_or_end_inside_something() {
        for (language, text) in [
            ("rust", "}\n\n#[test]\nfn reads() {\n"),
            ("output", "        value = normalise(value)\n    ]\n"),
            ("console", "    output.push(path)\n  }\n"),
            ("js", "    run()\n  })\n"),
            ("python", "        return x\n\n    def close(self):\n        pass\n"),
            ("python", "def close(self):\n"),
            ("python", "def close(self):\n    \"\"\"\n"),
        ] {
            assert!(is_piece(language, text), "{text}");
        }
        for (language, text) in [
            ("js", "describe('(', () => {\n  run([\n    1,\n  ]);\n});\n"),
            ("", "  ✓ renders (3 ms)\nTests: 1 passed :)\n"),
            ("", "1) install\n2) run\n"),
            ("", "Error: no such file {\n  code: 'ENOENT'\n}\n"),
            ("bash", "case $1 in\n  start) run ;;\nesac\n"),
            ("python", "with Session() as s:\n    s.commit()\n"),
        ] {
            assert!(!is_piece(language, text), "{text}");
        }
    }
}

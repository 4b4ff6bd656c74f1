//! Commands as replies write them.

use super::*;
use crate::Operation;

#[test]
fn here_documents_write_files() {
    let check = |text: &str, path: &str, content: &str| {
        let script = read(text, 7);
        assert!(script.changes.is_empty(), "{text}: {:?}", script.changes);
        let [edit] = script.edits.as_slice() else { panic!("{text}: {:?}", script.edits) };
        assert_eq!((edit.path.as_str(), edit.line), (path, 7), "{text}");
        assert_eq!(edit.operation, Operation::Write { content: content.to_owned() }, "{text}");
    };
    check("cat > a/b.py <<'EOF'\nx = $1\nEOF\n", "a/b.py", "x = $1\n");
    check("mkdir -p a && cat <<EOF > a/b.py\nx = \\$1\nEOF\npytest\n", "a/b.py", "x = $1\n");
    check("$ tee b.py << \"EOF\"\nx\nEOF", "b.py", "x\n");
    check("cat <<'EOF' | sudo tee b.py > /dev/null\nx\nEOF", "b.py", "x\n");
    check("cd web && cat > b.py <<-'EOF'\n\tx\n\tEOF\n", "web/b.py", "x\n");
}

#[test]
fn commands_that_change_files_are_named() {
    for text in [
        "sed -i 's/a/b/' a.py",
        "sed -i.bak -e s/a/b/ a.py",
        "perl -pi -e 's/a/b/' a.py",
        "git mv a.py b.py",
        "mv a.py b.py && pytest",
        "rm src/old.py",
        "echo 'x' >> a.py",
        "cat >> a.py <<'EOF'\nx\nEOF",
        "cat > a.py <<EOF\n$HOME\nEOF",
        "python - <<'EOF'\nopen('a.py', 'w').write('x')\nEOF",
        "tee -a a.py <<'EOF'\nx\nEOF",
        "ed a.py <<'EOF'\n1d\nw\nEOF",
        "find . -name '*.py' -exec sed -i s/a/b/ {} +",
        "git checkout -- a.py",
    ] {
        let script = read(text, 1);
        assert_eq!((script.edits.len(), script.changes.len()), (0, 1), "{text}: {script:?}");
    }
}

#[test]
fn commands_to_type_change_nothing() {
    for text in [
        "pip install platformdirs\nmkdir -p aider/cache",
        "$ pytest -x -k \"a or b\"",
        "npm run build && npm test",
        "# mv a.py b.py\ngit add -A; git commit -m 'rm the rest'",
        "rm -rf node_modules dist && npm ci",
        "grep -i foo a.py > /tmp/x",
        "curl -X POST localhost -d '{\"a\": 1}'",
        "psql <<'EOF'\nselect 1;\nEOF",
    ] {
        assert_eq!(read(text, 1), Script::default(), "{text}");
    }
}

//! Other programs as judges of what the file tools read and write: the sqlite3 shell, nbformat, ripgrep, fd and Lark.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::tool_lab::{Lab, lab};

/// What the sqlite3 shell prints, or nothing where it is not installed.
#[allow(clippy::print_stdout, reason = "what is not tested must be seen")]
fn sqlite(lab: &Lab, options: &[&str], statement: &str) -> Option<String> {
    let mut shell = Command::new("sqlite3");
    let ran = shell.args(options).arg("a.db").arg(statement).current_dir(lab.env.root()).output();
    let Ok(output) = ran else {
        assert!(std::env::var_os("CI").is_none(), "sqlite3 is not installed");
        println!("NOT TESTED: sqlite3 is not installed");
        return None;
    };
    assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

const TABLE: &str = "create table people (id integer primary key, name text, size real, note text); \
    insert into people values (1,'Ada',1.5,null),(2,'Émile',2.0,'a|b'),(3,'',-0.25,'two words'),(40,'x',1e10,''); \
    create table empty (a, b); create view tall as select * from people where size > 1;";

/// The cells of a table as Relay draws it.
fn cells(drawn: &str) -> Vec<Vec<String>> {
    let rows = drawn.lines().filter(|line| line.starts_with("| "));
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

#[test]
fn rows_are_read_as_the_sqlite_shell_reads_them() {
    let lab = lab();
    if sqlite(&lab, &[], TABLE).is_none() {
        return;
    }
    for (selector, statement) in [
        ("people?order=id&limit=3", "select * from people order by id limit 3"),
        ("people?order=name:desc", "select * from people order by name desc limit 20"),
        ("people?where=size>1&order=id", "select * from people where size>1 order by id"),
        ("people?order=id&limit=2&offset=1", "select * from people order by id limit 2 offset 1"),
        ("tall?order=id", "select * from tall order by id"),
    ] {
        let shell =
            sqlite(&lab, &["-header", "-separator", "\u{1f}", "-nullvalue", "NULL"], statement).unwrap();
        let expected: Vec<Vec<String>> = shell
            .lines()
            .map(|row| row.split('\u{1f}').map(|cell| cell.trim().to_owned()).collect())
            .collect();
        let drawn = lab.read(&format!("a.db:{selector}"));
        // A bar inside a cell looks like the end of one.
        let ours: Vec<Vec<String>> = cells(&drawn.replace("a|b", "a¦b"));
        let expected: Vec<Vec<String>> = expected
            .into_iter()
            .map(|row| row.into_iter().map(|cell| cell.replace("a|b", "a¦b")).collect())
            .collect();
        assert_eq!(ours, expected, "{selector}\n{drawn}");
    }
    let counts = sqlite(&lab, &[], "select count(*) from people").unwrap();
    let listed = lab.read("a.db");
    assert!(listed.contains(&format!("people ({} rows)", counts.trim())), "{listed}");
    assert!(listed.contains("empty (0 rows)"), "{listed}");
}

#[test]
fn rows_are_written_as_the_sqlite_shell_reads_them() {
    let lab = lab();
    if sqlite(&lab, &[], TABLE).is_none() {
        return;
    }
    let write = |path: &str, content: &str| lab.call("write", json!({ "path": path, "content": content }));
    let row = |id: u32| {
        sqlite(
            &lab,
            &[],
            &format!("select quote(name), quote(size), quote(note) from people where id = {id}"),
        )
        .unwrap()
    };
    assert_eq!(
        write("a.db:people", "{id: 7, name: 'O\\'Brien', size: 3, note: null}"),
        "Inserted row into people"
    );
    assert_eq!(row(7), "'O''Brien'|3.0|NULL\n");
    assert_eq!(write("a.db:people:7", "{note: 'a\"b; drop table people'}"), "Updated row '7' in people");
    assert_eq!(row(7), "'O''Brien'|3.0|'a\"b; drop table people'\n");
    assert!(write("a.db:people:99", "{note: 'x'}").starts_with("No row updated"));
    assert!(write("a.db:people:7", " ").starts_with("Deleted row"));
    assert_eq!(row(7), "");
    assert_eq!(write("a.db:empty", "{}"), "Inserted row into empty");
    assert_eq!(sqlite(&lab, &[], "pragma integrity_check").unwrap(), "ok\n");
    for _ in 0..4 {
        lab.env.relay(&["undo", "--yes"]).success();
    }
    assert_eq!(
        sqlite(&lab, &[], "select count(*) from people; select count(*) from empty; pragma integrity_check")
            .unwrap(),
        "4\n0\nok\n"
    );
}

/// A Python that has nbformat, lark and llguidance, in the long run only: they come from the network.
#[allow(clippy::print_stdout, reason = "what is not tested must be seen")]
fn python() -> Option<PathBuf> {
    if std::env::var("RELAY_LONG_TESTS").as_deref() != Ok("yes") {
        println!("NOT TESTED: nbformat, lark and llguidance are asked in the long run only");
        return None;
    }
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let venv = target.join("oracles-venv");
    let run = |command: &mut Command| {
        let status = command.status().unwrap();
        assert!(status.success(), "{command:?}");
    };
    if !venv.join("ready").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv));
        run(Command::new(venv.join("bin/pip")).args([
            "install",
            "--quiet",
            "nbformat==5.10.4",
            "lark==1.3.1",
            "llguidance==1.9.1",
        ]));
        std::fs::write(venv.join("ready"), "").unwrap();
    }
    Some(venv.join("bin/python"))
}

/// What nbformat makes of a notebook: it is valid, and these are its cells.
fn judged(python: &PathBuf, lab: &Lab) -> Value {
    let script = "import nbformat, json, sys\n\
                  n = nbformat.read('n.ipynb', as_version=nbformat.NO_CONVERT)\n\
                  nbformat.validate(n)\n\
                  print(json.dumps([[c.cell_type, c.source] for c in n.cells]))";
    let ran = Command::new(python).args(["-c", script]).current_dir(lab.env.root()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    serde_json::from_slice(&ran.stdout).unwrap()
}

#[test]
fn notebooks_stay_valid_for_nbformat() {
    let Some(python) = python() else { return };
    let lab = lab();
    let script = "import nbformat\n\
                  from nbformat.v4 import new_notebook, new_code_cell, new_markdown_cell\n\
                  n = new_notebook(cells=[new_markdown_cell('# T'), new_code_cell('x = 1\\ny = 2')])\n\
                  nbformat.write(n, 'n.ipynb')";
    let ran = Command::new(&python).args(["-c", script]).current_dir(lab.env.root()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(judged(&python, &lab), json!([["markdown", "# T"], ["code", "x = 1\ny = 2"]]));
    let call = |arguments: Value| lab.call("notebook", arguments);
    call(json!({ "action": "edit", "notebook_path": "n.ipynb", "cell_index": 1, "content": "z = \"3\"\n" }));
    call(json!({ "action": "insert", "notebook_path": "n.ipynb", "cell_index": 0, "content": "import os" }));
    call(
        json!({ "action": "insert", "notebook_path": "n.ipynb", "cell_index": 3, "content": "é\n\nend", "cell_type": "markdown" }),
    );
    call(json!({ "action": "delete", "notebook_path": "n.ipynb", "cell_index": 1 }));
    let cells = json!([["code", "import os"], ["code", "z = \"3\"\n"], ["markdown", "é\n\nend"]]);
    assert_eq!(judged(&python, &lab), cells);
    lab.call("edit", json!({ "path": "n.ipynb", "edits": [{ "old_text": "import os", "new_text": "import os\n# %% [code]\nnew = 1" }] }));
    let cells = json!([
        ["code", "import os"],
        ["code", "new = 1"],
        ["code", "z = \"3\"\n"],
        ["markdown", "é\n\nend"]
    ]);
    assert_eq!(judged(&python, &lab), cells);
}

/// Relay, ripgrep and fd on a tree of 50,000 files: the same files and the same counts.
#[test]
#[allow(clippy::print_stdout, reason = "what is not tested must be seen")]
fn fifty_thousand_files_are_searched_as_ripgrep_and_fd_do() {
    if std::env::var("RELAY_LONG_TESTS").as_deref() != Ok("yes") {
        println!("NOT TESTED: the large tree is searched in the long run only");
        return;
    }
    let lab = lab();
    let root = lab.env.root();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".gitignore"), "*.log\nbuild/\n").unwrap();
    for folder in 0..500 {
        let place =
            root.join(format!("src{}/{}d{folder}", folder % 20, if folder % 9 == 0 { "build/" } else { "" }));
        std::fs::create_dir_all(&place).unwrap();
        for file in 0..100 {
            let ending = ["rs", "txt", "log", "md"][file % 4];
            let text = format!("fn work_{file}() {{}}\nneedle_{}\nend\n", (folder * 100 + file) % 97);
            std::fs::write(place.join(format!("f{file}.{ending}")), text).unwrap();
        }
    }
    let lines = |program: &str, arguments: &[&str]| -> Vec<String> {
        let ran = Command::new(program).args(arguments).current_dir(&root).output().unwrap();
        let text = String::from_utf8(ran.stdout).unwrap();
        let mut lines: Vec<String> =
            text.lines().map(|line| line.trim_start_matches("./").to_owned()).collect();
        lines.sort();
        lines
    };
    let relay = |arguments: &[&str]| -> Vec<String> {
        let mut lines: Vec<String> =
            lab.env.relay(arguments).success().stdout.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    for pattern in ["needle_42$", r"work_\d7\(", "absent"] {
        let expected = lines("rg", &["--hidden", "-g", "!.git", "-g", "!.relaycode", "-c", pattern]);
        let found = lab.env.relay(&["search", "-c", pattern, "--limit", "1000000"]).run().stdout;
        let mut found: Vec<String> = found.lines().map(str::to_owned).collect();
        found.sort();
        assert_eq!(found, expected, "{pattern}");
    }
    for glob in ["*.md", "src1?/**/f7*"] {
        let fd: &[&str] = if glob.contains('/') {
            &["--hidden", "--type", "f", "-E", ".git", "-p", "-g", "**/src1?/**/f7*"]
        } else {
            &["--hidden", "--type", "f", "-E", ".git", "-g", glob]
        };
        assert_eq!(relay(&["find", glob, "--limit", "1000000"]), lines("fdfind", fd), "{glob}");
    }
}

/// A grammar and texts that it must accept and refuse.
fn grammars() -> Value {
    json!([
        {
            "grammar": include_str!("../../../relay-tools/src/edit/text/hashline.lark"),
            "good": [
                "§src/a.ts\n»4fb\nconst added = true;\n",
                "§src/a.ts\n«4fb\nconst addedBefore = true;\n",
                "§src/a.ts\n≔4fb..6qx\n",
                "§src/a.ts\n≔4fb..5dm\nconst clean = 1;\n\nreturn clean;\n",
                "§src/a.ts\n»BOF\nconst HEADER = true;\n»EOF\n* a list\n",
                "§src/a.ts\n≔4fb\n\n»EOF\nexport const done = true;\n",
                "*** Begin Patch\n§§a b.txt\n≔1aa\n§b\n«2bb\nx\n*** End Patch\n",
                "§a\n≔1aa\n*** Add File: x\n**\n*\n***\n**** x\n*** Bold ***\n",
            ],
            "bad": [
                "hello\n", "§\n»EOF\nx\n", "§a\n≔2\nx\n", "§a\n»2aa\n", "§a\nstray\n", "§a\n≔2aa..\nx\n", "",
                "§a\n≔1aa\n*** Abort\n",
            ],
        },
        {
            "grammar": include_str!("../../../relay-tools/src/edit/text/apply_patch.lark"),
            "good": [
                "*** Begin Patch\n*** Add File: a\n+x\n+\n*** Delete File: b\n*** Update File: c d\n*** Move to: e\n\
                 @@\n-a\n+b\n \n@@ def f():\n c\n+d\n*** End of File\n*** End Patch\n",
                "*** Begin Patch\n*** Update File: a\n-x\n+y\n*** End Patch",
            ],
            "bad": [
                "*** Begin Patch\n*** End Patch\n", "x", "*** Begin Patch\n*** Update File: \n@@\n-a\n*** End Patch\n",
                "*** Begin Patch\n*** Add File: a\nx\n*** End Patch\n",
            ],
        },
    ])
}

/// The grammars of the forms accept what the tool accepts, and nothing that it refuses: by Lark, and by the sampler of
/// providers that take grammars (llguidance), which knows only a part of Lark.
#[test]
fn the_grammars_of_edits_accept_them() {
    let Some(python) = python() else { return };
    let script = "import lark, llguidance, json, sys\n\
                  tokens = llguidance.LLTokenizer('byte')\n\
                  def by_lark(parser, text):\n\
                  \x20   try: parser.parse(text)\n\
                  \x20   except lark.exceptions.LarkError: return False\n\
                  \x20   return True\n\
                  def by_sampler(grammar, text):\n\
                  \x20   m = llguidance.LLMatcher(tokens, llguidance.LLMatcher.grammar_from_lark(grammar), log_level=0)\n\
                  \x20   assert not m.is_error(), m.get_error()\n\
                  \x20   return all(m.consume_token(b) for b in text.encode()) and m.is_accepting()\n\
                  for c in json.load(sys.stdin):\n\
                  \x20   parser = lark.Lark(c['grammar'], parser='earley', lexer='dynamic')\n\
                  \x20   for kind, expected in (('good', True), ('bad', False)):\n\
                  \x20       for text in c[kind]:\n\
                  \x20           got = (by_lark(parser, text), by_sampler(c['grammar'], text))\n\
                  \x20           if got != (expected, expected): sys.exit(f'{kind} {got}: {text!r}')\n";
    let mut child = Command::new(&python)
        .args(["-c", script])
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    serde_json::to_writer(child.stdin.take().unwrap(), &grammars()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

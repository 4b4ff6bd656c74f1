//! The agent's `read`: every source that one path leads to, and hostile ones.

use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::tool_lab::lab;

#[test]
fn lines_come_with_anchors_ranges_and_a_way_on() {
    let lab = lab();
    let text: String = (1..=400).map(|n| format!("line {n}\n")).collect();
    lab.env.write("a.txt", &text);
    let shown = lab.read("a.txt");
    assert!(
        shown.starts_with("1") && shown.contains("|line 300\n") && !shown.contains("line 301"),
        "{shown}"
    );
    assert!(shown.ends_with("[Showing lines 1-300 of 400. Use a.txt:301 to continue.]\n"), "{shown}");
    let range = lab.read("a.txt:10-12");
    assert_eq!(range.lines().count(), 8, "{range}");
    assert!(range.contains("|line 9\n") && range.contains("|line 15\n"), "{range}");
    assert_eq!(
        lab.read("a.txt:10+2:raw"),
        "line 10\nline 11\n[Showing lines 10-11 of 400. Use a.txt:12 to continue.]\n"
    );
    assert!(lab.read("a.txt:999").contains("a.txt has 400 lines. Use :1 to read from the start, or :400"));
    assert!(lab.read("a.txt:0").contains("Line selector 0 is invalid; lines are 1-indexed. Use :1."));
    lab.env.write("odd:7", "colon\n");
    assert!(lab.read("odd:7").contains("|colon"));
    lab.env.write("alpha.py", "def alpha():\n    pass\n");
    assert!(lab.read("alpha.py").starts_with("1th|def alpha():\n"));
    let plain = crate::tool_lab::lab().set("readHashLines = false\nreadLineNumbers = true\n");
    plain.env.write("b.txt", "x\n");
    assert_eq!(plain.read("b.txt"), "1|x\n");
}

#[test]
fn source_files_are_summarised_with_the_way_to_the_rest() {
    let lab = lab();
    let body: String = (0..20).map(|n| format!("    let x{n} = {n};\n")).collect();
    lab.env.write("src/a.rs", &format!("pub fn long() {{\n{body}}}\n\nfn short() {{}}\n"));
    let shown = lab.read("src/a.rs");
    assert!(shown.contains("|pub fn long() { ... }\n") && shown.contains("fn short() {}"), "{shown}");
    let footer = "[20 lines across 1 elided regions; read src/a.rs:raw or a line range like src/a.rs:1-9999 for verbatim content]";
    assert!(shown.trim_end().ends_with(footer), "{shown}");
    assert!(lab.read("src/a.rs:raw").contains("let x7 = 7;"));
    assert!(lab.read("src/a.rs:3-4").contains("let x2 = 2;"));
}

#[test]
fn folders_are_listed_and_wrong_paths_repaired() {
    let lab = lab();
    lab.env.write("src/deep/only.txt", "found\n");
    std::fs::create_dir_all(lab.env.path("empty")).unwrap();
    let listed = lab.read("/");
    assert!(listed.contains("- src/ (") && listed.contains("  - deep/ ("), "{listed}");
    assert!(lab.read("src").contains("  - only.txt (6B, "));
    assert_eq!(lab.read("empty"), "(empty directory)\n");
    let repaired = lab.read("deep/only.txt");
    assert!(
        repaired.starts_with(
            "[Path 'deep/only.txt' not found; resolved to 'src/deep/only.txt' via suffix match]"
        ),
        "{repaired}"
    );
    assert!(repaired.contains("|found"), "{repaired}");
    assert!(lab.read("nowhere.txt").contains("nowhere.txt does not exist"));
}

#[test]
fn archives_and_databases_are_read_in_place() {
    let lab = lab();
    let made = lab.env.shell(
        "mkdir -p in/d && printf 'one\\ntwo\\n' > in/d/a.txt && head -c 300 /dev/zero > in/bin && \
         tar czf a.tgz -C in . && python3 -c \"import zipfile; z=zipfile.ZipFile('a.zip','w'); z.writestr('d/a.txt','one\\ntwo\\n'); z.writestr('../evil','x')\" && \
         python3 -c \"import sqlite3; c=sqlite3.connect('a.db'); c.execute('create table t (id integer primary key, name text)'); c.executemany('insert into t values (?,?)', [(i,'n%d'%i) for i in range(1,31)]); c.commit()\"",
    );
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(lab.read("a.tgz"), "bin (300B)\nd/\n");
    assert_eq!(lab.read("a.tgz:d"), "a.txt (8B)\n");
    assert_eq!(lab.read("a.tgz:d/a.txt:2"), "one\ntwo\n");
    assert_eq!(lab.read("a.tgz:bin"), "[Cannot read binary archive entry 'bin' (300B)]\n");
    let zip = lab.read("a.zip");
    assert!(zip.contains("d/\n") && zip.contains("1 entries with names that lead outside"), "{zip}");
    assert!(lab.read("a.zip:../evil").contains("leads outside the archive"));
    assert!(lab.read("a.zip:none").contains("There is no `none` in a.zip"));
    let before = std::fs::read(lab.env.path("a.db")).unwrap();
    assert_eq!(lab.read("a.db"), "t (30 rows)\n");
    assert_eq!(lab.read("a.db:t:7"), "id: 7\nname: n7\n");
    assert!(lab.read("a.db:t?limit=2&order=id:desc").contains("| 30 | n30  |"));
    assert!(lab.read("a.db?q=DELETE FROM t").contains("open for reading only"));
    assert!(lab.read("a.db?q=ATTACH '/tmp/x.db' AS x").contains("open for reading only"));
    assert_eq!(std::fs::read(lab.env.path("a.db")).unwrap(), before);
    lab.env.write("not.db", "words\n");
    assert!(lab.read("not.db").contains("|words"));
}

#[test]
fn documents_notebooks_and_pictures_are_read() {
    let lab = lab();
    let made = lab.env.shell(
        "python3 -c \"import zipfile; z=zipfile.ZipFile('a.docx','w'); z.writestr('word/document.xml','<w:p><w:r><w:t>Hello doc</w:t></w:r></w:p>')\"",
    );
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(lab.read("a.docx"), "Hello doc\n\n");
    older_documents(&lab);
    lab.env.write("bad.pdf", "%PDF-1.4 nonsense");
    let bad = lab.read("bad.pdf");
    assert!(bad.starts_with("[Cannot read .pdf file: "), "{bad}");
    lab.env.write(
        "n.ipynb",
        r#"{"cells":[{"cell_type":"code","source":["x = 1"]}],"nbformat":4,"metadata":{}}"#,
    );
    let notebook = lab.read("n.ipynb");
    let plain: Vec<&str> = notebook.lines().filter_map(|line| Some(line.split_once('|')?.1)).collect();
    assert_eq!(plain, ["# %% [code] cell:0", "x = 1"], "{notebook}");
    assert!(lab.read("n.ipynb:raw").contains("\"cells\""));
    // A picture of one dot.
    let png = "89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082";
    let bytes: Vec<u8> = png
        .replace(' ', "")
        .as_bytes()
        .chunks(2)
        .map(|hex| u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap())
        .collect();
    std::fs::write(lab.env.path("dot.png"), bytes).unwrap();
    let content = lab.content("read", json!({ "path": "dot.png" })).json();
    assert!(content.contains("image/png, 70B, 1x1") || content.contains("1x1"), "{content}");
    assert!(content.contains("iVBORw0KGgo"), "the picture itself: {content}");
}

/// Older formats need a converter; a text is a document to catdoc.
#[allow(clippy::print_stdout, reason = "what is not tested must be seen")]
fn older_documents(lab: &crate::tool_lab::Lab) {
    lab.env.write("a.doc", "words of an old document\n");
    let shown = lab.read("a.doc");
    if shown.contains("no converter is installed") {
        assert!(std::env::var_os("CI").is_none(), "catdoc is not installed");
        println!("NOT TESTED: catdoc is not installed");
        return;
    }
    assert!(shown.contains("words of an old document"), "{shown}");
}

#[test]
fn addresses_of_the_session_are_read() {
    let lab = lab();
    assert!(lab.read("artifact://7").contains("This session has no artifacts yet."));
    assert!(lab.read("memory://root").contains("No memory is confirmed."));
    let issue = lab.read("issue://acme/shop/12");
    assert!(
        issue.contains("`gh issue view 12 --repo acme/shop --comments`") && issue.contains("gh auth login"),
        "{issue}"
    );
    assert!(lab.read("pr://7/diff").contains("`gh pr diff 7`"));
    assert!(lab.read("pr://7/files").contains("is not an address of this kind"));
    assert!(lab.read("agent://nobody").contains("There is no answer of an agent `nobody`"));
    assert!(lab.read("gopher://x").contains("is not an address Relay knows"));
    assert!(lab.read("relay://tools/read").starts_with("# read\n"));
    assert!(lab.read("relay://").contains("relay://guide.md\n"));
    assert!(lab.read("https://example.com").contains("is a web address"));
}

#[test]
fn outside_and_sensitive_paths_are_asked_about() {
    let lab = lab();
    let outside = lab.env.home_path("notes.txt");
    std::fs::write(&outside, "secret words\n").unwrap();
    let path = outside.display().to_string();
    assert!(lab.read(&path).contains("outside the workspace"));
    lab.env.write(".env", "KEY=1\n");
    assert!(lab.read(".env").contains("may hold secrets"));
    let full = lab.option(&["--policy", "full"]);
    assert_eq!(full.read(&path), "secret words\n");
    assert_eq!(full.read("~/notes.txt"), "secret words\n");
    symlink(&outside, full.env.home_path("link.txt")).unwrap();
    let link = full.read("~/link.txt");
    assert!(link.contains("symbolic link") && link.contains("notes.txt"), "{link}");
}

#[test]
fn hostile_files_end_in_a_clear_error_within_seconds() {
    let lab = lab().option(&["--policy", "full"]);
    let sparse = std::fs::File::create(lab.env.path("sparse.txt")).unwrap();
    (&sparse).write_all(b"first\nsecond\n").unwrap();
    sparse.set_len(10 << 30).unwrap();
    rustix_fifo(&lab);
    symlink("/etc/passwd", lab.env.path("link")).unwrap();
    std::fs::write(lab.env.path("bin.dat"), [0u8, 1, 2, 3]).unwrap();
    let begun = Instant::now();
    let shown = lab.read("sparse.txt:1-2");
    assert!(shown.contains("|first\n") || shown.contains("[Cannot read binary file"), "{shown}");
    assert!(lab.read("pipe").contains("is a FIFO, a socket or a device"));
    assert!(lab.read("/dev/zero").contains("is a FIFO, a socket or a device"));
    assert!(lab.read("link").contains("is a symbolic link to `/etc/passwd`"));
    assert_eq!(lab.read("bin.dat"), "[Cannot read binary file 'bin.dat' (4B)]\n");
    assert!(lab.read(".git/config").contains("only git or Relay itself uses"));
    let proc_file = lab.read("/proc/self/pagemap");
    assert!(proc_file.len() < 60 << 10, "{}", proc_file.len());
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

fn rustix_fifo(lab: &crate::tool_lab::Lab) {
    let made = lab.env.shell("mkfifo pipe");
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(std::fs::metadata(lab.env.path("pipe")).unwrap().file_type().is_fifo());
}

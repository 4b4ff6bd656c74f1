//! Hostile files for every file tool: endless, huge, damaged, special, with names that are not text, and swapped for links.
//! Nothing hangs, nothing outside is read or written, and the workspace stays as it is.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::tool_lab::{Lab, lab};

/// Ten gigabytes of nothing, after two lines.
fn sparse(lab: &Lab, name: &str) {
    let mut file = File::create(lab.env.path(name)).unwrap();
    file.write_all(b"first\nsecond\n").unwrap();
    file.set_len(10 << 30).unwrap();
}

/// A project with everything that is not an ordinary file.
fn odd() -> Lab {
    let lab = lab().option(&["--policy", "full"]);
    sparse(&lab, "sparse.txt");
    assert_eq!(lab.env.shell("mkfifo pipe && mkdir folder").code, 0);
    std::fs::write(lab.env.home_path("secret.txt"), "secret words\n").unwrap();
    symlink(lab.env.home_path("secret.txt"), lab.env.path("link.txt")).unwrap();
    symlink("loop-b", lab.env.path("loop-a")).unwrap();
    symlink("loop-a", lab.env.path("loop-b")).unwrap();
    symlink(".", lab.env.path("folder/up")).unwrap();
    std::fs::write(lab.env.path("binary.dat"), [0u8, 1, 2, 255]).unwrap();
    std::fs::write(lab.env.root().join(OsStr::from_bytes(b"bad\xffname.txt")), "needle\n").unwrap();
    std::fs::write(lab.env.path("new\nline.txt"), "needle\n").unwrap();
    lab
}

fn edits(path: &str) -> [Value; 4] {
    let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-first\n+1\n*** End Patch\n");
    [
        json!({ "input": format!("§{path}\n»EOF\nx\n") }),
        json!({ "path": path, "edits": [{ "old_text": "first", "new_text": "x" }] }),
        json!({ "path": path, "edits": [{ "op": "update", "diff": "@@\n-first\n+1\n" }] }),
        json!({ "input": patch }),
    ]
}

#[test]
fn edits_of_odd_files_are_refused_in_every_form() {
    let lab = odd();
    let kinds = |lab: &Lab| lab.env.shell("ls -lA --time-style=+ . folder").stdout;
    let before = kinds(&lab);
    for path in
        ["sparse.txt", "pipe", "folder", "link.txt", "loop-a", "binary.dat", "/dev/zero", "~/secret.txt"]
    {
        for arguments in edits(path) {
            let told = lab.call("edit", arguments.clone());
            let is_refused = told.contains("No file was changed")
                || told.contains("not allowed")
                || told.contains("outside the workspace")
                || told.contains("not found");
            assert!(is_refused, "{arguments}: {told}");
        }
    }
    assert_eq!(kinds(&lab), before);
    assert_eq!(std::fs::read_to_string(lab.env.home_path("secret.txt")).unwrap(), "secret words\n");
}

#[test]
fn writing_onto_odd_files_is_refused() {
    let lab = odd();
    for path in ["pipe", "folder", "link.txt", "loop-a", "folder/up/x.txt", "pipe/x.txt", "/dev/null"] {
        let told = lab.call("write", json!({ "path": path, "content": "x\n" }));
        assert!(!told.contains("Successfully"), "{path}: {told}");
    }
    symlink(lab.env.home_path("secret.txt"), lab.env.path("link.zip")).unwrap();
    assert_eq!(lab.env.shell("mkfifo pipe.zip").code, 0);
    for path in ["link.zip:x", "pipe.zip:x"] {
        let told = lab.call("write", json!({ "path": path, "content": "x\n" }));
        assert!(!told.contains("Successfully"), "{path}: {told}");
    }
    assert_eq!(std::fs::read_to_string(lab.env.home_path("secret.txt")).unwrap(), "secret words\n");
}

#[test]
fn searching_passes_over_what_is_not_a_file() {
    let lab = odd();
    lab.env.write("plain.txt", "needle\n");
    let found = lab.call("search", json!({ "pattern": "needle|secret" }));
    assert!(found.contains("# plain.txt\n") && found.contains("# new\\nline.txt\n"), "{found}");
    assert!(!found.contains("secret"), "links are not followed: {found}");
    let listed = lab.call("find", json!({ "paths": ["**/*"] }));
    assert!(listed.contains("plain.txt\n") && listed.contains("new\\nline.txt\n"), "{listed}");
    assert!(!listed.contains('\u{fffd}') && listed.len() < 2_000, "{listed}");
    let named = lab.call("search", json!({ "pattern": "x", "paths": ["pipe"] }));
    assert!(named.contains("`pipe` is a FIFO, a socket or a device"), "{named}");
    let folder = lab.read("/");
    assert!(folder.contains("plain.txt") && !folder.contains('\u{fffd}'), "{folder}");
}

#[test]
fn archives_that_are_bombs_or_damaged_are_refused() {
    let lab = lab();
    let made = lab.env.shell(
        "python3 - <<'E'\n\
         import zipfile, tarfile, io\n\
         z = zipfile.ZipFile('bomb.zip', 'w', zipfile.ZIP_DEFLATED)\n\
         with z.open('zeros.txt', 'w', force_zip64=True) as f:\n\
         \x20   for _ in range(1024): f.write(b'a' * (1 << 20))\n\
         z.close()\n\
         z = zipfile.ZipFile('slip.zip', 'w')\n\
         for name in ['../evil', '/abs', 'a/../../b', 'ok.txt']: z.writestr(name, 'x')\n\
         z.close()\n\
         t = tarfile.open('slip.tar', 'w')\n\
         i = tarfile.TarInfo('link'); i.type = tarfile.SYMTYPE; i.linkname = '/etc/passwd'; t.addfile(i)\n\
         i = tarfile.TarInfo('../evil'); i.size = 1; t.addfile(i, io.BytesIO(b'x'))\n\
         t.close()\n\
         open('cut.zip', 'wb').write(open('slip.zip', 'rb').read()[:60])\n\
         open('noise.tgz', 'wb').write(b'\\x1f\\x8b\\x08' + bytes(range(256)))\n\
         E",
    );
    assert_eq!(made.code, 0, "{}", made.stderr);
    let bomb = lab.read("bomb.zip:zeros.txt");
    assert!(bomb.len() < 60 << 10, "{}", bomb.len());
    assert!(bomb.contains("larger than") || bomb.contains("more than"), "{bomb}");
    assert!(lab.read("slip.zip").contains("3 entries with names that lead outside the archive are left out"));
    for path in ["slip.zip:../evil", "slip.tar:../evil"] {
        assert!(lab.read(path).contains("leads outside the archive"), "{path}");
    }
    let link = lab.read("slip.tar:link");
    assert!(!link.contains("root:"), "{link}");
    for path in ["cut.zip", "noise.tgz", "noise.tgz:x"] {
        let told = lab.read(path);
        assert!(told.len() < 400 && !told.is_empty(), "{path}: {told}");
    }
    let before = lab.env.tree();
    let told = lab.call("write", json!({ "path": "cut.zip:x", "content": "y" }));
    assert!(!told.contains("Successfully"), "{told}");
    assert_eq!(lab.env.tree(), before);
}

#[test]
fn damaged_databases_documents_notebooks_and_pictures_are_named() {
    let lab = lab().set("inspect_image.enabled = true\n");
    let mut database = b"SQLite format 3\0".to_vec();
    database.extend((0..4_000u32).map(|n| u8::try_from(n % 251).unwrap()));
    std::fs::write(lab.env.path("bad.db"), database).unwrap();
    for path in ["bad.db", "bad.db:t", "bad.db:t:1", "bad.db?q=SELECT 1 FROM t"] {
        let told = lab.read(path);
        assert!(!told.is_empty() && told.len() < 1_000, "{path}: {told}");
    }
    let noise: Vec<u8> = (0..20_000u32).map(|n| u8::try_from(n * n % 256).unwrap()).collect();
    for ending in ["pdf", "docx", "xlsx", "pptx", "epub"] {
        let head: &[u8] = if ending == "pdf" { b"%PDF-1.7\n" } else { b"PK\x03\x04" };
        std::fs::write(lab.env.path(&format!("bad.{ending}")), [head, &noise].concat()).unwrap();
        let told = lab.read(&format!("bad.{ending}"));
        assert!(told.starts_with(&format!("[Cannot read .{ending} file: ")), "{told}");
    }
    lab.env.write("deep.rtf", &"{\\rtf1 ".repeat(100_000));
    assert!(lab.read("deep.rtf").len() < 60 << 10);
    lab.env.write("deep.ipynb", &format!("{{\"cells\":{}", "[".repeat(100_000)));
    let before = lab.env.tree();
    let cell = json!({ "action": "delete", "notebook_path": "deep.ipynb", "cell_index": 0 });
    assert!(lab.call("notebook", cell).contains("Invalid JSON in notebook"));
    assert!(lab.read("deep.ipynb").contains("not valid JSON"));
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x06\0\0\0".to_vec();
    png.extend(&noise);
    std::fs::write(lab.env.path("bomb.png"), png).unwrap();
    for tool in ["read", "inspect_image"] {
        let told = lab.call(
            tool,
            if tool == "read" {
                json!({ "path": "bomb.png" })
            } else {
                json!({ "path": "bomb.png", "question": "?" })
            },
        );
        assert!(told.contains("cannot be decoded"), "{tool}: {told}");
    }
    std::fs::remove_file(lab.env.path("bomb.png")).unwrap();
    assert_eq!(lab.env.tree(), before);
}

/// However often a file is swapped for a link while it is read, nothing outside is shown.
#[test]
fn a_path_that_is_swapped_for_a_link_shows_nothing_outside() {
    let lab = lab();
    std::fs::write(lab.env.home_path("secret.txt"), "secret words\n").unwrap();
    let (place, other) = (lab.env.path("swapped.txt"), lab.env.path("other"));
    let secret = lab.env.home_path("secret.txt");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                std::fs::write(&other, "harmless\n").unwrap();
                std::fs::rename(&other, &place).unwrap();
                symlink(&secret, &other).unwrap();
                std::fs::rename(&other, &place).unwrap();
            }
        });
        for number in 0..12 {
            let shown = match number % 3 {
                0 => lab.read("swapped.txt"),
                1 => lab.call("search", json!({ "pattern": "words|harmless" })),
                _ => lab.call("edit", json!({ "input": "§swapped.txt\n»EOF\nmore\n" })),
            };
            assert!(!shown.contains("secret words"), "{shown}");
        }
        done.store(true, Ordering::SeqCst);
    });
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret words\n");
}

/// A call that never ends by itself ends with the run.
#[test]
fn a_query_without_end_is_stopped_by_a_signal() {
    let lab = lab();
    let made = lab.env.shell("python3 -c \"import sqlite3; c=sqlite3.connect('a.db'); c.execute('create table t (x)'); c.commit()\"");
    assert_eq!(made.code, 0, "{}", made.stderr);
    let endless =
        "a.db?q=WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c";
    lab.server.queue(testkit::model::Reply::text("").tool(
        "call_0",
        "read",
        &json!({ "path": endless }).to_string(),
    ));
    let child = lab.env.relay(&["run", "--model", "lab/m", "--stream-json", "go"]).spawn();
    testkit::wait_for("the model is asked", || !lab.server.requests().is_empty());
    child.signal("INT");
    let run = child.wait();
    assert_eq!(run.code, 130, "{}{}", run.stdout, run.stderr);
}

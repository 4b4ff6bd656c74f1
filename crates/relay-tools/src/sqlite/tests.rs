//! Selectors, answers, and everything that must not be possible.

use std::path::{Path, PathBuf};

use relay_diagnostics::Cancel;
use rusqlite::Connection;

use super::*;

fn database(sql: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("a b?.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (folder, path)
}

fn open(path: &Path) -> Database {
    let head = std::fs::read(path).unwrap();
    let beside = Beside {
        log: std::fs::metadata(format!("{}-wal", path.display())).ok().map(|facts| facts.len()),
        index: Path::new(&format!("{}-shm", path.display())).exists(),
    };
    Database::open(path, &head, beside, &Cancel::new()).unwrap()
}

fn ask(database: &Database, rest: &str) -> String {
    let answer = Selector::parse(rest).and_then(|selector| database.answer(&selector));
    answer.unwrap_or_else(|error| format!("error: {error}"))
}

const PEOPLE: &str = "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, note BLOB);
    INSERT INTO people VALUES (1, 'Ada', x'00ff'), (2, 'Bob
two', NULL), (3, 'Cy', 1.5);
    CREATE TABLE \"odd \"\" name\" (a, b, PRIMARY KEY (a, b));
    INSERT INTO \"odd \"\" name\" VALUES ('x', 'y');
    CREATE VIEW v AS SELECT * FROM people;";

#[test]
fn every_kind_of_question_is_answered() {
    let (_folder, path) = database(PEOPLE);
    let database = open(&path);
    assert_eq!(ask(&database, ""), "odd \" name (1 row)\npeople (3 rows)\nv (view)\n");
    let schema = ask(&database, ":people");
    assert!(
        schema.starts_with("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, note BLOB);\n\n"),
        "{schema}"
    );
    assert!(schema.contains("| 1  | Ada      | <2 bytes> |\n"), "{schema}");
    assert!(schema.contains("| 2  | Bob\\ntwo | NULL      |\n"), "{schema}");
    assert_eq!(ask(&database, ":people:3"), "id: 3\nname: Cy\nnote: 1.5\n");
    assert_eq!(ask(&database, ":odd%20%22%20name:1"), "a: x\nb: y\n");
    let page = ask(&database, ":people?limit=1&offset=1&order=name:desc");
    assert!(page.contains("| 2  | Bob\\ntwo |"), "{page}");
    assert!(page.ends_with("[1 rows shown from row 2; use offset=2 for more]\n"), "{page}");
    let chosen = ask(&database, ":people?where=name = 'Ada; LIMIT' or id=3");
    assert!(chosen.contains("Cy") && !chosen.contains("Ada"), "{chosen}");
    assert!(ask(&database, "?q=SELECT count(*) AS n FROM people").contains("| 3 |"));
    assert!(ask(&database, "?q=SELECT+name+FROM+people+WHERE+id%3D1").contains("Ada"));
}

#[test]
fn mistakes_are_named() {
    let (_folder, path) = database(PEOPLE);
    let database = open(&path);
    for (rest, says) in [
        (":nobody", "no table `nobody`; tables: "),
        (":people:9", "no row of `people` has the key `9`"),
        (":people:1?limit=1", "a row takes no parameters"),
        (":people?limit=x", "`limit` must be a whole number"),
        (":people?colour=red", "unknown parameter `colour`"),
        (":people?order=age", "no column `age`; columns: id, name, note"),
        (":people?order=name:up", "order by `asc` or `desc`"),
        (":people?where=", "`where` is empty"),
        (":people?where=1; DROP TABLE people", "may not contain `;`"),
        (":people?where=1 -- x", "may not contain a comment"),
        (":people?where=1) UNION SELECT (1", "may not contain"),
        (":people?where=1 LIMIT 9999", "may not contain `LIMIT`"),
        ("?limit=5", "name a table before the parameters"),
        ("?q=", "`q` is empty"),
        ("?q=SELECT 1&limit=3", "cannot be combined with other parameters"),
        (":people?q=SELECT 1", "cannot be combined with a table"),
        ("?q=SELECT ?1", "the query has parameters"),
        ("?q=SELEC 1", "syntax error"),
    ] {
        let answer = ask(&database, rest);
        assert!(answer.starts_with("error: ") && answer.contains(says), "{rest}: {answer}");
    }
}

#[test]
fn nothing_but_reading_is_possible() {
    let (folder, path) = database(PEOPLE);
    let other = folder.path().join("other.db");
    let before = std::fs::read(&path).unwrap();
    let database = open(&path);
    for sql in [
        "INSERT INTO people VALUES (9, 'x', 0)",
        "UPDATE people SET name = 'x'",
        "DELETE FROM people",
        "DROP TABLE people",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t (a)",
        "PRAGMA user_version = 7",
        "PRAGMA journal_mode = WAL",
        "PRAGMA query_only = 0",
        "VACUUM",
        "BEGIN IMMEDIATE",
        "REINDEX",
        "SELECT load_extension('/tmp/x.so')",
        &format!("ATTACH '{}' AS o", other.display()),
        &format!("VACUUM INTO '{}'", other.display()),
        "SELECT 1; DELETE FROM people",
        "WITH x AS (SELECT 1) DELETE FROM people",
    ] {
        let answer = ask(&database, &format!("?q={sql}"));
        assert!(answer.starts_with("error: "), "{sql}: {answer}");
    }
    drop(database);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was made beside it");
}

#[test]
fn queries_end_and_stay_small() {
    let (_folder, path) = database(PEOPLE);
    let many =
        ask(&open(&path), "?q=WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n");
    assert!(
        many.ends_with("[the first 500 rows are shown; use LIMIT and OFFSET in the query for others]\n"),
        "{many}"
    );
    let huge = ask(&open(&path), "?q=SELECT zeroblob(1000000000)");
    assert!(huge.starts_with("error: "), "{huge}");
    let endless = "?q=WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT max(i) FROM n";
    let selector = Selector::parse(endless).unwrap();
    let cancel = Cancel::new();
    let head = std::fs::read(&path).unwrap();
    let database = Database::open(&path, &head, Beside::default(), &cancel).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            cancel.cancel();
        });
        assert!(matches!(database.answer(&selector), Err(DatabaseError::Cancelled)));
    });
}

#[test]
fn a_write_ahead_log_is_read_without_making_files() {
    let (folder, path) = database("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1);");
    let names = || std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names(), 1);
    assert_eq!(ask(&open(&path), ""), "t (1 row)\n");
    assert_eq!(names(), 1, "neither -wal nor -shm was made");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("INSERT INTO t VALUES (2);").unwrap();
    assert_eq!(ask(&open(&path), ""), "t (2 rows)\n");
    std::fs::remove_file(format!("{}-shm", path.display())).unwrap();
    let answer = ask(&open(&path), "");
    assert!(answer.contains("only in the database's -wal file"), "{answer}");
}

#[test]
fn damage_is_an_error() {
    let (_folder, path) = database(PEOPLE);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100..].iter_mut().for_each(|byte| *byte ^= 0x5a);
    std::fs::write(&path, &bytes).unwrap();
    let answer = ask(&open(&path), "");
    assert!(answer.contains("damaged"), "{answer}");
    std::fs::write(&path, [b"SQLite format 3\0".as_slice(), &[0xff; 4000]].concat()).unwrap();
    let answer = ask(&open(&path), "");
    assert!(answer.starts_with("error: "), "{answer}");
}

#[test]
fn paths_name_databases() {
    assert_eq!(candidates("a.db"), [("a.db", "")]);
    assert_eq!(candidates("x/a.sqlite3:t:5?limit=1"), [("x/a.sqlite3", ":t:5?limit=1")]);
    assert_eq!(candidates("a.db:b.db"), [("a.db:b.db", ""), ("a.db", ":b.db")]);
    assert_eq!(candidates("a.dbx"), []);
    assert!(is_database(b"SQLite format 3\0xyz") && !is_database(b"SQLite"));
}

#[test]
fn tables_stay_within_their_width() {
    let (_folder, path) = database("CREATE TABLE wide (a, b, c, d);");
    Connection::open(&path)
        .unwrap()
        .execute_batch(&format!("INSERT INTO wide VALUES ('{0}', '世界{0}', 1, '{0}');", "x".repeat(300)))
        .unwrap();
    let answer = ask(&open(&path), ":wide?limit=1");
    for line in answer.lines() {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 120, "{line}");
    }
    assert!(answer.contains('…'));
}

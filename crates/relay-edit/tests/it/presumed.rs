//! SEARCH/REPLACE sections that name no file.

use relay_edit::{Diagnostic, Dialect, EditStatus, codes, parse, plan};

use crate::dialects::{check, check_error};
use crate::support::files;

const A: &[(&str, &str)] = &[("src/a.rs", "fn a() {\n    one();\n    two();\n}\n")];
const DONE: &str = "fn a() {\n    one(1);\n    two(2);\n}\n";

/// Some tools take any section without a path for one of the file before it; sooner or later that is the wrong file.
#[test]
fn a_section_behind_prose_is_one_of_the_file_before_it_where_that_is_certain() {
    let first = "src/a.rs\n<<<<<<< SEARCH\n    one();\n=======\n    one(1);\n>>>>>>> REPLACE\n";
    let second = "<<<<<<< SEARCH\n    two();\n=======\n    two(2);\n>>>>>>> REPLACE\n";
    let reply = format!("{first}\nThen the next line:\n\n{second}");
    let planned = check(Dialect::SearchReplace, A, &reply, &[("src/a.rs", Some(DONE))]);
    let warned = |finding: &&Diagnostic| finding.code == codes::MISSING_PATH && !finding.is_error();
    assert_eq!(planned.diagnostics.iter().filter(warned).count(), 1, "{planned:#?}");
    // Once more, it is done already.
    let again = plan(&parse(&reply, None).edits, &files(&[("src/a.rs", DONE)]));
    assert!(again.outcomes.iter().all(|outcome| outcome.status == EditStatus::Unchanged), "{again:#?}");

    check_error(A, &format!("{first}\nIn the other file:\n\n{second}"), codes::MISSING_PATH, 10);
    check_error(A, &format!("{first}\nAnd in src/b.rs the\nsame:\n\n{second}"), codes::MISSING_PATH, 11);
    check_error(A, &format!("{first}\nAnd in `src/b.rs`:\n\n{second}"), codes::MISSING_PATH, 10);
    check_error(A, &reply.replace("    two();", "  two();"), codes::MISSING_PATH, 10);
    check_error(A, &reply.replace("    two();\n", ""), codes::MISSING_PATH, 10);
    let twice = &[("src/a.rs", "fn a() {\n    one();\n    two();\n    two();\n}\n")];
    check_error(twice, &reply, codes::MISSING_PATH, 10);
    let elsewhere = [A, &[("b.rs", "    two();\n    two();\n")]].concat();
    check_error(&elsewhere, &reply, codes::MISSING_PATH, 10);
}

#[test]
fn a_path_in_the_sentence_above_a_section_is_its_path_where_that_is_certain() {
    let section = "<<<<<<< SEARCH\n    two();\n=======\n    2();\n>>>>>>> REPLACE\n";
    let after = &[("src/a.rs", Some("fn a() {\n    one();\n    2();\n}\n"))];
    for reply in [
        format!("In `src/a.rs`, change this:\n\n{section}"),
        format!("Update `src/a.rs`:\n```rust\n{section}```\n"),
    ] {
        check(Dialect::SearchReplace, A, &reply, after);
        check_error(A, &reply.replace("    two();", "two();"), codes::MISSING_PATH, 3);
    }
    let two = format!("As in `src/b.rs`, in `src/a.rs`:\n\n{section}");
    check_error(A, &two, codes::MISSING_PATH, 3);
}

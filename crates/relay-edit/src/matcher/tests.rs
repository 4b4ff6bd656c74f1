//! Rules of placing that no single tier can show: each by a hunk that would go wrong, or be refused, without it.

use super::*;

/// Where a hunk goes, how closely its lines are there, and how its new ones are indented.
#[track_caller]
fn place(file: &str, hunk: &Hunk, strictness: Strictness) -> (usize, Tier, Reindent) {
    match locate(hunk, &FileIndex::new(file.as_bytes()), strictness) {
        Ok(Located::Placed(found)) => (found.first_line(), found.tier, found.reindent),
        other => panic!("{other:?}"),
    }
}

fn locate_fuzzily(file: &str, diff: &str) -> Result<Located, Failure> {
    locate(&Hunk::of_diff(diff), &FileIndex::new(file.as_bytes()), Strictness::Fuzzy)
}

/// Old and new differ by trailing spaces only, and so does the file from both: which of them it has cannot be told.
#[test]
fn a_tier_that_cannot_tell_old_from_new_is_not_used() {
    let trailing = "-call(one)  \n+call(one)";
    assert!(matches!(locate_fuzzily("call(one)\t\n", trailing), Err(Failure::NotFound(_))));
    assert_eq!(locate_fuzzily("call(one)\n", trailing), Ok(Located::AlreadyApplied(0)));
    assert_eq!(place("call(one)  \n", &Hunk::of_diff(trailing), Strictness::Fuzzy).1, Tier::Exact);
}

/// `{`, anything, `}` is in every file.
#[test]
fn lines_left_out_between_brackets_tell_no_place() {
    let file = "fn main() {\n    one();\n    two();\n}\n";
    for left_out in ["...", "// ... existing code ..."] {
        let brackets = format!(" {{\n {left_out}\n+    three();\n }}");
        let found = locate_fuzzily(&file.replace("fn main() ", ""), &brackets);
        assert!(matches!(found, Err(Failure::NotFound(_))), "{found:?}");
        let named = brackets.replace(" {\n", " fn main() {\n");
        assert_eq!(place(file, &Hunk::of_diff(&named), Strictness::Fuzzy).0, 0);
    }
}

/// A bracket with blanks after it is that bracket; one at another depth may be any.
#[test]
fn brackets_are_found_but_for_blanks_behind_them() {
    let bracket = Hunk::of_diff("-}\n+]");
    assert_eq!(place("one\n}  \n", &bracket, Strictness::Fuzzy).1, Tier::TrailingWhitespace);
    assert!(matches!(locate_fuzzily("one\n  }\n", "-}\n+]"), Err(Failure::NotFound(_))));
}

/// What is left of a block without its only telling line is in many places, and proves nothing.
#[test]
fn brackets_elsewhere_are_no_sign_that_a_hunk_is_applied() {
    let file = "(\n    one\n)\n\n(\n)\n";
    assert_eq!(place(file, &Hunk::of_diff(" (\n-    one\n )"), Strictness::Fuzzy).0, 0);
    let telling = "begin\n    one\nend\n\nbegin\nend\n";
    let found = locate_fuzzily(telling, " begin\n-    one\n end");
    assert_eq!(found, Err(Failure::Applied { found: 0, done: 4 }));
}

/// Tools put the last header above the lines beside their number, and often that is the one of the block before.
#[test]
fn a_line_number_says_more_than_the_block_that_is_named_beside_it() {
    let file = "fn a() {\n    one();\n}\nfn b() {\n    two();\n}\n";
    let mut named = Hunk { scope: vec!["fn b() {".to_owned()], ..Hunk::of_diff("-    one();\n+    two();") };
    let index = FileIndex::new(file.as_bytes());
    assert_eq!(locate(&named, &index, Strictness::Fuzzy), Ok(Located::AlreadyApplied(4)));
    named.line_hint = Some(2);
    assert_eq!(place(file, &named, Strictness::Fuzzy).0, 1);
}

/// `pass` may be the line of any block; a line that says more speaks for itself.
#[test]
fn a_common_line_below_a_block_that_stands_nowhere_has_no_place() {
    let file = "class Oven:\n    def heat(self):\n        pass\n\n    def cool(self):\n        return self.slowly(3)\n";
    let below = |scope: &[&str], diff: &str| {
        let hunk = Hunk { scope: scope.iter().map(|&line| line.to_owned()).collect(), ..Hunk::of_diff(diff) };
        locate(&hunk, &FileIndex::new(file.as_bytes()), Strictness::Fuzzy)
    };
    let common = "-        pass\n+        self.on = True";
    assert_eq!(below(&["class Oven:", "def toast(self):"], common), Err(Failure::OutOfScope(2)));
    assert_eq!(below(&["class Grill:", "def heat(self):"], common), Err(Failure::OutOfScope(2)));
    let named = |scope: &[&str], diff: &str| {
        assert!(matches!(below(scope, diff), Ok(Located::Placed(_))), "{scope:?}");
    };
    named(&["class Oven:", "def heat(self):"], common);
    // What is no block of code may be a remark about the change.
    named(&["switch it on"], common);
    // A change may give the block its name.
    named(&["def toast(self):"], "-        pass\n+        toast()");
    named(&["def toast(self):"], "-        return self.slowly(3)\n+        return self.slowly(4)");
}

/// A bracket is in every other line, so that a wrong number meets one as well.
#[test]
fn a_number_beside_wrong_counts_tells_no_brackets_apart() {
    let file = "fn a() {\n    one();\n}\nfn b() {\n    two();\n}\n";
    let hunk = Hunk { line_hint: Some(3), ..Hunk::of_diff(" }\n+fn c() {}") };
    let counted = |announced| Hunk { announced, ..hunk.clone() };
    for announced in [None, Some((1, 2))] {
        assert_eq!(place(file, &counted(announced), Strictness::Fuzzy).0, 2, "{announced:?}");
    }
    let index = FileIndex::new(file.as_bytes());
    let found = locate(&counted(Some((1, 3))), &index, Strictness::Fuzzy);
    assert_eq!(found, Err(Failure::Ambiguous(vec![2..3, 5..6])));
}

/// Taken literally, new lines are written as they are.
#[test]
fn nothing_is_indented_anew_where_everything_must_be_exact() {
    let file = "def a():\n\tone()\n\ttwo()\n\tthree()\n\tfour()\n\tfive()\n";
    let spaces = Hunk::of_diff(" def a():\n+    zero()");
    let tabs = Reindent::Units { reply: b"    ".to_vec(), file: b"\t".to_vec() };
    assert_eq!(place(file, &spaces, Strictness::Whitespace), (0, Tier::Exact, tabs));
    assert_eq!(place(file, &spaces, Strictness::Exact), (0, Tier::Exact, Reindent::Keep));
}

/// One letter too many is a slip; where another place is as near, it may be that one.
#[test]
fn a_slip_lands_only_where_no_other_place_comes_close() {
    let block = |name: &str| format!("open {name}\nread {name}\nwrite {name}\nclose {name}\n");
    let wanted = " open first\n reead first\n-write first\n+print first\n close first";
    let file = format!("{}{}", block("first"), block("second"));
    assert_eq!(place(&file, &Hunk::of_diff(wanted), Strictness::Fuzzy).0, 0);
    let twice = format!("{}{}", block("first"), block("first"));
    assert_eq!(locate_fuzzily(&twice, wanted), Err(Failure::Ambiguous(vec![0..4, 4..8])));
}

#[test]
fn after_so_many_lost_hunks_the_others_are_not_looked_for() {
    let lost = Hunk::from_sides(&["no such line"], &["x"], 1);
    let there = Hunk::from_sides(&["one"], &["two"], 1);
    let last_of = |lost_hunks: usize| {
        let hunks = [vec![lost.clone(); lost_hunks], vec![there.clone()]].concat();
        locate_all(&hunks, &FileIndex::new(b"one\n"), Strictness::Fuzzy).pop().expect("a result")
    };
    assert!(matches!(last_of(LOST - 1), Ok(Located::Placed(_))));
    assert_eq!(last_of(LOST), Err(Failure::TooMuchWork));
}

/// Very many places are forgotten and looked for again, unless there is only one hunk to remember them for.
#[test]
fn one_hunk_with_very_many_places_is_looked_for_once() {
    let file = "same\n".repeat(2 * ladder::KEPT);
    let hunk = Hunk::from_sides(&["same"], &["other"], 1);
    let work = |hunks: usize| {
        let index = FileIndex::new(file.as_bytes());
        locate_all(&vec![hunk.clone(); hunks], &index, Strictness::Fuzzy);
        index.worked()
    };
    assert_eq!(work(2), 4 * work(1));
}

#[test]
fn a_loose_match_keeps_the_order_of_the_exact_ones() {
    let file = "    one(a)\ntwo(a)\nthree(a)\n";
    let [loose, exact] = ["-one(a)\n+one(b)", "-three(a)\n+three(b)"].map(Hunk::of_diff);
    let located = |hunks: &[Hunk]| locate_all(hunks, &FileIndex::new(file.as_bytes()), Strictness::Fuzzy);
    let in_order = located(&[loose.clone(), exact.clone()]);
    assert!(in_order.iter().all(|found| matches!(found, Ok(Located::Placed(_)))), "{in_order:?}");
    assert_eq!(located(&[exact, loose])[1], Err(Failure::Disorder(0)));
}

/// Taken literally, text is what it is.
#[test]
fn escapes_are_in_doubt_unless_everything_must_be_exact() {
    let escaped = Hunk::of_diff("-let a;\n+let a: Vec&lt;u8&gt;;");
    let file = "let a;\nlet b: Vec<u8>;\n";
    let found = locate(&escaped, &FileIndex::new(file.as_bytes()), Strictness::Fuzzy);
    assert_eq!(found, Err(Failure::Escaped("let a: Vec&lt;u8&gt;;".to_owned())));
    assert_eq!(place(file, &escaped, Strictness::Exact).0, 0);
}

/// It is no block, so everything below it may be meant.
#[test]
fn a_named_line_that_opens_nothing_speaks_for_what_stands_below() {
    let named = Hunk { scope: vec!["import b".to_owned()], ..Hunk::of_diff("-same()\n+other()") };
    assert_eq!(place("same()\nimport b\nx()\nsame()\n", &named, Strictness::Fuzzy).0, 3);
    let twice = "import b\nsame()\nx()\nsame()\n";
    let found = locate(&named, &FileIndex::new(twice.as_bytes()), Strictness::Fuzzy);
    assert_eq!(found, Err(Failure::Ambiguous(vec![1..2, 3..4])));
}

/// Blanks after a line are no doubt, other differences are.
#[test]
fn new_lines_that_stand_there_but_for_blanks_are_applied_whatever_else_is_like_the_old_ones() {
    let change = "-old(a)\n+new(a)";
    assert_eq!(locate_fuzzily("new(a) \n    old(a)\n", change), Ok(Located::AlreadyApplied(0)));
    let deeper = Hunk::of_diff(change);
    assert_eq!(place("  new(a)\n\n    old( a )\n", &deeper, Strictness::Fuzzy).0, 2);
}

/// Most of what should have gone is still there, so the new line is there for another reason.
#[test]
fn a_hunk_is_not_applied_while_most_of_its_old_lines_stand() {
    let change = " top\n-a1\n-a2\n-a3\n-a4\n+new one";
    assert_eq!(locate_fuzzily("top\nnew one\nx\na1\na2\n", change), Ok(Located::AlreadyApplied(0)));
    assert!(matches!(locate_fuzzily("top\nnew one\nx\na1\na2\na3\n", change), Err(Failure::NotFound(_))));
}

//! Packs hold what was asked for, in a form that survives any content.

use proptest::prelude::*;

use super::*;

fn frame(dialect: Dialect) -> render::Frame<'static> {
    render::Frame { project_id: Some("shop"), dialect, tree: String::new(), diff: None, task: None }
}

fn shown(path: &str, text: &str) -> Shown {
    let tokens = tokens::estimate(&render::file(path, text, Dialect::Fenced));
    Shown { path: path.to_owned(), text: text.to_owned(), tokens }
}

#[test]
fn every_dialect_says_where_the_receipt_belongs() {
    for dialect in Dialect::ALL {
        let text = frame(*dialect).render("r-0123456789", &[], (&[], 0), false);
        let rule =
            if *dialect == Dialect::Fenced { "`receipt: r-0123456789`" } else { "`Receipt: r-0123456789`" };
        assert!(text.contains(rule), "{}", dialect.name());
        assert!(is_pack(&text) && !text.contains("RELAY_MASKED"));
    }
}

#[test]
fn a_pack_is_known_by_its_mark_and_nothing_else_is() {
    assert!(is_pack("You said:\n<!-- relay pack r-0123456789: everything below is for the model -->\n"));
    for text in
        ["", "<!-- relay pack r-…: x -->", "see <!-- relay pack r-0123456789: -->", "<!-- relay pack -->"]
    {
        assert!(!is_pack(text), "{text}");
    }
}

#[test]
fn a_fence_is_longer_than_any_run_of_backticks() {
    for ticks in 0..9 {
        let content = format!("a {}\n", "`".repeat(ticks));
        let text = render::file("a.md", &content, Dialect::Fenced);
        let fence = "`".repeat(ticks.max(2) + 1);
        assert!(text.ends_with(&format!("\n{fence}md\n{content}{fence}\n")), "{text}");
    }
}

#[test]
fn the_budget_is_filled_in_order_skipping_files_that_are_too_large() {
    let files =
        vec![shown("a", &"x".repeat(360)), shown("b", &"x".repeat(36000)), shown("c", &"x".repeat(180))];
    let mut frame = frame(Dialect::Fenced);
    let budget = frame.tokens() + 250;
    let fitted = budget::fit(&mut frame, files, Vec::new(), Some(budget)).unwrap();
    assert_eq!(fitted.shown.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!((fitted.left_out[0].path.as_str(), fitted.left_out[0].tokens > Some(5_000)), ("b", true));
}

#[test]
fn a_budget_that_the_instructions_exceed_costs_the_tree_and_then_refuses() {
    let mut frame = frame(Dialect::Fenced);
    let bare = frame.tokens();
    frame.tree = "src/\n".repeat(500);
    let fitted = budget::fit(&mut frame, Vec::new(), Vec::new(), Some(bare + 50)).unwrap();
    assert_eq!((frame.tree.as_str(), fitted.left_out[0].path.as_str()), ("", "(the tree of the project)"));
    let refused = budget::fit(&mut frame, Vec::new(), Vec::new(), Some(bare - 1)).err().unwrap();
    assert_eq!(refused.code, codes::BUDGET_TOO_SMALL);
    assert!(refused.message.contains(&bare.to_string()), "{}", refused.message);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is to be shown, however small the budget: the pack has at most that many tokens, or is refused.
    #[test]
    fn a_pack_never_exceeds_its_budget(
        files in prop::collection::vec(("[a-zé/]{1,60}", "[ -~é\\n`]{0,400}"), 0..40),
        lost in 0usize..300,
        tree in "[a-z\\n/]{0,400}",
        task in prop::option::of("[ -~ü]{0,200}"),
        budget in 0usize..6000,
        dialect in prop::sample::select(Dialect::ALL.to_vec()),
        is_masked in prop::bool::ANY,
    ) {
        let mut frame = render::Frame { tree, task, ..frame(dialect) };
        let files: Vec<Shown> = files
            .into_iter()
            .map(|(path, text)| {
                let tokens = tokens::estimate(&render::file(&path, &text, dialect));
                Shown { path, text, tokens }
            })
            .collect();
        let all = files.len();
        let missing = |number| LeftOut { path: format!("gone{number}"), reason: "does not exist".to_owned(), tokens: None };
        let lost: Vec<LeftOut> = (0..lost).map(missing).collect();
        let before = lost.len();
        let had_tree = !frame.tree.is_empty();
        if let Ok(fitted) = budget::fit(&mut frame, files, lost, Some(budget)) {
            let text = frame.render("r-0123456789", &fitted.shown, (&fitted.left_out, fitted.named), is_masked);
            let tokens = tokens::estimate(&text);
            prop_assert!(tokens <= budget, "{tokens} of {budget}");
            let lost_tree = usize::from(had_tree && frame.tree.is_empty());
            prop_assert_eq!(fitted.shown.len() + fitted.left_out.len(), all + before + lost_tree);
            prop_assert!(fitted.left_out.is_empty() || text.contains("# Files that are not shown here"));
        }
    }
}

#[test]
fn a_large_tree_is_folded_and_a_full_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    for part in 0..4 {
        std::fs::create_dir_all(folder.path().join(format!("src/p{part}"))).unwrap();
        for file in 0..100 {
            std::fs::write(folder.path().join(format!("src/p{part}/f{file}.rs")), "").unwrap();
        }
    }
    std::fs::write(folder.path().join("logo.png"), "").unwrap();
    let workspace = relay_workspace::Workspace::open(folder.path()).unwrap();
    assert_eq!(
        tree::of(&workspace, Tree::Folded),
        "src/\n  p0/ (100 files)\n  p1/ (100 files)\n  p2/ (100 files)\n  p3/ (100 files)\n"
    );
    assert_eq!(tree::of(&workspace, Tree::Full).lines().count(), 405);
    assert_eq!(tree::of(&workspace, Tree::None), "");
}

#[test]
fn a_notice_makes_a_file_generated_and_a_mention_does_not() {
    for text in [
        "// @generated by x\n",
        "# Code generated by protoc. DO NOT EDIT.\n",
        "<!-- generated, do not edit -->\n",
    ] {
        assert!(generated::says_so("a.rs", text), "{text}");
    }
    for text in ["let s = \"@generated\";\n", "// how it is generated\n", "do not edit\n"] {
        assert!(!generated::says_so("a.rs", text), "{text}");
    }
}

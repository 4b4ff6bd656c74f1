//! `relay apply --repair-prompt`: the message asks for what failed, and the answer completes the same transaction.

use crate::{PLAIN, apply, codes, json, project, uuid};

const FILES: &[(&str, &str)] = &[("a.txt", "one\ntwo\nthree\n"), ("b.txt", "alpha\nbeta\n")];

/// Changes both files; the second hunk of the first one and nothing else does not fit.
fn half_wrong() -> String {
    format!(
        "Two files.\n\n```text // {{a.txt}} multi-search-replace\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n\
         <<<<<<< SEARCH\nthirty-three\n=======\n3\n>>>>>>> REPLACE\n```\n\n```text // {{b.txt}}\nALPHA\n```\n\n\
         ```yaml\nprojectId: shop\nuuid: {}\n```\n",
        uuid(1)
    )
}

fn answer(search: &str) -> String {
    format!(
        "Sorry.\n\n```text // {{a.txt}} multi-search-replace\n<<<<<<< SEARCH\n{search}\n=======\n3\n>>>>>>> REPLACE\n```\n\n\
         ```yaml\nprojectId: shop\nuuid: {}\n```\n",
        uuid(1)
    )
}

fn prepared() -> testkit::TestEnv {
    let env = project(PLAIN);
    for (path, text) in FILES {
        env.write(path, text);
    }
    env
}

#[test]
fn the_message_holds_everything_a_model_needs_and_nothing_else() {
    let env = prepared();
    let run = env.relay(&["apply", "--repair-prompt"]).stdin(&half_wrong()).run();
    assert_eq!(run.code, 1);
    for needed in [
        "`a.txt`",
        "thirty-three",
        "one\ntwo\nthree",
        &uuid(1),
        "projectId: shop",
        "only the corrected blocks",
    ] {
        assert!(run.stdout.contains(needed), "{needed} in\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("alpha"), "the file that fits is not asked for:\n{}", run.stdout);
    assert!(run.stderr.contains("refused"), "the report is for the person: {}", run.stderr);
    assert_eq!(env.read("a.txt"), FILES[0].1);
}

#[test]
fn the_answer_lands_with_the_rest_as_one_transaction() {
    let env = prepared();
    env.relay(&["apply", "--repair-prompt"]).stdin(&half_wrong()).run();
    let (code, document) = apply(&env, &answer("three"), &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!(document["uuid"], uuid(1));
    assert_eq!((env.read("a.txt").as_str(), env.read("b.txt").as_str()), ("1\ntwo\n3\n", "ALPHA\n"));
    assert_eq!(json(&env.relay(&["log", "--json"]).run()).as_array().unwrap().len(), 1);
    assert_eq!(apply(&env, &answer("three"), &[]).1["status"], "already_processed");
    env.relay(&["undo"]).success();
    assert_eq!((env.read("a.txt").as_str(), env.read("b.txt").as_str()), (FILES[0].1, FILES[1].1));
}

#[test]
fn an_answer_that_fails_again_is_requested_again() {
    let env = prepared();
    env.relay(&["apply", "--repair-prompt"]).stdin(&half_wrong()).run();
    let run = env.relay(&["apply", "--repair-prompt"]).stdin(&answer("nowhere")).run();
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("nowhere"), "{}", run.stdout);
    assert_eq!(apply(&env, &answer("three"), &[]).1["status"], "committed");
    assert_eq!((env.read("a.txt").as_str(), env.read("b.txt").as_str()), ("1\ntwo\n3\n", "ALPHA\n"));
}

#[test]
fn a_reply_without_a_control_block_gets_a_uuid_to_answer_with() {
    let env = prepared();
    let bare = half_wrong().split("```yaml").next().unwrap().to_owned();
    let document = json(&env.relay(&["apply", "--repair-prompt", "--json"]).stdin(&bare).run());
    let prompt = document["repairPrompt"].as_str().unwrap();
    let made = document["uuid"].as_str().unwrap();
    assert!(prompt.contains(made), "{prompt}");
    let (_, document) = apply(&env, &answer("three").replace(&uuid(1), made), &[]);
    assert_eq!(document["status"], "committed", "{document:#}");
    assert_eq!(env.read("b.txt"), "ALPHA\n");
}

#[test]
fn without_the_flag_nothing_waits() {
    let env = prepared();
    assert_eq!(apply(&env, &half_wrong(), &[]).0, 1);
    let (code, document) = apply(&env, &answer("three"), &[]);
    assert_eq!((code, codes(&document)), (0, vec![]));
    assert_eq!((env.read("a.txt").as_str(), env.read("b.txt").as_str()), ("one\ntwo\n3\n", FILES[1].1));
}

#[test]
fn a_large_file_is_shown_around_the_place() {
    let env = project(PLAIN);
    let lines: String = (1..=1000).map(|n| format!("this is line number {n}\n")).collect();
    env.write("long.txt", &lines);
    let text = "```text // {long.txt} multi-search-replace\n<<<<<<< SEARCH\nthis is line number 500\nthis was line number 501\n\
                this is line number 502\n=======\nx\n>>>>>>> REPLACE\n```\n";
    let run = env.relay(&["apply", "--match", "exact", "--repair-prompt"]).stdin(text).run();
    assert!(
        run.stdout.contains("this is line number 501\n") && !run.stdout.contains("line number 900"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_reply_that_was_cut_off_is_completed() {
    let env = prepared();
    let cut = "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n```\n\n\
               ```text // {b.txt}\nALP";
    let document = json(&env.relay(&["apply", "--repair-prompt", "--json"]).stdin(cut).run());
    assert_eq!(document["status"], "rejected");
    assert_eq!(codes(&document), ["unclosed-fence"]);
    assert!(document["repairPrompt"].as_str().unwrap().contains("line 9 of your reply"), "{document:#}");
    assert_eq!(env.read("a.txt"), FILES[0].1);

    let rest = format!(
        "```text // {{b.txt}}\nALPHA\n```\n\n```yaml\nprojectId: shop\nuuid: {}\n```\n",
        document["uuid"].as_str().unwrap()
    );
    let (code, document) = apply(&env, &rest, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!((env.read("a.txt").as_str(), env.read("b.txt").as_str()), ("1\ntwo\nthree\n", "ALPHA\n"));
}

/// A reply that is refused, and what completes it: the same uuid, and only what was left out.
#[track_caller]
fn check_completed(refused: &str, path: &str, answer: &str, after: &[(&str, &str)]) {
    let env = prepared();
    let document = json(&env.relay(&["apply", "--repair-prompt", "--json"]).stdin(refused).run());
    assert_eq!(document["status"], "rejected", "{document:#}");
    let prompt = document["repairPrompt"].as_str().unwrap();
    assert!(prompt.contains(&format!("1. `{path}`, line ")), "{prompt}");
    let uuid = document["uuid"].as_str().unwrap();
    let answer = format!("{answer}\n```yaml\nprojectId: shop\nuuid: {uuid}\n```\n");
    let (code, document) = apply(&env, &answer, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    for (path, text) in after {
        assert_eq!(env.read(path), *text, "{path}");
    }
}

#[test]
fn a_patch_that_was_cut_off_is_completed() {
    let after = [("a.txt", "1\ntwo\n3\n"), ("b.txt", FILES[1].1)];
    let head = "--- a/a.txt\n+++ b/a.txt\n";
    let (first, second) = ("@@ -1,2 +1,2 @@\n-one\n+1\n two\n", "@@ -2,2 +2,2 @@\n two\n-three\n+3\n");
    let cut = format!("{head}{first}@@ -2,2 +2,2 @@\n two\n-three\n");
    check_completed(&cut, "a.txt", &format!("```diff\n{head}{second}```\n"), &after);
    // Some send all of it again.
    check_completed(&cut, "a.txt", &format!("```diff\n{head}{first}{second}```\n"), &after);

    let update = "*** Begin Patch\n*** Update File: a.txt\n";
    let cut = format!("{update}@@\n-one\n+1\n@@\n-three\n+");
    check_completed(&cut, "a.txt", &format!("{update}@@\n-three\n+3\n*** End Patch\n"), &after);
    let added = [("a.txt", "1\ntwo\nthree\n"), ("n.txt", "one\ntwo\n")];
    let add = "*** Add File: n.txt\n+one\n+tw";
    let cut = format!("{update}@@\n-one\n+1\n{add}");
    check_completed(&cut, "n.txt", &format!("*** Begin Patch\n{add}o\n*** End Patch\n"), &added);
    let broken = format!("{update}@@\n-one\n+1\n*** Add File: n.txt\n+one\ntwo\n*** End Patch\n");
    check_completed(&broken, "n.txt", &format!("*** Begin Patch\n{add}o\n*** End Patch\n"), &added);
}

#[test]
fn a_block_that_renames_a_file_may_be_sent_again() {
    let block = |head: &str, old: &str| format!("*** Begin Patch\n{head}@@\n-{old}\n+A\n*** End Patch\n");
    let moved = "*** Update File: b.txt\n*** Move to: c.txt\n";
    for answer in [block(moved, "alpha"), block("*** Update File: c.txt\n", "alpha")] {
        check_completed(&block(moved, "omega"), "c.txt", &answer, &[("c.txt", "A\nbeta\n")]);
    }
}

#[test]
fn unreadable_and_unplaceable_edits_are_requested_in_one_message() {
    let env = project(r#"{"projectId": "shop", "preCommand": "touch ran"}"#);
    for (path, text) in FILES {
        env.write(path, text);
    }
    let text = "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\nnowhere\n=======\n1\n>>>>>>> REPLACE\n```\n\n\
                ```text // {b.txt} multi-search-replace\n<<<<<<< SEARCH\nalpha\n>>>>>>> REPLACE\n```\n\n\
                ```text // {../c.txt}\nC\n```\n";
    let run = env.relay(&["apply", "--trust", "--repair-prompt"]).stdin(text).run();
    assert_eq!(run.code, 1);
    for needed in ["1. `b.txt`", "2. `../c.txt`", "3. `a.txt`", "nowhere"] {
        assert!(run.stdout.contains(needed), "{needed} in\n{}", run.stdout);
    }
    assert!(!env.exists("ran"), "nothing runs for a reply that is refused");
}

#[test]
fn an_answer_that_names_a_path_outside_is_refused_as_a_whole() {
    let env = prepared();
    env.relay(&["apply", "--repair-prompt"]).stdin(&half_wrong()).run();
    let escape = answer("three").replacen("```text", "```text // {../out.txt}\nout\n```\n\n```text", 1);
    let (code, document) = apply(&env, &escape, &[]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rejected")), "{document:#}");
    assert_eq!(env.read("b.txt"), FILES[1].1);
}

#[test]
fn a_block_without_a_path_is_requested_in_a_few_lines() {
    let env = prepared();
    let run = env.relay(&["apply", "--repair-prompt"]).stdin("Here:\n\n```text\n1\n```\n").run();
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("Your reply could not be applied."), "{}", run.stdout);
    assert!(run.stdout.contains("projectId: shop"), "{}", run.stdout);
    let manual = env.relay(&["prompt"]).run().stdout;
    assert!(run.stdout.len() * 2 < manual.len(), "{}", run.stdout);
}

/// A block that replaces parts of `a.txt`.
fn parts(pairs: &[(&str, &str)]) -> String {
    let part =
        |(old, new): &(&str, &str)| format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    let parts: String = pairs.iter().map(part).collect();
    format!("```text // {{a.txt}} multi-search-replace\n{parts}```\n")
}

fn prompt_for(env: &testkit::TestEnv, reply: &str, arguments: &[&str]) -> String {
    env.relay(&[&["apply", "--repair-prompt"], arguments].concat()).stdin(reply).run().stdout
}

#[test]
fn hints_quote_the_file_and_not_the_reply() {
    let env = project(PLAIN);
    env.write("a.txt", "alpha = compute_total(1)\nomega\n");
    let reply =
        parts(&[("alpha = compute_total(1)", "alpha = WRITTEN_total(1)"), ("alpha = compute_total(2)", "x")]);
    let prompt = prompt_for(&env, &reply, &["--match", "exact"]);
    assert!(prompt.contains("the file has `alpha = compute_total(1)`"), "{prompt}");
    assert!(!prompt.contains("WRITTEN"), "{prompt}");
    // A part that fits the file, but not what an earlier part makes of it.
    let reply = parts(&[("alpha = compute_total(1)", "beta"), ("alpha = compute_total(1)\nomega", "x\ny")]);
    let prompt = prompt_for(&env, &reply, &["--match", "exact"]);
    assert!(prompt.contains("another block of your reply changes them first"), "{prompt}");
    assert!(!prompt.contains("beta"), "{prompt}");
}

#[test]
fn white_space_is_sent_as_it_is() {
    let env = project(PLAIN);
    env.write("a.txt", "fn a() {\n\tlet total = first + second;\n}\n");
    let reply = parts(&[("    let total = first + third;  ", "x")]);
    let prompt = prompt_for(&env, &reply, &["--match", "exact"]);
    assert!(!prompt.contains('·') && !prompt.contains('→'), "{prompt}");
    assert!(prompt.contains("`    let total = first + third;  `"), "{prompt}");
    assert!(prompt.contains("`\tlet total = first + second;`"), "{prompt}");
}

#[test]
fn it_says_copy_from_here_only_if_something_is_shown() {
    let env = project(PLAIN);
    let missing = parts(&[("one", "1")]);
    let prompt = prompt_for(&env, &missing, &[]);
    assert!(prompt.contains("a.txt") && !prompt.contains("shown here"), "{prompt}");
    env.write("a.txt", &(1..=400).map(|n| format!("{n:x}{n}\n")).collect::<String>());
    let prompt = prompt_for(&env, &parts(&[("nothing like this is anywhere", "1")]), &[]);
    let shows = prompt.contains("Lines 1 to ") || prompt.contains("as they are now");
    assert_eq!(prompt.contains("shown here"), shows, "{prompt}");
    assert!(shows, "{prompt}");
}

#[test]
fn commands_that_name_lines_are_shown_numbers() {
    let env = prepared();
    let edit = "[EDIT_FILE path=\"a.txt\" start_line=\"9\" end_line=\"9\"]\nx\n[/EDIT_FILE]\n";
    let prompt = prompt_for(&env, edit, &[]);
    assert!(prompt.contains("1| one\n2| two\n3| three\n"), "{prompt}");
    assert!(prompt.contains("are not part of the file"), "{prompt}");
}

#[test]
fn after_a_partial_landing_the_rest_is_requested() {
    let env = prepared();
    let run = env.relay(&["apply", "--partial", "--repair-prompt"]).stdin(&half_wrong()).run();
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert_eq!(env.read("b.txt"), "ALPHA\n");
    let prompt = run.stdout;
    assert!(prompt.starts_with("Part of your reply could not be applied."), "{prompt}");
    assert!(prompt.contains("thirty-three") && !prompt.contains(&uuid(1)), "{prompt}");
    assert!(prompt.contains("two\nthree"), "the file as it is now: {prompt}");
    let fresh = prompt.lines().find_map(|line| line.strip_prefix("uuid: ")).expect("a uuid");
    assert!(prompt.contains("complete"), "a block lands whole or not at all: {prompt}");
    let whole = half_wrong().replace("thirty-three", "three").replace(&uuid(1), fresh);
    let whole = whole.replace("```text // {b.txt}\nALPHA\n```\n\n", "");
    let (code, document) = apply(&env, &whole, &[]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(env.read("a.txt"), "1\ntwo\n3\n");
}

#[test]
fn an_answer_without_the_uuid_mentions_what_is_waiting() {
    let env = prepared();
    env.relay(&["apply", "--repair-prompt"]).stdin(&half_wrong()).run();
    let bare = answer("three").split("```yaml").next().unwrap().to_owned();
    let run = env.relay(&["apply"]).stdin(&bare).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["still waiting for its repair", "`b.txt`", &uuid(1)] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
    // The command in the hint completes the reply.
    env.relay(&["undo"]).success();
    assert_eq!(apply(&env, &answer("three"), &[]).0, 0);
    assert_eq!((env.read("a.txt").as_str(), env.read("b.txt").as_str()), ("1\ntwo\n3\n", "ALPHA\n"));
    let (_, document) = apply(&env, "```text // {a.txt}\nnew\n```\n", &["--allow-shrink"]);
    assert_eq!(codes(&document), Vec::<String>::new(), "nothing waits any more");
}

#[test]
fn a_reply_without_any_change_is_answered_with_the_instructions() {
    let env = prepared();
    let run = env.relay(&["apply", "--repair-prompt"]).stdin("Change line one of a.txt to 1.\n").run();
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("Your reply could not be applied."), "{}", run.stdout);
    assert!(run.stdout.contains("projectId: shop"), "{}", run.stdout);
}

/// A model cannot know anchors it was never shown, and all anchors refer to the current file.
#[test]
fn the_answer_to_a_bad_anchor_finds_the_anchors_and_joins_its_section() {
    let env = prepared();
    let shown = env.relay(&["read", "--anchors", "a.txt"]).run().stdout;
    let anchors: Vec<&str> = shown.lines().filter_map(|line| Some(line.split_once('|')?.0)).collect();
    let [one, two, three] = anchors[..] else { panic!("{shown}") };
    let refused = format!("§a.txt\n»{one}\ngood\n≔{three}\nTHREE\n»2\nmore\n");
    let run = env.relay(&["apply", "--repair-prompt"]).stdin(&refused).run();
    assert!(run.stdout.contains(shown.trim_end()), "{}", run.stdout);
    let uuid = run.stdout.lines().find_map(|line| line.strip_prefix("uuid: ")).expect("a uuid");
    let answer = format!("§a.txt\n»{two}\nmore\n\n```yaml\nprojectId: shop\nuuid: {uuid}\n```\n");
    let (code, document) = apply(&env, &answer, &[]);
    assert_eq!((code, document["uuid"].as_str()), (0, Some(uuid)), "{document:#}");
    assert_eq!(env.read("a.txt"), "one\ngood\ntwo\nmore\nTHREE\n");
}

/// The prompt shows the current file, so the answer's anchors refer to it; edits that did not fail still refer to what was
/// read before.
#[test]
fn an_answer_refers_to_what_the_prompt_showed() {
    let read = "one\ntwo\nthree\nfour\nfive\nsix\n";
    let now = "zero\none\nTWO\nthree\nfour\nfive\nsix\n";
    let anchors = |env: &testkit::TestEnv| env.relay(&["read", "--anchors", "a.txt"]).run().stdout;
    let anchor = |lines: &str, number: usize| {
        lines.lines().nth(number - 1).unwrap().split('|').next().unwrap().to_owned()
    };
    let env = project(PLAIN);
    env.write("a.txt", now);
    let changed = anchor(&anchors(&env), 3);
    env.write("a.txt", read);
    let seen = anchors(&env);
    env.write("a.txt", now);
    let control = format!("```yaml\nprojectId: shop\nuuid: {}\n```\n", uuid(7));
    let reply = format!("```\n§a.txt\n≔{}\n2\n≔{}\n5\n```\n\n{control}", anchor(&seen, 2), anchor(&seen, 5));
    let prompt = env.relay(&["apply", "--repair-prompt"]).stdin(&reply).run().stdout;
    assert!(prompt.contains(&format!("{changed}|TWO")), "{prompt}");
    let answer = format!("```\n§a.txt\n≔{changed}\n2\n```\n\n{control}");
    let (code, document) = apply(&env, &answer, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!(env.read("a.txt"), "zero\none\n2\nthree\nfour\n5\nsix\n");
}

/// Numbers prove nothing about a file that has changed since it was read, also in an answer.
#[test]
fn line_numbers_of_an_answer_refer_to_what_the_prompt_showed() {
    let env = project(PLAIN);
    env.write("a.txt", "one\ntwo\nthree\n");
    env.relay(&["read", "a.txt"]).success();
    env.write("a.txt", "zero\none\nTWO\nthree\n");
    let edit = |line: usize| {
        let command = format!(
            "[EDIT_FILE path=\"a.txt\" start_line=\"{line}\" end_line=\"{line}\"]\n2\n[/EDIT_FILE]\n"
        );
        format!("{command}\n```yaml\nprojectId: shop\nuuid: {}\n```\n", uuid(8))
    };
    let refused = env.relay(&["apply", "--repair-prompt"]).stdin(&edit(2)).run();
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    let (code, document) = apply(&env, &edit(3), &[]);
    assert_eq!((code, codes(&document)), (1, vec!["approval-required".to_owned()]), "{document:#}");
    let (code, document) = apply(&env, &edit(3), &["--yes"]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(env.read("a.txt"), "zero\none\n2\nthree\n");
}

#[test]
fn a_path_that_cannot_be_written_is_not_dropped_because_the_rest_was_repaired() {
    let wrong = half_wrong().replace("Two files.", "Three.\n\n```text // {src/}\nlost?\n```");
    let env = prepared();
    assert_eq!(env.relay(&["apply", "--repair-prompt"]).stdin(&wrong).run().code, 1);
    let (code, document) = apply(&env, &answer("three"), &[]);
    assert_eq!((code, codes(&document)), (1, vec!["path-folder".to_owned()]), "{document:#}");
    let whole = answer("three").replace("Sorry.", "Sorry.\n\n```text // {src/new.txt}\nfound\n```");
    let (code, document) = apply(&env, &whole, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!((env.read("src/new.txt").as_str(), env.read("b.txt").as_str()), ("found\n", "ALPHA\n"));
}

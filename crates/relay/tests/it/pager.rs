//! Long output: the pager, colours, `--stat`, and lines broken between words.

use crate::{PLAIN, apply, project, reply};

fn with_history(transactions: u32) -> testkit::TestEnv {
    let env = project(PLAIN);
    for number in 1..=transactions {
        apply(&env, &reply(number, &format!("file{number}.txt"), "one\ntwo"), &[]);
    }
    env
}

#[test]
fn a_long_log_goes_through_the_users_pager_and_a_short_one_does_not() {
    let env = with_history(12);
    env.write_program("../home/page", "#!/bin/sh\necho PAGED; cat > /dev/null\n");
    let page = env.home_path("page").display().to_string();
    let mut screen =
        env.pty_shell(&format!("stty rows 10 cols 80; RELAY_PAGER={page} PAGER=false \"$RELAY\" log"));
    assert_eq!(screen.wait(), 0);
    assert!(screen.text().contains("PAGED") && !screen.text().contains("file1.txt"), "{}", screen.text());
    let mut screen = env.pty_shell(&format!("stty rows 10 cols 80; PAGER={page} \"$RELAY\" show 3 --stat"));
    assert_eq!(screen.wait(), 0);
    assert!(!screen.text().contains("PAGED"), "it fits: {}", screen.text());
    for without in
        ["RELAY_PAGER= \"$RELAY\" log", "RELAY_PAGER=cat \"$RELAY\" log", "\"$RELAY\" log --no-pager"]
    {
        let mut screen = env.pty_shell(&format!("stty rows 10 cols 80; export PAGER={page}; {without}"));
        assert_eq!(screen.wait(), 0);
        assert!(!screen.text().contains("PAGED") && screen.text().contains("file1.txt"), "{without}");
    }
    let piped = env.shell(&format!("PAGER={page} \"$RELAY\" log | cat"));
    assert!(!piped.stdout.contains("PAGED") && piped.stdout.contains("file1.txt"));
}

#[test]
fn a_missing_pager_or_one_named_by_the_project_does_not_stop_output() {
    let env = with_history(12);
    env.write_program("mypager", "#!/bin/sh\necho PLANTED\n");
    let mut screen = env.pty_shell("stty rows 10 cols 80; PATH=.:$PATH RELAY_PAGER=mypager \"$RELAY\" log");
    assert_eq!(screen.wait(), 0);
    let text = screen.text();
    assert!(
        text.contains("file1.txt") && text.contains("not installed") && !text.contains("PLANTED"),
        "{text}"
    );
}

#[test]
fn color_follows_the_flag() {
    let env = with_history(1);
    assert!(!env.relay(&["log"]).success().stdout.contains('\u{1b}'));
    assert!(env.relay(&["log", "--color", "always"]).success().stdout.contains('\u{1b}'));
    assert!(env.relay(&["show", "--color=always"]).success().stdout.contains('\u{1b}'));
    let mut screen = env.pty(&["log", "--color", "never"]);
    assert_eq!(screen.wait(), 0);
    assert!(!screen.raw().contains("\u{1b}["), "{}", screen.raw());
}

#[test]
fn stat_lists_files_with_their_lines() {
    let env = with_history(2);
    let log = env.relay(&["log", "--stat"]).success().stdout;
    assert!(log.contains("file1.txt |    2 ++") && log.contains("file2.txt |    2 ++"), "{log}");
    assert_eq!(log.matches("file1.txt").count(), 1, "each file once: {log}");
    let show = env.relay(&["show", "1", "--stat"]).success().stdout;
    assert!(show.contains("file1.txt |    2 ++") && !show.contains("@@"), "{show}");
}

#[test]
fn messages_wrap_between_words_at_any_width() {
    let env = project(PLAIN);
    env.write("a.txt", "one\n");
    env.write("reply.md", "```text // {../../secrets.txt}\nx\n```\n\n```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-nothing like this line here\n+x\n```\n");
    for width in [40, 60, 80] {
        let mut screen = env.pty_shell(&format!("stty rows 50 cols {width}; \"$RELAY\" apply reply.md"));
        assert_eq!(screen.wait(), 1);
        for line in screen.text().lines() {
            let is_one_word = line.trim().split(' ').count() <= 2;
            assert!(
                line.trim_end().chars().count() <= width || is_one_word,
                "{width}: {line:?}\n{}",
                screen.text()
            );
        }
    }
}

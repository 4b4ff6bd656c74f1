//! `relay themes`.

use testkit::TestEnv;

use crate::{env, json};

fn own(env: &TestEnv, name: &str, text: &str) {
    let folder = env.home_path(".config/relay/themes");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

const MINE: &str = r##"{ "name": "mine", "extends": "fjord", "vars": { "accent": "#010203" } }"##;

#[test]
fn every_theme_is_listed_with_its_slot() {
    let env = env();
    own(&env, "mine.json", MINE);
    own(&env, "red-claw.json", "{}");
    own(&env, "broken.json", r#"{ "name": "broken", "extends": "fjord", "colors": { "dim": 300 } }"#);
    let run = env.relay(&["themes"]).run();
    assert_eq!(run.code, 0);
    let names: Vec<&str> = run.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 9 && names.is_sorted() && names.contains(&"mine"), "{names:?}");
    let line = |name: &str| run.stdout.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("red-claw").ends_with("dark, your theme.dark"), "{}", run.stdout);
    assert!(line("blue-crab").ends_with("your theme.light"), "{}", run.stdout);
    assert!(!run.stdout.contains('\x1b'), "{}", run.stdout);
    let expected = "themes/broken.json cannot be used:\n/colors/dim: 300 is not a number from 0 to 255";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    let document = json(&env.relay(&["themes", "--json"]).run());
    let themes = document["themes"].as_array().unwrap();
    let red = themes.iter().find(|theme| theme["name"] == "red-claw").unwrap();
    assert_eq!(
        (&red["builtIn"], &red["slots"][0], &red["error"]),
        (&true.into(), &"dark".into(), &().into())
    );
}

#[test]
fn a_theme_is_shown_in_its_colours() {
    let env = env();
    own(&env, "mine.json", MINE);
    let run = env.relay(&["themes", "mine", "--color", "always"]).env("COLORTERM", "truecolor").run();
    assert!(run.code == 0 && run.stdout.contains("38;2;1;2;3"), "{}", run.stdout);
    let run = env.relay(&["themes", "paper"]).run();
    assert!(run.stdout.contains("for light backgrounds") && !run.stdout.contains('\x1b'), "{}", run.stdout);
}

#[test]
fn invalid_themes_are_refused_with_a_hint() {
    let env = env();
    let run = env.relay(&["themes", "red-clow"]).run();
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("Theme not found: red-clow") && run.stderr.contains("`red-claw`"),
        "{}",
        run.stderr
    );
    let run = env.relay(&["themes", "nowhere/x.json"]).run();
    assert!(run.code == 2 && run.stderr.contains("there is no file"), "{}", run.stderr);
    own(&env, "bad.json", r#"{ "name": "bad", "colors": {} }"#);
    let run = env.relay(&["themes", "bad"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("Core text and borders: accent, border"), "{}", run.stderr);
    assert!(run.stderr.contains("docs/formats/theme.md"), "{}", run.stderr);
}

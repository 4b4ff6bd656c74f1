//! Decisions of each level.

use std::path::PathBuf;

use super::rules::Say;
use super::*;

fn policy(level: Level) -> Policy {
    Policy { level, places: Places::new([PathBuf::from("/home/me/project")]), ..Policy::default() }
}

fn check(policy: &Policy, access: Access, expected: &str) {
    let decision = match policy.decide(&[access]) {
        Decision::Allow => "allow".to_owned(),
        Decision::Ask(reasons) => {
            let names: Vec<&str> = reasons.iter().map(|reason| reason.class.name()).collect();
            format!("ask {}", names.join(" "))
        }
        Decision::Deny(_) => "deny".to_owned(),
    };
    assert_eq!(decision, expected);
}

#[test]
fn reading_inside_is_free_and_outside_is_asked_about() {
    for level in Level::ALL {
        check(&policy(level), Access::Reads("src/a.rs".to_owned()), "allow");
        check(&policy(level), Access::Reads("artifact://3".to_owned()), "allow");
        check(&policy(level), Access::Conversation, "allow");
    }
    let auto = policy(Level::Auto);
    check(&auto, Access::Reads("/etc/hosts".to_owned()), "ask outside");
    check(&auto, Access::Reads("../other/x".to_owned()), "ask outside");
    check(&auto, Access::Reads("src/../../x".to_owned()), "ask outside");
    check(&auto, Access::Reads("~/.ssh/id_ed25519".to_owned()), "ask sensitive");
    check(&auto, Access::Reads(".env".to_owned()), "ask sensitive");
    check(&auto, Access::Reads(".env.example".to_owned()), "allow");
    check(&auto, Access::Reads("file:///etc/passwd".to_owned()), "ask outside");
}

#[test]
fn changes_follow_the_level() {
    let change = || Access::Changes("src/a.rs".to_owned());
    check(&policy(Level::ReadOnly), change(), "deny");
    check(&policy(Level::Ask), change(), "ask change");
    check(&policy(Level::Auto), change(), "allow");
    check(&policy(Level::Full), change(), "allow");
    check(&policy(Level::Auto), Access::Changes("/tmp/x".to_owned()), "ask outside");
}

#[test]
fn grants_and_rules_answer_in_advance() {
    let mut auto = policy(Level::Auto);
    let page = || Access::Connects { reach: Reach::Web, to: "https://docs.rs/x".to_owned() };
    check(&auto, page(), "ask web");
    auto.granted.insert(Class::Web);
    check(&auto, page(), "allow");
    let deny = Rule { decide: Say::Deny, ..Rule::connecting("docs.rs") };
    auto.rules = Rules::new(vec![deny]).unwrap();
    check(&auto, page(), "deny");
    let deny = Rule { decide: Say::Deny, ..Rule::changing("vendor/**") };
    auto.rules = Rules::new(vec![deny]).unwrap();
    check(&auto, Access::Changes("vendor/a/b.c".to_owned()), "deny");
    check(&auto, Access::Changes("src/b.c".to_owned()), "allow");
}

#[test]
fn rules_are_checked_against_their_examples() {
    let rule = Rule { examples: vec!["git push origin".to_owned()], ..Rule::running(&["git", "push"]) };
    assert!(Rules::new(vec![rule.clone()]).is_ok());
    let wrong = Rule { examples: vec!["git pull".to_owned()], ..rule.clone() };
    assert!(matches!(Rules::new(vec![wrong]), Err(RuleError::Example { number: 1, .. })));
    let wide = Rule { counter_examples: vec!["git push --force".to_owned()], ..rule };
    assert!(matches!(Rules::new(vec![wide]), Err(RuleError::CounterExample { .. })));
    let empty = Rule { command: Vec::new(), ..Rule::running(&["x"]) };
    assert!(matches!(Rules::new(vec![empty]), Err(RuleError::Subject { .. })));
}

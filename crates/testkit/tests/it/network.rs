//! The watch over the network sees what it should.

use testkit::TestEnv;

fn attempts(script: &str) -> Vec<String> {
    let env = TestEnv::new("/bin/bash");
    env.traced(&["-c", script], &[], "").attempts
}

#[test]
fn connections_and_questions_to_the_name_service_are_seen() {
    let found = attempts("exec 3<>/dev/tcp/192.0.2.1/80");
    assert!(found.iter().any(|line| line.contains("192.0.2.1")), "{found:?}");
    let found = attempts("(exec 3<>/dev/udp/192.0.2.2/53; echo x >&3) & wait");
    assert!(found.iter().any(|line| line.contains("htons(53)")), "children too: {found:?}");
}

#[test]
fn names_that_are_looked_up_are_noted() {
    let env = TestEnv::new("/bin/bash");
    let script = "getent hosts relay.example; exec 3<>/dev/tcp/another.example/80";
    let Some(names) = env.traced(&["-c", script], &[], "").names else { return };
    for name in ["relay.example.", "another.example."] {
        assert!(names.iter().any(|noted| noted == name), "{name}: {names:?}");
    }
    assert_eq!(env.traced(&["-c", "exit 3"], &[], "").names, Some(Vec::new()));
}

#[test]
fn a_quiet_program_is_quiet() {
    let env = TestEnv::new("/bin/bash");
    let traced = env.traced(&["-c", "cat; exit 3"], &[], "input");
    assert_eq!((traced.run.stdout.as_str(), traced.run.code), ("input", 3));
    assert_eq!(traced.attempts, Vec::<String>::new());
}

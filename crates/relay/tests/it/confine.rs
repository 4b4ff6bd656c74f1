//! Programs that may write only where Relay allows it.

use crate::env;

/// Every way a shell can change something, tried outside and inside the writable folders.
const TRIES: &str = "echo x > ok/new; echo x > no/new; echo x >> no/there; true > no/there; mv no/there no/moved; \
                     rm no/there; mkdir no/folder; ln -s x no/link; ln no/there ok/hard; mv no/there ok/stolen; \
                     cat no/there; echo gone > /dev/null && echo done";

#[test]
fn a_confined_program_writes_nowhere_else() {
    for flags in [vec!["--no-mounts"], vec![]] {
        let env = env();
        env.write("ok/there", "kept\n");
        env.write("no/there", "kept\n");
        let ok = env.path("ok");
        let start = ["__confine", "--write", ok.to_str().unwrap()];
        let run = env.relay(&[&start, flags.as_slice(), &["--", "sh", "-c", TRIES]].concat()).run();
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(run.stdout, "kept\ndone\n", "reading is allowed: {}", run.stderr);
        let names = |folder: &str| {
            let list = std::fs::read_dir(env.path(folder)).unwrap();
            let mut names: Vec<_> = list.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names("no"), ["there"]);
        assert_eq!(names("ok").last().unwrap(), "there");
        assert_eq!(env.read("no/there"), "kept\n");
        assert_eq!(env.read("ok/new"), "x\n");
    }
}

#[test]
fn its_children_are_confined_too() {
    let env = env();
    env.write("no/there", "kept\n");
    let line = "(setsid sh -c 'echo x > no/late'; sh -c 'echo x > no/there') 2>/dev/null; true";
    assert_eq!(env.relay(&["__confine", "--", "sh", "-c", line]).run().code, 0);
    assert!(!env.exists("no/late"));
    assert_eq!(env.read("no/there"), "kept\n");
}

#[test]
fn a_program_that_cannot_be_confined_does_not_run() {
    let env = env();
    for arguments in [vec!["__confine"], vec!["__confine", "sh"], vec!["__confine", "--", "no-such-program"]]
    {
        let run = env.relay(&arguments).run();
        assert_eq!(run.code, 1, "{arguments:?}");
        assert!(
            run.stderr.contains("no program") || run.stderr.contains("is for Relay itself"),
            "{}",
            run.stderr
        );
    }
}

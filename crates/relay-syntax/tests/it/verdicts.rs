//! Every command of `data/commands.txt` gets the decision beside it; none that destroys something is allowed.

use relay_syntax::shell::{self, Class, Decision, Files, Finding, Present, Unseen};

const COMMANDS: &str = include_str!("../data/commands.txt");

const FILES: [&str; 12] = [
    "README.md",
    "notes.txt",
    "Makefile",
    "a.txt",
    "b.txt",
    ".env",
    "data.csv",
    "out.log",
    "src/main.rs",
    "src/lib.rs",
    "docs/guide.md",
    "dist/app.js",
];
const FOLDERS: [&str; 7] = ["", "src", "docs", "dist", "build", "target", ".git"];

/// The workspace that the file of commands describes.
struct Sample;

impl Files for Sample {
    fn present(&self, path: &str) -> Present {
        if FILES.contains(&path) {
            Present::File
        } else if FOLDERS.contains(&path) {
            Present::Folder
        } else if path.starts_with(['/', '~']) || path.starts_with("..") {
            if path == "~/.bashrc" || path == "~" || path == "/" || path == ".." {
                Present::File
            } else {
                Present::Missing
            }
        } else {
            Present::Missing
        }
    }
}

pub fn commands() -> Vec<(String, String)> {
    let lines = COMMANDS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (decision, command) = line.split_once('\t').unwrap_or_else(|| panic!("no tab in {line:?}"));
            (decision.to_owned(), command.replace('⏎', "\n"))
        })
        .collect()
}

fn decide(command: &str, files: &dyn Files) -> (String, Vec<Finding>) {
    match shell::parse(command) {
        Err(_) => ("unparsed".to_owned(), Vec::new()),
        Ok(script) => {
            let verdict = shell::verdict(&script, files);
            let word = match verdict.decision() {
                Decision::Allow => "allow",
                Decision::Ask => "ask",
                Decision::Destructive => "destructive",
            };
            (word.to_owned(), verdict.findings)
        }
    }
}

#[test]
fn every_command_gets_its_decision() {
    let commands = commands();
    assert!(commands.len() >= 500, "{} commands", commands.len());
    let mut wrong = Vec::new();
    for (expected, command) in &commands {
        let (found, findings) = decide(command, &Sample);
        if found != *expected {
            let reasons: Vec<_> =
                findings.iter().map(|finding| format!("{}: {}", finding.command, finding.reason)).collect();
            wrong.push(format!("{command:?}: expected {expected}, found {found} {reasons:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), commands.len(), wrong.join("\n"));
}

/// Around a destructive command whatever a script may put there: it stays destructive.
#[test]
fn a_destructive_command_stays_so_inside_anything() {
    let frames = [
        "{}",
        " {} ",
        "{};",
        "{} &",
        "{} # why",
        "ls; {}",
        "ls && {}",
        "false || {}",
        "ls | {}",
        "( {} )",
        "{ {}; }",
        "! {}",
        "time {}",
        "if true; then {}\nfi",
        "for x in 1 2; do {}\ndone",
        "while true; do {}\ndone",
        "case x in x) {} ;; esac",
        "f() { {}; }; f",
        "echo \"$( {} )\"",
        "x=$( {} )",
        "cat <( {} )",
        "[[ -n $( {} ) ]]",
        "cd src; cd ..; {}",
        "ls\n{}\nls",
        "cat <<END\n$( {} )\nEND",
        "\\\n{}",
    ];
    let mut allowed = Vec::new();
    for (_, command) in commands().iter().filter(|(decision, command)| {
        decision == "destructive"
            && !command.contains('\n')
            && !command.contains("<<")
            && !command.ends_with('&')
    }) {
        for frame in frames {
            let text = frame.replace("{}", command);
            // Groups need a space after `{`, so the frame's own braces are written around it.
            let text = if frame == "{ {}; }" { format!("{{ {command}; }}") } else { text };
            let text = if frame.starts_with("f()") { format!("f() {{ {command}\n}}; f") } else { text };
            // `cd` in a pipeline leaves the folder of what follows as it is.
            if frame == "ls | {}" && command.starts_with("cd ") {
                continue;
            }
            let (found, _) = decide(&text, &Sample);
            if found == "allow" {
                allowed.push(text);
            }
        }
    }
    assert!(allowed.is_empty(), "allowed:\n{}", allowed.join("\n"));
}

/// Without any knowledge of the disk, decisions only become stricter.
#[test]
fn not_knowing_files_is_never_laxer() {
    for (expected, command) in commands().iter().filter(|(decision, _)| decision != "unparsed") {
        let (known, _) = decide(command, &Sample);
        let (unknown, findings) = decide(command, &Unseen);
        let rank = |word: &str| ["allow", "ask", "destructive"].iter().position(|known| *known == word);
        assert!(rank(&unknown) >= rank(&known), "{command:?}: {expected}, {unknown} {findings:?}");
    }
}

#[test]
fn reasons_are_sentences_about_the_command() {
    let script = shell::parse("sudo env A=1 timeout 5 rm -rf src").unwrap();
    let verdict = shell::verdict(&script, &Sample);
    let last = verdict.findings.last().unwrap();
    assert_eq!(last.command, "rm -rf src");
    assert_eq!(last.reason, "`rm -r` removes folders with everything in them, which loses `src`");
    assert!(matches!(&last.class, Class::Destroys { what, .. } if what == "`src`"));
    assert_eq!(last.touched[0].path, "src");
    assert!(verdict.findings[0].reason.contains("as another user"));
}

#[test]
fn paths_follow_the_folder() {
    let touched = |command: &str| {
        let verdict = shell::verdict(&shell::parse(command).unwrap(), &Sample);
        verdict
            .findings
            .iter()
            .flat_map(|finding| finding.touched.clone())
            .map(|touched| (touched.path, touched.is_exact))
            .collect::<Vec<_>>()
    };
    assert_eq!(touched("cd src && rm main.rs"), [("src/main.rs".to_owned(), true)]);
    assert_eq!(touched("(cd src); rm a.txt"), [("a.txt".to_owned(), true)]);
    assert_eq!(touched("cd src | rm a.txt"), [("a.txt".to_owned(), true)]);
    assert_eq!(touched("cd \"$x\"; rm a.txt"), [("a.txt".to_owned(), false)]);
    assert_eq!(touched("if true; then cd src; fi; rm a.txt"), [("a.txt".to_owned(), false)]);
    assert_eq!(touched("cd src; cd ..; rm ./docs/../a.txt"), [("a.txt".to_owned(), true)]);
    assert_eq!(touched("git -C src rm lib.rs"), [("src/lib.rs".to_owned(), true)]);
}

//! Git starts no program that a repository names, whatever Relay does and wherever the repository came from.

mod behaviour;
mod hostile;
mod table;

use std::sync::atomic::{AtomicUsize, Ordering};

use testkit::Run;

use hostile::{Hostile, SITES, Site};
use table::{Kind, Row, rows};

/// A command that calls git, on a hostile repository.
type Command = fn(&Hostile) -> Run;

/// Every command that calls git. The tidy test checks that there are no others: git is called in one module.
const COMMANDS: [(&str, Command); 12] = [
    ("apply", |hostile| hostile.relay(&["apply", "--json", "--yes"], &Hostile::reply(1))),
    ("watch", |hostile| hostile.relay(&["watch", "-", "--yes"], &Hostile::reply(2))),
    ("pack", |hostile| hostile.relay(&["pack", "--diff", "a.txt"], "")),
    ("ask", |hostile| hostile.relay(&["ask", "--to", "one", "q", "--diff"], "")),
    ("review", |hostile| hostile.relay(&["review", "--to", "one"], "")),
    ("review --staged", |hostile| hostile.relay(&["review", "--to", "one", "--staged"], "")),
    ("review --uncommitted", |hostile| hostile.relay(&["review", "--to", "one", "--uncommitted"], "")),
    ("review --range", |hostile| hostile.relay(&["review", "--to", "one", "--range", "main..topic"], "")),
    ("wrap", |hostile| hostile.relay(&["wrap", "--yes", "--", "touch", "c.txt"], "")),
    ("mail", |hostile| {
        hostile.relay(&["mail", "start", "task"], "");
        hostile.relay(&["mail", "step", "-", "--yes"], "[RUN_COMMAND]\ntouch d.txt\n[/RUN_COMMAND]\n")
    }),
    ("doctor", |hostile| hostile.relay(&["doctor"], "")),
    ("demo", |hostile| hostile.relay(&["demo"], "")),
];

/// Every other command. None of them calls git today, and this test notices if one starts to.
const OTHERS: [&[&str]; 33] = [
    &["init"],
    &["prompt"],
    &["context", "add", "a.txt"],
    &["context", "list"],
    &["context", "clear"],
    &["pack", "a.txt"],
    &["apply", "--dry-run"],
    &["apply", "--explain"],
    &["mail", "list"],
    &["mail", "show"],
    &["mail", "resume"],
    &["mail", "close"],
    &["read", "a.txt"],
    &["translate", "--to", "unified"],
    &["log"],
    &["show", "1"],
    &["blame", "a.txt"],
    &["undo", "--yes"],
    &["redo", "--yes"],
    &["gc", "--yes"],
    &["recover"],
    &["recover", "--list"],
    &["trust", "--yes"],
    &["ask", "--to", "one", "question"],
    &["jobs", "list"],
    &["session", "list"],
    &["backends"],
    &["config", "show"],
    &["models", "--offline"],
    &["auth", "status"],
    &["completions", "bash"],
    &["man"],
    &["help"],
];

/// Runs every command on a repository with these rows; every program that was started is a finding.
fn started(site: Site, rows: &[Row]) -> Vec<String> {
    let hostile = Hostile::new(site, rows);
    let early = hostile.marks();
    assert!(early.is_empty(), "the test itself started {early:?}");
    let mut found = Vec::new();
    for (name, command) in COMMANDS {
        // These two ignore the surrounding repository, so one run is enough.
        if matches!(name, "doctor" | "demo") && site != Site::Config {
            continue;
        }
        let run = command(&hostile);
        for mark in hostile.marks().into_iter().skip(found.len()) {
            found.push(format!("{site:?}, {name}: git started {mark}\n{}{}", run.stdout, run.stderr));
        }
    }
    // Two sites show whether git is called at all; the ones above show that it is called safely.
    if rows.len() > 1 && matches!(site, Site::Config | Site::EmbeddedBare) {
        for arguments in OTHERS {
            let run = hostile.relay(arguments, &Hostile::reply(3));
            for mark in hostile.marks().into_iter().skip(found.len()) {
                let said = format!("{}{}", run.stdout, run.stderr);
                found.push(format!("{site:?}, {arguments:?}: git started {mark}\n{said}"));
            }
        }
    }
    found
}

fn is_long() -> bool {
    std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes")
}

#[test]
fn no_command_starts_programs_that_a_repository_names() {
    let (variables, planted): (Vec<Row>, Vec<Row>) =
        rows().into_iter().partition(|row| row.kind == Kind::Variable);
    let mut found = started(Site::Config, &variables);
    for site in SITES {
        found.extend(started(site, &planted));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// One setting may mask another: a hooks path masks hooks, a broken remote masks its helper. So each is tried alone.
#[test]
fn no_single_setting_starts_anything_at_any_site() {
    if !is_long() {
        return;
    }
    let cases: Vec<(Site, Row)> = rows()
        .into_iter()
        .flat_map(|row| SITES.map(|site| (site, row)))
        .filter(|(site, row)| row.kind != Kind::Variable || *site == Site::Config)
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some((site, row)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.extend(started(*site, &[*row]));
        }
        found
    };
    let found: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The table would prove nothing if its settings were misspelt: a plain git starts every one that it can start here.
#[test]
fn plain_git_starts_every_program_in_the_table() {
    let mut silent = Vec::new();
    for row in rows() {
        let Some(trigger) = row.trigger else { continue };
        let hostile = Hostile::new(Site::Config, &[row]);
        let run = hostile.git(trigger);
        if hostile.marks().is_empty() {
            silent.push(format!("{}: git {trigger}\n{}{}", row.name, run.stdout, run.stderr));
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// The `git` of the agent's shell starts none of the repository's settings, alone or together. Hooks depend on trust.
#[test]
fn the_agents_git_starts_no_program_of_a_setting() {
    let mut found = Vec::new();
    for row in rows().into_iter().filter(|row| row.kind == Kind::Setting && row.name != "core.hooksPath") {
        // A user who allows the `ext` protocol gets its program.
        let Some(trigger) = row.trigger.filter(|trigger| !trigger.contains("ext.allow=always")) else {
            continue;
        };
        let hostile = Hostile::new(Site::Config, &[row]);
        let run = hostile.agents_git(trigger);
        for mark in hostile.marks() {
            found.push(format!("{}: git {trigger}: {mark}\n{}{}", row.name, run.stdout, run.stderr));
        }
    }
    let planted: Vec<Row> = rows().into_iter().filter(|row| row.kind != Kind::Variable).collect();
    for site in SITES {
        let hostile = Hostile::new(site, &planted);
        for line in ["status", "diff", "add -A", "commit -m x", "log -p -1", "switch -c other", "stash"] {
            let run = hostile.agents_git(line);
            for mark in hostile.marks() {
                found.push(format!("{site:?}: git {line}: {mark}\n{}{}", run.stdout, run.stderr));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The sites would prove nothing either, if no program could be started from them.
#[test]
fn plain_git_starts_programs_at_every_site() {
    let fsmonitor: Vec<Row> = rows().into_iter().filter(|row| row.name == "core.fsmonitor").collect();
    for site in SITES {
        let hostile = Hostile::new(site, &fsmonitor);
        let run = hostile.git(if site == Site::PartialClone { "diff main" } else { "status" });
        assert!(!hostile.marks().is_empty(), "{site:?}: {}{}", run.stdout, run.stderr);
    }
}

//! Runners and their tasks, and which of them an `op` means.

/// How many tasks of a runner the description lists.
const PROMPT_TASKS: usize = 20;
/// How long a task's documentation may be there. It comes from the repository.
const DOC_CHARS: usize = 100;

/// A task runner of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    /// Its id: `just`, `pkg`, `cargo`, `make`, `task`.
    pub id: &'static str,
    /// What the description calls it.
    pub label: String,
    /// What its tasks' commands begin with.
    pub prefix: String,
    pub tasks: Vec<Task>,
}

/// One of its tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    pub name: String,
    /// What it does, in the repository's words.
    pub doc: Option<String>,
    /// What its arguments are called.
    pub parameters: Vec<String>,
    /// The task in the command, quoted where needed.
    pub command: String,
    /// What the command begins with, if not with the runner's prefix.
    pub prefix: Option<String>,
    /// The folder it runs in, if not the project's.
    pub cwd: Option<String>,
}

/// What an `op` comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub command: String,
    pub cwd: Option<String>,
}

/// The command that an `op` means.
///
/// # Errors
/// It names no task, or several; the message lists the tasks there are.
pub fn resolve(op: &str, runners: &[Runner]) -> Result<Resolved, String> {
    let op = op.trim_start();
    let (head, tail) = match op.split_once(char::is_whitespace) {
        Some((head, tail)) => (head, tail.trim_start()),
        None => (op, ""),
    };
    let failed = |why: String| format!("{why}\n\n{}", available(runners));
    if head.is_empty() {
        return Err(failed("op must name a task.".to_owned()));
    }
    let explicit = head.split_once(':').and_then(|(id, name)| {
        let runner = runners.iter().find(|runner| runner.id == id)?;
        Some((runner, name))
    });
    if let Some((runner, name)) = explicit {
        let task = runner.tasks.iter().find(|task| task.name == name);
        let task = task.ok_or_else(|| failed(format!("Runner `{}` has no task `{name}`.", runner.id)))?;
        return Ok(command(runner, task, tail));
    }
    let found: Vec<(&Runner, &Task)> = runners
        .iter()
        .filter_map(|runner| Some((runner, runner.tasks.iter().find(|task| task.name == head)?)))
        .collect();
    match found.as_slice() {
        [(runner, task)] => Ok(command(runner, task, tail)),
        [] => Err(failed(format!("There is no task `{head}`."))),
        several => {
            let names: Vec<String> =
                several.iter().map(|(runner, task)| format!("`{}:{}`", runner.id, task.name)).collect();
            Err(failed(format!("Several runners have a task `{head}`; use one of {}.", names.join(", "))))
        }
    }
}

fn command(runner: &Runner, task: &Task, tail: &str) -> Resolved {
    let prefix = task.prefix.as_ref().unwrap_or(&runner.prefix);
    let parts: Vec<&str> =
        [prefix.as_str(), &task.command, tail].into_iter().filter(|part| !part.is_empty()).collect();
    Resolved { command: parts.join(" "), cwd: task.cwd.clone() }
}

fn available(runners: &[Runner]) -> String {
    let mut text = "Available tasks:".to_owned();
    for runner in runners {
        let names: Vec<&str> = runner.tasks.iter().map(|task| task.name.as_str()).collect();
        text.push_str(&format!("\n- {}: {}", runner.id, names.join(", ")));
    }
    text
}

/// What the model reads about the runners there are.
pub fn prompt(runners: &[Runner]) -> String {
    let mut text = String::new();
    for runner in runners {
        text.push_str(&format!("\n\n## {} (`{}`)\n", runner.label, runner.id));
        for task in runner.tasks.iter().take(PROMPT_TASKS) {
            let parameters: String = task.parameters.iter().map(|name| format!(" {name}")).collect();
            let command = command(runner, task, "");
            let cwd = command.cwd.map(|cwd| format!(" in {cwd}")).unwrap_or_default();
            let doc = task.doc.as_deref().map(|doc| format!(": {}", shortened(doc))).unwrap_or_default();
            text.push_str(&format!("\n- `{}{parameters}` (`{}`{cwd}){doc}", task.name, command.command));
        }
        if let Some(more) = runner.tasks.len().checked_sub(PROMPT_TASKS).filter(|more| *more > 0) {
            text.push_str(&format!("\n- and {more} more"));
        }
    }
    text
}

/// The first line, without anything that is not text.
fn shortened(doc: &str) -> String {
    let line: String = doc.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
    line.chars().take(DOC_CHARS).collect()
}

/// A word as a shell takes it literally.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner(id: &'static str, prefix: &str, names: &[&str]) -> Runner {
        let task =
            |name: &&str| Task { name: (*name).to_owned(), command: (*name).to_owned(), ..Task::default() };
        Runner {
            id,
            label: id.to_owned(),
            prefix: prefix.to_owned(),
            tasks: names.iter().map(task).collect(),
        }
    }

    fn runners() -> Vec<Runner> {
        let mut pkg = runner("pkg", "npm run", &["test", "a/test"]);
        pkg.tasks[1].cwd = Some("a".to_owned());
        vec![runner("just", "just", &["test", "build"]), pkg]
    }

    #[track_caller]
    fn check(op: &str, command: &str, cwd: Option<&str>) {
        let resolved = resolve(op, &runners()).unwrap();
        assert_eq!((resolved.command.as_str(), resolved.cwd.as_deref()), (command, cwd), "{op}");
    }

    #[test]
    fn an_op_is_a_task_and_what_follows_it() {
        check("build", "just build", None);
        check("  build --release  'a b'", "just build --release  'a b'", None);
        check("just:test", "just test", None);
        check("pkg:test\t--watch", "npm run test --watch", None);
        check("a/test", "npm run a/test", Some("a"));
    }

    #[test]
    fn what_is_wrong_comes_with_the_tasks_there_are() {
        let list = "\n\nAvailable tasks:\n- just: test, build\n- pkg: test, a/test";
        for (op, why) in [
            ("", "op must name a task."),
            ("  ", "op must name a task."),
            ("nope", "There is no task `nope`."),
            ("make:test", "There is no task `make:test`."),
            ("just:", "Runner `just` has no task ``."),
            ("just:nope", "Runner `just` has no task `nope`."),
            ("test", "Several runners have a task `test`; use one of `just:test`, `pkg:test`."),
        ] {
            assert_eq!(resolve(op, &runners()).unwrap_err(), format!("{why}{list}"), "{op}");
        }
    }

    #[test]
    fn the_description_lists_twenty_tasks_of_a_runner() {
        let names: Vec<String> = (0..25).map(|n| format!("t{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut make = runner("make", "make", &names);
        make.tasks[0].doc = Some(format!("{}\nsecond", "x\u{1b}".repeat(200)));
        let text = prompt(&[make]);
        assert!(text.contains("- `t19` (`make t19`)") && !text.contains("`t20`"), "{text}");
        assert!(
            text.ends_with("- and 5 more") && !text.contains('\u{1b}') && !text.contains("second"),
            "{text}"
        );
    }

    #[test]
    fn quotes_survive() {
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}

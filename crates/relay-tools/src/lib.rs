//! The tools of Relay's agent: one folder each, with the description that models read beside the code.
//!
//! Tools read through `relay-workspace`, run programs through `relay-exec` and change files through `relay-engine`
//! alone, so every change is on the ledger. They know nothing of providers, sessions' files or terminals.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

mod archive;
mod ask;
mod bash;
mod calc;
mod checkpoint;
mod cron;
mod documents;
mod edit;
mod find;
mod goal;
mod inspect_image;
mod job;
mod landing;
mod monitor;
mod notebook;
pub mod pictures;
mod read;
mod recipe;
mod render_mermaid;
mod resolve;
mod search;
mod sink;
mod spec;
mod sqlite;
mod ssh;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod todo_write;
mod urls;
mod write;

use std::sync::Arc;

use relay_agent::tool::{Services, Tool};

pub use documents::{COMMAND as CONVERT, text_of as convert};
pub use ssh::{Setup as SshSetup, SshFiles, with_host as with_ssh_host, without_host as without_ssh_host};
pub use todo_write::{Phase, Task, TaskStatus, TodoList, edit as edit_todos};

/// All built-in tools that the user's settings and the front end allow, in the order in which models see them, and what a
/// person should know about the files they were set up from.
#[must_use]
pub fn built_in(services: &Services, ssh: Option<SshSetup>) -> (Vec<Arc<dyn Tool>>, Vec<String>) {
    let is_on = |key: &str, default: bool| services.is_on(key, default);
    let bash = Arc::new(bash::Bash::new());
    let shell: Arc<dyn Tool> = Arc::clone(&bash) as Arc<dyn Tool>;
    let mut tools: Vec<Arc<dyn Tool>> =
        vec![Arc::new(read::Read::new()), Arc::clone(&shell), Arc::new(edit::Edit::new())];
    if is_on("renderMermaid.enabled", false) {
        tools.push(Arc::new(render_mermaid::RenderMermaid::new()));
    }
    if services.ui.is_attended() {
        tools.push(Arc::new(ask::Ask::new()));
    }
    if is_on("calc.enabled", false) {
        tools.push(Arc::new(calc::Calc::new()));
    }
    let (ssh, warnings) = ssh.map_or((None, Vec::new()), |setup| ssh::Ssh::find(setup, services));
    if let Some(ssh) = ssh {
        tools.push(Arc::new(ssh));
    }
    looking(services, &mut tools);
    if is_on("checkpoint.enabled", false) {
        tools.push(Arc::new(checkpoint::Checkpoint::new()));
        tools.push(Arc::new(checkpoint::Rewind::new()));
    }
    if job::is_enabled(services) {
        tools.push(Arc::new(job::Job::new()));
        tools.push(Arc::new(monitor::Monitor::new(&bash)));
        if !cron::is_switched_off() {
            let schedules = cron::Schedules::default();
            tools.push(Arc::new(cron::CronCreate::new(&schedules)));
            tools.push(Arc::new(cron::CronList::new(&schedules)));
            tools.push(Arc::new(cron::CronDelete::new(&schedules)));
        }
    }
    if let Some(recipe) = recipe::Recipe::find(services, &shell) {
        tools.push(Arc::new(recipe));
    }
    if is_on("todo.enabled", true) {
        tools.push(Arc::new(todo_write::TodoWrite::new()));
    }
    tools.push(Arc::new(write::Write::new()));
    tools.push(Arc::new(notebook::EditNotebook::new()));
    if is_on("goal.enabled", true) {
        tools.push(Arc::new(goal::Goal::new()));
    }
    tools.push(Arc::new(resolve::Resolve::new(Vec::new())));
    (tools, warnings)
}

/// The tools that look for files, in files and at pictures.
fn looking(services: &Services, tools: &mut Vec<Arc<dyn Tool>>) {
    if services.is_on("find.enabled", true) {
        tools.push(Arc::new(find::Find::new()));
    }
    if services.is_on("search.enabled", true) {
        tools.push(Arc::new(search::Search::new()));
    }
    if services.is_on("inspect_image.enabled", false) {
        tools.push(Arc::new(inspect_image::InspectImage::new()));
    }
}

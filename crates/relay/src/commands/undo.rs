//! `relay undo` and `relay redo`.

use std::path::Path;

use relay_engine::{Engine, UndoOptions, Unobserved, Which};

use super::apply::finish;
use crate::cli::{AnswerFlags, RedoArgs, UndoArgs};
use crate::failure::Failure;
use crate::open;
use crate::terminal::ask::Person;

pub fn undo(root: Option<&Path>, args: &UndoArgs) -> Result<u8, Failure> {
    let engine = open::engine(root)?;
    let group =
        super::agent_group(&engine, args.turn, args.session.as_deref())?.or_else(|| args.group.clone());
    let which = match (&args.transaction, &args.since, group) {
        (_, _, Some(group)) => Which::Group(group),
        (_, Some(first), None) => Which::Since(first.clone()),
        (Some(one), None, None) => Which::One(one.clone()),
        (None, None, None) => Which::Last,
    };
    let options = options(root, &engine, which, &args.answer)?;
    let mut person = Person::new(engine.cancel().clone(), args.answer.yes, false);
    let outcome = relay_engine::undo(&engine, &options, &mut person, &mut Unobserved);
    Ok(finish(&outcome, args.json))
}

pub fn redo(root: Option<&Path>, args: &RedoArgs) -> Result<u8, Failure> {
    let engine = open::engine(root)?;
    let group =
        super::agent_group(&engine, args.turn, args.session.as_deref())?.or_else(|| args.group.clone());
    let which = match (&args.transaction, group) {
        (_, Some(group)) => Which::Group(group),
        (Some(one), None) => Which::One(one.clone()),
        (None, None) => Which::Last,
    };
    let options = options(root, &engine, which, &args.answer)?;
    let mut person = Person::new(engine.cancel().clone(), args.answer.yes, false);
    let outcome = relay_engine::redo(&engine, &options, &mut person, &mut Unobserved);
    Ok(finish(&outcome, args.json))
}

fn options(
    root: Option<&Path>,
    engine: &Engine,
    which: Which,
    flags: &AnswerFlags,
) -> Result<UndoOptions, Failure> {
    let paths = |given: &[String]| -> Result<Vec<String>, Failure> {
        given.iter().map(|given| Ok(open::path(root, engine, given)?.as_str().to_owned())).collect()
    };
    Ok(UndoOptions {
        which,
        files: paths(&flags.files)?,
        force_files: paths(&flags.force_files)?,
        dry_run: flags.dry_run,
        break_links: flags.break_links,
        allow_sensitive: flags.allow_sensitive,
    })
}

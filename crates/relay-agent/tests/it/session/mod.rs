//! Sessions: written, damaged, killed, found, listed, branched, and turned into what a model sees.

mod context;
mod damage;
mod find;
mod kill;
mod list;
mod log;
mod random;
mod reference;
mod support;
mod tree;

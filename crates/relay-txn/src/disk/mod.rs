//! The real disk.
//!
//! Every name is resolved by [`relay_workspace::Dir`], from the root's handle and without following links; what is
//! done is done relative to the handle of the folder that was found, never to a path.

mod locked;
pub(crate) use locked::Locked;

// Also built for the tests here, so that it does not rot unnoticed.
#[cfg(any(not(unix), test))]
mod portable;
#[cfg(not(unix))]
pub(crate) use portable::Disk;

#[cfg(unix)]
mod attributes;
#[cfg(unix)]
mod rename;
#[cfg(unix)]
mod sync;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use {attributes::extended, unix::Disk};

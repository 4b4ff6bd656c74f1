//! A command and everything it started.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::Tree;

#[cfg(not(target_os = "linux"))]
mod group;
#[cfg(not(target_os = "linux"))]
pub(crate) use group::Tree;

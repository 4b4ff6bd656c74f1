//! The only outbound connection: HTTP over TLS, through the user's proxy, or not at all with `--offline`.
//!
//! - [`Net`] exists once per process: its connections and the thread they live in.
//! - [`Transport`] sends an [`Outgoing`] request and gives back an [`Answer`], whatever its status.
//! - [`Fetch`] is a small request whose whole answer is read, up to a limit.
//! - `gate` is the proxy by which confined commands reach allowed domains.
//!
//! It knows nothing of models, keys or settings: its callers decide which servers to ask, and with which headers.
//! Redirects are not followed, and neither headers nor addresses are part of an error.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their own folders"))]

mod answer;
mod cancelled;
mod error;
mod fetch;
#[cfg(unix)]
pub mod gate;
mod net;
mod transport;

pub use answer::Answer;
pub use cancelled::cancelled;
pub use error::{NetError, NetErrorKind};
pub use fetch::{Fetch, Fetched};
pub use net::Net;
pub use reqwest::{Method, Url};
pub use transport::{Outgoing, Transport};

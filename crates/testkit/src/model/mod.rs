//! A scripted model server: every provider's wire format over real HTTP, with the faults real ones have.
//!
//! A test says once what the model answers ([`Reply`]) and how that arrives ([`Delivery`]); the server renders it for
//! whichever API the client called. The formats follow the vendors' API references, and the vendors' own client
//! libraries are run against it (`sdk/check.py`), so that the adapters under test and this server cannot share one
//! misunderstanding. It listens on the loopback interface alone and knows nothing of the product.
//!
//! ```
//! use testkit::model::{ModelServer, Reply};
//!
//! let server = ModelServer::start();
//! server.queue(Reply::text("Hello.").tool("call_1", "read", r#"{"path":"a.txt"}"#));
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! ```

mod answer;
mod delivery;
mod failure;
mod http;
mod outbox;
mod reply;
mod request;
mod sample;
mod script;
mod serve;
mod server;
mod wire;

pub use answer::Answer;
pub use delivery::Delivery;
pub use failure::Failure;
pub use reply::{Part, Reply, Stop, Usage};
pub use request::Request;
pub use script::Script;
pub use server::ModelServer;
pub use wire::{Api, Flavour};

//! The board in the browser and the HTTP API, served by `alquerque serve`.
//!
//! ```no_run
//! use alquerque::web::{Config, Server};
//!
//! let server = Server::bind(Config::default())?;
//! println!("{}", server.url());
//! server.run()?;
//! # Ok::<(), alquerque::web::ServeError>(())
//! ```
//!
//! This is a face: what is asked is read here and what is answered is put in JSON; the answers come from
//! [`tablebase`](crate::tablebase) and [`knowledge`](crate::knowledge). Work on positions is done away from
//! the threads that talk to clients, and bounded: see [`Limits`].
//!
//! `GET /api/openapi.json` describes the API. The page is in `src/web/page`; it has no knowledge of the rules
//! but what the API tells it.

mod abort;
mod admission;
mod api;
mod app;
mod config;
mod connections;
mod error;
mod headers;
mod image;
mod page;
mod preflight;
mod routes;
mod server;
mod slots;

pub use config::{Config, Hosts, Limits, Origins};
pub use server::{ServeError, Server};

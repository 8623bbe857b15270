//! The tests of the library and of the program, in one executable: linking is most of what a test program
//! costs.
//!
//! `cargo test --test suite tables::` runs one module.

#![allow(missing_docs, clippy::unwrap_used)]

mod browser;
mod brute;
mod reference;
mod server;
mod support;

mod api;
mod brute_reference;
mod cli;
mod derive;
#[cfg(unix)]
mod disk;
mod engine;
mod files;
mod forger;
mod golden;
mod limits;
mod memory;
mod pack;
mod page;
mod plan;
mod play;
mod records;
mod remote;
mod review;
mod rules;
mod search;
mod shards;
mod solve;
mod static_server;
mod studies;
mod tables;

//! Exact endgame tables for Alquerque, the 5×5 ancestor of draughts: generate them, probe them.
//!
//! ```
//! use alquerque::{position::Position, rules::CLASSIC, table::Value, tablebase::Tablebase};
//!
//! let tables = Tablebase::open("tables", &CLASSIC)?;
//! let position = Position::parse(&CLASSIC, "5/5/1w3/5/w2b1 w")?;
//! let verdict = tables.probe(&position)?;
//! assert_eq!(verdict.value, Value::Win);
//! for ranked in tables.ranked_moves(&position)? {
//!     println!("{}: {}", ranked.mv, ranked.verdict.value);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to look:
//!
//! - The game: [`board`], [`rules`], [`position`], [`moves`], [`game`], [`record`].
//! - Tables: [`tablebase`] probes them, [`solve`] makes them, [`verify`] derives their values again. [`table`] is
//!   one file, [`index`] the order of positions in it, [`material`] the stones of a slice.
//! - Any position: [`search`] plays, [`proof`] proves a value, [`certificate`] stores a proof and checks it.
//!   [`knowledge`] asks all of them.
//! - Whole slices and games: [`study`] finds positions, `export` writes them, `pack` makes an archive of
//!   tables, [`review`] annotates records.
//! - Programs: [`engine`], `json`, `capi`, `web`.
//!
//! For `wasm32-unknown-unknown` there is what answers questions about positions, without files and threads: not
//! [`engine`], [`proof`], [`review`], [`solve`], [`study`] and [`verify`], nor what writes files.
//!
//! The features `capi`, `export`, `json` and `serve` (for `web`) add the modules without a link; `remote` reads
//! tables from web servers. Modules know only those on which they are built; `DESIGN.md` in the repository shows
//! the layers.

// Much of the index is for those who make tables.
#![cfg_attr(target_arch = "wasm32", allow(dead_code, unused_imports))]

pub mod board;
pub mod canonical;
#[cfg(feature = "capi")]
pub mod capi;
pub mod certificate;
mod compression;
#[cfg(test)]
mod crash;
mod debug;
#[cfg(not(target_arch = "wasm32"))]
mod derive;
#[cfg(not(target_arch = "wasm32"))]
pub mod engine;
#[cfg(feature = "export")]
pub mod export;
mod file;
pub mod game;
pub mod index;
#[cfg(feature = "json")]
pub mod json;
pub mod knowledge;
pub mod material;
mod metric;
pub mod moves;
#[cfg(feature = "export")]
pub mod pack;
pub mod position;
pub mod progress;
#[cfg(not(target_arch = "wasm32"))]
pub mod proof;
pub mod record;
mod region;
#[cfg(not(target_arch = "wasm32"))]
pub mod review;
pub mod rules;
pub mod search;
#[cfg(not(target_arch = "wasm32"))]
pub mod solve;
#[cfg(not(target_arch = "wasm32"))]
mod storage;
#[cfg(not(target_arch = "wasm32"))]
pub mod study;
pub mod table;
pub mod tablebase;
#[cfg(not(target_arch = "wasm32"))]
pub mod verify;
#[cfg(feature = "serve")]
pub mod web;

/// The examples of the manual run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
struct Manual;

//! The answers of `alquerque` in the browser and in Node: the same JSON as its command line prints, as objects.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alquerque::certificate::{Certificate, Certificates, EXTENSION};
use alquerque::json;
use alquerque::knowledge::Knowledge;
use alquerque::moves::{Move, legal_moves};
use alquerque::position::Position;
use alquerque::rules::Rules;
use alquerque::search::{Limits, Request, Searcher};
use alquerque::table::{BlockSource, MemorySource, parse_file_name};
use alquerque::tablebase::{Options, Tablebase};
use js_sys::{Array, JSON, Object, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

/// Bytes of decoded blocks that are kept.
const CACHE: u64 = 16 << 20;
/// Bytes in which a search remembers positions.
const HASH: u64 = 16 << 20;

/// What is known about positions under one rule set.
#[derive(Debug)]
#[wasm_bindgen]
pub struct Alquerque {
    knowledge: Knowledge,
}

#[wasm_bindgen]
impl Alquerque {
    /// Opens the rules with this name, or those of the text of a rule file. `files` are tables and
    /// certificates by name: `{"3v2.wdl": bytes, "start.proof": bytes}`.
    ///
    /// # Errors
    /// When there are no such rules, or a file is not what its name says.
    #[wasm_bindgen(constructor)]
    pub fn new(
        rules: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "Record<string, Uint8Array>")] files: Option<Object>,
    ) -> Result<Alquerque, JsError> {
        let rules = Rules::by_name_or_toml(rules).map_err(error)?;
        let mut tables: Vec<(String, Box<dyn BlockSource>)> = Vec::new();
        let mut certificates = Vec::new();
        for entry in files.iter().flat_map(|files| Object::entries(files).to_vec()) {
            let entry = Array::from(&entry);
            let name = entry.get(0).as_string().unwrap_or_default();
            let bytes = entry.get(1).dyn_into::<Uint8Array>();
            let bytes = bytes.map_err(|_| JsError::new(&format!("{name} is not a Uint8Array")))?;
            let source = Box::new(MemorySource(bytes.to_vec()));
            if Path::new(&name).extension().is_some_and(|extension| extension == EXTENSION) {
                let certificate = Certificate::from_source(PathBuf::from(&name), source).map_err(error)?;
                if certificate.rules() != rules {
                    return Err(JsError::new(&format!("{name} is for other rules than '{}'", rules.name())));
                }
                certificates.push(certificate);
            } else if parse_file_name(&name).is_some() {
                tables.push((name, source));
            } else {
                return Err(JsError::new(&format!(
                    "'{name}' is not the name of a table, such as 3v2.wdl, or of a certificate, such as start.proof"
                )));
            }
        }
        let options = Options::default().cache(CACHE);
        let tables = (!tables.is_empty()).then(|| Tablebase::from_sources(rules, tables, &options));
        let tables = tables.transpose().map_err(error)?;
        Ok(Alquerque { knowledge: Knowledge::new(rules, tables, Certificates::from_iter(certificates)) })
    }

    /// The name of the rules.
    #[wasm_bindgen(getter)]
    pub fn rules(&self) -> String {
        self.knowledge.rules().name().to_owned()
    }

    /// The start position.
    #[wasm_bindgen(getter)]
    pub fn start(&self) -> String {
        Position::start(self.knowledge.rules()).to_string()
    }

    /// What the tables are.
    ///
    /// # Errors
    /// Never; JavaScript makes the objects.
    #[wasm_bindgen(unchecked_return_type = "Slice[]")]
    pub fn slices(&self) -> Result<JsValue, JsError> {
        let slices = self.knowledge.tables().map_or_else(Vec::new, Tablebase::slices);
        let rules = self.knowledge.rules();
        object(&slices.iter().map(|slice| json::Slice::new(rules, slice)).collect::<Vec<_>>())
    }

    /// The legal moves; none when the game is over.
    ///
    /// # Errors
    /// When the position is not one of the rules.
    #[wasm_bindgen(unchecked_return_type = "Legal[]")]
    pub fn moves(&self, position: &str) -> Result<JsValue, JsError> {
        let (rules, position) = self.position(position)?;
        let moves =
            if position.is_drawn_by_counter(rules) { Vec::new() } else { legal_moves(rules, &position) };
        object(&moves.iter().map(|mv| json::Legal::new(rules, &position, mv)).collect::<Vec<_>>())
    }

    /// The position after a move.
    ///
    /// # Errors
    /// When the position or the move is not legal.
    pub fn play(&self, position: &str, mv: &str) -> Result<String, JsError> {
        let (rules, position) = self.position(position)?;
        let mv = Move::parse(rules, &position, mv).map_err(error)?;
        Ok(position.play(rules, &mv).to_string())
    }

    /// The exact value of a position and of its moves, by the rules, the tables and the certificates.
    ///
    /// # Errors
    /// When the position is illegal, nothing covers it, or a table is damaged.
    #[wasm_bindgen(unchecked_return_type = "Probe")]
    pub fn probe(&self, position: &str) -> Result<JsValue, JsError> {
        let (rules, position) = self.position(position)?;
        let insight = self.knowledge.look_up(&position, &[]).map_err(error)?;
        object(&json::Probe::new(rules, &position, &insight))
    }

    /// Best play to the end.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe).
    #[wasm_bindgen(unchecked_return_type = "Line")]
    pub fn line(&self, position: &str) -> Result<JsValue, JsError> {
        let (rules, position) = self.position(position)?;
        let verdict = self.knowledge.verdict(&position).map_err(error)?;
        let line = self.knowledge.main_line(&position).map_err(error)?;
        object(&json::Line::new(rules, &position, &verdict, &line))
    }

    /// Searches any position, with the tables at the leaves, for this many milliseconds at most. The call
    /// returns when the search ends: a page makes it in a worker.
    ///
    /// # Errors
    /// When the position is illegal or a table is damaged.
    #[wasm_bindgen(unchecked_return_type = "Search")]
    pub fn search(&self, position: &str, milliseconds: u32) -> Result<JsValue, JsError> {
        let (rules, position) = self.position(position)?;
        let limits = Limits::time(Duration::from_millis(milliseconds.into()));
        let request = Request::within(limits).with_tables(self.knowledge.tables());
        let mut searcher = Searcher::with_at_most(rules, HASH);
        let found = searcher.search(&position, &request, |_| ()).map_err(error)?;
        object(&json::Search::new(rules, &position, &found))
    }

    /// A drawing of a position as SVG.
    ///
    /// # Errors
    /// When the position is not one of the rules.
    pub fn svg(&self, position: &str) -> Result<String, JsError> {
        Ok(self.position(position)?.1.svg().to_string())
    }
}

impl Alquerque {
    fn position(&self, text: &str) -> Result<(&'static Rules, Position), JsError> {
        let rules = self.knowledge.rules();
        Ok((rules, Position::parse(rules, text).map_err(error)?))
    }
}

fn error(error: impl Display) -> JsError {
    JsError::new(&error.to_string())
}

/// The value as JavaScript's own objects.
fn object(value: &impl Serialize) -> Result<JsValue, JsError> {
    let text = serde_json::to_string(value).map_err(error)?;
    JSON::parse(&text).map_err(|_| JsError::new("JavaScript does not read the answer"))
}

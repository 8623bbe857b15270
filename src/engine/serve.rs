//! The conversation.

use std::io::{BufRead, Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use super::command::{Command, Go};
use super::report::answer;
use super::settings::{Changed, Settings};
use super::thinking::{Task, Thinking, Voice, think_here};
use crate::certificate::Certificates;
use crate::game::Game;
use crate::knowledge::Knowledge;
use crate::moves::{Move, ParseMoveError};
use crate::position::shown;
use crate::search::Searcher;
use crate::table::TableError;
use crate::tablebase::Tablebase;

/// Longer than the command for any game. The rest of a longer line is skipped, so that no input can fill the
/// memory.
const MAX_LINE: u64 = 1 << 20;

/// Answers the commands of `input`, one on each line, until `quit` or the end of the input. At the end of the
/// input, a search that has a limit is still finished.
pub fn serve(mut input: impl BufRead, output: impl Write + Send + 'static, settings: Settings) {
    let mut engine = Engine::new(settings, output);
    let mut line = Vec::new();
    for number in 0_u64.. {
        line.clear();
        match input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Err(error) => return engine.voice.complain(error),
            Ok(0) => return engine.finish(),
            Ok(_) => {}
        }
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            if let Err(error) = input.skip_until(b'\n') {
                return engine.voice.complain(error);
            }
            engine.voice.complain("the line is too long");
            continue;
        }
        let text = String::from_utf8_lossy(&line);
        // A file may begin with a byte order mark.
        let text = if number == 0 { text.trim_start_matches('\u{feff}') } else { &text };
        if engine.handle(text).is_break() {
            return engine.stop();
        }
    }
}

struct Engine<W> {
    settings: Settings,
    voice: Voice<W>,
    game: Game,
    /// What tables and certificates know, once the engine has tried to open them.
    knowledge: Option<Arc<Knowledge>>,
    /// Kept from one search to the next.
    searcher: Option<Searcher>,
    thinking: Option<Thinking>,
}

impl<W: Write + Send + 'static> Engine<W> {
    fn new(settings: Settings, output: W) -> Engine<W> {
        Engine {
            game: Game::start(settings.rules),
            settings,
            voice: Voice::new(output),
            knowledge: None,
            searcher: None,
            thinking: None,
        }
    }

    /// Executes the command on `line`; breaks on `quit`.
    fn handle(&mut self, line: &str) -> ControlFlow<()> {
        match Command::parse(line) {
            Err(error) => self.voice.complain(error),
            Ok(Command::Nothing) => {}
            Ok(Command::Ugi) => self.introduce(),
            Ok(Command::IsReady) => {
                self.prepare();
                self.voice.say("readyok");
            }
            Ok(Command::NewGame) => {
                self.stop();
                if let Some(searcher) = &mut self.searcher {
                    searcher.forget();
                }
                self.game = Game::start(self.settings.rules);
            }
            Ok(Command::SetOption { name, value }) => {
                self.stop();
                let before = self.settings.clone();
                match self.settings.set(&name, &value) {
                    Ok(changed) => self.adapt(changed, before),
                    Err(error) => self.voice.complain(error),
                }
            }
            Ok(Command::Position { fen, moves }) => {
                self.stop();
                match Game::replay(self.settings.rules, fen.as_deref(), moves.iter().copied()) {
                    Ok(game) => self.game = game,
                    Err(error) => self.voice.complain(error),
                }
            }
            Ok(Command::Query(query)) => {
                self.voice.say(format_args!("response {}", answer(&self.game, query)));
            }
            Ok(Command::Go(go)) => {
                let begun = Instant::now();
                self.stop();
                self.think(&go, begun);
            }
            Ok(Command::Stop) => self.stop(),
            Ok(Command::Quit) => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    fn introduce(&self) {
        let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        self.voice.say(format_args!(
            "id name {name} {version}\nid author the {name} authors\n{}\nugiok",
            self.settings
        ));
    }

    fn adapt(&mut self, changed: Changed, before: Settings) {
        match changed {
            Changed::Rules => {
                (self.knowledge, self.searcher) = (None, None);
                self.game = Game::start(self.settings.rules);
            }
            // What was proven by other tables is as true as before.
            Changed::Tables => self.knowledge = None,
            Changed::Search => {
                // The old memory is given back first, and taken again if there is not as much as asked for.
                self.searcher = None;
                let settings = &self.settings;
                match Searcher::new(settings.rules, settings.hash_bytes()) {
                    Ok(searcher) => self.searcher = Some(searcher.with_threads(settings.threads)),
                    Err(error) => {
                        let hash = before.hash;
                        self.voice.complain(format_args!("{error}; Hash stays at {hash}"));
                        self.settings = before;
                    }
                }
            }
        }
    }

    /// Opens the tables and gets memory, unless that is done.
    fn prepare(&mut self) {
        if self.thinking.is_some() {
            return;
        }
        if self.knowledge.is_none() {
            let (tables, certificates) = (self.open_tables(), self.open_certificates());
            self.knowledge = Some(Arc::new(Knowledge::new(self.settings.rules, tables, certificates)));
        }
        if self.searcher.is_none() {
            self.searcher = Some(self.new_searcher());
        }
    }

    fn new_searcher(&self) -> Searcher {
        let Settings { rules, threads, hash, .. } = self.settings;
        let searcher = Searcher::with_at_most(rules, self.settings.hash_bytes()).with_threads(threads);
        let mebibytes = searcher.bytes() >> 20;
        if mebibytes < hash {
            let text = format!("there are only {mebibytes} MiB of memory for Hash, not {hash}");
            self.voice.say(format_args!("info string {text}"));
        }
        searcher
    }

    fn open_tables(&self) -> Option<Tablebase> {
        match Tablebase::open(&self.settings.table_path, self.settings.rules) {
            Ok(tables) => Some(tables),
            Err(error @ TableError::NoFolder { .. }) => {
                self.voice.say(format_args!("info string {error}; playing without tables"));
                None
            }
            Err(error) => {
                self.voice.complain(error);
                None
            }
        }
    }

    fn open_certificates(&self) -> Certificates {
        let found = Certificates::open(&self.settings.table_path, self.settings.rules);
        found.unwrap_or_else(|error| {
            self.voice.complain(error);
            Certificates::default()
        })
    }

    fn think(&mut self, go: &Go<'_>, begun: Instant) {
        if !go.unknown.is_empty() {
            let words: Vec<String> = go.unknown.iter().map(|word| format!("'{}'", shown(word))).collect();
            self.voice.complain(format_args!("go does not know {}", words.join(", ")));
        }
        let only = match self.parse_moves(&go.search_moves) {
            Ok(only) => only,
            Err(error) => return self.voice.complain(format_args!("searchmoves: {error}")),
        };
        self.prepare();
        let (Some(searcher), Some(knowledge)) = (self.searcher.take(), self.knowledge.clone()) else {
            return;
        };
        let side = self.game.position().side();
        let task = Arc::new(Task {
            position: *self.game.position(),
            history: self.game.history().to_vec(),
            only,
            knowledge,
            limits: go.limits(side, self.game.is_first_player(side)),
            begun,
            is_endless: go.is_endless(),
        });
        match Thinking::start(searcher, Arc::clone(&task), self.voice.clone()) {
            Ok(thinking) => self.thinking = Some(thinking),
            Err(error) => {
                self.voice
                    .say(format_args!("info string cannot start a thread: {error}; thinking without one"));
                let mut searcher = self.new_searcher();
                think_here(&mut searcher, &task, &self.voice);
                self.searcher = Some(searcher);
            }
        }
    }

    /// The moves named by `searchmoves`.
    fn parse_moves(&self, moves: &[&str]) -> Result<Vec<Move>, ParseMoveError> {
        moves.iter().map(|text| Move::parse(self.settings.rules, self.game.position(), text)).collect()
    }

    /// Ends the search, if one is running.
    fn stop(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            self.resume(thinking.stop());
        }
    }

    /// Waits for the search, if one is running.
    fn finish(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            self.resume(thinking.finish());
        }
    }

    /// Takes the searcher back from a search that has ended.
    fn resume(&mut self, searcher: Option<Searcher>) {
        if searcher.is_none() {
            self.voice.complain("the search has failed");
        }
        self.searcher = searcher;
    }
}

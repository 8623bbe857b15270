//! The conversation.

use std::io::{BufRead, Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::command::{Command, Go};
use super::report::answer;
use super::settings::{Changed, Settings};
use super::thinking::{Task, Thinking, Voice};
use crate::certificate::Certificates;
use crate::game::Game;
use crate::search::Searcher;
use crate::table::TableError;
use crate::tablebase::Tablebase;

/// Longer than any game: what follows on the line is skipped, so that no input can fill the memory.
const MAX_LINE: u64 = 1 << 20;

/// Answers the commands of `input`, one a line, until `quit` or its end. At the end of the input a search that has
/// a limit is still finished.
pub fn serve(mut input: impl BufRead, output: impl Write + Send + 'static, settings: Settings) {
    let mut engine = Engine::new(settings, output);
    let mut line = Vec::new();
    loop {
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
        if engine.handle(&String::from_utf8_lossy(&line)).is_break() {
            return engine.stop();
        }
    }
}

struct Engine<W> {
    settings: Settings,
    voice: Voice<W>,
    game: Game,
    /// The tables, once it was tried to open them.
    tables: Option<Option<Arc<Tablebase>>>,
    /// The certificates beside them.
    certificates: Arc<Certificates>,
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
            tables: None,
            certificates: Arc::default(),
            searcher: None,
            thinking: None,
        }
    }

    /// Does what `line` says; breaks if that is to quit.
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
                match self.settings.set(&name, &value) {
                    Ok(changed) => self.adapt(changed),
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
                self.stop();
                self.think(&go);
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

    fn adapt(&mut self, changed: Changed) {
        match changed {
            Changed::Rules => {
                (self.tables, self.searcher) = (None, None);
                self.game = Game::start(self.settings.rules);
            }
            // What was proven by other tables is as true as before.
            Changed::Tables => self.tables = None,
            Changed::Search => self.searcher = None,
        }
    }

    /// Gets tables and memory, unless they are there.
    fn prepare(&mut self) {
        if self.thinking.is_some() {
            return;
        }
        if self.tables.is_none() {
            self.tables = Some(self.open_tables());
            self.certificates = self.open_certificates();
        }
        let settings = &self.settings;
        self.searcher.get_or_insert_with(|| {
            Searcher::new(settings.rules, settings.hash_bytes()).with_threads(settings.threads)
        });
    }

    fn open_tables(&self) -> Option<Arc<Tablebase>> {
        match Tablebase::open(&self.settings.table_path, self.settings.rules) {
            Ok(tables) => Some(Arc::new(tables)),
            Err(error @ TableError::NoFolder { .. }) => {
                self.voice.say(format_args!("info string {error}; playing without"));
                None
            }
            Err(error) => {
                self.voice.complain(error);
                None
            }
        }
    }

    fn open_certificates(&self) -> Arc<Certificates> {
        let found = Certificates::open(&self.settings.table_path, self.settings.rules);
        Arc::new(found.unwrap_or_else(|error| {
            self.voice.complain(error);
            Certificates::default()
        }))
    }

    fn think(&mut self, go: &Go) {
        self.prepare();
        let Some(searcher) = self.searcher.take() else { return };
        let side = self.game.position().side();
        let task = Task {
            position: *self.game.position(),
            history: self.game.history().to_vec(),
            tables: self.tables.clone().flatten(),
            certificates: Arc::clone(&self.certificates),
            limits: go.limits(side, self.game.is_first_player(side)),
            is_endless: go.is_endless(),
        };
        self.thinking = Some(Thinking::start(searcher, task, self.voice.clone()));
    }

    /// Ends a search that is going on.
    fn stop(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            self.resume(thinking.stop());
        }
    }

    /// Waits for a search that is going on.
    fn finish(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            self.resume(thinking.finish());
        }
    }

    /// Takes back what a search was done with.
    fn resume(&mut self, searcher: Option<Searcher>) {
        if searcher.is_none() {
            self.voice.complain("the search has failed");
        }
        self.searcher = searcher;
    }
}

//! A game from its words.

use std::collections::HashMap;

use super::lex::{Token, result_of, tokens};
use super::notation::{NotationError, find_move, points};
use super::split::Chunk;
use super::{Fault, FaultKind, MAX_NESTING, Ply, ReadGame, Record, Variation, result_text};
use crate::game::{DRAWING_REPETITIONS, GameEnd, GameResult};
use crate::moves::has_legal_move;
use crate::position::{Position, shown};
use crate::rules::{CLASSIC, Rules};

/// Finds rules by name, beside the built-in ones.
pub type FindRules<'a> = &'a dyn Fn(&str) -> Option<&'static Rules>;

/// The game that `chunk` holds, as far as it can be read. Without `rules` they are those of the `Rules` tag,
/// or `classic`.
pub fn build(number: u64, chunk: Chunk, rules: Option<&'static Rules>, find: FindRules) -> ReadGame {
    let (tokens, broken) = tokens(&chunk.text);
    let mut build = Build {
        number,
        chunk: &chunk,
        fault: None,
        record: Record::new(rules.unwrap_or(&CLASSIC)),
        tag_result: None,
        result_at: None,
        frames: Vec::new(),
        seen: HashMap::new(),
        skipping: None,
    };
    // What is said before the tags is not said about the game.
    let is_of_head = |(_, token): &&(usize, Token)| matches!(token, Token::Tag(..) | Token::Comment(_));
    let head = tokens.iter().take_while(is_of_head);
    let last_tag = head.enumerate().filter(|(_, (_, token))| matches!(token, Token::Tag(..))).last();
    let (tags, moves) = tokens.split_at(last_tag.map_or(0, |(index, _)| index + 1));
    if build.tags(tags, rules, find) {
        build.moves(moves);
        if let Some((at, kind)) = broken {
            build.fault(at, None, kind);
        }
        if let Some((line, kind)) = &chunk.fault {
            let fault = Fault { game: number, line: *line, ply: None, kind: kind.clone() };
            build.fault.get_or_insert(fault);
        }
        build.finish();
    }
    ReadGame { number, line: chunk.line, record: build.record, fault: build.fault }
}

struct Build<'a> {
    number: u64,
    chunk: &'a Chunk,
    fault: Option<Fault>,
    record: Record,
    /// What the tag says, and where.
    tag_result: Option<(usize, Option<GameResult>)>,
    /// What the end of the moves says.
    result_at: Option<Option<GameResult>>,
    /// The game, then the variations that are open.
    frames: Vec<Frame>,
    /// How often positions of the game have occurred.
    seen: HashMap<Position, usize>,
    /// Variations deeper than this are passed over, because of a fault; 0 passes over the game itself.
    skipping: Option<usize>,
}

/// A line of moves in work.
struct Frame {
    comments: Vec<String>,
    plies: Vec<Ply>,
    /// Plies before the first of the line.
    before: usize,
    /// The positions before and after the last move.
    previous: Position,
    position: Position,
}

impl Build<'_> {
    /// Takes note of a fault; only the first counts.
    fn fault(&mut self, at: usize, ply: Option<(usize, String)>, kind: FaultKind) {
        let before = &self.chunk.text.as_bytes()[..at.min(self.chunk.text.len())];
        let line = self.chunk.first_line + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.fault.get_or_insert(Fault { game: self.number, line, ply, kind });
    }

    /// Takes in the tags. `false` when without them the moves mean nothing.
    fn tags(&mut self, tokens: &[(usize, Token)], wanted: Option<&'static Rules>, find: FindRules) -> bool {
        let mut fen = None;
        for (at, token) in tokens {
            let Token::Tag(name, value) = token else { continue };
            match *name {
                "Rules" => match (wanted, Rules::by_name(value).ok().or_else(|| find(value))) {
                    (Some(wanted), _) if wanted.name() == value => {}
                    (Some(wanted), _) => {
                        let found = shown(value);
                        self.fault(*at, None, FaultKind::OtherRules { found, wanted: wanted.name() });
                        return false;
                    }
                    (None, Some(rules)) => self.record.rules = rules,
                    (None, None) => {
                        self.fault(*at, None, FaultKind::UnknownRules(shown(value)));
                        return false;
                    }
                },
                "FEN" => fen = Some((*at, value)),
                "SetUp" => {}
                "Result" => match result_of(value) {
                    Some(result) => self.tag_result = Some((*at, result)),
                    None => self.fault(*at, None, FaultKind::ResultTag(shown(value))),
                },
                _ => self.record.set_tag(name, value),
            }
        }
        self.record.start = match fen {
            None => Position::start(self.record.rules),
            Some((at, text)) => match Position::parse(self.record.rules, text) {
                Ok(position) => position,
                Err(error) => {
                    self.fault(at, None, FaultKind::Start(error));
                    return false;
                }
            },
        };
        true
    }

    fn moves(&mut self, tokens: &[(usize, Token)]) {
        let start = self.record.start;
        self.seen.insert(start, 1);
        self.frames = vec![Frame::new(start, 0)];
        let mut depth = 0_usize;
        let mut last = 0;
        for (at, token) in tokens {
            last = *at;
            match token {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            match self.skipping {
                // The variation with the fault is closed: what comes after it counts again.
                Some(skipped) if depth < skipped => {
                    self.skipping = None;
                    self.close(*at);
                    continue;
                }
                Some(_) => continue,
                None => {}
            }
            match token {
                Token::Tag(..) | Token::Number => {}
                Token::Comment(text) => self.comment(text),
                Token::Open => self.open(*at),
                Token::Close => self.close(*at),
                Token::Nag(nag) => self.nag(*at, *nag),
                Token::Result(result) => {
                    if self.frames.len() == 1 {
                        self.result_at = Some(*result);
                    }
                }
                Token::Move(text, nag) => {
                    self.play(*at, text);
                    if let (Some(nag), None) = (nag, self.skipping) {
                        self.nag(*at, Some(*nag));
                    }
                }
            }
        }
        if self.frames.len() > 1 {
            self.fault(last, None, FaultKind::OpenVariation);
            while self.frames.len() > 1 {
                self.close(last);
            }
        }
        if let Some(game) = self.frames.pop() {
            (self.record.comments, self.record.plies) = (game.comments, game.plies);
        }
    }

    fn frame(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    fn comment(&mut self, text: &str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let (Some(frame), false) = (self.frame(), text.is_empty()) {
            match frame.plies.last_mut() {
                Some(ply) => ply.comments.push(text),
                None => frame.comments.push(text),
            }
        }
    }

    fn nag(&mut self, at: usize, nag: Option<u8>) {
        let ply = self.frames.last_mut().and_then(|frame| frame.plies.last_mut());
        match (ply, nag) {
            (Some(ply), Some(nag)) if !ply.nags.contains(&nag) => ply.nags.push(nag),
            (Some(_), Some(_)) => {}
            _ => self.fault(at, None, FaultKind::Nag),
        }
    }

    fn open(&mut self, at: usize) {
        let Some(frame) = self.frames.last() else { return };
        let depth = self.frames.len();
        let next = Frame::new(frame.previous, (frame.before + frame.plies.len()).saturating_sub(1));
        let fault = match () {
            () if frame.plies.is_empty() => Some(FaultKind::VariationFirst),
            () if depth > MAX_NESTING => Some(FaultKind::Nesting),
            () => None,
        };
        if let Some(kind) = fault {
            self.fault(at, None, kind);
            self.skipping = Some(depth);
        }
        self.frames.push(next);
    }

    fn close(&mut self, at: usize) {
        if self.frames.len() < 2 {
            return self.fault(at, None, FaultKind::NoVariation);
        }
        let closed = self.frames.pop();
        let parent = self.frames.last_mut().and_then(|frame| frame.plies.last_mut());
        match (closed, parent) {
            (Some(Frame { comments, plies, .. }), Some(parent)) if !plies.is_empty() => {
                parent.variations.push(Variation { comments, plies });
            }
            _ => self.fault(at, None, FaultKind::EmptyVariation),
        }
    }

    fn play(&mut self, at: usize, text: &str) {
        let is_game = self.frames.len() == 1;
        let rules = self.record.rules;
        let Some(frame) = self.frames.last() else { return };
        let position = frame.position;
        let ply = || Some((frame.before + frame.plies.len() + 1, shown(text)));
        let found = match over(rules, &position) {
            Some(end) => Err((ply(), FaultKind::AfterEnd(end))),
            None => find_move(rules, &position, text).map_err(|error| match error {
                // A word that looks like no move need not be meant as one.
                NotationError::NotAMove(_) if points(text).is_none() => {
                    (ply(), FaultKind::Unknown(shown(text)))
                }
                error => (ply(), FaultKind::Move(error)),
            }),
        };
        let mv = match found {
            Ok(mv) => mv,
            Err((ply, kind)) => {
                self.fault(at, ply, kind);
                self.skipping = Some(self.frames.len() - 1);
                return;
            }
        };
        if is_game && self.seen.get(&position).is_some_and(|&times| times >= DRAWING_REPETITIONS) {
            // The players went on all the same: the moves are kept.
            let ply = ply();
            self.fault(at, ply, FaultKind::AfterEnd(GameEnd::Repetition));
        }
        let after = position.play(rules, &mv);
        if is_game {
            *self.seen.entry(after).or_default() += 1;
        }
        if let Some(frame) = self.frame() {
            (frame.previous, frame.position) = (position, after);
            frame.plies.push(Ply::new(mv));
        }
    }

    /// Settles the result, and whether it can be true.
    fn finish(&mut self) {
        let end = self.chunk.text.trim_end().len();
        let (tag, moves) = (self.tag_result, self.result_at);
        self.record.result = moves.flatten().or(tag.and_then(|(_, result)| result));
        match (tag, moves) {
            (Some((at, tag)), Some(moves)) if tag != moves => {
                let kind = FaultKind::TwoResults { tag: result_text(tag), end: result_text(moves) };
                self.fault(at, None, kind);
            }
            (Some(_), None) => self.fault(end, None, FaultKind::NoResult),
            _ => {}
        }
        if self.fault.is_none() && self.record.result.is_some() {
            let (game, _) = self.record.game();
            let (found, actual) = (self.record.result, game.result());
            if let Some(actual) = actual.filter(|&actual| Some(actual) != found) {
                let ply = self.record.plies.last().map(|ply| (self.record.plies.len(), ply.mv.to_string()));
                self.fault(end, ply, FaultKind::WrongResult { found, actual });
            }
        }
    }
}

impl Frame {
    fn new(position: Position, before: usize) -> Frame {
        Frame { comments: Vec::new(), plies: Vec::new(), before, previous: position, position }
    }
}

/// Why the game is over in a position, for reasons that the position shows.
fn over(rules: &Rules, position: &Position) -> Option<GameEnd> {
    match () {
        () if !has_legal_move(rules, position) && position.own().is_empty() => Some(GameEnd::NoStone),
        () if !has_legal_move(rules, position) => Some(GameEnd::NoMove),
        () if position.is_drawn_by_counter(rules) => Some(GameEnd::PlyLimit),
        () => None,
    }
}

//! The move to play.

use std::time::Duration;

use web_time::Instant;

use super::repetition::drawn_if_repeated;
use super::{Effort, Insight, Knowledge, KnowledgeError, Source, Worth};
use crate::certificate::Answer;
use crate::position::Position;
use crate::search::{Found, Request, Searcher};
use crate::table::Value;
use crate::tablebase::{ProbeError, covered};

/// The move to play, why, and who knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The line that begins with the move, and what it is worth in this game.
    pub found: Found,
    /// Who chose it.
    pub source: Source,
}

impl Knowledge {
    /// The move to play in `position` after the positions of `history`: by tables or a certificate where they
    /// know a way, else by a search with `searcher`. A draw by repetition counts as the draw that it is.
    /// `progress` is called with what is known after every iteration of the search, and once with an
    /// answer that needs no search.
    ///
    /// # Errors
    /// [`KnowledgeError`] when the position is illegal under the rules, or a table or certificate is damaged.
    pub fn choose(
        &self,
        position: &Position,
        history: &[Position],
        searcher: &mut Searcher,
        effort: &Effort<'_>,
        progress: impl FnMut(&Found),
    ) -> Result<Choice, KnowledgeError> {
        let mut progress = progress;
        let begun = Instant::now();
        // Half of the time at most: if that is too little, the search goes on with tables at its leaves.
        let end = effort.limits.time.map(|time| time / 2);
        let mut goes_on = || !effort.is_aborted() && end.is_none_or(|end| begun.elapsed() < end);
        let proven = match self.proven_while(position, history, &mut goes_on) {
            // What is proven is about the choice among all moves.
            _ if !effort.only.is_empty() => None,
            Err(KnowledgeError::Probe(ProbeError::Stopped)) => match self.reply_at_once(position, history)? {
                Some(choice) => {
                    progress(&choice.found);
                    return Ok(choice);
                }
                None => None,
            },
            proven => proven?,
        };
        if let Some(insight) = proven
            && let Some(choice) = self.settled(position, &insight, goes_on)?
        {
            progress(&choice.found);
            return Ok(choice);
        }
        let mut limits = effort.limits;
        limits.time = limits.time.map(|time| time.saturating_sub(begun.elapsed()));
        let mut request = Request::within(limits).with_tables(self.tables()).with_history(history);
        (request.only, request.stop) = (effort.only, effort.stop);
        let found = searcher.search(position, &request, progress)?;
        Ok(Choice { found, source: Source::Search })
    }

    /// The reply of a certificate, where there is no time for more than one look-up.
    fn reply_at_once(
        &self,
        position: &Position,
        history: &[Position],
    ) -> Result<Option<Choice>, KnowledgeError> {
        // Which positions a proof passes through is not known here.
        if self.rules.can_repeat() && !drawn_if_repeated(position, history).is_empty() {
            return Ok(None);
        }
        let choice = |answer: Answer| Choice {
            found: at_once(Worth::of_value(answer.value), vec![answer.mv]),
            source: Source::Certificate,
        };
        Ok(self.certificates.reply(position)?.map(choice))
    }

    /// The choice that needs no search. `None` where a win is proven but nothing shows the way.
    fn settled(
        &self,
        position: &Position,
        insight: &Insight,
        goes_on: impl FnMut() -> bool,
    ) -> Result<Option<Choice>, KnowledgeError> {
        let Some(source) = insight.source() else { return Ok(None) };
        let Some(best) = insight.moves.first() else {
            let worth = insight.worth().unwrap_or(Worth::DRAW);
            return Ok(Some(Choice { found: at_once(worth, Vec::new()), source }));
        };
        // What is uncertain only because of a repetition is for the search, which sees repetitions.
        let (Some(known), false) = (insight.in_game, insight.lacks_a_way_to_win()) else { return Ok(None) };
        let line = match source {
            Source::Certificate => insight.line.clone(),
            // Play goes on by tables unless the first move is a different one in this game.
            _ => match self.tables().map(|tables| tables.main_line_while(position, goes_on)) {
                Some(line) => covered(line)?
                    .map_or_else(Vec::new, |line| line.moves.iter().map(|ranked| ranked.mv).collect()),
                None => Vec::new(),
            },
        };
        let line = if line.first() == Some(&best.mv) { line } else { vec![best.mv] };
        let is_by_rules = known.source == Source::Rules && known.value() == Some(Value::Draw);
        let source = if is_by_rules { Source::Rules } else { source };
        Ok(Some(Choice { found: at_once(known.worth, line), source }))
    }
}

fn at_once(worth: Worth, line: Vec<crate::moves::Move>) -> Found {
    Found { score: worth.score(), line, depth: 0, nodes: 0, time: Duration::ZERO }
}

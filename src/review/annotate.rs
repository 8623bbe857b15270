//! A record with what a review says in its comments.

use super::{Mark, Review, ReviewedMove, Worth};
use crate::record::Record;

/// The record with a mark and a comment at every reviewed move, beside what was there before.
pub fn annotated(record: &Record, review: &Review) -> Record {
    let mut record = record.clone();
    for (ply, mv) in record.plies.iter_mut().zip(&review.moves) {
        if let Some(mark) = mv.mark
            && !ply.nags.contains(&mark.nag())
        {
            ply.nags.push(mark.nag());
        }
        ply.comments.extend(comment(mv));
    }
    record
}

/// What is said about a move; nothing where nothing is known.
fn comment(mv: &ReviewedMove) -> Option<String> {
    let (worth, best) = (&mv.value, &mv.best_value);
    if worth.source.is_none() && best.source.is_none() {
        return None;
    }
    let mut text = match mv.mark {
        Some(Mark::Only) => "only move: ".to_owned(),
        _ => String::new(),
    };
    text += &described(worth);
    match mv.mark {
        Some(Mark::Blunder) => {
            text += &format!("; had {}", described(best));
            text += &best_move(mv);
        }
        Some(Mark::Slow) => {
            text += &format!("; {} plies longer than necessary", mv.lost.unwrap_or(0));
            text += &best_move(mv);
        }
        _ if worth.value().is_none() && best.value().is_some() => {
            text += &format!("; had {}", described(best));
            text += &best_move(mv);
        }
        _ => {}
    }
    Some(text)
}

fn best_move(mv: &ReviewedMove) -> String {
    match mv.best.first() {
        Some(best) if *best != mv.mv => format!(", best {best}"),
        _ => String::new(),
    }
}

/// A value with its distance and its source: `win in 21 (tables)`.
pub(super) fn described(worth: &Worth) -> String {
    let source = |text: String| match worth.source {
        Some(source) => format!("{text} ({})", source.name()),
        None => text,
    };
    match (worth.verdict, worth.estimate) {
        (Some(verdict), _) => source(verdict.in_words()),
        (None, Some(hundredths)) => source(format!("unknown, about {:+.2}", f64::from(hundredths) / 100.0)),
        (None, None) => "unknown".to_owned(),
    }
}

//! The figures of a slice.

use std::sync::{Arc, PoisonError};

use axum::extract::State;
use serde::Deserialize;

use crate::json;
use crate::material::Material;
use crate::study::{StudyError, stats as count};
use crate::table::Metric;
use crate::web::abort::{Abort, AbortOnDrop};
use crate::web::app::{App, Asked, Client, Parameters, tables};
use crate::web::error::{ApiError, Failures};
use crate::web::headers::{Answer, Keep};

/// A larger slice is not counted while somebody waits. So many positions take a second or two.
const MOST_POSITIONS: u128 = 16_000_000;

/// Which slice.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StatsQuery {
    /// The slice: `3v2` when the side to move has 3 stones and the other side 2.
    #[param(example = "2v2", pattern = "^[0-9]{1,2}v[0-9]{1,2}$")]
    material: String,
}

/// The figures of a slice: histograms of its distances, moves to choose from, and the share of only moves. The
/// answer of `alquerque stats --json`; slices of more than 16,000,000 positions are left to that command.
#[utoipa::path(
    get,
    path = "/{rules}/stats",
    params(("rules" = String, Path, example = "classic"), StatsQuery),
    responses((status = 200, body = json::Stats, description = "The figures."), Failures)
)]
pub async fn stats(
    State(app): State<App>,
    client: Client,
    Asked(knowledge): Asked,
    Parameters(query): Parameters<StatsQuery>,
) -> Result<Answer, ApiError> {
    let material: Material = query.material.parse()?;
    let rules = knowledge.rules();
    let key = (rules.name(), material);
    let known = app.clone();
    let slot = app.enter_bulk(client).await?;
    let abort = Abort::default();
    let _on_drop = AbortOnDrop(abort.clone());
    app.bulk(move || {
        let _slot = slot;
        let tables = tables(&knowledge)?;
        tables.table(material, Metric::Wdl)?;
        if rules.positions(material.mover(), material.opponent()) > MOST_POSITIONS {
            return Err(ApiError::NotFound(format!(
                "{material} has too many positions to be counted here; 'alquerque stats' counts them"
            )));
        }
        let cache = || known.stats().lock().unwrap_or_else(PoisonError::into_inner);
        let found = cache().get(&key).cloned();
        let figures = match found {
            Some(figures) => figures,
            None => {
                let figures = count(tables, material, &(), abort.flag())?;
                let figures = Arc::new(json::Stats::new(rules, &figures));
                cache().insert(key, Arc::clone(&figures));
                figures
            }
        };
        Answer::new(&*figures, Keep::Yes)
    })
    .await
}

impl From<StudyError> for ApiError {
    fn from(error: StudyError) -> ApiError {
        match error {
            StudyError::Probe(error) => error.into(),
            StudyError::Stopped => ApiError::TimedOut,
        }
    }
}

//! The longest win or loss of a slice.

use std::sync::PoisonError;

use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::material::Material;
use crate::table::Value;
use crate::web::app::{App, Asked, Client, LongestKey, Parameters, tables};
use crate::web::error::{ApiError, Failures};
use crate::web::headers::{Answer, Keep};

/// Which slice.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LongestQuery {
    /// The slice: `3v2` when the side to move has 3 stones and the other side 2.
    #[param(example = "2v2", pattern = "^[0-9]{1,2}v[0-9]{1,2}$")]
    material: String,
    /// `win` (default) or `loss`.
    #[param(example = "win", pattern = "^(win|loss)$")]
    value: Option<String>,
}

/// A position that takes longest.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Longest {
    rules: &'static str,
    material: String,
    value: &'static str,
    /// The distance that was compared: the first by which moves are ranked that has a table.
    metric: &'static str,
    position: String,
}

/// The position of a slice whose win or loss takes longest. Among several it is always the same one.
#[utoipa::path(
    get,
    path = "/{rules}/longest",
    params(("rules" = String, Path, example = "classic"), LongestQuery),
    responses((status = 200, body = Longest, description = "The position."), Failures)
)]
pub async fn longest(
    State(app): State<App>,
    client: Client,
    Asked(knowledge): Asked,
    Parameters(query): Parameters<LongestQuery>,
) -> Result<Answer, ApiError> {
    let material: Material = query.material.parse()?;
    let value = match query.value.as_deref() {
        None | Some("win") => Value::Win,
        Some("loss") => Value::Loss,
        Some(_) => return Err(ApiError::BadRequest("value is win or loss".to_owned())),
    };
    let known = app.clone();
    app.scan(client, move |abort| {
        let tables = tables(&knowledge)?;
        let metric = tables.ranking_metric(material);
        let key: LongestKey = (knowledge.rules().name(), material, metric, value);
        let cache = || known.longest().lock().unwrap_or_else(PoisonError::into_inner);
        let found = cache().get(&key).cloned();
        let position = match found {
            Some(position) => position,
            None => {
                let found = tables.longest(material, metric, value, abort.flag())?;
                let none = || ApiError::NotFound(format!("{material} has no {value} with a known distance"));
                let position = found.ok_or_else(none)?.to_string();
                cache().insert(key, position.clone());
                position
            }
        };
        let (rules, metric, value) = (knowledge.rules().name(), metric.name(), value.name());
        Answer::new(&Longest { rules, material: material.to_string(), value, metric, position }, Keep::Yes)
    })
    .await
}

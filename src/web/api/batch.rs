//! Many positions at once.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use rayon::prelude::*;
use serde::Serialize;

use crate::json;
use crate::knowledge::Knowledge;
use crate::position::{Position, shown};
use crate::web::app::{App, Asked, Client};
use crate::web::error::{ApiError, ErrorBody, Failures};
use crate::web::headers::{Answer, Keep};

/// What there is to say to one position of a batch.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Item {
    /// What a probe of it says.
    Probe(json::Probe),
    /// Why there is no answer to it.
    Error(ErrorBody),
}

/// The answers to a list of positions, in order; for each the object that a probe gives, or that of an error.
#[utoipa::path(
    post,
    path = "/{rules}/batch",
    params(("rules" = String, Path, example = "classic")),
    request_body(content = Vec<String>, example = json!(["5/5/1w3/5/w2b1 w", "5/1b3/5/5/2w1w w"])),
    responses(
        (status = 200, body = Vec<Item>, description = "An answer to each position, in order."),
        (status = 413, body = ErrorBody, description = "Too many positions, or too long a body."),
        (status = 415, body = ErrorBody, description = "The body does not say that it is JSON."),
        Failures
    )
)]
pub async fn batch(
    State(app): State<App>,
    client: Client,
    Asked(knowledge): Asked,
    positions: Result<Json<Vec<String>>, JsonRejection>,
) -> Result<Answer, ApiError> {
    let Json(positions) = positions?;
    let most = app.limits().batch;
    if positions.len() > most {
        let count = positions.len();
        return Err(ApiError::TooLarge(format!("a batch has {most} positions at most, not {count}")));
    }
    app.work(client, move || {
        let items: Vec<Item> = positions.par_iter().map(|text| item(&knowledge, text)).collect();
        Answer::new(&items, Keep::No)
    })
    .await
}

fn item(knowledge: &Knowledge, text: &str) -> Item {
    let rules = knowledge.rules();
    let answer = || -> Result<json::Probe, ApiError> {
        let position = Position::parse(rules, text)?;
        Ok(json::Probe::new(rules, &position, &knowledge.look_up(&position, &[])?))
    };
    match answer() {
        Ok(probe) => Item::Probe(probe),
        // In a batch the position is part of the message.
        Err(error) => Item::Error(ErrorBody::new(&error, format!("'{}': {error}", shown(text)))),
    }
}

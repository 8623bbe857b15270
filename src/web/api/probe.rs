//! The verdict on a position and its moves.

use axum::extract::State;

use super::PositionQuery;
use crate::json;
use crate::position::Position;
use crate::web::app::{App, Asked, Client, Parameters, oracle};
use crate::web::error::{ApiError, Failures};
use crate::web::headers::{Answer, Keep};

/// Who wins a position, how soon, and what each move is worth: the answer of `alquerque probe --json`.
#[utoipa::path(
    get,
    path = "/{rules}",
    params(("rules" = String, Path, example = "classic"), PositionQuery),
    responses((status = 200, body = json::Probe, description = "The verdict and the legal moves, best first."), Failures)
)]
pub async fn probe(
    State(app): State<App>,
    client: Client,
    Asked(advisor): Asked,
    Parameters(query): Parameters<PositionQuery>,
) -> Result<Answer, ApiError> {
    let position = Position::parse(advisor.rules(), &query.position)?;
    app.work(client, move || {
        let (verdict, moves) = oracle(&advisor)?.probe_with_moves(&position)?;
        Answer::new(&json::Probe::new(advisor.rules(), &position, &verdict, &moves), Keep::Yes)
    })
    .await
}

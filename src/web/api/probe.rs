//! The verdict on a position and its moves.

use axum::extract::State;

use super::PositionQuery;
use crate::json;
use crate::position::Position;
use crate::web::app::{App, Asked, Client, Parameters};
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
    Asked(knowledge): Asked,
    Parameters(query): Parameters<PositionQuery>,
) -> Result<Answer, ApiError> {
    let position = Position::parse(knowledge.rules(), &query.position)?;
    app.answer(client, move |abort| {
        let insight = knowledge.look_up_while(&position, &[], || abort.goes_on())?;
        Answer::new(&json::Probe::new(knowledge.rules(), &position, &insight), Keep::Yes)
    })
    .await
}

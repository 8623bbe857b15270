//! The line of best play.

use axum::extract::State;

use super::PositionQuery;
use crate::json;
use crate::position::Position;
use crate::web::app::{App, Asked, Client, Parameters};
use crate::web::error::{ApiError, Failures};
use crate::web::headers::{Answer, Keep};

/// Best play from a position to the end of the game: the answer of `alquerque line --json`.
#[utoipa::path(
    get,
    path = "/{rules}/line",
    params(("rules" = String, Path, example = "classic"), PositionQuery),
    responses((status = 200, body = json::Line, description = "The verdict and the moves of best play."), Failures)
)]
pub async fn line(
    State(app): State<App>,
    client: Client,
    Asked(knowledge): Asked,
    Parameters(query): Parameters<PositionQuery>,
) -> Result<Answer, ApiError> {
    let position = Position::parse(knowledge.rules(), &query.position)?;
    app.answer(client, move |abort| {
        let verdict = knowledge.verdict_while(&position, || abort.goes_on())?;
        let line = knowledge.main_line_while(&position, || abort.goes_on())?;
        Answer::new(&json::Line::new(knowledge.rules(), &position, &verdict, &line), Keep::Yes)
    })
    .await
}

//! The line of best play.

use axum::extract::State;

use super::PositionQuery;
use crate::json;
use crate::position::Position;
use crate::web::app::{App, Asked, Client, Parameters, tables};
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
    Asked(advisor): Asked,
    Parameters(query): Parameters<PositionQuery>,
) -> Result<Answer, ApiError> {
    let position = Position::parse(advisor.rules(), &query.position)?;
    app.work(client, move || {
        let tables = tables(&advisor)?;
        let (verdict, line) = (tables.probe(&position)?, tables.main_line(&position)?);
        Answer::new(&json::Line::new(advisor.rules(), &position, &verdict, &line), Keep::Yes)
    })
    .await
}

//! A drawing of a position for previews of links.

use axum::extract::State;
use axum::http::HeaderValue;
use axum::response::Response;

use super::PositionQuery;
use crate::position::Position;
use crate::web::app::{App, Asked, Client, Parameters};
use crate::web::error::{ApiError, Failures};
use crate::web::headers::{Keep, tagged};
use crate::web::image;

/// A drawing of a position as a PNG image of 1200 × 630 pixels, for previews of links.
#[utoipa::path(
    get,
    path = "/{rules}/png",
    params(("rules" = String, Path, example = "classic"), PositionQuery),
    responses((status = 200, body = Vec<u8>, content_type = "image/png", description = "The drawing."), Failures)
)]
pub async fn png(
    State(app): State<App>,
    client: Client,
    Asked(knowledge): Asked,
    Parameters(query): Parameters<PositionQuery>,
) -> Result<Response, ApiError> {
    let position = Position::parse(knowledge.rules(), &query.position)?;
    let draw = move |_: &_| {
        image::png(&position).ok_or_else(|| ApiError::Internal("a position cannot be drawn".to_owned()))
    };
    let (bytes, _presence) = app.look_up(client, draw).await?;
    Ok(tagged(bytes, HeaderValue::from_static("image/png"), Keep::Yes))
}

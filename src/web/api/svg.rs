//! A drawing of a position.

use axum::http::HeaderValue;
use axum::response::Response;

use super::PositionQuery;
use crate::position::Position;
use crate::web::app::{Asked, Parameters};
use crate::web::error::{ApiError, Failures};
use crate::web::headers::{Keep, tagged};

/// A drawing of a position as an SVG image.
#[utoipa::path(
    get,
    path = "/{rules}/svg",
    params(("rules" = String, Path, example = "classic"), PositionQuery),
    responses((status = 200, body = String, content_type = "image/svg+xml", description = "The drawing."), Failures)
)]
pub async fn svg(
    Asked(knowledge): Asked,
    Parameters(query): Parameters<PositionQuery>,
) -> Result<Response, ApiError> {
    let position = Position::parse(knowledge.rules(), &query.position)?;
    let image = position.svg().to_string();
    Ok(tagged(image, HeaderValue::from_static("image/svg+xml"), Keep::Yes))
}

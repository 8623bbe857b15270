//! The API: one file per route. The OpenAPI description is made from them.

mod batch;
mod board;
mod exercise;
mod health;
mod line;
mod longest;
mod png;
mod probe;
mod refutation;
mod rules;
mod stats;
mod svg;
mod tables;

use axum::Router;
use serde::Deserialize;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::app::App;

/// A question about a position.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct PositionQuery {
    /// The position: ranks 5 to 1, the side to move, then forbidden steps and ply counter if needed; or `start`.
    #[param(example = "5/5/1w3/5/w2b1 w", pattern = "^(start|[wb1-5/]{9,29}( .*)?|[-wb ]{25,}.*)$")]
    position: String,
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Alquerque",
        description = "Exact values of Alquerque positions. Values are for the side to move, those of a move for \
                       the player of the move; distances are in plies. `/api/…` is the same as `/api/v1/…`."
    ),
    components(schemas(super::error::ErrorBody))
)]
struct Document;

/// The routes of the API by version, the newest also without a version, and their description.
pub fn versioned() -> (Router<App>, utoipa::openapi::OpenApi) {
    let (router, document) = OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(health::health))
        .nest("/api/v1", routes())
        .split_for_parts();
    let (newest, _) = OpenApiRouter::new().nest("/api", routes()).split_for_parts();
    (router.merge(newest), document)
}

fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(rules::rules))
        .routes(routes!(tables::tables))
        .routes(routes!(probe::probe))
        .routes(routes!(line::line))
        .routes(routes!(batch::batch))
        .routes(routes!(board::board))
        .routes(routes!(longest::longest))
        .routes(routes!(stats::stats))
        .routes(routes!(exercise::exercise))
        .routes(routes!(refutation::refutation))
        .routes(routes!(svg::svg))
        .routes(routes!(png::png))
}

//! What tables there are.

use axum::extract::State;

use crate::json;
use crate::web::app::App;
use crate::web::error::ApiError;
use crate::web::headers::{Answer, Keep};

/// What tables there are, with counts, longest distances and sizes: the answer of `alquerque info --json`.
#[utoipa::path(get, path = "/tables", responses((status = 200, body = Vec<json::Slice>, description = "The slices by rule set and number of stones.")))]
pub async fn tables(State(app): State<App>) -> Result<Answer, ApiError> {
    let tables = app.all_knowledge().iter().filter_map(|knowledge| knowledge.tables());
    let slices: Vec<json::Slice> = tables
        .flat_map(|tables| tables.slices().into_iter().map(|slice| json::Slice::new(tables.rules(), &slice)))
        .collect();
    Answer::new(&slices, Keep::No)
}

//! Whether the server is there.

use axum::Json;
use serde::Serialize;

/// That the server is there.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Health {
    /// `ok`.
    status: &'static str,
    /// The version of the program.
    version: &'static str,
}

/// Whether the server is there, for whoever watches over it.
#[utoipa::path(get, path = "/healthz", responses((status = 200, body = Health, description = "It is there.")))]
pub async fn health() -> Json<Health> {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

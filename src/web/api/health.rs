//! Whether the server is up.

use axum::Json;
use serde::Serialize;

/// The server is up.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Health {
    /// `ok`.
    status: &'static str,
    /// The version of the program.
    version: &'static str,
}

/// Health check: whether the server is up.
#[utoipa::path(get, path = "/healthz", responses((status = 200, body = Health, description = "The server is up.")))]
pub async fn health() -> Json<Health> {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

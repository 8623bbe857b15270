//! Which URL leads where, and the layers that all requests pass through.

use std::any::Any;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{AllowOrigin, Any as AnyOrigin, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::{DefaultMakeSpan, DefaultOnFailure, DefaultOnResponse, TraceLayer};
use tracing::Level;

use super::admission::{Admission, admit};
use super::app::App;
use super::config::{Config, Origins};
use super::error::ApiError;
use super::headers::{Keep, not_modified, security, tagged};
use super::{api, page};

/// All routes.
pub fn router(app: App, config: &Config, admission: Admission) -> Router {
    let (api, document) = api::versioned();
    let document: Bytes = serde_json::to_vec(&document).unwrap_or_default().into();
    let document =
        move || async move { tagged(document, HeaderValue::from_static("application/json"), Keep::No) };
    let time = app.limits().time;
    let body = app.limits().body;
    let mut router = Router::new()
        .route("/", get(page::index))
        .route("/page/languages.json", get(page::languages))
        .route("/page/{*name}", get(page::file))
        .route("/api/openapi.json", get(document))
        .merge(api)
        .fallback(nowhere)
        .method_not_allowed_fallback(|| async { ApiError::Method })
        .layer(DefaultBodyLimit::max(body))
        .layer(middleware::from_fn_with_state(admission, admit))
        .layer(middleware::from_fn_with_state(time, in_time))
        .layer(middleware::from_fn(not_modified))
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(panicked));
    if let Some(cors) = cors_layer(&config.cors) {
        router = router.layer(cors);
    }
    for (name, value) in security(&config.embedding) {
        router = router.layer(SetResponseHeaderLayer::if_not_present(name, value));
    }
    let trace = TraceLayer::new_for_http()
        .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
        .on_response(DefaultOnResponse::new().level(Level::INFO))
        .on_failure(DefaultOnFailure::new().level(Level::WARN));
    router.layer(trace).with_state(app)
}

async fn nowhere() -> ApiError {
    ApiError::NotFound("nothing found at this URL; /api/openapi.json lists the API".to_owned())
}

/// Gives up on a request after `time`.
async fn in_time(State(time): State<Duration>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => ApiError::TimedOut.into_response(),
    }
}

fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    ApiError::Internal(text.unwrap_or_else(|| "panicked".to_owned())).into_response()
}

fn cors_layer(origins: &Origins) -> Option<CorsLayer> {
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([header::CONTENT_TYPE])
        .max_age(Duration::from_secs(3600));
    match origins {
        Origins::None => None,
        Origins::Any => Some(layer.allow_origin(AnyOrigin)),
        Origins::Only(origins) => {
            let origins = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
            Some(layer.allow_origin(AllowOrigin::list(origins)))
        }
    }
}

//! Answers that can be kept, and the headers that all answers have.

use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::error::ApiError;

/// Exact answers do not change, but a server with more tables may add to them: they are kept for an hour.
const KEEP: &str = "public, max-age=3600";
/// What depends on the time a search had, or on the version of the program.
const ASK_AGAIN: &str = "no-cache";

/// What the page may do: nothing but use its own files and the API.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
pub const SECURITY: [(HeaderName, HeaderValue); 3] = [
    (axum::http::header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY)),
    (axum::http::header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (axum::http::header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// How long an answer is good for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// It can be used again without asking, for a while.
    Yes,
    /// It must be asked for again, though it may turn out the same.
    No,
}

/// An answer as JSON.
pub struct Answer {
    json: Vec<u8>,
    keep: Keep,
}

impl Answer {
    /// The answer `value`.
    ///
    /// # Errors
    /// [`ApiError::Internal`] when it cannot be written.
    pub fn new(value: &impl Serialize, keep: Keep) -> Result<Answer, ApiError> {
        let json = serde_json::to_vec(value).map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok(Answer { json, keep })
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        tagged(self.json, HeaderValue::from_static("application/json"), self.keep)
    }
}

/// A body with its type, how long it can be kept, and a tag by which it is known again.
pub fn tagged(
    body: impl Into<axum::body::Body> + AsRef<[u8]>,
    content_type: HeaderValue,
    keep: Keep,
) -> Response {
    // Weak: the same tag stands for the compressed form.
    let tag = format!("W/\"{:016x}\"", xxh3_64(body.as_ref()));
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, content_type);
    let keep = match keep {
        Keep::Yes => KEEP,
        Keep::No => ASK_AGAIN,
    };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    (headers, body.into()).into_response()
}

/// Leaves the body away where the client says that it has it already.
pub async fn not_modified(request: Request, next: Next) -> Response {
    let known = request.headers().get(IF_NONE_MATCH).cloned();
    let mut response = next.run(request).await;
    let (Some(known), Some(tag)) = (known, response.headers().get(ETAG)) else { return response };
    let same = known.to_str().is_ok_and(|known| {
        known
            .split(',')
            .map(str::trim)
            .any(|known| known == "*" || tag.to_str().is_ok_and(|tag| tag == known))
    });
    if same && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = axum::body::Body::empty();
        response.headers_mut().remove(CONTENT_TYPE);
    }
    response
}

//! Answers that can be kept, and the headers that all answers have.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::config::Origins;
use super::error::ApiError;
use super::slots::Presence;

/// Exact answers do not change, but a server with more tables may add to them: they are kept for an hour.
const KEEP: &str = "public, max-age=3600";
/// What depends on the time a search had, or on the version of the program.
const ASK_AGAIN: &str = "no-cache";

/// What the page may do: nothing but use its own files and the API. Who may show it in a frame comes behind.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ";

/// Headers of every answer, if pages of these origins may show the page in a frame.
pub fn security(embedding: &Origins) -> [(HeaderName, HeaderValue); 3] {
    let ancestors = match embedding {
        Origins::None => "'none'".to_owned(),
        Origins::Any => "*".to_owned(),
        Origins::Only(origins) => origins.join(" "),
    };
    // An origin is plain text, or it would not have been let in.
    let policy = HeaderValue::from_str(&format!("{CONTENT_SECURITY_POLICY}{ancestors}"));
    [
        (
            axum::http::header::CONTENT_SECURITY_POLICY,
            policy.unwrap_or(HeaderValue::from_static("default-src 'none'")),
        ),
        (axum::http::header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (axum::http::header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ]
}

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
    /// Counts for the client until the answer is on its way.
    presence: Option<Presence>,
}

impl Answer {
    /// The answer `value`.
    ///
    /// # Errors
    /// [`ApiError::Internal`] when it cannot be written.
    pub fn new(value: &impl Serialize, keep: Keep) -> Result<Answer, ApiError> {
        let json = serde_json::to_vec(value).map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok(Answer { json, keep, presence: None })
    }

    /// The same, counted for its client until it is on its way.
    pub fn held(self, presence: Presence) -> Answer {
        Answer { presence: Some(presence), ..self }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = tagged(self.json, HeaderValue::from_static("application/json"), self.keep);
        if let Some(presence) = self.presence {
            let body = std::mem::take(response.body_mut());
            *response.body_mut() = Body::new(Held { body, _presence: presence });
        }
        response
    }
}

/// A body with its type, how long it can be kept, and a tag by which it is known again.
pub fn tagged(body: impl Into<Bytes>, content_type: HeaderValue, keep: Keep) -> Response {
    // Weak: the same tag stands for the compressed form.
    let body: Bytes = body.into();
    let tag = format!("W/\"{:016x}\"", xxh3_64(&body));
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    let keep = match keep {
        Keep::Yes => KEEP,
        Keep::No => ASK_AGAIN,
    };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    (headers, Body::new(Pieces(body))).into_response()
}

/// A body in pieces, so that hyper takes over no more of it than the client reads.
struct Pieces(Bytes);

/// Bytes of a piece.
const PIECE: usize = 16 << 10;

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.0.len().min(PIECE);
        let piece = self.0.split_to(length);
        Poll::Ready((length > 0).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

/// A body that counts for its client until it is sent or given up.
pub struct Held<P> {
    /// The body.
    pub body: Body,
    /// What counts.
    pub _presence: P,
}

impl<P: Unpin> HttpBody for Held<P> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
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
            .any(|known| known == "*" || tag.to_str().is_ok_and(|tag| opaque(tag) == opaque(known)))
    });
    if same && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = axum::body::Body::empty();
        response.headers_mut().remove(CONTENT_TYPE);
    }
    response
}

/// A tag without the sign that it is weak: for `If-None-Match` that makes no difference.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

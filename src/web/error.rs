//! Why a request has no answer: a status and a sentence, as JSON.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::game::GameError;
use crate::knowledge::KnowledgeError;
use crate::material::ParseMaterialError;
use crate::moves::ParseMoveError;
use crate::position::ParsePositionError;
use crate::rules::UnknownRules;
use crate::table::TableError;
use crate::tablebase::{LongestError, ProbeError};

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    #[error("{0}")]
    BadRequest(String),
    #[error("{0}")]
    NotFound(String),
    #[error("this URL does not support the method; see /api/openapi.json")]
    Method,
    #[error("{0}")]
    TooLarge(String),
    #[error("the body must be JSON, with Content-Type: application/json")]
    MediaType,
    #[error("send the body uncompressed")]
    ContentEncoding,
    #[error("unsupported Expect header; only 100-continue is supported")]
    Expectation,
    #[error("unknown host '{0}'")]
    Misdirected(String),
    #[error("superseded by a newer request of the same session")]
    Superseded,
    #[error("too many requests at once from this address; try again when some are answered")]
    TooManyRequests,
    #[error("the server is busy; try again later")]
    Busy,
    #[error("the request took too long")]
    TimedOut,
    #[error("internal error, or a damaged table; see the server's log")]
    Internal(String),
}

/// The body of an error response.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// A sentence for the user, in English.
    error: String,
    /// An error code, for programs and translations.
    #[schema(example = "bad_request")]
    code: &'static str,
}

/// The errors that any request about a position can return, for the description of the API.
#[derive(utoipa::IntoResponses)]
#[allow(dead_code)]
pub enum Failures {
    /// The position, a move or another parameter is invalid.
    #[response(status = 400)]
    BadRequest(ErrorBody),
    /// No such rules, or no table for the position.
    #[response(status = 404)]
    NotFound(ErrorBody),
    /// The URL does not support the method.
    #[response(status = 405)]
    Method(ErrorBody),
    /// Too many requests of one client at the same time.
    #[response(status = 429)]
    TooManyRequests(ErrorBody),
    /// A table is damaged.
    #[response(status = 500)]
    Internal(ErrorBody),
    /// Too many requests of all clients at the same time, or it took too long.
    #[response(status = 503)]
    Busy(ErrorBody),
}

impl From<ApiError> for ErrorBody {
    fn from(why: ApiError) -> ErrorBody {
        ErrorBody::new(&why, why.to_string())
    }
}

impl ErrorBody {
    /// What is wrong, in the words of `error`.
    pub fn new(why: &ApiError, error: String) -> ErrorBody {
        ErrorBody { error, code: why.status().1 }
    }
}

impl ApiError {
    fn status(&self) -> (StatusCode, &'static str) {
        match self {
            ApiError::BadRequest(_) => (StatusCode::BAD_REQUEST, "bad_request"),
            ApiError::NotFound(_) => (StatusCode::NOT_FOUND, "not_found"),
            ApiError::Method => (StatusCode::METHOD_NOT_ALLOWED, "method"),
            ApiError::TooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            ApiError::MediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type"),
            ApiError::ContentEncoding => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "content_encoding"),
            ApiError::Expectation => (StatusCode::EXPECTATION_FAILED, "expectation"),
            ApiError::Misdirected(_) => (StatusCode::MISDIRECTED_REQUEST, "host"),
            ApiError::Superseded => (StatusCode::CONFLICT, "superseded"),
            ApiError::TooManyRequests => (StatusCode::TOO_MANY_REQUESTS, "too_many_requests"),
            ApiError::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            ApiError::TimedOut => (StatusCode::SERVICE_UNAVAILABLE, "timed_out"),
            ApiError::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, _) = self.status();
        if let ApiError::Internal(reason) = &self {
            tracing::error!("{reason}");
        }
        let mut response = (status, Json(ErrorBody::new(&self, self.to_string()))).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// Marks errors of these types as mistakes of the client.
macro_rules! bad_request {
    ($($error:ty),*) => {$(
        impl From<$error> for ApiError {
            fn from(error: $error) -> ApiError {
                ApiError::BadRequest(error.to_string())
            }
        }
    )*};
}

bad_request!(GameError, ParseMaterialError, ParseMoveError, ParsePositionError);

impl From<UnknownRules> for ApiError {
    fn from(error: UnknownRules) -> ApiError {
        ApiError::NotFound(error.to_string())
    }
}

impl From<KnowledgeError> for ApiError {
    fn from(error: KnowledgeError) -> ApiError {
        match error {
            KnowledgeError::Probe(error) => error.into(),
            KnowledgeError::Table(error) => error.into(),
            KnowledgeError::NoTables { .. } => ApiError::NotFound(error.to_string()),
            KnowledgeError::Certificate(error) => ApiError::Internal(error.to_string()),
        }
    }
}

impl From<ProbeError> for ApiError {
    fn from(error: ProbeError) -> ApiError {
        match error {
            ProbeError::Position { .. } => ApiError::BadRequest(error.to_string()),
            ProbeError::Table(error) => error.into(),
            error => ApiError::Internal(error.to_string()),
        }
    }
}

impl From<TableError> for ApiError {
    fn from(error: TableError) -> ApiError {
        match error {
            // Reworded: clients need not know where the tables are.
            TableError::NoTable { material, metric, .. } => {
                ApiError::NotFound(format!("there is no {metric} table for {material}"))
            }
            TableError::NoFolder { rules, .. } => {
                ApiError::NotFound(format!("there are no tables for '{rules}'"))
            }
            error => ApiError::Internal(error.to_string()),
        }
    }
}

impl From<LongestError> for ApiError {
    fn from(error: LongestError) -> ApiError {
        match error {
            LongestError::Probe(error) => error.into(),
            LongestError::Stopped => ApiError::TimedOut,
        }
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> ApiError {
        // The message of the library, without its prefix.
        let text = rejection.body_text();
        let what = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
        ApiError::BadRequest(format!("invalid query string: {what}"))
    }
}

impl From<PathRejection> for ApiError {
    fn from(rejection: PathRejection) -> ApiError {
        ApiError::BadRequest(rejection.body_text())
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> ApiError {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::TooLarge("the body is too long".to_owned()),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => ApiError::MediaType,
            _ => ApiError::BadRequest("the body must be a JSON array of strings".to_owned()),
        }
    }
}

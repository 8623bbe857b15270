//! Requests that are refused before anything is done about them.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, HOST};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::config::Hosts;
use super::error::ApiError;

/// What a request must fulfil.
#[derive(Clone)]
pub struct Admission(Arc<Conditions>);

struct Conditions {
    hosts: Hosts,
    most_body: usize,
}

impl Admission {
    /// Requests to `hosts` with a body of at most `most_body` bytes. The address is the one that the server
    /// listens on.
    pub fn new(hosts: &Hosts, address: IpAddr, most_body: usize) -> Admission {
        let hosts = match hosts {
            Hosts::Automatic if address.is_loopback() => Hosts::Only(Vec::new()),
            Hosts::Automatic => Hosts::Any,
            hosts => hosts.clone(),
        };
        Admission(Arc::new(Conditions { hosts, most_body }))
    }

    fn check(&self, request: &Request) -> Result<(), ApiError> {
        let headers = request.headers();
        self.check_host(request)?;
        let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > self.0.most_body as u64) {
            return Err(ApiError::TooLarge("the body is too long".to_owned()));
        }
        let is = |value: &HeaderValue, text: &str| value.as_bytes().eq_ignore_ascii_case(text.as_bytes());
        if headers.get(EXPECT).is_some_and(|value| !is(value, "100-continue")) {
            return Err(ApiError::Expectation);
        }
        if headers.get(CONTENT_ENCODING).is_some_and(|value| !is(value, "identity")) {
            return Err(ApiError::ContentEncoding);
        }
        Ok(())
    }

    fn check_host(&self, request: &Request) -> Result<(), ApiError> {
        let given = host(request.headers(), request.version())?;
        let Hosts::Only(allowed) = &self.0.hosts else { return Ok(()) };
        // An address in full takes the place of the header.
        let in_uri = request.uri().authority().map(|authority| authority.host().to_owned());
        let Some(name) = in_uri.or(given) else { return Ok(()) };
        let is_address = name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        let is_own = name.eq_ignore_ascii_case("localhost");
        if is_address || is_own || allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(&name)) {
            return Ok(());
        }
        Err(ApiError::Misdirected(crate::position::shown(&name)))
    }
}

/// The host that a request names, without a port.
///
/// # Errors
/// [`ApiError::BadRequest`] when it names none or several, or none that makes sense. Requests of HTTP/1.0
/// need not name one.
fn host(headers: &HeaderMap, version: Version) -> Result<Option<String>, ApiError> {
    let wrong = || ApiError::BadRequest("a request names its host once, in the header Host".to_owned());
    let mut hosts = headers.get_all(HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host,
        (None, _) if version < Version::HTTP_11 => return Ok(None),
        _ => return Err(wrong()),
    };
    let authority: Authority = host.to_str().map_err(|_| wrong())?.parse().map_err(|_| wrong())?;
    Ok(Some(authority.host().to_owned()))
}

/// Answers a request that does not fulfil the conditions with an error, at once.
pub async fn admit(State(admission): State<Admission>, request: Request, next: Next) -> Response {
    match admission.check(&request) {
        Ok(()) => next.run(request).await,
        Err(error) => {
            let mut response = error.into_response();
            // There may be a body that will not be read.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            response
        }
    }
}

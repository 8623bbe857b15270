//! Many positions at once.

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use rayon::prelude::*;
use serde::Serialize;

use crate::json;
use crate::knowledge::Knowledge;
use crate::position::{Position, shown};
use crate::rules::Rules;
use crate::web::abort::{Abort, AbortOnDrop};
use crate::web::app::{App, Asked, Client};
use crate::web::error::{ApiError, ErrorBody, Failures};
use crate::web::headers::Held;

/// The answer to one position of a batch.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Item {
    /// What a probe of it says.
    Probe(json::Probe),
    /// Why the position has no answer.
    Error(ErrorBody),
}

/// Probes a list of positions. The answers are in order: each is the object of a probe, or that of an error.
#[utoipa::path(
    post,
    path = "/{rules}/batch",
    params(("rules" = String, Path, example = "classic")),
    request_body(content = Vec<String>, example = json!(["5/5/1w3/5/w2b1 w", "5/1b3/5/5/2w1w w"])),
    responses(
        (status = 200, body = Vec<Item>, description = "The answers, in the order of the positions."),
        (status = 413, body = ErrorBody, description = "There are too many positions, or the body is too long."),
        (status = 415, body = ErrorBody, description = "The body does not say that it is JSON."),
        Failures
    )
)]
pub async fn batch(
    State(app): State<App>,
    client: Client,
    Asked(knowledge): Asked,
    request: Request,
) -> Result<Response, ApiError> {
    // The body is read once there is a slot: waiting requests take no memory.
    let slot = app.enter_bulk(client).await?;
    let Json(texts) = Json::<Vec<String>>::from_request(request, &()).await?;
    let most = app.limits().batch;
    if texts.len() > most {
        let count = texts.len();
        return Err(ApiError::TooLarge(format!("a batch has {most} positions at most, not {count}")));
    }
    let rules = knowledge.rules();
    let questions = app.bulk(move || Ok(texts.iter().map(|text| question(rules, text)).collect())).await?;
    let abort = AbortOnDrop(Abort::default());
    let answers = Answers { app, knowledge, questions, answered: 0, is_done: false, abort };
    let pieces = stream::unfold(answers, |mut answers| async move {
        let piece = answers.next().await?;
        Some((piece, answers))
    });
    // The compression layer polls once more after the end.
    let pieces = pieces.fuse();
    let body = Body::new(Held { body: Body::from_stream(pieces), _presence: Box::new(slot) });
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, body).into_response())
}

/// A position of a batch, or why the text is not one. Small, because there are many.
type Question = Result<Position, Box<ErrorBody>>;

/// The answers to a batch, computed as the client reads them.
struct Answers {
    app: App,
    knowledge: Arc<Knowledge>,
    questions: Arc<[Question]>,
    answered: usize,
    is_done: bool,
    /// Ends the piece in work when the client goes away: hyper then drops the answers.
    abort: AbortOnDrop,
}

/// How many positions are answered at a time.
const PIECE: usize = 64;

impl Answers {
    /// The next bytes of the answer.
    async fn next(&mut self) -> Option<Result<Bytes, ApiError>> {
        if self.is_done {
            return None;
        }
        let (knowledge, questions) = (Arc::clone(&self.knowledge), Arc::clone(&self.questions));
        let abort = self.abort.0.clone();
        let from = self.answered;
        let to = questions.len().min(from + PIECE);
        (self.answered, self.is_done) = (to, to == questions.len());
        let piece = self.app.bulk(move || {
            let items: Vec<Item> =
                questions[from..to].par_iter().map(|question| item(&knowledge, question, &abort)).collect();
            let mut bytes = Vec::new();
            for (index, item) in items.iter().enumerate() {
                bytes.push(if from + index == 0 { b'[' } else { b',' });
                serde_json::to_writer(&mut bytes, item)
                    .map_err(|error| ApiError::Internal(error.to_string()))?;
            }
            if to == questions.len() {
                bytes.extend(if to == 0 { b"[]".as_slice() } else { b"]" });
            }
            Ok(bytes.into())
        });
        Some(piece.await)
    }
}

fn question(rules: &Rules, text: &str) -> Question {
    Position::parse(rules, text).map_err(|error| Box::new(error_of(text, &error.into())))
}

fn item(knowledge: &Knowledge, question: &Question, abort: &Abort) -> Item {
    let position = match question {
        Ok(position) => position,
        Err(error) => return Item::Error(ErrorBody::clone(error)),
    };
    match knowledge.look_up_while(position, &[], || abort.goes_on()) {
        Ok(insight) => Item::Probe(json::Probe::new(knowledge.rules(), position, &insight)),
        Err(error) => Item::Error(error_of(&position.to_string(), &error.into())),
    }
}

/// In a batch the position is part of the message.
fn error_of(text: &str, error: &ApiError) -> ErrorBody {
    ErrorBody::new(error, format!("'{}': {error}", shown(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::Certificates;
    use crate::rules::CLASSIC;
    use crate::tablebase::Tablebase;

    #[test]
    fn look_ups_of_a_batch_end_when_it_is_aborted() {
        let tables = Tablebase::open("tables", &CLASSIC).unwrap();
        let knowledge = Knowledge::new(&CLASSIC, Some(tables), Certificates::default());
        let position = question(&CLASSIC, "5/b4/3w1/3w1/5 w");
        let abort = Abort::default();
        assert!(matches!(item(&knowledge, &position, &abort), Item::Probe(_)));
        abort.abort();
        assert!(matches!(item(&knowledge, &position, &abort), Item::Error(_)));
    }
}

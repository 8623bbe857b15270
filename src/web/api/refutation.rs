//! "Why not?": what a move leads to.

use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::json;
use crate::moves::Move;
use crate::position::Position;
use crate::web::app::{App, Asked, Client, Parameters};
use crate::web::error::{ApiError, Failures};
use crate::web::headers::{Answer, Keep};

/// Which move.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RefutationQuery {
    /// The position before the move.
    #[param(example = "5/b4/3w1/3w1/5 w")]
    position: String,
    /// The move.
    #[param(example = "d2-e2")]
    r#move: String,
}

/// What a move leads to, against the best reply.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Refutation {
    r#move: String,
    /// The value before the move, for its player: `win`, `draw` or `loss`.
    #[schema(pattern = "^(win|draw|loss)$")]
    best_value: &'static str,
    /// The value after the move, for its player.
    #[schema(pattern = "^(win|draw|loss)$")]
    value: &'static str,
    /// Whether the move loses value.
    loses_value: bool,
    /// Best play from the position after the move.
    reply: json::Line,
}

/// The line of best play after a move, which refutes the move if it loses value.
#[utoipa::path(
    get,
    path = "/{rules}/refutation",
    params(("rules" = String, Path, example = "classic"), RefutationQuery),
    responses((status = 200, body = Refutation, description = "The line after the move."), Failures)
)]
pub async fn refutation(
    State(app): State<App>,
    client: Client,
    Asked(knowledge): Asked,
    Parameters(query): Parameters<RefutationQuery>,
) -> Result<Answer, ApiError> {
    let rules = knowledge.rules();
    let position = Position::parse(rules, &query.position)?;
    let mv = Move::parse(rules, &position, &query.r#move)?;
    app.answer(client, move |abort| {
        let best = knowledge.verdict_while(&position, || abort.goes_on())?.value;
        let after = position.play(rules, &mv);
        let verdict = knowledge.verdict_while(&after, || abort.goes_on())?;
        let line = knowledge.main_line_while(&after, || abort.goes_on())?;
        let reply = json::Line::new(rules, &after, &verdict, &line);
        let value = verdict.value.reversed();
        let refutation = Refutation {
            r#move: mv.to_string(),
            best_value: best.name(),
            value: value.name(),
            loses_value: value < best,
            reply,
        };
        Answer::new(&refutation, Keep::Yes)
    })
    .await
}

//! Exercises for a trainer.

use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::json;
use crate::knowledge::Wish;
use crate::material::Material;
use crate::table::Value;
use crate::web::app::{App, Asked, Client, Parameters};
use crate::web::error::{ApiError, Failures};
use crate::web::headers::{Answer, Keep};

/// Which exercise.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExerciseQuery {
    /// The slice: `3v2` when the side to move has 3 stones and the other side 2.
    #[param(example = "2v2", pattern = "^[0-9]{1,2}v[0-9]{1,2}$")]
    material: String,
    /// The goal that exactly one move reaches: `win` (default) or `draw`.
    #[param(example = "win", pattern = "^(win|draw)$")]
    goal: Option<String>,
    /// The fewest plies to the end of the win, or to its next capture where the end is not known.
    #[param(example = 5)]
    least: Option<u16>,
    /// The most plies.
    #[param(example = 20)]
    most: Option<u16>,
    /// Seed: the same number gives the same exercise.
    #[param(example = 1)]
    seed: Option<u64>,
}

/// An exercise.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Exercise {
    material: String,
    /// The goal: `win` or `draw`.
    #[schema(pattern = "^(win|draw)$")]
    goal: &'static str,
    /// The seed.
    seed: u64,
    /// The position and its moves; only the first move reaches the goal.
    #[serde(flatten)]
    solution: json::Probe,
}

/// A position in which exactly one of several legal moves keeps the win, or the draw.
#[utoipa::path(
    get,
    path = "/{rules}/exercise",
    params(("rules" = String, Path, example = "classic"), ExerciseQuery),
    responses((status = 200, body = Exercise, description = "The position and its solution."), Failures)
)]
pub async fn exercise(
    State(app): State<App>,
    client: Client,
    Asked(knowledge): Asked,
    Parameters(query): Parameters<ExerciseQuery>,
) -> Result<Answer, ApiError> {
    let material: Material = query.material.parse()?;
    let goal = match query.goal.as_deref() {
        None | Some("win") => Value::Win,
        Some("draw") => Value::Draw,
        Some(_) => return Err(ApiError::BadRequest("goal is win or draw".to_owned())),
    };
    let (least, most) = (query.least.unwrap_or(0), query.most.unwrap_or(u16::MAX));
    let wish = Wish { material, goal, least, most };
    let seed = query.seed.unwrap_or(0);
    app.scan(client, move |abort| {
        let found = knowledge.exercise(&wish, seed, abort.flag())?;
        let none =
            || ApiError::NotFound(format!("no exercise found in {material}; widen the range of plies"));
        let (position, insight) = found.ok_or_else(none)?;
        let solution = json::Probe::new(knowledge.rules(), &position, &insight);
        let exercise = Exercise { material: material.to_string(), goal: goal.name(), seed, solution };
        Answer::new(&exercise, Keep::Yes)
    })
    .await
}

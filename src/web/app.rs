//! What the routes share.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use axum::extract::{ConnectInfo, FromRequestParts, Path, Query};
use axum::http::request::Parts;

use super::config::Limits;
use super::error::ApiError;
use super::slots::Slots;
use crate::knowledge::{Knowledge, KnowledgeError};
use crate::material::Material;
use crate::rules::Rules;
use crate::table::{Metric, Value};
use crate::tablebase::Tablebase;

/// The state of the server.
#[derive(Clone)]
pub struct App(Arc<Shared>);

struct Shared {
    knowledge: Vec<Arc<Knowledge>>,
    limits: Limits,
    slots: Slots,
    longest: Mutex<HashMap<LongestKey, String>>,
}

/// Which longest line of play.
pub type LongestKey = (&'static str, Material, Metric, Value);

impl App {
    /// Opens all tables below `dir`, of the built-in rule sets and of `more`.
    ///
    /// # Errors
    /// [`KnowledgeError`] when one, or a certificate, is damaged.
    pub fn open(
        dir: &std::path::Path,
        more: &[&'static Rules],
        limits: Limits,
    ) -> Result<App, KnowledgeError> {
        let open = |rules| Ok(Arc::new(Knowledge::open_or_empty(dir, rules)?));
        let knowledge = Rules::ALL
            .into_iter()
            .chain(more.iter().copied())
            .map(open)
            .collect::<Result<_, KnowledgeError>>()?;
        let slots = Slots::new(&limits);
        Ok(App(Arc::new(Shared { knowledge, limits, slots, longest: Mutex::default() })))
    }

    /// What is known, by rule set.
    pub fn all_knowledge(&self) -> &[Arc<Knowledge>] {
        &self.0.knowledge
    }

    /// What is known about the rules called `name`.
    ///
    /// # Errors
    /// [`ApiError::NotFound`] when there are no such rules.
    fn knowledge(&self, name: &str) -> Result<Arc<Knowledge>, ApiError> {
        let found = self.0.knowledge.iter().find(|knowledge| knowledge.rules().name() == name);
        match found {
            Some(knowledge) => Ok(Arc::clone(knowledge)),
            None => Err(Rules::by_name(name).map_or_else(ApiError::from, |_| {
                ApiError::Internal(format!("nothing is known about {name}"))
            })),
        }
    }

    /// What a client may ask for.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Positions of longest lines that were found before; at most one for each slice and metric.
    pub fn longest(&self) -> &Mutex<HashMap<LongestKey, String>> {
        &self.0.longest
    }

    /// Does `work` for `client` on a thread that may be kept busy, when a slot is free. Once begun it is done to the end
    /// and keeps its slot, even if nobody waits for the answer any more.
    ///
    /// # Errors
    /// That of `work`, or that there is no slot.
    pub async fn work<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let slot = self.0.slots.enter(client.0).await?;
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop(slot);
            result
        });
        done.await.unwrap_or_else(|error| Err(ApiError::Internal(error.to_string())))
    }
}

/// The tables for a rule set.
///
/// # Errors
/// [`ApiError::NotFound`] when there are none.
pub fn tables(knowledge: &Knowledge) -> Result<&Tablebase, ApiError> {
    Ok(knowledge.tables().ok_or(KnowledgeError::NoTables { rules: knowledge.rules().name() })?)
}

/// Who asks: the address that a request comes from.
#[derive(Clone, Copy, Debug)]
pub struct Client(IpAddr);

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Client, ApiError> {
        let ConnectInfo(peer) = parts
            .extensions
            .get::<ConnectInfo<SocketAddr>>()
            .ok_or_else(|| ApiError::Internal("a request from nowhere".to_owned()))?;
        Ok(Client(peer.ip().to_canonical()))
    }
}

/// The part of the path that is not fixed.
#[derive(FromRequestParts)]
#[from_request(via(Path), rejection(ApiError))]
pub struct Segment<T>(pub T);

/// What is known about the rules that the path names.
pub struct Asked(pub Arc<Knowledge>);

impl FromRequestParts<App> for Asked {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Asked, ApiError> {
        let Segment(rules) = Segment::<String>::from_request_parts(parts, app).await?;
        app.knowledge(&rules).map(Asked)
    }
}

/// The parameters after `?`; if they make no sense the answer is an error like any other.
#[derive(FromRequestParts)]
#[from_request(via(Query), rejection(ApiError))]
pub struct Parameters<T>(pub T);

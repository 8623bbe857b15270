//! What the routes share.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::path::Path as FilePath;
use std::sync::{Arc, Mutex};
use std::thread;

use axum::extract::{ConnectInfo, FromRequestParts, Path, Query};
use axum::http::request::Parts;
use tokio::sync::{Semaphore, oneshot};

use super::abort::{Abort, AbortOnDrop, Sessions};
use super::config::{BULK, BULK_PER_CLIENT, Limits, SEARCH_HASH, SEARCH_QUEUE};
use super::error::ApiError;
use super::headers::Answer;
use super::slots::{Presence, Slots};
use crate::certificate::Certificates;
use crate::json;
use crate::knowledge::{Knowledge, KnowledgeError, SearcherPool};
use crate::material::Material;
use crate::rules::Rules;
use crate::table::{Metric, TableError, Value};
use crate::tablebase::Tablebase;

/// The state of the server.
#[derive(Clone)]
pub struct App(Arc<Shared>);

struct Shared {
    knowledge: Vec<Arc<Knowledge>>,
    limits: Limits,
    /// For questions that tables answer at once.
    quick: Slots,
    /// For requests that read much: batches, and whole slices.
    bulk: Slots,
    /// How many of those use a processor at the same time.
    bulk_work: Semaphore,
    searches: Slots,
    sessions: Sessions<(IpAddr, String)>,
    longest: Mutex<HashMap<LongestKey, String>>,
    stats: Mutex<HashMap<StatsKey, Arc<json::Stats>>>,
}

/// Which longest line of play.
pub type LongestKey = (&'static str, Material, Metric, Value);

/// Which figures.
pub type StatsKey = (&'static str, Material);

/// The longest name of a session.
pub const LONGEST_SESSION: usize = 64;

impl App {
    /// Opens all tables below `dir`, of the built-in rule sets and of `more`.
    ///
    /// # Errors
    /// [`KnowledgeError`] when one, or a certificate, is damaged.
    pub fn open(dir: &FilePath, more: &[&'static Rules], limits: Limits) -> Result<App, KnowledgeError> {
        let searchers = SearcherPool::new(SEARCH_HASH, limits.searches);
        let all = || Rules::ALL.into_iter().chain(more.iter().copied());
        let cache = limits.cache / all().count() as u64;
        let open = |rules: &'static Rules| {
            let tables = match Tablebase::with_cache(dir, rules, cache) {
                Ok(tables) => {
                    tables.open_all()?;
                    Some(tables)
                }
                Err(TableError::NoFolder { .. }) => None,
                Err(error) => return Err(error.into()),
            };
            let knowledge = Knowledge::new(rules, tables, Certificates::open(dir, rules)?);
            Ok(Arc::new(knowledge.with_searchers(searchers.clone())))
        };
        let knowledge = all().map(open).collect::<Result<_, KnowledgeError>>()?;
        let processors = thread::available_parallelism().map_or(1, |count| count.get());
        Ok(App(Arc::new(Shared {
            knowledge,
            quick: Slots::new(limits.probes, limits.queue, limits.per_client),
            bulk: Slots::new(BULK, limits.queue, limits.per_client.min(BULK_PER_CLIENT)),
            bulk_work: Semaphore::new(processors),
            searches: Slots::new(limits.searches, SEARCH_QUEUE, limits.searches_per_client),
            limits,
            sessions: Sessions::default(),
            longest: Mutex::default(),
            stats: Mutex::default(),
        })))
    }

    /// What is known, by rule set.
    pub fn all_knowledge(&self) -> &[Arc<Knowledge>] {
        &self.0.knowledge
    }

    /// What is known about the rules called `name`.
    ///
    /// # Errors
    /// [`ApiError::NotFound`] when there are no such rules.
    pub fn knowledge(&self, name: &str) -> Result<Arc<Knowledge>, ApiError> {
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

    /// Figures of slices that were counted before; at most one for each slice.
    pub fn stats(&self) -> &Mutex<HashMap<StatsKey, Arc<json::Stats>>> {
        &self.0.stats
    }

    /// Answers a question of `client` that takes no time to speak of: by rules, tables and certificates. It
    /// counts for the client until the answer is read.
    ///
    /// # Errors
    /// That of `work`, or that there is no slot.
    pub async fn answer(
        &self,
        client: Client,
        work: impl FnOnce(&Abort) -> Result<Answer, ApiError> + Send + 'static,
    ) -> Result<Answer, ApiError> {
        let (answer, presence) = self.look_up(client, work).await?;
        Ok(answer.held(presence))
    }

    /// Looks something up for `client` as [`answer`](Self::answer) does. It counts for the client until the
    /// second part of the result is dropped. `work` is told to abort when nobody waits for it any more.
    ///
    /// # Errors
    /// As for [`answer`](Self::answer).
    pub async fn look_up<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce(&Abort) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<(T, Presence), ApiError> {
        let slot = self.0.quick.enter(client.0).await?;
        let abort = Abort::default();
        let _on_drop = AbortOnDrop(abort.clone());
        let found = blocking(move || work(&abort)).await?;
        Ok((found, slot.into_presence()))
    }

    /// Lets a request of `client` in that reads much. It counts for the client until the result is dropped.
    ///
    /// # Errors
    /// That the client, or all clients together, have too many such requests open.
    pub async fn enter_bulk(&self, client: Client) -> Result<impl Send + 'static, ApiError> {
        self.0.bulk.enter(client.0).await
    }

    /// Does a part of such a request, when a processor is free.
    ///
    /// # Errors
    /// That of `work`.
    pub async fn bulk<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        // The semaphore is never closed.
        let _permit = self.0.bulk_work.acquire().await.map_err(|_| ApiError::Busy)?;
        blocking(work).await
    }

    /// Does work for `client` that reads much, as one part. It is aborted when nobody waits for the answer any
    /// more.
    ///
    /// # Errors
    /// That of `work`, or that there is no slot.
    pub async fn scan<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce(&Abort) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let slot = self.enter_bulk(client).await?;
        let abort = Abort::default();
        let _on_drop = AbortOnDrop(abort.clone());
        self.bulk(move || {
            let _slot = slot;
            work(&abort)
        })
        .await
    }

    /// Searches for `client`, on a thread of low priority. The search is aborted when nobody waits for the
    /// answer any more, and when the client begins another one in the same session.
    ///
    /// # Errors
    /// That of `work`, that there is no slot, or that a newer search has taken the place of this one.
    pub async fn search<T: Send + 'static>(
        &self,
        client: Client,
        session: Option<String>,
        work: impl FnOnce(&Abort) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let abort = Abort::default();
        let _on_drop = AbortOnDrop(abort.clone());
        let _registered = session.map(|name| self.0.sessions.begin((client.0, name), &abort));
        let slot = tokio::select! {
            slot = self.0.searches.enter(client.0) => slot?,
            () = abort.aborted() => return Err(ApiError::Superseded),
        };
        let (sender, result) = oneshot::channel();
        let flag = abort.clone();
        let searching = move || {
            lower_priority();
            let result = work(&flag);
            drop(slot);
            // The client may be gone.
            let _ = sender.send(result);
        };
        let builder = thread::Builder::new().name("search".to_owned());
        builder.spawn(searching).map_err(|error| ApiError::Internal(error.to_string()))?;
        tokio::select! {
            result = result => result.unwrap_or_else(|_| Err(ApiError::Internal("a search failed".to_owned()))),
            () = abort.aborted() => Err(ApiError::Superseded),
        }
    }
}

/// Does `work` on a thread that may be kept busy.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(ApiError::Internal(error.to_string())))
}

/// Lets the threads that answer at once go first.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(10) {
        tracing::debug!("cannot lower the priority of a search: {error}");
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

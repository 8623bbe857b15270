//! Listening, and stopping in good order.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;

use super::admission::Admission;
use super::app::App;
use super::config::Config;
use super::connections;
use super::preflight;
use super::routes::router;
use crate::knowledge::KnowledgeError;

/// How long requests in work may continue after the server was asked to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, or none of this machine's.
    #[error("cannot listen on {address}: {error}")]
    #[allow(missing_docs)]
    Listen { address: SocketAddr, error: io::Error },
    /// A table is damaged.
    #[error(transparent)]
    Tables(#[from] KnowledgeError),
    /// The system provides too few file descriptors.
    #[error("there are too few file descriptors to serve: {0}")]
    Descriptors(#[source] io::Error),
    /// The system lets too few threads start.
    #[error("cannot start the threads to serve: {0}")]
    Threads(#[source] io::Error),
    /// It cannot go on.
    #[error("cannot serve: {0}")]
    Io(#[from] io::Error),
}

/// A server that listens already and answers once it runs.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    config: Config,
    app: App,
}

crate::debug::debug_as!(Server, |server| address = server.address);

impl Server {
    /// Opens all tables and listens.
    ///
    /// # Errors
    /// [`ServeError`] when a table is damaged or the address cannot be had.
    pub fn bind(config: Config) -> Result<Server, ServeError> {
        let app = App::open(&config.dir, &config.rules, config.limits.clone())?;
        let listen = |error| ServeError::Listen { address: config.listen, error };
        let listener = TcpListener::bind(config.listen).map_err(listen)?;
        let address = listener.local_addr()?;
        Ok(Server { listener, address, config, app })
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Whether there is any table.
    pub fn has_tables(&self) -> bool {
        self.app.all_knowledge().iter().any(|knowledge| knowledge.tables().is_some())
    }

    /// Answers requests until the process is told to stop, by Ctrl-C or SIGTERM; then finishes those that
    /// have begun.
    ///
    /// # Errors
    /// [`ServeError`] if the system lacks threads or descriptors, or refuses to go on.
    pub fn run(self) -> Result<(), ServeError> {
        let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        preflight::descriptors(&self.listener).map_err(ServeError::Descriptors)?;
        preflight::threads(workers + self.config.limits.probes + 1).map_err(ServeError::Threads)?;
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(workers).enable_all().build()?;
        let result = runtime.block_on(self.serve());
        // The server does not wait for searches without a client.
        runtime.shutdown_background();
        result
    }

    async fn serve(self) -> Result<(), ServeError> {
        let Server { listener, address, config, app } = self;
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let (stop, end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        tokio::spawn(watch_signals(Arc::clone(&stop), Arc::clone(&end)));
        let limits = config.limits.clone();
        let admission = Admission::new(&config.hosts, address.ip(), limits.body);
        let router = router(app, &config, admission);
        connections::serve(listener, router, &limits, stop.notified(), end.notified()).await;
        Ok(())
    }
}

/// Tells with `stop` that the server is to stop, and with `end` that requests which are being answered are to
/// end too: after a while, or with a second signal.
async fn watch_signals(stop: Arc<Notify>, end: Arc<Notify>) {
    if let Err(error) = signal().await {
        // It can be stopped in other ways.
        return tracing::warn!("cannot watch for signals: {error}");
    }
    tracing::info!("stopping; once more to stop at once");
    stop.notify_one();
    let _ = tokio::time::timeout(GRACE, signal()).await;
    end.notify_one();
}

/// Waits for a signal to stop.
#[cfg(unix)]
async fn signal() -> io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = terminate.recv() => Ok(()),
    }
}

/// Waits for a signal to stop.
#[cfg(not(unix))]
async fn signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

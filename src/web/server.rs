//! Listening, and stopping in good order.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use axum_server::Handle;

use super::app::App;
use super::config::Config;
use super::routes::router;
use crate::knowledge::KnowledgeError;

/// So long may requests that are being answered go on when the server is told to stop.
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

    /// Answers requests until the process is told to stop, by Ctrl-C or SIGTERM; then finishes those that have begun.
    ///
    /// # Errors
    /// [`ServeError::Io`] when the system does not let it.
    pub fn run(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let result = runtime.block_on(self.serve());
        // A search that nobody waits for any more is not waited for either.
        runtime.shutdown_background();
        result
    }

    async fn serve(self) -> Result<(), ServeError> {
        let Server { listener, config, app, .. } = self;
        let handle = Handle::new();
        tokio::spawn(stop_on_signal(handle.clone()));
        let mut server = axum_server::from_tcp(listener)?.http1_only().handle(handle);
        let time = config.limits.time;
        server.http_builder().http1().header_read_timeout(time);
        let service = router(app, &config.cors).into_make_service_with_connect_info::<SocketAddr>();
        Ok(server.first_request_timeout(time).serve(service).await?)
    }
}

async fn stop_on_signal(handle: Handle<SocketAddr>) {
    if let Err(error) = signal().await {
        // It can be stopped in other ways.
        return tracing::warn!("cannot watch for signals: {error}");
    }
    tracing::info!("stopping; once more to stop at once");
    handle.graceful_shutdown(Some(GRACE));
    if signal().await.is_ok() {
        handle.shutdown();
    }
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

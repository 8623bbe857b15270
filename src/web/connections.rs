//! Connections: accepting them, counting them, and closing those whose client does not read.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::Sleep;
use tower_service::Service;

use super::config::{CONNECTIONS, Limits};
use super::slots::Slots;

/// Bytes of a request's head, and about the bytes of an answer that wait to be sent.
const BUFFER: usize = 64 << 10;
/// Bytes that a client must read in the time of a request, if the answer is that long.
const LEAST_TAKEN: usize = 64 << 10;
/// How long to wait when no connection can be accepted.
const PAUSE: Duration = Duration::from_millis(200);
/// How often that is logged at most.
const COMPLAINT: Duration = Duration::from_secs(10);

/// Serves connections until `stop` is done; then those that are busy may go on for `grace`.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    stop: impl Future<Output = ()>,
    grace: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.time).max_buf_size(BUFFER);
    let open = Arc::new(Semaphore::new(CONNECTIONS));
    let clients = Slots::new(1, CONNECTIONS, limits.per_client);
    let graceful = GracefulShutdown::new();
    let mut complained: Option<Instant> = None;
    let mut stop = std::pin::pin!(stop);
    loop {
        let permit = tokio::select! {
            permit = Arc::clone(&open).acquire_owned() => permit,
            () = &mut stop => break,
        };
        // The semaphore is never closed.
        let Ok(permit) = permit else { break };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_of_one_client(&error) => continue,
            Err(error) => {
                if complained.is_none_or(|before| before.elapsed() >= COMPLAINT) {
                    tracing::error!("cannot accept connections: {error}");
                    complained = Some(Instant::now());
                }
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let Ok(presence) = clients.appear(peer.ip().to_canonical()) else {
            tracing::debug!("{}: too many connections", peer.ip());
            continue;
        };
        // Small answers are not worth waiting for more.
        let _ = stream.set_nodelay(true);
        let stream = Patient::new(stream, limits.time);
        let service = service_fn(answering(router.clone(), peer));
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!("{}: {error}", peer.ip());
            }
            drop((presence, permit));
        });
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = grace => {}
    }
}

/// What `router` answers to `peer`.
fn answering(
    router: Router,
    peer: SocketAddr,
) -> impl Fn(hyper::Request<Incoming>) -> <Router as Service<hyper::Request<Body>>>::Future {
    move |request| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().call(request)
    }
}

/// Whether only the connection that was about to be accepted is broken.
fn is_of_one_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// A connection that fails when its client takes less than [`LEAST_TAKEN`] bytes in a given time while more
/// are waiting.
struct Patient<S> {
    stream: S,
    time: Duration,
    /// When it fails, once the client has made it wait.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Bytes taken since then.
    taken: usize,
}

impl<S> Patient<S> {
    fn new(stream: S, time: Duration) -> Patient<S> {
        Patient { stream, time, deadline: None, taken: 0 }
    }

    /// Notes what became of a write.
    fn wrote(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => {
                self.taken += bytes;
                if self.taken >= LEAST_TAKEN {
                    self.is_idle();
                }
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(error) => Poll::Ready(error),
            Poll::Pending => {
                let time = self.time;
                let deadline = self.deadline.get_or_insert_with(|| {
                    self.taken = 0;
                    Box::pin(tokio::time::sleep(time))
                });
                ready!(deadline.as_mut().poll(context));
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")))
            }
        }
    }

    /// Nothing is waiting to be sent, or enough was.
    fn is_idle(&mut self) {
        (self.deadline, self.taken) = (None, 0);
    }
}

impl AsyncRead for Patient<TcpStream> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient<TcpStream> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper flushes when it has handed over all that there is.
        self.is_idle();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

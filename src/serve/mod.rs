//! The live page: a server on the loopback interface.
//!
//! It answers with the document (`router`), a list of sessions (`listing`), and a session
//! as it is written (`feed`). It reads only, and only what the user named. Every request
//! needs the token of the address that is printed (`guard`), and a client that does not
//! read is dropped (`connection`).

mod connection;
mod feed;
mod guard;
mod listing;
mod router;
mod run_page;
mod stream_body;
mod token;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::reader::ReaderOptions;
use crate::usage::Prices;

pub(crate) use run_page::RunPage;
pub(crate) use token::Token;

use connection::LimitedListener;
use listing::Listing;

/// Time for clients to receive the end of a run before the process ends.
const LAST_MOMENT: Duration = Duration::from_millis(400);

/// What is served.
pub(crate) struct Served {
    /// Files, folders and sessions.
    pub(crate) paths: Vec<PathBuf>,
    /// The store, if one is shown.
    pub(crate) db: Option<PathBuf>,
    pub(crate) options: ReaderOptions,
    pub(crate) prices: Prices,
}

/// A server that is bound to a port.
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
    state: Arc<ServerState>,
    runtime: Runtime,
}

/// What requests share.
struct ServerState {
    options: ReaderOptions,
    prices: Arc<Prices>,
    db: Option<PathBuf>,
    listing: Arc<Listing>,
    token: Token,
    /// Number of clients that follow a run.
    followers: AtomicUsize,
}

impl Server {
    /// Binds a port of the loopback interface; 0 is any free one.
    pub(crate) fn bind(served: Served, port: u16, token: Token) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let Served { paths, db, options, prices } = served;
        let prices = Arc::new(prices);
        let listing = Listing::start(paths, options.clone(), Arc::clone(&prices))?;
        let state = ServerState {
            options,
            prices,
            db,
            listing,
            token: token.clone(),
            followers: AtomicUsize::new(0),
        };
        Ok(Self { listener, address, token, state: Arc::new(state), runtime })
    }

    /// Returns the address of the page, with the token.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token)
    }

    /// Answers requests; returns on an error only.
    pub(crate) fn run(self) -> io::Result<()> {
        let Self { listener, state, runtime, .. } = self;
        runtime.block_on(async {
            let listener = LimitedListener::new(tokio::net::TcpListener::from_std(listener)?);
            axum::serve(listener, router::router(state)).await
        })
    }

    /// Answers requests on a thread of its own.
    pub(crate) fn start(self) -> io::Result<RunningServer> {
        let state = Arc::clone(&self.state);
        let serve = move || {
            // The run goes on without its page.
            let _ = self.run();
        };
        std::thread::Builder::new().name("serve".to_owned()).spawn(serve)?;
        Ok(RunningServer { state })
    }
}

/// A server on a thread of its own, which ends with the process.
pub(crate) struct RunningServer {
    state: Arc<ServerState>,
}

impl Drop for RunningServer {
    /// Gives clients a moment to receive what was written last.
    fn drop(&mut self) {
        if self.state.followers.load(Ordering::Relaxed) > 0 {
            std::thread::sleep(LAST_MOMENT);
        }
    }
}

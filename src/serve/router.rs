//! What is answered under which address.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State as Shared};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::mpsc;

use super::ServerState;
use super::feed::Feed;
use super::guard::{check, parameter};
use super::listing::ListingVersion;
use super::stream_body::StreamBody;
use crate::page::{PageDocument, PageMode};

/// Events that wait for a client at most.
const MAX_WAITING: usize = 16;

/// The header with the version of a list.
const VERSION: &str = "streamj-version";

/// Returns the routes, behind the guard.
pub(super) fn router(state: Arc<ServerState>) -> Router {
    Router::new()
        .route("/", get(document))
        .route("/api/sessions", get(sessions))
        .route("/api/run", get(run))
        .route("/api/store", get(store))
        .layer(middleware::from_fn_with_state(Arc::clone(&state), guard))
        .with_state(state)
}

/// Rejects requests of others, and restricts what a browser does with an answer.
async fn guard(Shared(state): Shared<Arc<ServerState>>, request: Request, next: Next) -> Response {
    let mut response = match check(request.uri(), request.headers(), &state.token) {
        Ok(()) => next.run(request).await,
        Err(status) => status.into_response(),
    };
    let policy = PageMode::Live.policy() + "; frame-ancestors 'none'";
    let headers: [(HeaderName, &str); 7] = [
        (header::CONTENT_SECURITY_POLICY, &policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

async fn document() -> Response {
    let document = PageDocument { mode: PageMode::Live, title: "streamj" };
    let text = document.start() + &PageDocument::end();
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}

/// Returns the list of sessions, unless it is the one that the client has.
async fn sessions(Shared(state): Shared<Arc<ServerState>>, request: Request) -> Response {
    let known = parameter(request.uri(), "known");
    let ListingVersion { id, json: list } = state.listing.json().await;
    if known.is_some_and(|known| known == id) {
        return StatusCode::NO_CONTENT.into_response();
    }
    let mut response = json(list);
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HeaderName::from_static(VERSION), id);
    }
    response
}

fn json(bytes: Bytes) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], bytes).into_response()
}

/// Sends a run as it is written.
async fn run(Shared(state): Shared<Arc<ServerState>>, request: Request) -> Response {
    let name = parameter(request.uri(), "name").unwrap_or_default();
    let listing = Arc::clone(&state.listing);
    let found = tokio::task::spawn_blocking(move || listing.source(&name)).await;
    let Ok(Some(source)) = found else { return StatusCode::NOT_FOUND.into_response() };
    let last = request.headers().get("last-event-id");
    let known = last.and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let (sender, receiver) = mpsc::channel(MAX_WAITING);
    let options = state.options.clone();
    let feed = Feed { source, options, prices: Arc::clone(&state.prices), sender };
    let follow = move || {
        state.followers.fetch_add(1, Ordering::Relaxed);
        feed.run(known);
        state.followers.fetch_sub(1, Ordering::Relaxed);
    };
    if std::thread::Builder::new().name("feed".to_owned()).spawn(follow).is_err() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let body = Body::new(StreamBody(receiver));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

/// Returns what is in the store.
#[cfg(feature = "store")]
async fn store(Shared(state): Shared<Arc<ServerState>>) -> Response {
    let Some(path) = state.db.clone() else { return json(Bytes::from_static(b"{}")) };
    match tokio::task::spawn_blocking(move || read_store(&path)).await {
        Ok(Ok(text)) => json(text.into()),
        _ => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

#[cfg(feature = "store")]
fn read_store(path: &std::path::Path) -> anyhow::Result<Vec<u8>> {
    let mut json = Vec::new();
    match crate::store::Store::open_for_reading(path)? {
        Some(store) => store.overview()?.write(&mut json),
        None => json.extend_from_slice(b"{}"),
    }
    Ok(json)
}

#[cfg(not(feature = "store"))]
async fn store() -> Response {
    json(Bytes::from_static(b"{}"))
}

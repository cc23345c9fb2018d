//! `serve`: the live page of sessions.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::sessions::{find_sources, homes};
use crate::catalog::is_session_name;
use crate::cli::{Global, ServeArgs};
use crate::exit::Exit;
use crate::output::{
    Diagnostics, Output, OutputSafety, RowWriter, Style, error_message, system_message,
};
use crate::program::Streams;
use crate::serve::{Served, Server, Token};
use crate::usage::Prices;

/// Serves the page until the process is ended. An error is one of writing its address.
pub(super) fn run(args: &ServeArgs, global: &Global, mut streams: Streams) -> io::Result<Exit> {
    let diagnostics = Diagnostics::new(streams.stderr(), global.quiet);
    let sink = streams.sink(Style::from_environment(global.color, false));
    let mut out = Output::new(sink, diagnostics, RowWriter::default(), OutputSafety::default());
    let server = match bind(args, global, &mut out) {
        Ok(server) => server,
        Err(error) => {
            out.diagnostics.error(&error_message(&error));
            return Ok(Exit::Error);
        }
    };
    let url = server.url();
    out.sink.print(&format!("{url}\n"))?;
    out.sink.flush()?;
    if args.open && !open_browser(&url) {
        out.diagnostics.note("no program was found that opens the page in a browser");
    }
    match server.run() {
        Ok(()) => Ok(Exit::Success),
        Err(error) => {
            out.diagnostics.error(&format!("cannot serve: {}", system_message(&error)));
            Ok(Exit::Error)
        }
    }
}

fn bind(args: &ServeArgs, global: &Global, out: &mut Output) -> anyhow::Result<Server> {
    let mut paths = args.input.files.clone();
    anyhow::ensure!(
        paths.iter().all(|path| path.as_os_str() != "-"),
        "-: a page shows files and folders; standard input is none"
    );
    if args.home || paths.is_empty() {
        paths.extend(homes()?);
    }
    // Names are resolved once; folders are searched again while the page is shown.
    let (named, mut paths): (Vec<PathBuf>, Vec<_>) =
        paths.into_iter().partition(|path| is_session_name(path));
    let (found, exit) = find_sources(&named, &args.input, global, out);
    anyhow::ensure!(exit == Exit::Success, "nothing is served");
    paths.extend(found.iter().map(|source| source.path().to_owned()));
    for path in &paths {
        anyhow::ensure!(path.exists(), "{}: no such file", path.display());
    }
    let token = match &args.token_file {
        Some(path) => Token::of_file(path)
            .map_err(|error| anyhow::anyhow!("{}: {}", path.display(), system_message(&error)))?,
        None => Token::random()?,
    };
    let served = Served {
        paths,
        #[cfg(feature = "store")]
        db: args.db.clone(),
        #[cfg(not(feature = "store"))]
        db: None,
        options: global.reader_options(),
        prices: Prices::open(None)?,
    };
    let bound = Server::bind(served, args.port, token);
    bound.map_err(|error| {
        anyhow::anyhow!("port {}: cannot listen: {}", args.port, system_message(&error))
    })
}

/// Opens an address in the user's browser, and returns whether a program for it was found.
fn open_browser(url: &str) -> bool {
    let programs: [&[&str]; 3] =
        [&["xdg-open"], &["open"], &["rundll32", "url.dll,FileProtocolHandler"]];
    programs.iter().any(|words| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(url);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
    })
}

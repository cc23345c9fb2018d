//! The document: markup, style, script, and the policy that restricts it.

use std::sync::LazyLock;

use data_encoding::BASE64;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

/// The style of the page.
const STYLE: &str = include_str!("assets/page.css");

/// The script of the page: modules in the order in which they use each other.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("assets/text.js"),
    include_str!("assets/dom.js"),
    include_str!("assets/markdown.js"),
    include_str!("assets/model.js"),
    include_str!("assets/search.js"),
    include_str!("assets/item.js"),
    include_str!("assets/list.js"),
    include_str!("assets/timeline.js"),
    include_str!("assets/header.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/source.js"),
    include_str!("assets/main.js"),
    "})();\n",
);

/// Where the data of a page come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageMode {
    /// They are in the document.
    Report,
    /// The server that sent the document sends them.
    #[cfg(feature = "serve")]
    Live,
}

impl PageMode {
    fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            #[cfg(feature = "serve")]
            Self::Live => "live",
        }
    }

    /// Returns the ItemContent-Security-Policy. Only the page's own script and style apply, no
    /// string becomes HTML or script, and no request leaves the page, except for those of a
    /// live page to its server.
    pub(crate) fn policy(self) -> String {
        static HASHES: LazyLock<[String; 2]> = LazyLock::new(|| {
            [SCRIPT, STYLE].map(|text| BASE64.encode(&Sha256::digest(text.as_bytes())))
        });
        let [script, style] = &*HASHES;
        let connect = match self {
            Self::Report => "'none'",
            #[cfg(feature = "serve")]
            Self::Live => "'self'",
        };
        format!(
            "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; \
             img-src data:; connect-src {connect}; base-uri 'none'; form-action 'none'; \
             require-trusted-types-for 'script'; trusted-types 'none'"
        )
    }
}

/// The document around the data.
pub(crate) struct PageDocument<'a> {
    pub(crate) mode: PageMode,
    /// The title until the script sets that of a run.
    pub(crate) title: &'a str,
}

impl PageDocument<'_> {
    /// Returns what comes before the data.
    pub(crate) fn start(&self) -> String {
        let Self { mode, title } = self;
        let head = html! {
            (DOCTYPE)
            (PreEscaped("<html lang=\"en\" data-mode=\"")) (mode.name()) (PreEscaped("\">\n"))
            head {
                meta charset="utf-8";
                meta http-equiv="ItemContent-Security-Policy" content=(mode.policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="generator" content={ "streamj " (env!("CARGO_PKG_VERSION")) };
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            (PreEscaped("\n<body>\n"))
            (body(title))
            "\n"
        };
        head.into_string()
    }

    /// Returns what comes after the data.
    pub(crate) fn end() -> String {
        let script = html! { script { (PreEscaped(SCRIPT)) } "\n" };
        script.into_string() + "</body>\n</html>\n"
    }
}

/// Returns the parts of the page that exist before the script runs.
fn body(title: &str) -> Markup {
    html! {
        button #skip .skip type="button" { "Skip to the conversation" }
        header #top {
            div .bar {
                button #back .quiet type="button" hidden { "← Sessions" }
                h1 #title { (title) }
                span #state role="status" {}
                button #theme .quiet type="button" aria-label="Light or dark colours" { "◐" }
                button #help-button .quiet type="button" aria-label="Keyboard shortcuts" { "?" }
            }
            div #facts {}
        }
        noscript {
            p .notice {
                "This page shows its content with its own script. `streamj report --format \
                 markdown` writes the same without one."
            }
        }
        main #main {
            section #overview aria-label="Sessions" hidden {}
            section #run aria-label="Run" hidden {
                div #timeline {}
                div #toolbar role="search" aria-label="Filter the conversation" {}
                div #conversation tabindex="-1" {}
            }
        }
        footer { "Written by streamj " (env!("CARGO_PKG_VERSION")) }
        dialog #help aria-labelledby="help-title" {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These would let a text become markup, or a script run.
    #[test]
    fn script_uses_no_sink_for_strings() {
        for sink in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "DOMParser",
            "srcdoc",
            "eval(",
            "new Function",
            "setAttribute(\"on",
            ".src",
            "createContextualFragment",
            "import(",
            "https://",
            "</",
            "<!",
        ] {
            assert!(!SCRIPT.contains(sink), "{sink}");
        }
    }

    #[test]
    fn script_and_style_are_those_of_the_policy() {
        let document = PageDocument { mode: PageMode::Report, title: "<t>" };
        let text = document.start() + &PageDocument::end();
        let between = |start: &str, end: &str| {
            let (_, rest) = text.split_once(start).unwrap();
            rest.split_once(end).unwrap().0.to_owned()
        };
        let policy = PageMode::Report.policy();
        for (start, end) in [("<script>", "</script>"), ("<style>", "</style>")] {
            let hash = BASE64.encode(&Sha256::digest(between(start, end).as_bytes()));
            assert!(policy.contains(&format!("'sha256-{hash}'")), "{start}");
        }
        assert!(text.contains("<title>&lt;t&gt;</title>"));
    }
}

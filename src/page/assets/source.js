// Where the data come from: the document, or the server that sent it.

/** Reads the data that are embedded in the document. */
class EmbeddedSource {
  isLive = false;

  async overview() {
    const element = document.querySelector("script[data-overview]");
    return element ? JSON.parse(element.textContent) : undefined;
  }

  /** Returns the names of the runs. */
  runs() {
    this.headers ??= [...document.querySelectorAll("script[data-header]")].map((element) => ({
      number: element.dataset.header,
      header: JSON.parse(element.textContent),
    }));
    return this.headers.map(({ header }) => header.source);
  }

  /** Passes on the header and the changes of a run, part by part, so that the page stays usable. */
  async read(name, handlers) {
    this.runs();
    const found = this.headers.find(({ header }) => header.source === name) ?? this.headers[0];
    if (!found) return;
    handlers.header(found.header);
    let isFirst = true;
    for (const part of document.querySelectorAll(`script[data-run="${found.number}"]`)) {
      if (!isFirst) await new Promise((resolve) => setTimeout(resolve));
      if (handlers.isClosed()) return;
      handlers.changes(JSON.parse(part.textContent));
      isFirst = false;
    }
    handlers.done();
  }
}

/** Receives the data from the server. */
class LiveSource {
  isLive = true;

  address(path, parameters = {}) {
    const all = new URLSearchParams({ ...parameters, token: this.token() });
    return `${path}?${all}`;
  }

  token() {
    return new URLSearchParams(location.search).get("token") ?? "";
  }

  async fetch(path, parameters) {
    const response = await fetch(this.address(path, parameters), { cache: "no-store" });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response;
  }

  /** Returns the overview; nothing if it has not changed since the last call. */
  async overview() {
    const response = await this.fetch("api/sessions", { known: this.version ?? "" });
    if (response.status === 204) return undefined;
    this.version = response.headers.get("streamj-version");
    const overview = await response.json();
    this.names = overview.runs;
    return overview;
  }

  async store() {
    return (await this.fetch("api/store")).json();
  }

  runs() {
    return this.names ?? [];
  }

  /** Passes on a run as it is written. After an interruption the browser continues with the
   * last event it has received. */
  read(name, handlers) {
    const events = new EventSource(this.address("api/run", { name }));
    const on = (type, handle) =>
      events.addEventListener(type, (event) => {
        if (handlers.isClosed()) events.close();
        else handle(event.data ? JSON.parse(event.data) : undefined);
      });
    on("changes", handlers.changes);
    on("header", handlers.header);
    on("reset", handlers.reset);
    on("current", handlers.done);
    events.onerror = () => {
      if (!handlers.isClosed()) announce("Connection lost; trying again");
    };
    events.onopen = () => announce("Live");
    handlers.onClose = () => events.close();
  }
}


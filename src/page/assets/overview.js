// The sessions: a table with search, and charts of what they used.

/** Number of rows that are shown until more are requested. */
const TABLE_ROWS = 200;

const CHARTS = [
  ["Cost per day", "day", (row) => row.day],
  ["Cost per model", "model", (row) => row.model],
  ["Cost per project", "project", (row) => lastPart(row.project)],
  ["Cost per window of five hours", "block", (row) => dayAndTime(Date.parse(row.block))],
];

const COLUMNS = [
  ["Session", (entry) => entry.prompt ?? entry.session_id, false],
  ["Agent", (entry) => entry.harness, false],
  ["Project", (entry) => entry.project ?? "", false],
  ["Started", (entry) => Date.parse(entry.started_at ?? entry.last_at), false],
  ["Duration", (entry) => entry.duration_ms ?? 0, true],
  ["Model", (entry) => entry.model ?? "", false],
  ["Tools", (entry) => entry.tool_calls ?? 0, true],
  ["Tokens", (entry) => entry.total_tokens ?? 0, true],
  ["Cost", (entry) => entry.cost_with_estimate_usd ?? entry.cost_usd ?? 0, true],
];

class OverviewPage {
  /** `open` is called with the name of the run that was selected. */
  constructor(container, open) {
    this.container = container;
    this.open = open;
    this.query = "";
    this.order = undefined;
    this.rows = TABLE_ROWS;
    this.body = el("tbody");
    this.count = el("p", { class: "dim", role: "status" });
    this.charts = el("div", { class: "charts" });
    this.store = el("div", { class: "store" });
    this.search = el("input", {
      type: "search",
      placeholder: "Search sessions",
      "aria-label": "Search sessions",
    });
    this.search.addEventListener("input", () => {
      this.query = this.search.value.toLowerCase();
      this.showTable();
    });
    this.more = el("button", { type: "button", class: "more" }, "Show all");
    this.more.addEventListener("click", () => {
      this.rows = Infinity;
      this.showTable();
    });
    const table = el("table", { class: "sessions" }, this.heading(), this.body);
    container.replaceChildren(
      el("div", { role: "search", class: "bar" }, this.search, this.count),
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of sessions" }, table),
      this.more,
      this.charts,
      this.store,
    );
  }

  heading() {
    const cell = ([name, , isNumber], at) => {
      const button = el("button", { type: "button", class: "quiet", click: () => this.sortBy(at) }, name);
      return el("th", { scope: "col", class: isNumber ? "number" : "" }, button);
    };
    this.headings = COLUMNS.map(cell);
    return el("thead", {}, el("tr", {}, ...this.headings));
  }

  sortBy(column) {
    const isSame = this.order?.column === column;
    this.order = { column, isAscending: isSame ? !this.order.isAscending : !COLUMNS[column][2] };
    for (const [at, heading] of this.headings.entries()) {
      if (at !== column) heading.removeAttribute("aria-sort");
      else heading.setAttribute("aria-sort", this.order.isAscending ? "ascending" : "descending");
    }
    this.showTable();
  }

  /** Shows an overview; the data are those of `Overview` in Rust. */
  show(overview) {
    this.overview = overview;
    byId("title").textContent = document.title = "Sessions";
    byId("facts").replaceChildren();
    this.showTable();
    this.showCharts();
  }

  matching() {
    const words = this.query.split(/\s+/).filter(Boolean);
    const entries = this.overview.sessions.filter((entry) => {
      const text = [entry.session_id, entry.harness, entry.project, entry.model, entry.prompt, entry.error_category];
      const all = text.filter(Boolean).join(" ").toLowerCase();
      return words.every((word) => all.includes(word));
    });
    if (!this.order) return entries;
    const [, value] = COLUMNS[this.order.column];
    const sign = this.order.isAscending ? 1 : -1;
    const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
    return entries.sort((one, other) => sign * compare(value(one), value(other)));
  }

  showTable() {
    const entries = this.matching();
    this.body.replaceChildren(...entries.slice(0, this.rows).map((entry) => this.row(entry)));
    this.more.hidden = entries.length <= this.rows;
    this.more.textContent = `Show all ${plural(entries.length, "session")}`;
    const { length: total } = this.overview.sessions;
    this.count.textContent =
      entries.length === total ? plural(total, "session") : `${entries.length} of ${plural(total, "session")}`;
  }

  row(entry) {
    const failed = (entry.failed_tool_calls ?? 0) + (entry.denied_tool_calls ?? 0);
    const open = el(
      "button",
      { type: "button", class: "open", click: () => this.open(entry.files[0]) },
      visible(entry.prompt ?? entry.title ?? entry.session_id),
    );
    const state = entry.failed ? el("span", { class: "bad" }, ` ${visible(entry.error_category ?? "failed")}`) : null;
    const started = entry.started_at ?? entry.last_at;
    const cells = [
      [open, state],
      [entry.harness],
      [entry.project === undefined ? "" : el("span", { title: visible(entry.project) }, visible(lastPart(entry.project)))],
      [started === undefined ? "" : dayAndTime(Date.parse(started))],
      [entry.duration_ms === undefined ? "" : duration(entry.duration_ms)],
      [visible(entry.model ?? "")],
      [failed ? `${entry.tool_calls} (${failed} failed)` : String(entry.tool_calls ?? "")],
      [entry.total_tokens === undefined ? "" : short(entry.total_tokens)],
      [entry.cost_with_estimate_usd === undefined ? "" : money(entry.cost_with_estimate_usd)],
    ];
    const cell = (content, at) =>
      el("td", { class: COLUMNS[at][2] ? "number" : "" }, ...content.filter((part) => part !== null));
    return el("tr", {}, ...cells.map(cell));
  }

  showCharts() {
    const usage = this.overview.usage ?? {};
    const value = (row) => row.cost_with_estimate_usd ?? row.cost_usd ?? 0;
    const charts = CHARTS.map(([title, name, label]) => {
      const rows = usage[name] ?? [];
      const isTime = name === "day" || name === "block";
      const shown = isTime ? rows.slice(-14).reverse() : rows;
      return barChart(title, shown.map((row) => [label(row), value(row), money(value(row))]));
    });
    const failures = this.overview.sessions
      .map((entry) => [entry, (entry.failed_tool_calls ?? 0) + (entry.denied_tool_calls ?? 0)])
      .filter(([, count]) => count > 0)
      .map(([entry, count]) => [
        entry.prompt ?? entry.session_id,
        count,
        `${count} of ${entry.tool_calls}`,
      ]);
    charts.push(barChart("Failed tool calls", failures));
    this.charts.replaceChildren(...charts.filter(Boolean));
  }

  /** Shows what a store contains. */
  showStore(store) {
    const sections = [
      ["Escalations", store.escalations, ["created_at", "tier", "status", "model", "error"]],
      ["Findings", store.findings, ["created_at", "level", "service", "message"]],
      ["Memories", store.memories, ["service", "category", "observation", "confidence", "updated_at"]],
    ];
    this.store.replaceChildren(
      ...sections.filter(([, rows]) => rows?.length).map(([title, rows, names]) => storeTable(title, rows, names)),
    );
  }
}

function storeTable(title, rows, names) {
  const heading = names.map((name) => el("th", { scope: "col" }, name.replaceAll("_", " ")));
  const cell = (value) => el("td", {}, visible(String(value ?? "")));
  const body = rows.map((row) => el("tr", {}, ...names.map((name) => cell(row[name]))));
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...heading)), el("tbody", {}, ...body));
  return el(
    "section",
    { "aria-label": title },
    el("h2", {}, title),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Table: ${title}` }, table),
  );
}

/** Returns a table with a bar for each value, largest values as wide as the chart. */
function barChart(title, values) {
  const rows = values.filter(([, value]) => value > 0);
  if (rows.length === 0) return null;
  rows.splice(14);
  const most = Math.max(...rows.map(([, value]) => value));
  const row = ([label, value, text]) => {
    const bar = el("div", { class: "bar-fill" });
    bar.style.width = `${(100 * value) / most}%`;
    const name = visible(label);
    return el(
      "tr",
      {},
      el("th", { scope: "row", title: name }, name),
      el("td", { class: "bar-cell" }, bar),
      el("td", { class: "number" }, text),
    );
  };
  return el("table", { class: "chart" }, el("caption", {}, title), el("tbody", {}, ...rows.map(row)));
}


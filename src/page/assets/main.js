// The page: what is shown, the tool bar, the keyboard.

const source = document.documentElement.dataset.mode === "live" ? new LiveSource() : new EmbeddedSource();
const filter = new Filter();
const overviewPage = new OverviewPage(byId("overview"), (name) => (location.hash = hashOf(name)));
let overview;
let run;
let timeline;
let handlers;
/** The item that a link names, until it has been shown. */
let requested;
const list = new ItemList(
  byId("conversation"),
  (item) => itemElement(item, run, filter),
  () => highlight(byId("conversation"), filter.pattern),
);

/** Returns the part of an address that names a run and an item. */
function hashOf(name, item) {
  const parameters = new URLSearchParams();
  if (source.runs().length > 1) parameters.set("run", name);
  if (item !== undefined) parameters.set("item", item);
  return `#${parameters}`;
}

/** Shows what the address names. */
function route() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const runs = source.runs();
  const item = parameters.has("item") ? Number(parameters.get("item")) : undefined;
  const name = parameters.get("run") ?? (runs.length === 1 || item !== undefined ? runs[0] : undefined);
  if (name === undefined) return showOverview();
  requested = item;
  if (run?.name === name) return showRequested();
  return openRun(name);
}

function showOverview() {
  closeRun();
  byId("overview").hidden = false;
  byId("run").hidden = byId("back").hidden = true;
  overviewPage.show(overview ?? { sessions: [] });
  if (source.isLive) source.store().then((store) => overviewPage.showStore(store), () => {});
}

function closeRun() {
  if (handlers) {
    handlers.closed = true;
    handlers.onClose?.();
  }
  timeline?.close();
  list.clear();
  run = timeline = handlers = undefined;
}

function openRun(name) {
  closeRun();
  byId("overview").hidden = true;
  byId("run").hidden = false;
  byId("back").hidden = source.runs().length < 2;
  run = new Run(name);
  timeline = new Timeline(byId("timeline"), run, (number) => (location.hash = hashOf(name, number)));
  const own = (handlers = {
    isClosed: () => own.closed === true,
    header: (header) => {
      run.header = header;
      showHeader(run, source.isLive);
    },
    changes: applyChanges,
    reset: () => {
      run.items = [];
      run.calls.clear();
      list.clear();
    },
    done: () => {
      showHeader(run, source.isLive);
      showCount();
      showRequested();
    },
  });
  showHeader(run, source.isLive);
  source.read(name, own);
}

/** Applies changes, and shows the items that they concern. */
function applyChanges(changes) {
  const follows = source.isLive && isAtEnd();
  const changed = new Map();
  for (const change of changes) {
    const { item, isNew } = run.apply(change);
    changed.set(item, isNew || changed.get(item) === true);
  }
  for (const [item, isNew] of changed) {
    if (isNew && filter.includes(item)) list.append(item);
    else if (!isNew && list.places.has(item.number)) list.refresh(item);
  }
  if (!isFirstShown(changes)) showHeader(run, source.isLive);
  timeline.update();
  showCount();
  if (requested !== undefined) showRequested();
  else if (follows) scrollTo(0, document.documentElement.scrollHeight);
}

function isFirstShown(changes) {
  return changes.every((change) => change.kind !== "prompt");
}

function isAtEnd() {
  const { scrollHeight } = document.documentElement;
  return scrollY > 0 && scrollY + innerHeight > scrollHeight - 120;
}

/** Shows the item that the address names as soon as it is known. */
function showRequested() {
  const item = requested === undefined ? undefined : run.items[requested];
  if (!item) return;
  if (!list.places.has(item.number)) resetFilter();
  if (!item.isExpanded) item.isExpanded = true;
  list.refresh(item);
  list.show(item.number);
  requested = undefined;
}

function showCount() {
  const total = run.items.length;
  const shown = filter.isActive ? list.places.size : total;
  announce(shown === total ? plural(total, "item") : `${thousands(shown)} of ${plural(total, "item")}`);
}

function applyFilter() {
  list.replace(run.items.filter((item) => filter.includes(item)));
  // What a search found is opened, unless that is much.
  if (filter.pattern && list.places.size <= 20) {
    for (const number of list.places.keys()) {
      const item = run.items[number];
      const isInLine = [item.name, item.summary].some((text) => text && filter.pattern.test(text));
      if (item.kind === "tool" && !isInLine) item.isExpanded = true;
      list.refresh(item);
    }
  }
  list.changed();
  showCount();
}

function resetFilter() {
  const { input, boxes, failed } = toolbar;
  input.value = "";
  filter.setQuery("");
  filter.hidden.clear();
  for (const box of boxes) box.checked = true;
  filter.failedOnly = failed.checked = false;
  applyFilter();
}

/** Creates the tool bar and returns its controls. */
function createToolbar() {
  const input = el("input", { type: "search", placeholder: "Search", "aria-label": "Search the conversation" });
  let delay;
  input.addEventListener("input", () => {
    clearTimeout(delay);
    delay = setTimeout(() => {
      filter.setQuery(input.value);
      applyFilter();
    }, 150);
  });
  const checkbox = (label, isChecked, change) => {
    const box = el("input", { type: "checkbox" });
    box.checked = isChecked;
    box.addEventListener("change", () => {
      change(box.checked);
      applyFilter();
    });
    return [box, el("label", {}, box, ` ${label}`)];
  };
  const kinds = [
    ["prompt", "prompts"],
    ["text", "answers"],
    ["thinking", "thinking"],
    ["tool", "tools"],
    ["note", "notes"],
  ];
  const shown = kinds.map(([kind, label]) =>
    checkbox(label, true, (isShown) => (isShown ? filter.hidden.delete(kind) : filter.hidden.add(kind))),
  );
  const [failed, failedLabel] = checkbox("failed only", false, (isOn) => (filter.failedOnly = isOn));
  const expand = el("button", { type: "button", class: "quiet", click: toggleAll }, "Expand all");
  byId("toolbar").append(input, ...shown.map(([, label]) => label), failedLabel, expand);
  return { input, boxes: shown.map(([box]) => box), failed, expand };
}

/** Opens or closes all items. */
function toggleAll() {
  const isExpanded = toolbar.expand.textContent === "Expand all";
  toolbar.expand.textContent = isExpanded ? "Collapse all" : "Expand all";
  for (const item of run.items) {
    if (item) item.isExpanded = isExpanded;
  }
  applyFilter();
}

function currentItem() {
  const element = document.activeElement?.closest?.(".item");
  return element ? Number(element.dataset.number) : undefined;
}

function move(step) {
  const current = currentItem();
  const next = current === undefined ? list.neighbour(-1, 1) : list.neighbour(current, step);
  if (next !== undefined) list.show(next, "center");
}

const SHORTCUTS = [
  ["j", "next item", () => move(1)],
  ["k", "previous item", () => move(-1)],
  ["o", "open or close the item", () => document.activeElement?.querySelector?.("button.line")?.click()],
  ["e", "expand or collapse all", () => toggleAll()],
  ["f", "failed only", () => toolbar.failed.click()],
  ["/", "search", () => (byId("run").hidden ? overviewPage.search : toolbar.input).focus()],
  ["g", "first item", () => list.show(list.neighbour(-1, 1))],
  ["G", "last item", () => list.show(list.last, "end")],
  ["t", "light or dark", () => toggleTheme()],
  ["?", "this help", () => byId("help").showModal()],
];

function onKey(event) {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "Escape" && isTyping) return event.target.blur();
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return undefined;
  const shortcut = SHORTCUTS.find(([key]) => key === event.key);
  const isOfRun = !["/", "t", "?"].includes(event.key);
  if (!shortcut || (isOfRun && !run)) return undefined;
  event.preventDefault();
  return shortcut[2]();
}

function createHelp() {
  const rows = SHORTCUTS.map(([key, text]) =>
    el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, text)),
  );
  const close = el("button", { type: "button", click: () => byId("help").close() }, "Close");
  byId("help").append(
    el("h2", { id: "help-title" }, "Keyboard"),
    el("table", {}, el("tbody", {}, ...rows)),
    close,
  );
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  timeline?.draw();
}

/** Reads the list of sessions again while it is shown. */
async function refreshOverview() {
  if (run && source.runs().length > 1) return;
  try {
    const changed = await source.overview();
    if (changed === undefined) return;
    overview = changed;
  } catch {
    announce("Connection lost; trying again");
    return;
  }
  if (!run) route();
  else byId("back").hidden = source.runs().length < 2;
}

async function start() {
  createHelp();
  byId("back").addEventListener("click", () => (location.hash = "#"));
  byId("theme").addEventListener("click", toggleTheme);
  byId("help-button").addEventListener("click", () => byId("help").showModal());
  byId("skip").addEventListener("click", () => byId("conversation").focus());
  addEventListener("hashchange", route);
  addEventListener("keydown", onKey);
  addEventListener("beforeprint", () => list.fillAll());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline?.draw());
  overview = await source.overview();
  route();
  if (source.isLive) setInterval(refreshOverview, 1500);
}

const toolbar = createToolbar();
start();

// The run on an axis of time: a lane for the main thread and for each subagent.

const LANE_ROWS = 4;
const ROW_HEIGHT = 9;
const LANE_GAP = 7;
const MAX_LANES = 24;

class Timeline {
  /** `open` is called with the number of the item that was clicked. */
  constructor(container, run, open) {
    this.run = run;
    this.container = container;
    this.open = open;
    this.canvas = el("canvas", { role: "img" });
    this.labels = el("div", { class: "lanes", "aria-hidden": true });
    this.note = el("p", { class: "dim axis" });
    const frame = el("div", { class: "chart-frame" }, this.labels, this.canvas);
    container.replaceChildren(el("h2", {}, "Timeline"), frame, this.note);
    this.canvas.addEventListener("click", (event) => {
      const bar = this.barAt(event);
      if (bar) this.open(bar.item.number);
    });
    this.canvas.addEventListener("mousemove", (event) => {
      const bar = this.barAt(event);
      this.canvas.style.cursor = bar ? "pointer" : "";
      this.canvas.title = bar ? barTitle(bar.item) : "";
    });
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(container);
  }

  /** Draws after the current changes have been applied. */
  update() {
    if (this.requested) return;
    this.requested = setTimeout(() => {
      this.requested = undefined;
      this.draw();
    }, 120);
  }

  close() {
    clearTimeout(this.requested);
    this.resized.disconnect();
  }

  draw() {
    const span = this.run.span();
    const isTimed = span !== undefined && span.last > span.first;
    const layout = layOut(this.run, isTimed);
    const { lanes, bars, marks } = layout;
    this.container.hidden = bars.length + marks.length === 0;
    if (this.container.hidden) return;
    const [from, to] = isTimed ? [span.first, span.last] : [0, Math.max(this.run.items.length, 1)];
    const width = Math.max(this.canvas.parentElement.clientWidth - this.labels.offsetWidth, 120);
    const height = lanes.reduce((sum, lane) => sum + lane.rows * ROW_HEIGHT + LANE_GAP, LANE_GAP);
    const scale = (at) => ((at - from) / (to - from)) * (width - 6) + 2;
    this.paint(width, height, layout, scale);
    this.describe(lanes, isTimed, from, to);
  }

  paint(width, height, { lanes, bars, marks, turns }, scale) {
    const { canvas } = this;
    const ratio = globalThis.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    // A canvas does not know variables, and colours that depend on the theme.
    const color = (name) => {
      this.note.style.color = `var(--${name})`;
      const { color } = getComputedStyle(this.note);
      this.note.style.color = "";
      return color;
    };
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    let top = LANE_GAP;
    for (const lane of lanes) {
      lane.top = top;
      lane.height = lane.rows * ROW_HEIGHT;
      context.fillStyle = color("lane");
      context.fillRect(0, top - 2, width, lane.height + 3);
      top += lane.height + LANE_GAP;
    }
    context.fillStyle = color("turn");
    for (const { lane, from, to } of turns) {
      const left = scale(from);
      context.fillRect(left, lanes[lane].top - 2, scale(to) - left, lanes[lane].height + 3);
    }
    context.fillStyle = color("mark");
    for (const { at, lane } of marks) {
      context.fillRect(scale(at) - 1, lanes[lane].top - 2, 2, lanes[lane].height + 3);
    }
    this.bars = bars.map((bar) => {
      const left = scale(bar.from);
      const box = {
        item: bar.item,
        left,
        width: Math.max(scale(bar.to) - left, 3),
        top: lanes[bar.lane].top + bar.row * ROW_HEIGHT,
      };
      context.fillStyle = color(`bar-${barKind(bar.item)}`);
      context.fillRect(box.left, box.top, box.width, ROW_HEIGHT - 2);
      return box;
    });
  }

  describe(lanes, isTimed, from, to) {
    const tools = this.run.items.filter((item) => item?.kind === "tool");
    const failed = tools.filter(isFailure).length;
    const parts = [
      plural(tools.length, "tool call"),
      failed ? `${failed} failed` : null,
      lanes.length > 1 ? plural(lanes.length - 1, "subagent") : null,
      isTimed ? duration(to - from) : null,
    ];
    const text = parts.filter(Boolean).join(", ");
    this.canvas.setAttribute("aria-label", `Timeline: ${text}`);
    const axis = isTimed
      ? `${dayAndTime(from)} to ${clock(to)} (${duration(to - from)})`
      : "in the order of events; the lines have no times";
    this.note.textContent = axis;
    this.labels.hidden = lanes.length < 2;
    this.labels.replaceChildren(
      ...lanes.map((lane) => {
        const name = lane.agent === undefined ? "main" : visible(this.run.agentName(lane.agent));
        const label = el("div", { title: name }, name);
        label.style.height = `${lane.height + LANE_GAP}px`;
        return label;
      }),
    );
  }

  barAt(event) {
    const { offsetX: x, offsetY: y } = event;
    const isInside = ({ left, width, top }) =>
      x >= left - 2 && x <= left + width + 2 && y >= top && y < top + ROW_HEIGHT;
    return (this.bars ?? []).findLast(isInside);
  }
}

/** Returns lanes, bars for what takes time, marks for prompts, and the turns they start. */
function layOut(run, isTimed) {
  const lanes = [{ agent: undefined, ends: [], rows: 1 }];
  const indices = new Map([[undefined, 0]]);
  const laneOf = (agent) => {
    if (indices.has(agent)) return indices.get(agent);
    const index = lanes.length < MAX_LANES ? lanes.length : MAX_LANES - 1;
    if (index === lanes.length) lanes.push({ agent, ends: [], rows: 1 });
    indices.set(agent, index);
    return index;
  };
  const [bars, marks, turns] = [[], [], []];
  const openTurns = new Map();
  for (const item of run.items) {
    if (!item || (isTimed && item.at === undefined)) continue;
    const at = isTimed ? item.at : item.number;
    const lane = laneOf(item.agent);
    if (item.kind === "prompt") {
      marks.push({ at, lane });
      openTurns.set(lane, { lane, from: at, to: at });
      turns.push(openTurns.get(lane));
    }
    const length = lengthOf(item, isTimed);
    const turn = openTurns.get(lane);
    if (turn) turn.to = Math.max(turn.to, at + (length ?? 0));
    if (length === undefined) continue;
    const row = freeRow(lanes[lane], at, at + length);
    bars.push({ item, lane, row, from: at, to: at + length });
  }
  return { lanes, bars, marks, turns };
}

/** Returns how long a bar is; nothing for an item that has none. */
function lengthOf(item, isTimed) {
  if (item.kind === "tool") {
    if (!isTimed) return 0.8;
    return item.duration_ms ?? (item.ended === undefined ? 0 : Math.max(item.ended - item.at, 0));
  }
  const isWait = item.kind === "note" && ["retry", "limit", "error"].includes(item.topic);
  if (!isWait) return undefined;
  return isTimed ? (item.wait_ms ?? 0) : 0.8;
}

/** Returns a row of a lane that is free, or the last one. */
function freeRow(lane, from, to) {
  let row = lane.ends.findIndex((end) => end <= from);
  if (row < 0) row = Math.min(lane.ends.length, LANE_ROWS - 1);
  lane.ends[row] = Math.max(to, lane.ends[row] ?? -Infinity);
  lane.rows = Math.max(lane.rows, row + 1);
  return row;
}

function barKind(item) {
  if (item.kind === "note") return item.topic === "error" ? "failed" : "wait";
  return { failed: "failed", denied: "failed", completed: "done" }[item.status] ?? "open";
}

function barTitle(item) {
  if (item.kind === "note") return visible(item.text);
  const time = item.duration_ms === undefined ? "" : ` · ${duration(item.duration_ms)}`;
  return visible(`${item.name} ${item.summary ?? ""}`) + time;
}


// An item of the conversation as elements. What is folded is created when it is opened.

/** Lines and characters of a long text that are shown at first, and added with each click. */
const FOLD_LINES = 30;
const FOLD_CHARACTERS = 8000;

const STATUS = {
  completed: ["✓", "succeeded"],
  failed: ["✗", "failed"],
  denied: ["⊘", "denied"],
  pending: ["…", "no result"],
};

/** Returns the element of an item. */
function itemElement(item, run, filter) {
  const element = el("article", {
    class: `item ${item.kind}`,
    id: `item-${item.number}`,
    tabindex: -1,
    "data-number": item.number,
    "aria-label": `${item.number}: ${labelOf(item)}`,
  });
  const depth = run.depth(item.agent);
  if (depth > 0) {
    element.classList.add("nested");
    element.style.marginInlineStart = `${depth * 1.25}rem`;
    // A sequence of items of one agent is labelled once.
    if (run.items[item.number - 1]?.agent !== item.agent) {
      element.append(el("p", { class: "agent" }, visible(run.agentName(item.agent))));
    }
  }
  const content = {
    prompt: promptContent,
    text: textContent,
    thinking: thinkingContent,
    tool: toolContent,
    note: noteContent,
  }[item.kind];
  if (content) element.append(...content(item, filter));
  element.append(itemActions(item, run));
  return element;
}

function labelOf(item) {
  if (item.kind === "tool") {
    return `tool ${visible(item.name ?? "")}, ${STATUS[item.status]?.[1] ?? "running"}`;
  }
  return { prompt: "prompt", text: "answer", thinking: "thinking", note: "note" }[item.kind] ?? "";
}

function itemActions(item, run) {
  const time = item.at === undefined ? undefined : el("time", {}, clock(item.at));
  const number = el(
    "button",
    {
      type: "button",
      class: "quiet number",
      "aria-label": `Link to item ${item.number}`,
      title: `Line ${item.line} of the stream`,
      click: () => {
        location.hash = hashOf(run.name, item.number);
        copy(location.href).then(() => announce("Link copied"));
      },
    },
    `#${item.number}`,
  );
  const button = copyButton(`Copy item ${item.number}`, () => plainText(item));
  return el("div", { class: "actions" }, time, button, number);
}

/** Returns an item as plain text, to be copied. */
function plainText(item) {
  if (item.kind !== "tool") return item.text;
  const parts = [`${item.name} ${item.summary ?? ""}`.trim()];
  for (const { tag, text } of item.diff ?? []) {
    parts.push(text.replace(/\n$/, "").replace(/^/gm, tag));
  }
  return parts.concat(item.output ?? []).join("\n");
}

function promptContent(item) {
  const kind = item.synthetic ? "Prompt (by the CLI)" : "Prompt";
  return [el("p", { class: "kind" }, kind), longText(item.text, "plain")];
}

function textContent(item) {
  const note = item.isAbandoned ? el("p", { class: "dim" }, "the answer was given up here") : null;
  const shown = item.marks
    ? markdown(item.text, item.marks)
    : el("div", { class: item.isOpen ? "plain open" : "plain" }, visible(item.text));
  return [shown, note].filter(Boolean);
}

function thinkingContent(item, filter) {
  const label = [el("span", { class: "kind" }, "Thinking"), ` ${visible(firstLine(item.text))}`];
  return foldable(item, label, () => [longText(item.text, "plain", filter)], "dim");
}

function noteContent(item) {
  const kind = { info: "", warning: "warning", error: "error" }[item.level] ?? "";
  return [el("p", { class: `line note-text ${kind}` }, visible(item.text))];
}

function toolContent(item, filter) {
  const [symbol, name] = STATUS[item.status] ?? ["●", "running"];
  const facts = [];
  if (item.status === "denied") facts.push("denied");
  if (item.exit_code) facts.push(`exit ${item.exit_code}`);
  if (item.duration_ms !== undefined) facts.push(duration(item.duration_ms));
  if (item.output) facts.push(size(item.output.length));
  if (item.detached) facts.push("goes on in the background");
  const label = [
    el("span", { class: `status ${item.status ?? "running"}`, role: "img", "aria-label": name }, symbol),
    el("b", {}, visible(item.name ?? "?")),
    item.server ? el("span", { class: "dim" }, ` ${visible(item.server)}`) : null,
    el("span", { class: "summary" }, visible(item.summary ?? "")),
    el("span", { class: "facts" }, facts.join(" · ")),
  ];
  return foldable(item, label, () => toolDetails(item, filter));
}

function toolDetails(item, filter) {
  const details = [];
  if (item.todo) details.push(todoList(item.todo));
  else details.push(...inputDetails(item));
  if (item.diff) details.push(diffBlock(item.diff));
  if (item.output !== undefined && item.output !== "") {
    details.push(el("p", { class: "kind" }, "Output"), longText(item.output, "output", filter));
  } else if (item.status && item.status !== "pending") {
    details.push(el("p", { class: "dim" }, "no output"));
  }
  return details;
}

/** Returns the input: a single text as it is, else its members by name. */
function inputDetails(item) {
  const { input } = item;
  if (input === undefined || input === null) return [];
  const asText = (value) => {
    if (typeof value === "string") return value;
    try {
      return JSON.stringify(value, null, 2);
    } catch {
      return "(nested too deeply)";
    }
  };
  if (typeof input !== "object" || Array.isArray(input)) return [longText(asText(input), "input")];
  // What the line above shows is not repeated.
  const isNew = ([, value]) => value !== item.summary || value.length > 60;
  return Object.entries(input).filter(isNew).flatMap(([name, value]) => [
    el("p", { class: "kind" }, visible(name)),
    longText(asText(value), "input"),
  ]);
}

function todoList(items) {
  const symbols = { completed: "☑", in_progress: "▸", open: "☐" };
  const entry = ({ text, state }) =>
    el("li", { class: state }, `${symbols[state] ?? "☐"} ${visible(text)}`);
  return el("ul", { class: "todo" }, ...items.map(entry));
}

/** Returns a difference; lines that did not change are shown around those that did. */
function diffBlock(ops) {
  const context = 3;
  const rows = [];
  for (const [at, { tag, text }] of ops.entries()) {
    const lines = visible(text).replace(/\n$/, "").split("\n");
    const row = (line) => el("span", { class: `row ${DIFF[tag]}` }, `${tag} ${line}\n`);
    const isLast = at === ops.length - 1;
    if (tag !== " " || lines.length <= 2 * context + 1) {
      rows.push(...lines.map(row));
      continue;
    }
    if (at > 0) rows.push(...lines.slice(0, context).map(row));
    const left = lines.length - (at > 0 ? context : 0) - (isLast ? 0 : context);
    rows.push(el("span", { class: "row dim" }, `  … ${plural(left, "unchanged line")}\n`));
    if (!isLast) rows.push(...lines.slice(-context).map(row));
  }
  return folded(rows, "Change", "diff");
}

const DIFF = { " ": "same", "-": "removed", "+": "added" };

/** Returns rows of which the first ones are shown until the rest is requested. */
function folded(rows, label, kind) {
  const most = 400;
  const block = codeBlock(label, ...rows.slice(0, most));
  block.classList.add(kind);
  if (rows.length <= most) return block;
  const more = el("button", { type: "button", class: "more" }, `Show all ${plural(rows.length, "line")}`);
  more.addEventListener("click", () => {
    block.append(...rows.slice(most));
    more.remove();
  });
  return el("div", {}, block, more);
}

/** Returns a text of which the start is shown until more is requested. */
function longText(text, kind, filter) {
  const label = { output: "Output", input: "Input", plain: "Text" }[kind];
  const block = kind === "plain" ? el("div", { class: "plain" }) : codeBlock(label);
  block.classList.add(kind);
  const frame = el("div", {}, block);
  let shown = 0;
  const more = el("button", { type: "button", class: "more" });
  const extend = (factor) => {
    const end = endOfPart(text, shown, factor);
    block.append(visible(text.slice(shown, end)));
    shown = end;
    const rest = text.length - shown;
    more.hidden = rest === 0;
    more.textContent = `Show more (${size(rest)} left)`;
  };
  extend(1);
  more.addEventListener("click", () => extend(25));
  if (shown < text.length) {
    frame.append(more);
    const found = filter?.pattern ? text.slice(shown).search(filter.pattern) : -1;
    if (found >= 0) frame.append(excerpt(text, shown + found));
  }
  return frame;
}

/** Returns the lines around a match that is not shown yet. */
function excerpt(text, at) {
  const from = Math.max(text.lastIndexOf("\n", Math.max(at - 300, 0)) + 1, at - 500);
  const end = text.indexOf("\n", at + 300);
  const until = end < 0 ? at + 500 : Math.min(end, at + 500);
  const block = codeBlock("Match", `… ${visible(text.slice(from, until))} …`);
  return el("div", {}, el("p", { class: "kind" }, "Match further down"), block);
}

function endOfPart(text, from, factor) {
  let end = from;
  for (let line = 0; line < FOLD_LINES * factor; line++) {
    const next = text.indexOf("\n", end);
    if (next < 0 || next - from > FOLD_CHARACTERS * factor) {
      end = next < 0 ? text.length : next;
      break;
    }
    end = next + 1;
  }
  end = Math.min(end, from + FOLD_CHARACTERS * factor);
  // A few more lines are not worth a click.
  if (text.length - end < 400) return text.length;
  const isHalf = /[\ud800-\udbff]/.test(text[end - 1]);
  return isHalf ? end + 1 : end;
}

/** Returns a line that opens and closes the details below it. */
function foldable(item, label, details, kind = "") {
  const body = el("div", { class: "details" });
  const line = el(
    "button",
    { type: "button", class: `line ${kind}`, "aria-expanded": false },
    ...label.filter(Boolean),
  );
  const set = (isExpanded) => {
    item.isExpanded = isExpanded;
    line.setAttribute("aria-expanded", String(isExpanded));
    body.hidden = !isExpanded;
    if (isExpanded) body.replaceChildren(...details());
    else body.replaceChildren();
  };
  line.addEventListener("click", () => set(!item.isExpanded));
  set(item.isExpanded);
  return [line, body];
}


// The header of a run: outcome, facts, warnings.

const OUTCOMES = {
  success: "good",
  failed: "bad",
  interrupted: "warning",
  "waiting for an answer": "warning",
  "agents not finished": "warning",
};

/** Shows the header of a run; `isLive` is whether its stream may go on. */
function showHeader(run, isLive) {
  const header = run.header ?? { source: run.name };
  const title = visible(run.title ?? titleOf(run));
  byId("title").textContent = title;
  document.title = `${title} · streamj`;
  const isRunning = isLive && header.complete === false;
  const outcome = isRunning ? "running" : (header.outcome ?? "");
  const notices = [
    header.error && !isRunning
      ? el("p", { class: "notice bad" }, el("b", {}, errorLabel(header)), visible(header.error))
      : null,
    secretNotice(header),
    ...(header.warnings ?? []).map((text) => el("p", { class: "notice" }, visible(text))),
  ];
  byId("facts").replaceChildren(
    el(
      "p",
      { class: "outcome-line" },
      el("span", { class: `outcome ${OUTCOMES[outcome] ?? "dim"}` }, outcome),
      el("span", { class: "dim source" }, visible(header.source ?? "")),
    ),
    el("dl", {}, ...facts(run, header).flatMap(([name, ...value]) => [
      el("div", {}, el("dt", {}, name), el("dd", {}, ...value)),
    ])),
    ...notices.filter(Boolean),
  );
}

/** Returns the start of the first prompt, or the name of the input. */
function titleOf(run) {
  const prompt = run.items.find((item) => item?.kind === "prompt" && !item.synthetic && item.agent === undefined);
  return prompt ? firstLine(prompt.text).slice(0, 120) : lastPart(run.header?.source ?? run.name);
}

function errorLabel({ error_category: category, reason }) {
  return `${[category, reason].filter(Boolean).join(", ")}: `;
}

function secretNotice(header) {
  if (header.masked) return el("p", { class: "notice" }, "Secrets are masked.");
  const secrets = header.secrets ?? [];
  if (secrets.length === 0) return null;
  const counts = secrets.map(({ rule, count }) => `${rule}: ${count}`).join(", ");
  const text = `This page contains secrets that are not masked (${counts}). Use --redact before you share it.`;
  return el("p", { class: "notice bad", id: "secrets" }, text);
}

function facts(run, header) {
  const { tokens = {}, tools = {}, lines = {} } = header;
  const span = run.span();
  const took = header.duration_ms ?? (span && span.last > span.first ? span.last - span.first : undefined);
  const failed = (tools.failed ?? 0) + (tools.denied ?? 0);
  const all = [
    ["Agent", [header.harness, header.version].filter(Boolean).join(" ")],
    ["Model", header.model],
    ["Project", header.project],
    ["Cost", cost(header)],
    ["Tokens", tokens.total_tokens ? tokenText(tokens) : undefined],
    ["Duration", took === undefined ? undefined : duration(took)],
    ["Started", span ? dayAndTime(span.first) : undefined],
    ["Turns", header.turns],
    ["Tool calls", tools.calls === undefined ? undefined : failed ? `${tools.calls} (${failed} failed)` : tools.calls],
    ["Lines", lines.malformed ? `${thousands(lines.total)} (${lines.malformed} malformed)` : undefined],
    ["Session", header.session_id],
  ];
  const shown = all
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => [name, visible(String(value))]);
  if (header.resume) {
    const command = el("code", {}, visible(header.resume));
    shown.push(["Resume", command, copyButton("Copy the command", () => header.resume)]);
  }
  return shown;
}

function cost(header) {
  if (header.cost_usd !== undefined) return money(header.cost_usd);
  if (header.estimated_cost_usd === undefined) return undefined;
  return `${money(header.estimated_cost_usd)} (estimated)`;
}

function tokenText(tokens) {
  const cached = tokens.cached_input_tokens ? `, ${short(tokens.cached_input_tokens)} from cache` : "";
  const [input, output] = [tokens.total_tokens - tokens.output_tokens, tokens.output_tokens];
  return `${short(tokens.total_tokens)} (${short(input)} in${cached}, ${short(output)} out)`;
}


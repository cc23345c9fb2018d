// Runs streamj and opens its pages in headless Chromium.
"use strict";

const { execFileSync, spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { chromium } = require("playwright-core");

const ROOT = path.join(__dirname, "..", "..");
const STREAMJ = process.env.STREAMJ ?? path.join(ROOT, "target", "debug", "streamj");
const FIXTURES = path.join(ROOT, "tests", "fixtures");

let browser;

async function launch() {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  return browser;
}

async function close() {
  await browser?.close();
}

/** Returns a folder that is removed after the test. */
function folder(test) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "streamj-browser-"));
  test.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs streamj and returns its standard output. */
function streamj(...args) {
  return execFileSync(STREAMJ, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
}

/** Writes lines into a file and returns its path. */
function recording(test, lines, name = "run.jsonl") {
  const file = path.join(folder(test), name);
  fs.writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
}

/** Writes a report of files and returns its address. */
function report(test, files, ...options) {
  const file = path.join(folder(test), "report.html");
  streamj("report", "-q", ...[files].flat(), "-o", file, ...options);
  return `file://${file}`;
}

/** What a page did that it must not do. */
class Observed {
  errors = [];
  requests = [];
  dialogs = [];
}

/** Opens an address. The page must not report errors, and must not request anything else than
 * `allowed` describes. */
async function open(test, address, { allowed = () => false, ...options } = {}) {
  const browser = await launch();
  const context = await browser.newContext({
    viewport: { width: 1200, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  test.after(() => context.close());
  const page = await context.newPage();
  const observed = new Observed();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) observed.errors.push(message.text());
  });
  page.on("pageerror", (error) => observed.errors.push(error.stack));
  page.on("dialog", (dialog) => {
    observed.dialogs.push(dialog.message());
    dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    const isOwn = url === address.split("#")[0] || url.startsWith("data:") || allowed(url);
    if (!isOwn) observed.requests.push(url);
  });
  await page.goto(address);
  page.observed = observed;
  return page;
}

/** Fails if a page did what it must not do. */
function expectQuiet(page) {
  const { errors, requests, dialogs } = page.observed;
  if (errors.length + requests.length + dialogs.length > 0) {
    throw new Error(JSON.stringify({ errors, requests, dialogs }, null, 2));
  }
}

/** Returns the serious findings of axe-core on a page. */
async function accessibilityFindings(page) {
  // The policy of the page forbids other scripts; those of a test run beside it.
  const axe = fs.readFileSync(require.resolve("axe-core"), "utf8");
  await page.evaluate(`${axe}; 0`);
  const { violations } = await page.evaluate("axe.run(document)");
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3).join(" | ")}`);
}

/** Starts `streamj serve` or another command that prints the address of its page. */
async function serve(test, ...args) {
  const child = spawn(STREAMJ, args, { stdio: ["ignore", "pipe", "pipe"] });
  test.after(() => child.kill());
  let text = "";
  const address = await new Promise((resolve, reject) => {
    const read = (chunk) => {
      text += chunk;
      const found = text.match(/http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", () => reject(new Error(`streamj ended: ${text}`)));
  });
  return { child, address, origin: new URL(address).origin };
}

// Lines of a session as one CLI stores it.

let lines = 0;

function line(type, message, { session = "11111111-2222-4333-8444-555555555555", at } = {}) {
  lines += 1;
  const timestamp = new Date(at ?? Date.UTC(2026, 10, 16, 9, 0, 0) + lines * 1000).toISOString();
  return {
    parentUuid: null, isSidechain: false, userType: "external", cwd: "/home/ana/shop", sessionId: session,
    version: "2.1.150", type, message, uuid: `u${lines}`, timestamp,
  };
}

function prompt(text, options) {
  return line("user", { role: "user", content: text }, options);
}

function assistant(content, options) {
  const usage = { input_tokens: 100, cache_read_input_tokens: 2000, output_tokens: 50 };
  const model = "claude-opus-4-5";
  return line("assistant", { id: `msg_${lines}`, type: "message", role: "assistant", model, content, usage }, options);
}

function answer(text, options) {
  return assistant([{ type: "text", text }], options);
}

function call(id, name, input, options) {
  return assistant([{ type: "tool_use", id, name, input }], options);
}

function result(id, content, isError = false, options = {}) {
  const block = { type: "tool_result", tool_use_id: id, content, is_error: isError };
  return line("user", { role: "user", content: [block] }, options);
}

module.exports = {
  FIXTURES, ROOT, accessibilityFindings, answer, assistant, call, close, expectQuiet, folder, launch, open, prompt,
  recording, report, result, serve, streamj,
};

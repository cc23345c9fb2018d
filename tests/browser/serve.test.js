// `streamj serve` in a browser.
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const net = require("node:net");
const path = require("node:path");
const { after, test } = require("node:test");
const {
  FIXTURES, accessibilityFindings, answer, call, close, expectQuiet, folder, open, prompt, recording, result, serve,
} = require("./support.js");
const { NO_EFFECTS, effects, hostileLines } = require("./hostile.js");

after(close);

/** Opens a page of a server; it may send requests to that server only. */
function openServed(t, { address, origin }, options) {
  return open(t, address, { allowed: (url) => url.startsWith(`${origin}/`), ...options });
}

/** Sends a request as another program would. */
function request(origin, { path = "/", headers = {}, method = "GET" } = {}) {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = http.request({ hostname, port, path, method, headers }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

const append = (file, ...rows) => fs.appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

test("no path is answered without the token, for another host or another origin", async (t) => {
  const { address, origin } = await serve(t, "serve", recording(t, [prompt("x")]));
  const token = new URL(address).searchParams.get("token");
  assert.ok(token.length * 4 >= 128);
  const paths = ["/", "/api/sessions", "/api/run?name=x", "/api/store", "/favicon.ico", "/../etc/passwd", "/no"];
  for (const path of paths) {
    assert.equal((await request(origin, { path })).status, 401, path);
    const separator = path.includes("?") ? "&" : "?";
    const secret = `${path}${separator}token=${token}`;
    for (const headers of [{ Host: "attacker.example" }, { Origin: "http://attacker.example" }, { Origin: "null" }]) {
      const { status, body } = await request(origin, { path: secret, headers });
      assert.deepEqual([status, body], [403, ""], path);
    }
  }
  assert.equal((await request(origin, { path: `/?token=${token}` })).status, 200);
  assert.equal((await request(origin, { path: `/no?token=${token}` })).status, 404);
  assert.equal((await request(origin, { path: `/api/run?name=/etc/passwd&token=${token}` })).status, 404);
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    assert.equal((await request(origin, { path: `/?token=${token}`, method })).status, 405, method);
  }
  const { headers } = await request(origin, { path: `/?token=${token}` });
  assert.match(headers["content-security-policy"], /default-src 'none'.*frame-ancestors 'none'/);
  assert.equal(headers["referrer-policy"], "no-referrer");
});

test("a run appears as it is written", async (t) => {
  const file = recording(t, [prompt("Count")]);
  const page = await openServed(t, await serve(t, "serve", file));
  await page.locator("#item-0").waitFor();
  const times = [];
  for (let at = 1; at <= 20; at++) {
    const started = Date.now();
    append(file, answer(`number ${at}`));
    await page.waitForFunction((at) => document.querySelector(`#item-${at}`), at, { polling: 10 });
    times.push(Date.now() - started);
  }
  t.diagnostic(`lines appear after at most ${Math.max(...times)} ms`);
  append(file, call("t", "Bash", { command: "sleep 1" }));
  await page.locator("#item-21 .status.running").waitFor();
  append(file, result("t", "done"));
  await page.locator("#item-21 .status.completed").waitFor();
  expectQuiet(page);
});

test("text that is being written grows", async (t) => {
  const lines = fs.readFileSync(path.join(FIXTURES, "claude", "partial_text.jsonl"), "utf8").split("\n").filter(Boolean);
  const file = recording(t, []);
  const page = await openServed(t, await serve(t, "serve", file));
  const texts = new Set();
  for (const line of lines) {
    fs.appendFileSync(file, `${line}\n`);
    await page.waitForTimeout(120);
    texts.add(await page.evaluate(() => document.querySelector(".item.text")?.innerText ?? ""));
  }
  assert.ok(texts.size > 3, [...texts].join(" | "));
  await page.locator(".item.text .markdown").waitFor();
  expectQuiet(page);
});

test("a page goes on after the server was started again, and misses nothing", async (t) => {
  const file = recording(t, [prompt("Count"), answer("number 1")]);
  const token = path.join(folder(t), "token");
  const first = await serve(t, "serve", file, "--token-file", token);
  const page = await openServed(t, first);
  await page.locator("#item-1").waitFor();
  const { port } = new URL(first.address);
  first.child.kill();
  await new Promise((resolve) => first.child.on("exit", resolve));
  append(file, answer("number 2"), answer("number 3"));
  const second = await serve(t, "serve", file, "--token-file", token, "--port", port);
  assert.equal(second.address, first.address);
  await page.locator("#item-3").waitFor();
  append(file, answer("number 4"));
  await page.locator("#item-4").waitFor();
  const shown = await page.locator(".item.text").allInnerTexts();
  assert.deepEqual(shown.map((text) => text.match(/number \d/)[0]), ["number 1", "number 2", "number 3", "number 4"]);
  assert.deepEqual(page.observed.requests, []);
});

test("a client that comes back gets what it lacks", async (t) => {
  const rows = [prompt("Count")];
  for (let at = 1; at < 3000; at++) rows.push(answer(`number ${at}`));
  const file = recording(t, rows);
  const { address, origin } = await serve(t, "serve", file);
  const path = `/api/run?token=${new URL(address).searchParams.get("token")}&name=${encodeURIComponent(file)}`;
  const { hostname, port } = new URL(origin);
  const events = (headers) =>
    new Promise((resolve) => {
      let text = "";
      const sent = http.get({ hostname, port, path, headers, agent: false }, (response) => {
        response.on("data", (chunk) => {
          text += chunk;
          if (!text.includes("event: current")) return;
          resolve(text);
          sent.destroy();
        });
      });
      sent.on("error", () => {});
    });
  const items = (text) =>
    text.split("\n").filter((line) => line.startsWith("data: [")).flatMap((line) => JSON.parse(line.slice(6))).map(({ item }) => item);
  const all = await events({});
  assert.equal(items(all).length, 3000);
  const ids = [...all.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
  assert.ok(ids.length > 2, "several events");
  const [first] = ids;
  const rest = await events({ "Last-Event-ID": first });
  assert.deepEqual(items(rest), items(all).slice(Number(first.split("-")[0])));
  assert.ok(!rest.includes("event: reset"));
  const other = await events({ "Last-Event-ID": first.replace(/-./, "-0") });
  assert.ok(other.includes("event: reset"));
  assert.equal(items(other).length, 3000);
});

test("a page starts over if the file is another one", async (t) => {
  const file = recording(t, [prompt("Old"), answer("old 1"), answer("old 2")]);
  const page = await openServed(t, await serve(t, "serve", file));
  await page.locator("#item-2").waitFor();
  fs.writeFileSync(file, "");
  append(file, prompt("New"), answer("new 1"));
  await page.waitForFunction(() => document.querySelector("#item-1")?.innerText.includes("new 1"));
  assert.equal(await page.locator(".item").count(), 2);
  expectQuiet(page);
});

test("fifty clients follow a run", async (t) => {
  const file = recording(t, [prompt("Count")]);
  const { address, origin, child } = await serve(t, "serve", file);
  const token = new URL(address).searchParams.get("token");
  const url = `${origin}/api/run?token=${token}&name=${encodeURIComponent(file)}`;
  const clients = Array.from({ length: 50 }, () => {
    const client = { text: "" };
    client.request = http.get(url, { agent: false }, (response) => response.on("data", (chunk) => (client.text += chunk)));
    t.after(() => client.request.destroy());
    return client;
  });
  const rows = Array.from({ length: 200 }, (_, at) => answer(`number ${at}.`));
  for (const row of rows) append(file, row);
  const deadline = Date.now() + 30_000;
  const isComplete = ({ text }) => text.includes("number 199.");
  while (!clients.every(isComplete) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const { text } of clients) {
    const items = text.split("\n").filter((line) => line.startsWith("data: [")).flatMap((line) => JSON.parse(line.slice(6)));
    assert.equal(items.length, 201);
  }
  t.diagnostic(`memory with 50 clients: ${memory(child.pid)} MB`);
});

/** Returns the resident memory of a process in megabytes. */
function memory(pid) {
  return Math.round(Number(fs.readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1]) / 1000);
}

test("a client that does not read is dropped, and memory stays bounded", async (t) => {
  const rows = [prompt("Long")];
  for (let at = 0; at < 2000; at++) rows.push(call(`t${at}`, "Bash", { command: "x" }), result(`t${at}`, "x".repeat(50_000)));
  const file = recording(t, rows);
  const { address, origin, child } = await serve(t, "serve", file);
  const url = new URL(`${origin}/api/run?token=${new URL(address).searchParams.get("token")}&name=${encodeURIComponent(file)}`);
  const socket = net.connect(Number(url.port), "127.0.0.1");
  t.after(() => socket.destroy());
  socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
  socket.pause();
  const count = () => Number(execFileSync("sh", ["-c", `ls /proc/${child.pid}/fd | wc -l`], { encoding: "utf8" }));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const before = count();
  assert.ok(memory(child.pid) < 150, `${memory(child.pid)} MB`);
  const deadline = Date.now() + 60_000;
  while (count() >= before && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 200));
  assert.ok(count() < before, "the connection is still open");
});

test("sessions are listed and searched, and one is opened", async (t) => {
  const home = folder(t);
  for (let at = 0; at < 30; at++) {
    const session = `${String(at).padStart(8, "0")}-2222-4333-8444-555555555555`;
    append(path.join(home, `s${at}.jsonl`), prompt(`Task number ${at}`, { session }), answer("Done", { session }));
  }
  const served = await serve(t, "serve", home);
  const page = await openServed(t, served);
  const rows = page.locator("#overview .sessions tbody tr");
  await rows.nth(29).waitFor();
  await page.getByRole("searchbox", { name: "Search sessions" }).fill("number 17");
  await page.waitForFunction(() => document.querySelectorAll("#overview .sessions tbody tr").length === 1);
  await rows.getByRole("button").click();
  await page.locator("#item-1").waitFor();
  assert.match(await page.title(), /Task number 17/);
  await page.getByRole("button", { name: "← Sessions" }).click();
  const session = "99999999-2222-4333-8444-555555555555";
  append(path.join(home, "new.jsonl"), prompt("Another task", { session }), answer("Done", { session }));
  await page.getByRole("searchbox", { name: "Search sessions" }).fill("another");
  await page.waitForFunction(() => document.querySelectorAll("#overview .sessions tbody tr").length === 1);
  assert.deepEqual(await accessibilityFindings(page), []);
  expectQuiet(page);
});

test("findings, memories and tiers of a store are shown", async (t) => {
  const db = path.join(folder(t), "ops.db");
  const text = "[EVENT:critical:caddy] it is down <script>window.executed = 1</script>\n[MEMORY:timing:caddy] restarts take 30 s";
  const file = recording(t, [prompt("Check"), answer(text)]);
  execFileSync(process.env.STREAMJ, ["findings", "--db", db, file], { stdio: "ignore" });
  const other = recording(t, [prompt("Other", { session: "2-2" })]);
  const page = await openServed(t, await serve(t, "serve", "--db", db, file, other));
  await page.getByRole("region", { name: "Findings", exact: true }).waitFor();
  const shown = await page.locator(".store").innerText();
  for (const expected of ["it is down <script>", "restarts take 30 s", "completed"]) assert.ok(shown.includes(expected), shown);
  assert.deepEqual(await page.evaluate(effects), NO_EFFECTS);
  expectQuiet(page);
});

test("hostile recordings execute nothing and request nothing", async (t) => {
  const file = recording(t, []);
  const page = await openServed(t, await serve(t, "serve", file));
  for (const row of hostileLines()) append(file, row);
  await page.waitForFunction(() => Number(document.querySelector("#state").textContent.replace(/\D/g, "")) > 130);
  await page.getByRole("button", { name: "Expand all" }).click();
  for (let at = 0; at < 6; at++) {
    await page.mouse.wheel(0, 4000);
    await page.waitForTimeout(150);
    assert.deepEqual(await page.evaluate(effects), NO_EFFECTS);
  }
  expectQuiet(page);
});

test("live page of a run is accessible", async (t) => {
  const file = recording(t, [prompt("Count"), answer("**one**"), call("t", "Bash", { command: "ls" })]);
  const page = await openServed(t, await serve(t, "serve", file));
  await page.locator("#item-2").waitFor();
  assert.deepEqual(await accessibilityFindings(page), []);
});

/** Writes a script that prints lines like an agent, with pauses. */
function agent(t, rows, seconds = 2) {
  const file = path.join(folder(t), "agent.sh");
  const commands = rows.map((row) => `cat <<'EOF'\n${JSON.stringify(row)}\nEOF\nsleep 0.5`);
  fs.writeFileSync(file, `#!/bin/sh\n${commands.join("\n")}\nsleep ${seconds}\n`, { mode: 0o755 });
  return file;
}

test("wrap shows the run that it supervises", async (t) => {
  const lines = fs.readFileSync(path.join(FIXTURES, "codex", "command_parallel.jsonl"), "utf8").split("\n").filter(Boolean);
  const script = agent(t, lines.map(JSON.parse));
  const page = await openServed(t, await serve(t, "wrap", "--no-stdin", "--serve", script));
  await page.locator(".item.tool").first().waitFor();
  await page.locator(".item.tool .status.completed").first().waitFor();
  assert.deepEqual(page.observed.requests, []);
});

test("escalate shows its tiers", async (t) => {
  const tier = (text) => agent(t, [prompt("Check"), answer(text)], 8);
  const db = path.join(folder(t), "ops.db");
  const served = await serve(t, "escalate", "--db", db, "--no-stdin", "--serve", "--tier", tier("All is well."), "--tier", tier("x"));
  const page = await openServed(t, served);
  await page.waitForFunction(() => document.body.innerText.includes("Check"));
  assert.deepEqual(page.observed.requests, []);
});

// `streamj report` in a browser.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { after, test } = require("node:test");
const {
  FIXTURES, accessibilityFindings, answer, call, close, expectQuiet, open, prompt, recording, report, result,
} = require("./support.js");
const { NO_EFFECTS, TEXTS, effects, hostileLines } = require("./hostile.js");

after(close);

/** A small session with an edit, a failure, a denial and a long output. */
function session() {
  const output = Array.from({ length: 5000 }, (_, at) => `line ${at} of the log`).join("\n");
  return [
    prompt("Fix the cart"),
    answer("I will **look** at `cart.py`.\n\n```python\nprint(1)\n```"),
    call("t1", "Bash", { command: "pytest -q" }),
    result("t1", "2 failed\nassert total == 81", true),
    call("t2", "Edit", { file_path: "/a.py", old_string: "one\ntwo\n", new_string: "one\nthree\n" }),
    result("t2", "updated"),
    call("t3", "Bash", { command: "cat log" }),
    result("t3", output),
    prompt("And the checkout?"),
    answer("The checkout is **right**."),
  ];
}

const items = (page) => page.locator(".item");

test("report opens from disk without a request or an error", async (t) => {
  const page = await open(t, report(t, recording(t, session())));
  await items(page).first().waitFor();
  assert.equal(await items(page).count(), 7);
  assert.equal(await page.title(), "Fix the cart · streamj");
  assert.match(await page.locator("#facts").innerText(), /success[\s\S]*claude-opus-4-5[\s\S]*\/home\/ana\/shop/);
  assert.match(await page.locator("#timeline canvas").getAttribute("aria-label"), /3 tool calls, 1 failed/);
  assert.equal(await page.locator(".markdown strong").first().innerText(), "look");
  assert.equal(await page.locator(".markdown pre code").first().innerText(), "print(1)\n");
  expectQuiet(page);
});

test("every recording opens without an error", async (t) => {
  const files = fs.readdirSync(path.join(FIXTURES, "claude")).concat(fs.readdirSync(path.join(FIXTURES, "codex")));
  const folders = ["claude", "codex"].map((name) => path.join(FIXTURES, name));
  const page = await open(t, report(t, folders));
  await page.locator("#overview tbody tr").first().waitFor();
  const names = await page.evaluate(
    "[...document.querySelectorAll('script[data-header]')].map((element) => JSON.parse(element.textContent).source)",
  );
  assert.ok(names.length > 40 && files.length >= names.length, `${names.length} of ${files.length}`);
  for (const name of names) {
    await page.evaluate((name) => (location.hash = `run=${encodeURIComponent(name)}`), name);
    await page.waitForFunction((name) => document.querySelector(".source")?.textContent === name, name);
  }
  expectQuiet(page);
});

test("search shows matching items and opens what contains the match", async (t) => {
  const page = await open(t, report(t, recording(t, session())));
  const search = page.getByRole("searchbox", { name: "Search the conversation" });
  await search.fill("TOTAL ==");
  await page.waitForFunction(() => document.querySelectorAll('.item').length === 1);
  assert.match(await items(page).first().innerText(), /assert total == 81/);
  assert.equal(await page.evaluate("CSS.highlights.get('search').size"), 1);
  await search.fill("line 4711 of");
  await page.waitForFunction(() => document.querySelector('.item')?.innerText.includes('line 4711 of the log'));
  await search.fill("no such text");
  await page.waitForFunction(() => document.querySelectorAll('.item').length === 0);
  assert.equal(await page.locator("#state").innerText(), "0 of 7 items");
  await search.fill("");
  await page.waitForFunction(() => document.querySelectorAll('.item').length === 7);
  expectQuiet(page);
});

test("filters select kinds and failures", async (t) => {
  const page = await open(t, report(t, recording(t, session())));
  const count = (expected) => page.waitForFunction((count) => document.querySelectorAll(".item").length === count, expected);
  await count(7);
  await page.getByLabel("failed only").check();
  await count(1);
  assert.match(await items(page).first().innerText(), /pytest/);
  await page.getByLabel("failed only").uncheck();
  await page.getByLabel("tools").uncheck();
  await count(4);
  await page.getByLabel("answers").uncheck();
  await count(2);
});

test("tool calls open and close, and long outputs are folded", async (t) => {
  const page = await open(t, report(t, recording(t, session())));
  const log = page.locator("#item-4");
  assert.equal(await log.locator("pre").count(), 0);
  await log.locator("button.line").click();
  assert.match(await log.innerText(), /line 29 of the log/);
  assert.doesNotMatch(await log.innerText(), /line 30 of the log/);
  await log.getByRole("button", { name: /Show more/ }).click();
  assert.match(await log.innerText(), /line 700 of the log/);
  await log.locator("button.line").click();
  assert.equal(await log.locator("pre").count(), 0);
  const edit = page.locator("#item-3");
  await edit.locator("button.line").click();
  assert.equal(await edit.locator(".row.removed").innerText(), "- two\n");
  assert.equal(await edit.locator(".row.added").innerText(), "+ three\n");
  expectQuiet(page);
});

test("links lead to items, also to those that a filter hides", async (t) => {
  const lines = [prompt("Start")];
  for (let at = 0; at < 800; at++) lines.push(call(`t${at}`, "Bash", { command: `echo ${at}` }), result(`t${at}`, `out ${at}`));
  const address = report(t, recording(t, lines));
  const page = await open(t, `${address}#item=700`);
  const item = page.locator("#item-700");
  await item.waitFor();
  await page.waitForFunction(() => document.activeElement.id === 'item-700');
  assert.match(await item.innerText(), /out 699/);
  assert.ok(await item.evaluate((element) => element.getBoundingClientRect().top < innerHeight));
  await item.getByRole("button", { name: "Link to item 700" }).click();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), `${address}#item=700`);
  await page.getByLabel("tools").uncheck();
  await page.evaluate("location.hash = 'item=5'");
  await page.waitForFunction(() => document.activeElement.id === 'item-5');
  expectQuiet(page);
});

test("keyboard moves, opens, filters and searches", async (t) => {
  const page = await open(t, report(t, recording(t, session())));
  await items(page).first().waitFor();
  const focused = () => page.evaluate("document.activeElement.id");
  await page.keyboard.press("j");
  assert.equal(await focused(), "item-0");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  assert.equal(await focused(), "item-2");
  await page.keyboard.press("o");
  assert.match(await page.locator("#item-2").innerText(), /assert total/);
  await page.keyboard.press("k");
  assert.equal(await focused(), "item-1");
  await page.keyboard.press("f");
  await page.waitForFunction(() => document.querySelectorAll('.item').length === 1);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate("document.activeElement.type"), "search");
  await page.keyboard.type("jk");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
});

test("texts are copied", async (t) => {
  const page = await open(t, report(t, recording(t, session())));
  await page.locator("#item-1 .frame").getByRole("button", { name: "Copy the code" }).click();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "print(1)\n");
  await page.locator("#item-3").hover();
  await page.getByRole("button", { name: "Copy item 3" }).click();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "Edit /a.py\n one\n-two\n+three\nupdated");
});

test("colours are light or dark", async (t) => {
  const address = report(t, recording(t, session()));
  const background = (page) => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const light = await open(t, address, { colorScheme: "light" });
  const dark = await open(t, address, { colorScheme: "dark" });
  const [before, other] = [await background(light), await background(dark)];
  assert.notEqual(before, other);
  await light.getByRole("button", { name: "Light or dark colours" }).click();
  assert.equal(await background(light), other);
  await dark.keyboard.press("t");
  assert.equal(await background(dark), before);
});

test("page fits a phone", async (t) => {
  const address = report(t, recording(t, session()));
  const page = await open(t, address, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await items(page).first().waitFor();
  for (const number of [2, 3, 4]) await page.locator(`#item-${number} button.line`).tap();
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360);
});

test("print has all items and no controls", async (t) => {
  const lines = [];
  for (let at = 0; at < 900; at++) lines.push(answer(`answer ${at}`));
  const page = await open(t, report(t, recording(t, lines)));
  await items(page).first().waitFor();
  assert.ok((await items(page).count()) < 500);
  await page.pdf();
  assert.equal(await items(page).count(), 900);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("#toolbar").isVisible(), false);
});

test("subagents have lanes and labels", async (t) => {
  const page = await open(t, report(t, path.join(FIXTURES, "claude", "subagent_parallel_foreground.jsonl")));
  await items(page).first().waitFor();
  assert.deepEqual(await page.locator(".lanes div").allInnerTexts(), ["main", "Agent One", "Agent Two"]);
  assert.ok((await page.locator(".item.nested .agent").count()) >= 2);
  const label = await page.locator("#timeline canvas").getAttribute("aria-label");
  assert.match(label, /2 subagents/);
});

test("retries and failures are shown", async (t) => {
  const page = await open(t, report(t, path.join(FIXTURES, "claude", "err_429_unified_oauth.jsonl")));
  await items(page).first().waitFor();
  assert.match(await page.locator("#facts").innerText(), /failed[\s\S]*rate_limit/);
  expectQuiet(page);
});

test("bars of the timeline lead to their items", async (t) => {
  const page = await open(t, report(t, recording(t, session())));
  await items(page).first().waitFor();
  await page.waitForTimeout(300);
  const canvas = page.locator("#timeline canvas");
  const { width } = await canvas.boundingBox();
  for (let x = 1; x < width && !(await page.evaluate("location.hash")); x += 6) {
    await canvas.click({ position: { x, y: 10 } });
  }
  assert.match(await page.evaluate("location.hash"), /^#item=[234]$/);
});

test("hostile texts execute nothing and request nothing", async (t) => {
  const page = await open(t, report(t, recording(t, hostileLines())));
  await items(page).first().waitFor();
  await page.getByRole("button", { name: "Expand all" }).click();
  const last = await page.evaluate("[...document.querySelectorAll('.block')].length");
  for (let at = 0; at < last; at++) {
    await page.evaluate((at) => document.querySelectorAll(".block")[at].scrollIntoView(), at);
    await page.waitForTimeout(60);
    assert.deepEqual(await page.evaluate(effects), NO_EFFECTS);
  }
  await page.evaluate("document.querySelector('.block').scrollIntoView()");
  assert.equal(await page.locator("#item-0 .plain").innerText(), TEXTS[0]);
  for (const button of await page.locator(".markdown .copy").all()) await button.click({ timeout: 2000 }).catch(() => {});
  assert.deepEqual(await page.evaluate(effects), NO_EFFECTS);
  expectQuiet(page);
});

test("a long session has few elements, and its end is reached", async (t) => {
  const lines = [prompt("Start")];
  const output = "some output of a tool, which is long enough\n".repeat(60);
  for (let at = 0; at < 20_000; at++) lines.push(call(`t${at}`, "Bash", { command: `echo ${at}` }), result(`t${at}`, `${at} ${output}`));
  const file = recording(t, lines);
  assert.ok(fs.statSync(file).size > 50e6);
  const started = Date.now();
  const page = await open(t, report(t, file));
  await page.waitForFunction(() => document.querySelector('#state').textContent === '20,001 items');
  t.diagnostic(`opened ${(fs.statSync(file).size / 1e6).toFixed(0)} MB after ${Date.now() - started} ms (report included)`);
  const elements = () => page.evaluate("document.querySelectorAll('*').length");
  assert.ok((await elements()) < 6000, `${await elements()} elements`);
  const ended = Date.now();
  await page.keyboard.press("G");
  await page.locator("#item-20000").waitFor();
  t.diagnostic(`end after ${Date.now() - ended} ms`);
  await page.waitForTimeout(500);
  assert.ok((await elements()) < 8000, `${await elements()} elements`);
  const searched = Date.now();
  await page.getByRole("searchbox", { name: "Search the conversation" }).fill("19876 some");
  await page.waitForFunction(() => document.querySelector('#state').textContent === '1 of 20,001 items');
  t.diagnostic(`search after ${Date.now() - searched} ms`);
  expectQuiet(page);
});

test("several sessions have an index with charts", async (t) => {
  const file = (number) => {
    const session = `${number}1111111-2222-4333-8444-555555555555`;
    const at = Date.UTC(2026, 10, 10 + number, 12);
    const options = { session, at };
    return recording(t, [
      prompt(`Task ${number}`, options),
      call("t", "Bash", { command: "false" }, options),
      result("t", "failed", true, options),
      answer(`Answer ${number}`, options),
    ], `run${number}.jsonl`);
  };
  const page = await open(t, report(t, [file(1), file(2), file(3)]));
  const rows = page.locator("#overview .sessions tbody tr");
  await rows.first().waitFor();
  assert.equal(await rows.count(), 3);
  const captions = await page.locator(".chart caption").allInnerTexts();
  for (const title of ["Cost per day", "Cost per model", "Failed tool calls"]) assert.ok(captions.includes(title), title);
  assert.equal(await page.locator(".chart").first().locator("tr").count(), 3);
  await page.getByRole("searchbox", { name: "Search sessions" }).fill("21111111");
  assert.equal(await rows.count(), 1);
  await rows.getByRole("button").click();
  await page.locator("#item-2").waitFor();
  assert.match(await page.locator("#conversation").innerText(), /Answer 2/);
  await page.getByRole("button", { name: "← Sessions" }).click();
  await rows.first().waitFor();
  expectQuiet(page);
  assert.deepEqual(await accessibilityFindings(page), []);
});

test("secrets are masked, or the page says that they are not", async (t) => {
  const secret = `sk-ant-api03-${"Zx8".repeat(12)}`;
  const file = recording(t, [prompt("key?"), answer(`It is ${secret}.`)]);
  const plain = await open(t, report(t, file));
  assert.match(await plain.locator("#secrets").innerText(), /contains secrets that are not masked/);
  const address = report(t, file, "--redact");
  const masked = await open(t, address);
  assert.equal(await masked.locator("#secrets").count(), 0);
  assert.match(await masked.locator("#facts").innerText(), /Secrets are masked/);
  assert.ok(!fs.readFileSync(address.slice("file://".length), "utf8").includes(secret));
});

for (const colorScheme of ["light", "dark"]) {
  test(`report is accessible (${colorScheme})`, async (t) => {
    const page = await open(t, report(t, recording(t, session())), { colorScheme });
    await items(page).first().waitFor();
    await page.getByRole("button", { name: "Expand all" }).click();
    assert.deepEqual(await accessibilityFindings(page), []);
  });
}

// Takes the pictures of the README: node tests/browser/pictures.js FOLDER
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { answer, assistant, call, close, open, prompt, recording, result, serve } = require("./support.js");

/** Stands for a test: what has to be removed is removed at the end. */
const cleanup = [];
const context = { after: (step) => cleanup.unshift(step) };

/** A session like a real one, with a failure, an edit, a to-do list, subagents and a refusal. */
function demo() {
  let now = Date.UTC(2026, 10, 16, 9, 0, 0);
  const at = (seconds) => ({ at: (now += seconds * 1000) });
  const todo = (content, status) => ({ content, status, activeForm: content });
  const before = "    cart = Cart.load(data)\n    cart.apply_discounts(rules)\n    return cart\n";
  const after =
    "    cart = Cart.load(data)\n    # The stored totals include the discounts.\n    if not cart.has_discounts:\n        cart.apply_discounts(rules)\n    return cart\n";
  const failure = "F..F....\n    def test_restore_keeps_total():\n>       assert restored.total == cart.total\nE       assert Decimal('72.90') == Decimal('81.00')\n\n2 failed, 6 passed in 3.41s";
  return [
    prompt("The discount is applied twice when a cart is restored from a session. Find out why, fix it and add a test.", at(0)),
    assistant([{ type: "thinking", thinking: "The restore path probably calls apply_discounts again after loading the cart.", signature: "s" }], at(4)),
    answer("I'll look at how a cart is restored, and where discounts are applied.", at(2)),
    call("t1", "Grep", { pattern: "apply_discount", path: "src" }, at(1)),
    call("t2", "Read", { file_path: "/home/ana/shop-api/src/cart.py" }, at(1)),
    result("t1", "src/cart.py:41:    def apply_discounts(self, rules):\nsrc/session.py:88:        cart.apply_discounts(rules)", false, at(1)),
    result("t2", "class Cart:\n".repeat(120), false, at(2)),
    call("t3", "Bash", { command: "pytest -q tests/test_cart.py" }, at(2)),
    result("t3", failure, true, at(9)),
    call("t4", "Edit", { file_path: "/home/ana/shop-api/src/session.py", old_string: before, new_string: after }, at(5)),
    result("t4", "The file has been updated.", false, at(1)),
    call("t5", "TodoWrite", { todos: [todo("Find the cause", "completed"), todo("Fix the restore path", "completed"), todo("Add a test", "in_progress")] }, at(1)),
    result("t5", "Todos have been modified", false, at(1)),
    call("t6", "Bash", { command: "pytest -q" }, at(2)),
    result("t6", "40 passed in 12.88s", false, at(14)),
    answer(
      "Fixed. The cart **stored its discounted totals**, and `restore_cart` applied the discounts again.\n\n| case | before | after |\n|---|---|---|\n| new cart | 81.00 | 81.00 |\n| restored cart | 72.90 | 81.00 |\n\n- `src/session.py`: discounts are applied only if the stored cart has none\n- `tests/test_cart.py`: a test that restores a cart twice",
      at(5),
    ),
    prompt("Thanks. Does the same happen in the checkout?", at(20)),
    call("t7", "Bash", { command: "rg -n has_discounts src" }, at(3)),
    result("t7", "src/session.py:89:    if not cart.has_discounts:", false, at(1)),
    call("t8", "WebFetch", { url: "https://wiki.example.com/checkout", prompt: "How are totals computed?" }, at(2)),
    result("t8", "The user doesn't want to proceed with this tool use. The tool use was rejected.", true, at(3)),
    answer("No: `checkout.py` creates its cart from the order lines, so nothing is applied twice there.", at(5)),
  ];
}

/** Writes sessions of two weeks into a folder. */
function sessions(folder) {
  const tasks = [
    "Fix the discount of restored carts", "Update the dependencies and run the tests", "Explain the retry logic of the worker",
    "Add pagination to the orders API", "Why does the nightly import fail?", "Write a migration for the new address fields",
    "Review the changes of the last release", "Speed up the search for products", "Translate the mails into French",
    "Remove the unused feature flags", "Add a health check to the gateway", "Move the tests to the new runner",
  ];
  const projects = ["shop-api", "gateway", "import-jobs"];
  for (const [number, task] of tasks.entries()) {
    const session = `${(0x5b1c7e2a + number * 0x1234567).toString(16).slice(0, 8)}-0c1d-4d0a-9f5e-1f2a3b4c5d6e`;
    const rows = [];
    let now = Date.UTC(2026, 10, 5 + Math.floor(number * 0.9), 8 + (number % 7), 12);
    const add = (row, seconds) => {
      now += seconds * 1000;
      rows.push({ ...row, sessionId: session, cwd: `/home/ana/${projects[number % 3]}`, timestamp: new Date(now).toISOString() });
    };
    add(prompt(task), 0);
    for (let step = 0; step < 3 + ((number * 5) % 11); step++) {
      const id = `s${number}_${step}`;
      const used = call(id, "Bash", { command: `step ${step}` });
      used.message.id = used.requestId = id;
      used.message.model = number % 4 === 1 ? "claude-sonnet-4-5" : "claude-opus-4-5";
      used.message.usage = { input_tokens: 900, cache_read_input_tokens: 18_000 + 3000 * step, cache_creation_input_tokens: 4000, output_tokens: 700 };
      add(used, 6);
      add(result(id, "done", (step * 7 + number) % 9 === 0), 4 + step);
    }
    add(answer("Done."), 5);
    fs.writeFileSync(path.join(folder, `${session}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
}

async function main(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const size = { viewport: { width: 1080, height: 860 }, deviceScaleFactor: 1, colorScheme: "light" };
  const file = recording(context, demo());
  const document = `${file}.html`;
  execFileSync(process.env.STREAMJ, ["report", "-q", path.basename(file), "-o", document], { cwd: path.dirname(file) });
  const page = await open(context, `file://${document}`, size);
  await page.locator("#item-13").waitFor();
  await page.locator("#item-6 button.line").click();
  await page.waitForTimeout(500);
  await page.mouse.move(0, 0);
  await page.screenshot({ path: path.join(folder, "report.png") });
  const home = path.dirname(recording(context, []));
  fs.rmSync(path.join(home, "run.jsonl"));
  sessions(home);
  const served = await serve(context, "serve", home);
  const list = await open(context, served.address, { ...size, viewport: { width: 1080, height: 980 }, allowed: () => true });
  await list.locator("#overview tbody tr").nth(11).waitFor();
  await list.waitForTimeout(500);
  await list.screenshot({ path: path.join(folder, "sessions.png") });
}

main(process.argv[2]).finally(async () => {
  await close();
  for (const step of cleanup) await step();
});

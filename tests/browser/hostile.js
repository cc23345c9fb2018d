// Texts of an agent that would do harm if they became markup, script or style.
"use strict";

const { answer, assistant, call, prompt, result } = require("./support.js");

const TEXTS = [
  "<script>window.executed = 1</script>",
  "</script><script>window.executed = 2</script>",
  "<!--<script>window.executed = 3</script>",
  "]]></script><img src=x onerror='window.executed = 4'>",
  "<img src='http://attacker.invalid/a.png' onerror='window.executed = 5'>",
  "<svg onload='window.executed = 6'><animate onbegin='window.executed = 7'></svg>",
  "<iframe srcdoc='<script>parent.executed = 8</script>'></iframe>",
  "<style>body { display: none } @import 'http://attacker.invalid/a.css';</style>",
  "<link rel=stylesheet href='http://attacker.invalid/b.css'>",
  "<base href='http://attacker.invalid/'>",
  "<meta http-equiv=refresh content='0;url=http://attacker.invalid/'>",
  "<form action='http://attacker.invalid/'><input name=a autofocus onfocus='window.executed = 9'></form>",
  "[click](javascript:window.executed=10) ![i](http://attacker.invalid/i.png)",
  "[a](data:text/html,<script>window.executed=11</script>) <http://attacker.invalid/auto>",
  "[b](http://attacker.invalid/ \"onmouseover='window.executed=12'\")",
  "`</code><script>window.executed = 13</script>`",
  "```html\n</pre></code></script><script>window.executed = 14</script>\n```",
  "| <b onclick=window.executed=15>a</b> | b |\n|---|---|\n| <script>window.executed=16</script> | c |",
  "{{constructor.constructor('window.executed = 17')()}} ${window.executed = 18}",
  "\u0000\u0001\u001b[31mred\u001b[0m\u001b]0;title\u0007\u009b31m\u202egnp.exe\u2066\u200b\ufeff",
  "\u2028\u2029\ud800 lone \udc00 surrogates",
  "__proto__ constructor toString",
];

/** Returns a session in which every kind of text is one of these. */
function hostileLines() {
  const lines = [];
  TEXTS.forEach((text, at) => {
    const id = `toolu_${at}${text}`;
    const input = { command: text, [text]: text, __proto__x: text, nested: [[text], { [text]: [text] }] };
    lines.push(
      prompt(text),
      assistant([{ type: "thinking", thinking: text, signature: "s" }]),
      answer(text),
      call(id, text, input),
      result(id, text, at % 2 === 0),
      call(`edit_${at}`, "Edit", { file_path: text, old_string: `a\n${text}`, new_string: `b\n${text}\n${text}` }),
      result(`edit_${at}`, text),
      call(`todo_${at}`, "TodoWrite", { todos: [{ content: text, status: text, activeForm: text }] }),
      result(`todo_${at}`, text),
    );
  });
  const raw = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 2}}}');
  lines.push(call("proto", "Bash", raw), result("proto", "x".repeat(2_000_000)));
  lines.push(answer("y".repeat(500_000)), answer(`${"> ".repeat(3000)}deep`), answer("[".repeat(20_000)));
  lines.push(call("deep", "Bash", { a: JSON.parse("[".repeat(500) + "]".repeat(500)) }), result("deep", "done"));
  for (const row of lines) {
    row.cwd = "</script><script>window.executed = 20</script>";
    row.version = "<img src=x onerror=window.executed=21>";
  }
  return lines;
}

/** Returns what of the hostile texts took effect on a page. */
function effects() {
  const forbidden = "a, img, iframe, object, embed, form, base, svg, audio, video, [onclick], [onerror], [style*=url]";
  return {
    executed: window.executed ?? null,
    polluted: {}.polluted ?? null,
    elements: [...document.querySelectorAll(forbidden)].map((element) => element.outerHTML),
    links: [...document.querySelectorAll("[href], [src], [srcdoc], [action]")]
      .map((element) => element.outerHTML)
      .filter((html) => html !== '<link rel="icon" href="data:,">'),
    scripts: [...document.scripts].filter((script) => script.type !== "application/json").length,
    styles: document.querySelectorAll("style").length,
    isShown: getComputedStyle(document.body).display !== "none",
  };
}

const NO_EFFECTS = {
  executed: null,
  polluted: null,
  elements: [],
  links: [],
  scripts: 1,
  styles: 1,
  isShown: true,
};

module.exports = { NO_EFFECTS, TEXTS, effects, hostileLines };

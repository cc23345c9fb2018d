// Markdown from its marks (see `src/page/markdown.rs`).

const MARKDOWN_ELEMENTS = new Set([
  "p", "h3", "h4", "h5", "h6", "blockquote", "pre", "ul", "ol", "li", "table", "thead", "tr", "td",
  "em", "strong", "del", "code", "br", "hr",
]);

/** Returns a text with its marks as elements. */
function markdown(text, marks) {
  const root = el("div", { class: "markdown" });
  const open = [{ target: root }];
  const target = () => open[open.length - 1].target;
  const start = (element, close) => {
    target().append(element);
    open.push({ target: element, close });
  };
  for (let at = 0; at < marks.length; at++) {
    const mark = marks[at];
    if (mark === -1) {
      if (open.length > 1) open.pop().close?.();
    } else if (typeof mark === "number") {
      target().append(visible(text.slice(mark, marks[++at])));
    } else if (Array.isArray(mark)) {
      target().append(visible(String(mark[0])));
    } else if (typeof mark === "string") {
      startElement(mark, start, open);
    } else if (mark.link !== undefined) {
      startLink(mark.link, start);
    } else {
      startCode(mark.code, start, open);
    }
  }
  return root;
}

function startElement(name, start, open) {
  if (name === "thead") {
    const row = el("tr");
    start(row);
    open[open.length - 1].cell = "th";
  } else if (name === "td") {
    start(el(open[open.length - 1].cell ?? "td"));
  } else {
    start(el(MARKDOWN_ELEMENTS.has(name) ? name : "span"));
  }
}

/** Starts a link of the agent: a text, with its address and a button that copies it. */
function startLink(address, start) {
  const link = el("span", { class: "link" });
  start(link, () => {
    const shown = visible(address);
    if (link.textContent !== shown) link.append(el("span", { class: "address" }, ` ${shown}`));
    link.after(copyButton(`Copy the address ${shown}`, () => address, "copy"));
  });
}

function startCode(language, start) {
  const code = el("code");
  const block = codeBlock(language ? `Code: ${visible(language)}` : "Code", code);
  block.classList.add("code");
  // Texts go into the block itself, so that the button is not a part of them.
  const frame = el("div", { class: "frame" }, block);
  start(frame, () => {
    code.append(...[...frame.childNodes].filter((child) => child !== block));
    frame.append(copyButton("Copy the code", () => code.textContent));
  });
}


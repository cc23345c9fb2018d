// Elements. All texts become text nodes; no string is ever parsed as HTML.

/** Creates an element. A string among the children becomes a text node. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "click") element.addEventListener("click", value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

/** Says something in the page's status line, which screen readers read. */
function announce(text) {
  byId("state").textContent = text;
}

/** Creates a button that copies what `text` returns. */
function copyButton(label, text, shown = "copy") {
  const button = el("button", { type: "button", class: "quiet copy", "aria-label": label }, shown);
  button.addEventListener("click", async (event) => {
    event.stopPropagation();
    await copy(text());
    button.textContent = "copied";
    setTimeout(() => (button.textContent = shown), 1500);
  });
  return button;
}

/** Copies a text; a page from disk may have no clipboard API. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { class: "offscreen", "aria-hidden": true });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Creates a block of code with its own scroll bar, which the keyboard reaches. */
function codeBlock(label, ...children) {
  return el("pre", { tabindex: 0, role: "region", "aria-label": label }, ...children);
}


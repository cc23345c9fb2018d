// Which items are shown, and where they match.

class Filter {
  constructor() {
    this.hidden = new Set();
    this.failedOnly = false;
    this.query = "";
    this.pattern = undefined;
  }

  setQuery(query) {
    this.query = query.trim();
    const escaped = this.query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    this.pattern = this.query ? new RegExp(escaped, "iu") : undefined;
  }

  get isActive() {
    return this.hidden.size > 0 || this.failedOnly || this.pattern !== undefined;
  }

  /** Returns whether an item is shown. */
  includes(item) {
    if (!item || this.hidden.has(item.kind)) return false;
    if (this.failedOnly && !isFailure(item)) return false;
    return this.pattern === undefined || this.matches(item);
  }

  matches(item) {
    for (const text of texts(item)) {
      if (this.pattern.test(text)) return true;
    }
    return false;
  }
}

/** Returns the texts of an item that a search looks at. */
function* texts(item) {
  yield item.text;
  if (item.kind !== "tool") return;
  for (const text of [item.name, item.summary, item.output]) {
    if (text) yield text;
  }
  yield* stringsOf(item.input, 0);
  for (const { text } of item.diff ?? []) yield text;
  for (const { text } of item.todo ?? []) yield text;
}

/** Returns the strings in a JSON value, its names included. */
function* stringsOf(value, depth) {
  if (typeof value === "string") yield value;
  else if (typeof value === "number") yield String(value);
  else if (value && typeof value === "object" && depth < 100) {
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value)) yield name;
      yield* stringsOf(member, depth + 1);
    }
  }
}

/** Marks the matches of a pattern in a part of the page, where the browser can. */
function highlight(root, pattern) {
  if (!globalThis.CSS?.highlights) return;
  CSS.highlights.delete("search");
  if (!pattern || !root) return;
  const all = new RegExp(pattern.source, "giu");
  const ranges = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && ranges.length < 2000) {
    for (const match of walker.currentNode.data.matchAll(all)) {
      const range = new Range();
      range.setStart(walker.currentNode, match.index);
      range.setEnd(walker.currentNode, match.index + match[0].length);
      ranges.push(range);
    }
  }
  CSS.highlights.set("search", new Highlight(...ranges));
}


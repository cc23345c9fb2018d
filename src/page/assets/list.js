// The conversation: items in blocks, of which those near the window have elements.

const BLOCK_SIZE = 40;

/** Height of an item that has not been shown yet, in pixels. */
const ITEM_HEIGHT = 44;

class ItemList {
  /** `render` returns the element of an item. */
  constructor(container, render, changed) {
    this.container = container;
    this.render = render;
    this.changed = changed;
    this.blocks = [];
    this.places = new Map();
    this.observer = new IntersectionObserver((entries) => this.observe(entries), {
      rootMargin: "1500px 0px",
    });
  }

  clear() {
    this.observer.disconnect();
    this.blocks = [];
    this.places.clear();
    this.container.replaceChildren();
  }

  /** Shows these items in place of others. */
  replace(items) {
    this.clear();
    for (const item of items) this.place(item);
    this.update();
  }

  /** Adds an item at the end. */
  append(item) {
    const block = this.place(item);
    if (block.isShown) block.element.append(this.render(item));
  }

  place(item) {
    let block = this.blocks[this.blocks.length - 1];
    if (!block || block.items.length >= BLOCK_SIZE) block = this.addBlock();
    block.items.push(item);
    this.places.set(item.number, block);
    if (!block.isShown) block.element.style.height = `${block.items.length * ITEM_HEIGHT}px`;
    return block;
  }

  addBlock() {
    const block = { items: [], element: el("div", { class: "block" }), isShown: false };
    block.element.block = block;
    this.blocks.push(block);
    this.container.append(block.element);
    this.observer.observe(block.element);
    return block;
  }

  /** Shows a changed item again. */
  refresh(item) {
    const block = this.places.get(item.number);
    const element = block?.isShown ? byId(`item-${item.number}`) : null;
    if (!element) return;
    const hasFocus = element === document.activeElement;
    const next = this.render(item);
    element.replaceWith(next);
    if (hasFocus) next.focus({ preventScroll: true });
  }

  /** Scrolls to an item and returns its element. */
  show(number, position = "start") {
    const block = this.places.get(number);
    if (!block) return undefined;
    this.fill(block);
    const element = byId(`item-${number}`);
    element.scrollIntoView({ block: position });
    element.focus({ preventScroll: true });
    // Blocks above may get another height when they are shown.
    requestAnimationFrame(() => element.scrollIntoView({ block: position }));
    return element;
  }

  observe(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.fill(target.block);
      else this.empty(target.block);
    }
    this.changed();
  }

  /** Shows blocks near the window at once. */
  update() {
    for (const block of this.blocks.slice(0, 2)) this.fill(block);
    this.changed();
  }

  fill(block) {
    if (block.isShown) return;
    block.isShown = true;
    block.element.style.height = "";
    block.element.append(...block.items.map(this.render));
  }

  empty(block) {
    if (!block.isShown || block.element.contains(document.activeElement)) return;
    block.isShown = false;
    block.element.style.height = `${block.element.offsetHeight}px`;
    block.element.replaceChildren();
  }

  /** Shows all items, to be printed. */
  fillAll() {
    for (const block of this.blocks) this.fill(block);
  }

  /** Returns the number of the item before or after the one with this number. */
  neighbour(number, step) {
    const block = this.places.get(number);
    if (!block) return this.blocks[0]?.items[0]?.number;
    const at = block.items.findIndex((item) => item.number === number) + step;
    if (block.items[at]) return block.items[at].number;
    const next = this.blocks[this.blocks.indexOf(block) + step];
    return next?.items[step > 0 ? 0 : next.items.length - 1]?.number;
  }

  get last() {
    return this.blocks[this.blocks.length - 1]?.items.at(-1)?.number;
  }
}


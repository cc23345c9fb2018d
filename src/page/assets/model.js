// A run: its items, as changes create and complete them.

class Run {
  constructor(name) {
    this.name = name;
    this.header = undefined;
    this.items = [];
    /** Items of tool calls by the id of the call. */
    this.calls = new Map();
  }

  /** Applies a change and returns the item, and whether it is new. */
  apply(change) {
    const known = this.items[change.item];
    const item = known ?? this.create(change);
    if (item.kind === "text") {
      item.text += change.text ?? "";
      item.marks = change.marks ?? undefined;
      item.isOpen = change.marks === undefined && !change.abandoned;
      item.isAbandoned ||= Boolean(change.abandoned);
    } else {
      const { item: _, kind, line, at, agent, ...content } = change;
      Object.assign(item, content);
    }
    if (change.id !== undefined) this.calls.set(change.id, item);
    return { item, isNew: !known };
  }

  create({ item: number, kind, line, at, agent }) {
    const item = { number, kind, line, at, agent, text: "", isExpanded: false };
    this.items[number] = item;
    return item;
  }

  /** Returns the name of a subagent. */
  agentName(id) {
    const call = this.calls.get(id);
    return call ? `${call.name} ${call.summary}`.trim() : id;
  }

  /** Returns how deep the work of a subagent is nested. */
  depth(agent) {
    let depth = 0;
    for (let id = agent; id !== undefined && depth < 8; depth++) id = this.calls.get(id)?.agent;
    return depth;
  }

  /** Returns the times of the first and the last item, if lines have times. */
  span() {
    let [first, last] = [Infinity, -Infinity];
    for (const item of this.items) {
      for (const time of [item?.at, item?.ended]) {
        if (time === undefined) continue;
        first = Math.min(first, time);
        last = Math.max(last, time);
      }
    }
    return first <= last ? { first, last } : undefined;
  }
}

/** Returns whether an item reports that something went wrong. */
function isFailure(item) {
  if (item.kind === "tool") return item.status === "failed" || item.status === "denied";
  return item.kind === "note" && (item.level === "error" || item.topic === "denied");
}


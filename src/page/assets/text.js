// Texts and numbers as people read them.

/** Characters that are not visible or change the direction of the text around them. */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Sequences for terminals: colours and other control sequences, titles. */
const ESCAPES = /\u001b\[[0-9;:?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/** Returns a text in which control characters are visible; sequences for terminals are left out. */
function visible(text) {
  const lines = text.replace(ESCAPES, "").replace(/\r\n?/g, "\n");
  return lines.replace(INVISIBLE, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

function plural(count, noun) {
  return `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function thousands(number) {
  return Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a count: `950`, `12.3k`, `4.5M`. */
function short(number) {
  if (number < 1000) return String(Math.round(number));
  if (number < 999_950) return `${(number / 1000).toFixed(number < 99_950 ? 1 : 0)}k`;
  return `${(number / 1e6).toFixed(1)}M`;
}

function money(usd) {
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

/** Formats a duration: `340 ms`, `2.5 s`, `4 min 10 s`, `2 h 5 min`. */
function duration(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1440)} d ${Math.floor((minutes % 1440) / 60)} h`;
}

function clock(milliseconds) {
  return new Date(milliseconds).toLocaleTimeString([], { hour12: false });
}

function dayAndTime(milliseconds) {
  const time = new Date(milliseconds);
  const two = (number) => String(number).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Formats a size: `340 B`, `1.2 kB`. */
function size(length) {
  if (length < 1000) return `${length} B`;
  return length < 1e6 ? `${(length / 1000).toFixed(1)} kB` : `${(length / 1e6).toFixed(1)} MB`;
}

/** Returns the last part of a path or of the name of a model. */
function lastPart(path) {
  return path.split(/[/\\]/).filter(Boolean).pop() ?? path;
}

function firstLine(text) {
  const line = text.trimStart().split("\n", 1)[0];
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}


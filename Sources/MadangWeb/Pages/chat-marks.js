/**
 * How far each room was read, and drafts that were not sent. The server keeps neither: they belong to this browser,
 * for each account.
 * @module
 */

import { readSetting, writeSetting } from "./words.js";

/** Marks and drafts that are kept: the newest. */
const MOST_MARKS = 2000, MOST_DRAFTS = 60;
/** Milliseconds in which marks are gathered before they are stored. */
const REST = 300;

export class Marks {
  #key;
  #since;
  #dates = {};
  #timer = 0;

  /** @param {string} account @param {string} now the server's time, the first time this browser sees the account */
  constructor(account, now) {
    this.#key = `read.${account}`;
    this.#load();
    this.#since ??= now;
    addEventListener("pagehide", () => { if (this.#timer) this.keep(); });
    // Another tab has read on.
    addEventListener("storage", (event) => {
      if (this.isKeptAs(event.key)) this.#load();
    });
  }

  /** Whether a change of this key of the browser's storage is a change of these marks. */
  isKeptAs(key) {
    return key === `madang.${this.#key}`;
  }

  /** The date up to which a room was read. Chats from before this browser knew the account count as read. */
  of(room) {
    return this.#dates[room.id] ?? this.#since;
  }

  set(room, date) {
    if (date <= this.of(room) && room.id in this.#dates) return;
    this.#dates[room.id] = date;
    this.#timer ||= setTimeout(() => this.keep(), REST);
  }

  /** Stores the marks now; at first so that a later visit counts from this one. */
  keep() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#load();
    const dates = Object.entries(this.#dates);
    if (dates.length > MOST_MARKS) {
      dates.sort(([, one], [, other]) => (one < other ? 1 : -1));
      this.#dates = Object.fromEntries(dates.slice(0, MOST_MARKS));
    }
    writeSetting(this.#key, JSON.stringify({ since: this.#since, dates: this.#dates }));
  }

  #load() {
    const kept = readObject(this.#key);
    this.#since = typeof kept.since === "string" ? kept.since : this.#since;
    // Marks never go back, whichever tab set them.
    for (const [room, date] of Object.entries(kept.dates ?? {})) {
      if (typeof date === "string" && date > (this.#dates[room] ?? "")) this.#dates[room] = date;
    }
  }
}

/** The draft of a room. */
export function draftOf(account, room) {
  const text = readObject(`drafts.${account}`)[room];
  return typeof text === "string" ? text : "";
}

/** Keeps a room's draft; an empty one is forgotten. */
export function keepDraft(account, room, text) {
  const drafts = readObject(`drafts.${account}`);
  if (!text && !(room in drafts)) return;
  delete drafts[room];
  if (text) drafts[room] = text;
  const ids = Object.keys(drafts);
  for (const id of ids.slice(0, Math.max(0, ids.length - MOST_DRAFTS))) delete drafts[id];
  writeSetting(`drafts.${account}`, ids.length ? JSON.stringify(drafts) : null);
}

function readObject(key) {
  try {
    return JSON.parse(readSetting(key) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/**
 * The rows of the timeline. The oldest are removed when there are too many.
 * @module
 */

import { rowOf } from "./console-row.js";

/** Rows that are kept at most. */
export const MOST = 20_000;
/** Rows that are removed at once. */
const CHUNK = 2_000;
/** Chats whose event row can still collect sockets. */
const OPEN_CHATS = 300;
const MOST_SOCKETS = 500;
/** Sessions whose account is remembered. */
const MOST_SESSIONS = 2_000;

export class Store extends EventTarget {
  /** @type {object[]} Oldest first. */
  rows = [];
  /** How many rows were removed before the first. */
  dropped = 0;
  #delivering = new Map();
  /** By session: its account, and the row of its start, which came before the account was known. */
  #sessions = new Map();
  #asked = false;
  /** By world: the number of the newest entry. */
  #newest = new Map();
  /** All rows ever added. */
  total = 0;

  /** Takes entries of a journal. Rows that begin together are ordered by when they began. */
  take(world, entries) {
    const rows = [];
    if (entries.length) this.#newest.set(world, entries.reduce((most, one) => Math.max(most, one.number), 0));
    for (const entry of entries) {
      const row = rowOf(entry, world);
      this.#own(row);
      if (!this.#joins(row)) rows.push(row);
    }
    this.add(rows.sort((one, other) => one.elapsed - other.elapsed));
  }

  /** Adds rows that are no entries of a journal, too. */
  add(rows) {
    for (const row of rows) this.rows.push(row);
    this.total += rows.length;
    if (this.rows.length > MOST) {
      const many = this.rows.length - MOST + CHUNK;
      this.rows.splice(0, many);
      this.dropped += many;
    }
    this.#tell();
  }

  /** Removes all rows. With `goesOn` the same journals are followed afterwards. */
  clear(goesOn = false) {
    this.rows = [];
    this.dropped = this.total = 0;
    this.#delivering.clear();
    this.#sessions.clear();
    if (!goesOn) this.#newest.clear();
    this.dispatchEvent(new Event("clear"));
  }

  /** The number of the newest entry that was read of a world; 0 before the first. */
  newest(world) {
    return this.#newest.get(world) ?? 0;
  }

  /** Marks the rows whose entries a journal has no more: before the number `from`. Returns whether there were some. */
  forget(world, from) {
    const lost = this.rows.filter((row) => row.world === world && row.number < from && !row.gone);
    for (const row of lost) Object.assign(row, { gone: true, changed: true });
    for (const known of [this.#delivering, this.#sessions]) {
      for (const key of known.keys()) if (key.startsWith(`${world} `)) known.delete(key);
    }
    this.#tell();
    return lost.length > 0;
  }

  /** Connections have no account; the room that a session joins reveals it. */
  #own(row) {
    if (row.kind !== "connection" && !(row.packet === "connect" && row.toClient)) return;
    const key = `${row.world} ${row.session}`;
    const known = this.#sessions.get(key);
    if (row.person) {
      this.#sessions.set(key, { person: row.person, opened: null });
      if (known?.opened) Object.assign(known.opened, { person: row.person, changed: true });
    } else if (known) row.person = known.person;
    else if (row.event === "opened") this.#sessions.set(key, { person: "", opened: row });
    if (this.#sessions.size > MOST_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value);
  }

  /** Merges the packets of one event into one row that lists its sockets. */
  #joins(row) {
    if (!row.to || !row.chat) return false;
    const key = `${row.world} ${row.namespace} ${row.event} ${row.chat} ${row.fault ?? ""}`;
    const first = this.#delivering.get(key);
    if (!first) {
      this.#delivering.set(key, row);
      if (this.#delivering.size > OPEN_CHATS) this.#delivering.delete(this.#delivering.keys().next().value);
      return false;
    }
    if (first.to.length < MOST_SOCKETS) first.to.push(row.to[0]);
    first.changed = true;
    this.#tell();
    return true;
  }

  /** Notifies listeners at most once per frame. */
  #tell() {
    if (this.#asked) return;
    this.#asked = true;
    const now = () => {
      this.#asked = false;
      this.dispatchEvent(new Event("rows"));
    };
    if (document.hidden) setTimeout(now, 250);
    else requestAnimationFrame(now);
  }

  /** The row of an entry; also a row that an event's packet joined. */
  find(world, number) {
    for (let index = this.rows.length - 1; index >= 0; index--) {
      const row = this.rows[index];
      if (row.world === world && !row.gone && (row.number === number || row.to?.some((one) => one[3] === number))) return row;
    }
    return null;
  }
}

/**
 * Which journals are followed, and what of them is in the list.
 * @module
 */

import { markRow } from "./console-besides.js";
import { entryOf, follow } from "./console-follow.js";
import { readMoreNames, readNames } from "./console-places.js";
import { rowOf } from "./console-row.js";
import { toast } from "./elements.js";
import { t } from "./words.js";

/** Journals that are followed together at most: the server's and those of the newest worlds. */
const MOST = 12;
/** Milliseconds that an entry is awaited. */
const PATIENCE = 5000;

export class Following {
  /** `on`, `off`, or `gone`: there is no such world. */
  state = "on";
  /** Ids of worlds whose journals are followed; "" is the server. */
  worlds = [];
  #app;
  #told;
  #abort;
  #older = new Map();

  /** @param {(state: string, before: string) => void} told is called when the state changed */
  constructor(app, told) {
    [this.#app, this.#told] = [app, told];
  }

  /** Entries that are older than those of the list. */
  get older() {
    return [...this.#older.values()].reduce((sum, one) => sum + one, 0);
  }

  /** Starts again. With `whole` the journals are read from their beginning. */
  start(whole = false) {
    this.#abort?.abort();
    this.#abort = new AbortController();
    this.#older.clear();
    this.worlds = [];
    this.state = "on";
    this.choose();
    const { store } = this.#app;
    follow(() => this.worlds, {
      entries: (world, entries) => store.take(world, entries),
      older: (world, count) => this.#older.set(world, count),
      skipped: (world, count) => this.mark(world, t("mark.skipped", { n: count })),
      reset: (world, from) => {
        if (store.forget(world, from)) this.mark(world, t("mark.reset", { world: this.#nameOf(world) }), true);
        this.names();
      },
      state: (state) => this.#set(state),
    }, { alone: this.#app.where !== "*", whole, signal: this.#abort.signal });
  }

  /** Chooses the worlds; called again when there are others. */
  choose() {
    const { where, world } = this.#app;
    if (where !== "*" && this.worlds.length) return;
    const before = this.worlds;
    const ids = this.#app.worlds().map((one) => one.id);
    this.worlds = where === "*" ? ["", ...ids.slice(1 - MOST)] : [world];
    if (before.length) readMoreNames(this.worlds, this.worlds.filter((one) => !before.includes(one)));
    else this.names();
  }

  names() {
    return readNames(this.worlds);
  }

  /** Adds a line across the list. */
  mark(world, text, isBreak = false) {
    if (this.worlds.includes(world)) this.#app.store.add([markRow(world, this.#app.now(), text, isBreak)]);
  }

  /** The console reset a world itself. */
  wasReset(world) {
    this.#app.store.forget(world, this.#app.store.newest(world) + 1);
  }

  #nameOf(world) {
    return this.#app.worlds().find((one) => one.id === world)?.name ?? (world || t("world.server"));
  }

  #set(state) {
    const before = this.state;
    if (state === before) return;
    this.state = state;
    if (before === "off" && state === "on") this.names();
    this.#told(state, before);
  }

  /** Opens an entry: now, as soon as its row is there, or by itself if the list has no row of it. */
  async open(live, world, number) {
    if (live.openNumber(world, number)) return;
    const { store } = this.#app;
    const entry = await entryOf(world, number).catch(() => null);
    if (!entry) return toast(t("open.missing", { n: `${number}` }));
    const stop = () => {
      store.removeEventListener("rows", look);
      clearTimeout(timer);
    };
    const alone = () => {
      stop();
      if (live.node.isConnected) live.openRow(rowOf(entry, world));
    };
    const look = () => {
      if (!live.node.isConnected || live.openNumber(world, number)) stop();
      else if (store.newest(world) >= number) alone();
    };
    const timer = setTimeout(alone, PATIENCE);
    store.addEventListener("rows", look);
    look();
  }
}

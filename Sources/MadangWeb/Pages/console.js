/**
 * The developer's console: starts it, and knows the world, the page and the keys.
 * @module
 */

import { CallError, get, post } from "./console-api.js";
import { WorldClock } from "./console-clock.js";
import { fill, say } from "./console-dom.js";
import { span } from "./console-figures.js";
import { Following } from "./console-following.js";
import { frame } from "./console-frame.js";
import { live } from "./console-live.js";
import { Looks } from "./console-looks.js";
import { away, insteadOf, PAGES } from "./console-pages.js";
import { showElapsed, showWorlds } from "./console-rows.js";
import { Store } from "./console-store.js";
import { h, toast } from "./elements.js";
import { preferredLanguage, t, useLanguage } from "./words.js";

/** Milliseconds that a clock may be off that was just moved here. */
const OWN = 400;
const texts = (code) => (code === "ko" ? import("./console.text.ko.js") : import("./console.text.en.js"));

/** The services that pages use. */
class App {
  store = new Store();
  /** The world in the address: an id, "~" for the server, "*" for all worlds. */
  where = "";
  /** True if the page is of a world itself, on the world's own port. */
  alone = false;
  /** The server's description: address for other devices, API keys, world, whether the chat can be opened as a person. */
  about = { url: location.origin, keys: {}, world: null, chat: false };
  following = new Following(this, (state, before) => this.#told(state, before));
  #worlds = [];
  #looks = new Looks(this);
  #clock = new WorldClock();
  #listeners = new Set();
  #ticking = new Set();
  #page;
  #timers = [];
  #live;
  #frame;
  /** Whether the page "Live" is opened for its filter. */
  #filters = false;

  /** The world of calls; "" is the server. */
  get world() {
    return this.where === "~" || this.where === "*" ? "" : this.where;
  }
  /** Whether the world of the address does not exist. */
  get isGone() {
    return this.following.state === "gone";
  }
  worlds() {
    return this.#worlds;
  }
  operations() {
    return this.#looks.operations;
  }
  onWorlds(act) {
    this.#listeners.add(act);
    return () => this.#listeners.delete(act);
  }
  tick(act) {
    this.#ticking.add(act);
    return () => this.#ticking.delete(act);
  }

  async start() {
    const about = get("", "about").catch(() => this.about);
    const worlds = get("", "worlds").catch(() => []);
    await useLanguage(preferredLanguage(), texts);
    this.#frame = frame(this);
    document.body.replaceChildren(this.#frame.node);
    this.#live = live(this);
    this.about = await about;
    this.alone = Boolean(this.about.world);
    this.#take(this.alone ? [this.about.world] : await worlds);
    addEventListener("hashchange", () => this.#route());
    addEventListener("keydown", (event) => this.#key(event));
    await this.#route();
    setInterval(() => this.#tickAll(), 250);
    this.#repeat(3000, () => this.look());
    this.#repeat(4000, () => this.readWorlds());
    this.#repeat(20_000, () => this.#looks.slowly());
  }

  // MARK: Addresses

  /** The address of a page in the present world. */
  link(page, ...rest) {
    const part = (one) => (one[0] === "?" ? one : `/${one.split("/").map(encodeURIComponent).join("/")}`);
    return `#/${encodeURIComponent(this.where)}/${page}${rest.filter(Boolean).map(part).join("")}`;
  }

  goWorld(world, page = "live") {
    location.hash = `#/${encodeURIComponent(world || "~")}/${page}`;
  }
  /** Opens the present page again. */
  again() {
    this.#route(true);
  }
  /** Keeps the query in the address, without another step in the history. */
  remember(query) {
    history.replaceState(null, "", this.link("live", query ? `?${query}` : ""));
  }
  origin(world) {
    return this.#worlds.find((one) => one.id === world)?.url ?? location.origin;
  }

  async #route(again = false) {
    const hash = location.hash.slice(1);
    const mid = hash.indexOf("?");
    const [path, query] = mid < 0 ? [hash] : [hash.slice(0, mid), hash.slice(mid + 1)];
    const [, first = "", name = "live", ...rest] = path.split("/").map(decodedPart);
    const usual = this.alone || !this.#worlds.length ? "~" : this.#worlds.length === 1 ? this.#worlds[0].id : "*";
    // The contract is the same in all worlds: reading it leaves none.
    const named = this.#worlds.find((one) => one.name === first)?.id ?? first;
    const where = name === "contract" ? this.where || usual : named || usual;
    if (!first) history.replaceState(null, "", `#/${encodeURIComponent(where)}/live`);
    const isOther = where !== this.where;
    if (isOther) this.#enter(where);
    this.#frame.draw(name);
    const mark = `${this.where} ${path}`;
    if (!again && this.#page?.mark === mark && name !== "live") return;
    this.#page?.close?.();
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    const instead = insteadOf(this, name);
    if (instead) return this.#show(instead, mark);
    if (name === "live" || !Object.hasOwn(PAGES, name)) {
      this.#show(this.#live, mark);
      const filter = query === undefined ? (isOther || rest[0] ? "" : undefined) : decodedPart(query);
      this.#live.enter(filter);
      if (this.#filters) this.#live.filter();
      this.#filters = false;
      if (rest[0]) this.awaitRow(this.world, Number(rest[0]));
      return;
    }
    const turn = (this.#page = { mark });
    const file = await PAGES[name]().catch(() => null);
    if (this.#page !== turn) return;
    try {
      this.#show(file ? file.default(this, rest) : away(this, name), mark);
    } catch (error) {
      this.fail(error);
    }
  }

  #show(page, mark) {
    const before = this.#page;
    this.#page = { ...page, mark };
    const where = this.where === "*" ? t("world.all") : this.world || (this.alone ? this.#worlds[0].id : "");
    document.title = [page.title, where, t("brand")].filter(Boolean).join(" · ");
    this.#frame.show(page);
    // A removed element had the focus: the new page's heading takes it. At the start the browser decides.
    if (before && !page.keepsFocus && document.activeElement === document.body) this.#frame.focus();
  }

  // MARK: Worlds

  #enter(where, whole = false) {
    this.where = where;
    this.store.clear();
    this.#clock.forget();
    showWorlds(where === "*");
    showElapsed(false);
    this.#frame.state("on");
    this.following.start(whole);
    this.#looks.begin();
  }

  /** Reads the journals from their beginning. */
  readOlder() {
    this.#enter(this.where, true);
  }

  #told(state, before) {
    this.#frame.state(state);
    if (state === "gone" || before === "gone") this.#route(true);
  }

  async readWorlds() {
    try {
      this.#take(this.alone ? [await get("", "world")] : await get("", "worlds"));
    } catch { /* it says so above the page */ }
  }

  #take(worlds) {
    this.#worlds = worlds;
    this.#frame.worlds();
    if (this.where) this.following.choose();
    for (const one of this.#listeners) one();
  }

  /** Resets a world, or restores a snapshot. The journal has no entry for it, so the timeline gets one here. */
  async returnTo(world, path, done) {
    if (!await this.doing(post(world, path), () => done)) return;
    if (path === "reset") this.following.wasReset(world);
    this.following.mark(world, done, true);
    if (world === this.world) this.#clock.forget();
    this.readNames();
    this.readWorlds();
  }

  readNames() {
    return this.following.names();
  }

  /** Looks at once at what the journal does not record. */
  look() {
    return this.#looks.now();
  }

  badge(page, text, kind = "") {
    this.#frame.badge(page, String(text), kind);
  }

  // MARK: Clock

  /** The world's clock now, by its last answer. */
  clock() {
    return this.#clock.look();
  }

  now() {
    const { now } = this.clock();
    return new Date(now ?? Date.now()).toISOString();
  }
  setClock(answer, late) {
    const change = this.#clock.take(answer, late);
    if (showElapsed(answer.rate === 0)) this.#live.list.refresh();
    this.#tickAll();
    if (!change) return;
    const { moved, rate } = change;
    const words = [
      moved ? t(moved > 0 ? "mark.clockOn" : "mark.clockBack", { by: span(Math.abs(moved)) }) : "",
      rate === undefined ? "" : rate === 0 ? t("mark.clockStopped") : t("mark.clockRuns", { n: String(rate) }),
    ];
    this.following.mark(this.world, words.filter(Boolean).join(" · "));
  }
  changeClock(body) {
    return this.doing(post(this.world, "clock", body)).then((clock) => clock && this.setClock(clock, OWN));
  }
  #tickAll() {
    if (document.hidden) return;
    for (const act of this.#ticking) act();
  }

  // MARK: Helpers of pages

  /** Repeats until the page is left; not while the window is hidden. */
  every(ms, act) {
    this.#timers.push(setInterval(() => {
      if (!document.hidden) act();
    }, ms));
  }
  #repeat(ms, act) {
    setInterval(() => {
      if (!document.hidden) act();
    }, ms);
  }

  /** Awaits a call and shows success or failure. Returns the answer, or null. */
  async doing(promise, done) {
    try {
      const answer = await promise;
      if (done) toast(done(answer));
      return answer || true;
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  wording(error) {
    return error instanceof CallError && error.status === 0 ? t("error.away") : error.message;
  }
  fail = (error) => {
    if (!(error instanceof CallError)) console.error(error);
    toast(this.wording(error));
  };

  /** Opens the row of an entry as soon as it is there. */
  awaitRow(world, number) {
    this.following.open(this.#live, world, number);
  }

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) {
      return;
    }
    const isTyping = event.target.closest?.("input, textarea, select");
    if (isTyping && event.key !== "Escape") return;
    if (this.#page?.key?.(event)) event.preventDefault();
    else if (event.key === "Escape" && this.#frame.closeMenu()) event.preventDefault();
    else if (event.key === "/") {
      event.preventDefault();
      this.#filters = true;
      location.hash = this.link("live");
    } else if (event.key === "?") {
      event.preventDefault();
      this.#frame.showKeys();
    }
  }
}

function decodedPart(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const app = new App();
app.start().catch((error) => {
  console.error(error);
  fill(document.body, h("p.why", null, String(error.message ?? error)));
  say(document.head.querySelector("title"), "Madang console");
});

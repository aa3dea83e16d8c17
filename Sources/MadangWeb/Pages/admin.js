/**
 * The administrator's console: starts it, signs in, and shows the page of the address.
 * @module
 */

import { keepAlive } from "./admin-alive.js";
import { get, idleFor, Lost, post, readSession, remove, whenSessionEnds } from "./admin-calls.js";
import { frame } from "./admin-frame.js";
import { sure } from "./admin-parts.js";
import { cardOn, showSetup, showSignIn } from "./admin-signin.js";
import { explain, troubleTitle } from "./admin-trouble.js";
import { suspendDialogs } from "./dialogs.js";
import { h, toast } from "./elements.js";
import { preferredLanguage, t, useLanguage } from "./words.js";

/** Pages, read when they are first opened. */
const PAGES = {
  overview: () => import("./admin-page-overview.js"), accounts: () => import("./admin-page-accounts.js"), workspaces: () => import("./admin-page-workspaces.js"),
  invitations: () => import("./admin-page-invitations.js"), announcements: () => import("./admin-page-announcements.js"), moderation: () => import("./admin-page-moderation.js"),
  health: () => import("./admin-page-health.js"), backups: () => import("./admin-page-backups.js"), files: () => import("./admin-page-files.js"),
  mails: () => import("./admin-page-mails.js"), keys: () => import("./admin-page-keys.js"), settings: () => import("./admin-page-settings.js"),
  audit: () => import("./admin-page-audit.js"), administrators: () => import("./admin-page-administrators.js"),
};
/** Milliseconds between looks at the server's state. */
const LOOK = 15_000;
/** A page that loads longer than this shows that it does. */
const PATIENT = 200;
/** Milliseconds until the server is asked again while it does not answer. */
const RETRY = 5000;
/** Milliseconds after the start until all pages are read, so that they open also while the server is away. */
const AHEAD = 3000;

const texts = (code) => (code === "ko" ? import("./admin.text.ko.js") : import("./admin.text.en.js"));

class App {
  session;
  /** The last answer of `overview`. */
  overview = null;
  #ground = document.getElementById("app");
  #frame;
  #page;
  #turn = 0;
  #timer;
  #first;
  #ending = false;

  async start() {
    await useLanguage(preferredLanguage(), texts);
    const token = /^#setup=([\w.~-]+)$/.exec(location.hash)?.[1];
    // The link is worth an account: it does not stay in the address or the history.
    if (token) history.replaceState(null, "", location.pathname);
    await this.#reach();
    if (token) this.session = (await showSetup(this.#ground, this.session.server, token)) ?? this.session;
    if (!this.session.administrator) this.session = await showSignIn(this.#ground, this.session.server);
    this.#watch();
    keepAlive(this.session.server.idleMinutes);
    addEventListener("hashchange", () => this.#route());
    addEventListener("keydown", (event) => this.#key(event));
    this.#enter();
    setInterval(() => { if (!document.hidden && !this.#ending) this.look(); }, LOOK);
    document.addEventListener("visibilitychange", () => { if (!document.hidden && !this.#ending) this.look(); });
    setTimeout(() => { for (const name of Object.keys(PAGES)) load(name).catch(() => {}); }, AHEAD);
  }

  #watch() {
    whenSessionEnds(this.session.administrator.number, () => this.#ended());
  }

  /** Reads the session. While the server does not answer, it is asked again and again, and when the person wants it. */
  async #reach() {
    let said = "";
    let wanted;
    for (;;) {
      try {
        this.session = await readSession();
        return;
      } catch (error) {
        if (explain(error) !== said) {
          said = explain(error);
          cardOn(this.#ground, { name: "Madang" })(troubleTitle(error), said, h("div.actions", null, h("button.button.main", { type: "button", onclick: () => wanted() }, t("again"))));
        }
        await new Promise((done) => { wanted = done; setTimeout(done, RETRY); });
      }
    }
  }

  #enter() {
    this.#frame = frame(this);
    this.#ground.className = "";
    this.#ground.replaceChildren(this.#frame.node);
    this.#first = this.look();
    this.#route(true);
  }

  /** The session has ended: the page waits behind the sign-in and goes on where it was, with what was typed. Another administrator gets nothing of it. */
  async #ended() {
    if (this.#ending) return;
    this.#ending = true;
    const dialogs = suspendDialogs();
    const { number: who, name } = this.session.administrator;
    const isIdle = idleFor() > this.session.server.idleMinutes * 60_000 - RETRY;
    const { server } = await readSession().catch(() => this.session);
    this.session = await showSignIn(this.#ground, server, { name, isIdle });
    this.#watch();
    this.#ending = false;
    if (this.session.administrator.number !== who) {
      dialogs.drop();
      history.replaceState(null, "", location.pathname);
    } else if (dialogs.count) {
      this.#ground.className = "";
      this.#ground.replaceChildren(this.#frame.node);
      dialogs.resume();
      return this.look();
    }
    this.#enter();
  }

  async signOut() {
    await remove("session");
    location.replace(location.pathname);
  }

  // MARK: Addresses

  link(page, id, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value);
    return `#/${page}${id !== undefined && id !== "" ? `/${encodeURIComponent(id)}` : ""}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
  }
  go(address) { location.hash = address; }
  /** Keeps a filter in the address, without another step in the history. */
  remember(address) { history.replaceState(null, "", address); }
  again() { return this.#route(true); }

  async #route(again = false) {
    const [path, query = ""] = location.hash.slice(1).split("?");
    const [, wanted = "", ...rest] = path.split("/").map(decoded);
    const name = Object.hasOwn(PAGES, wanted) ? wanted : "overview";
    const values = new URLSearchParams(query);
    // A page that still loads was not the last choice.
    const turn = ++this.#turn;
    this.#frame.mark(name);
    this.#frame.wait.hidden = true;
    if (!again && this.#page?.name === name && this.#page.node.isConnected && this.#page.update) return this.#page.update(rest, values);
    const waiting = setTimeout(() => { if (turn === this.#turn) this.#frame.wait.hidden = false; }, PATIENT);
    // The page before stays until the new one has its data: nothing flickers.
    let page;
    try {
      page = await (await load(name)).default(this, rest, values);
    } catch (error) {
      if (error.code === "signedOut") return;
      page = { isLost: error instanceof Lost, node: h("div.empty", null, h("p.empty-title", null, t("page.failed")), h("p.soft", null, explain(error)), h("div", null, h("button.button", { type: "button", onclick: () => this.again() }, t("again")))) };
    } finally {
      clearTimeout(waiting);
    }
    if (turn !== this.#turn) return;
    this.#frame.wait.hidden = true;
    clearInterval(this.#timer);
    if (page.repeat) this.#timer = setInterval(() => { if (!document.hidden && !this.#ending) page.repeat.act(); }, page.repeat.every);
    const isFirst = !this.#page;
    this.#page = { ...page, name };
    this.#frame.show({ title: t(`page.${name}`), ...page });
    document.title = `${t(`page.${name}`)} · ${this.session.server.name}`;
    // The element with the focus went with the page before.
    if (!isFirst && (document.activeElement === document.body || !document.activeElement)) this.#frame.heading.focus({ preventScroll: true });
  }

  count(text) { this.#frame.count(text); }

  /** Reads the server's state for header and badges. */
  async look() {
    try {
      const before = this.overview;
      this.overview = await get("overview", {}, { poll: true });
      if (before && before.startedAt !== this.overview.startedAt) await this.#restarted();
      if (this.#page?.isLost) this.again();
      this.#frame.state(this.overview);
      this.#page?.onOverview?.(this.overview);
    } catch (error) {
      if (error.code !== "signedOut") this.#frame.state(null);
    }
  }

  /** The server has started again, perhaps with other settings. */
  async #restarted() {
    const before = JSON.stringify(this.session.server);
    const next = await readSession();
    if (!next.administrator) return;
    this.session = next;
    if (JSON.stringify(next.server) !== before && !document.querySelector("dialog[open]")) this.again();
  }

  /** The state, read at least once. */
  async state() {
    if (!this.overview) await this.#first;
    this.overview ??= await get("overview");
    return this.overview;
  }

  async endReadOnly() {
    if (!await sure(t("readonly.end"), t("readonly.end.ask"), t("readonly.end"))) return;
    await post("read-only", { isOn: false });
    toast(t("readonly.ended"));
    await this.look();
    this.again();
  }

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const isTyping = event.target.closest?.("input, textarea, select");
    if (event.key === "Escape" && !isTyping) {
      if (this.#frame?.closeMenu() || this.#page?.close?.()) event.preventDefault();
    } else if (event.key === "/" && !isTyping) {
      const field = this.#frame?.node.querySelector("main input[type=search]");
      if (field) { event.preventDefault(); field.focus(); }
    }
  }
}

/** A page's module. The browser's own error for a file that does not arrive names neither cause nor cure. */
async function load(name) {
  try { return await PAGES[name](); } catch (error) { throw error instanceof TypeError ? new Lost(error.message) : error; }
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

new App().start();

/**
 * The frame around each page: header with world and clock, navigation, messages.
 * @module
 */

import { button, fill, say } from "./console-dom.js";
import { confirmed, openDialog } from "./dialogs.js";
import { h } from "./elements.js";
import { chooseLanguage, currentLanguage, LANGUAGES, t } from "./words.js";

const GROUPS = [
  ["", ["live", "people", "sockets"]],
  ["nav.test", ["worlds", "clock", "faults", "scripts", "seeds", "review", "coverage"]],
  ["nav.sent", ["pushes", "mails", "payments", "tokens"]],
  ["nav.connect", ["phone", "contract"]],
];
const KEYS = { "/": "filter", "↑ ↓": "move", Enter: "open", Esc: "close", End: "end", "?": "keys" };
const OTHER_LANGUAGE = { en: "ko", ko: "en" };

/** Opens the list of keys. */
function showKeys() {
  openDialog(t("keys.title"),
    h("dl.keys", null,
      Object.entries(KEYS).map(([key, text]) => [h("dt", null, h("kbd", null, key)), h("dd", null, t(`keys.${text}`))])));
}

/** Opens the page in the other language. */
function languageButton() {
  const other = OTHER_LANGUAGE[currentLanguage()];
  const act = () => {
    chooseLanguage(other);
    location.reload();
  };
  return h("button.button.quiet-button", { type: "button", lang: other, onclick: act }, LANGUAGES[other]);
}

/** Makes the frame. */
export function frame(app) {
  const worlds = h("select.input.world", {
    "aria-label": t("world.choose"),
    onchange: () => app.goWorld(worlds.value, app.page ?? "live"),
  });
  const time = h("span.time.mono.soft");
  const clock = h("span.clock-now", null, h("span.heard", null, t("clock.now")), time);
  const stop = button("", () => app.changeClock(app.clock().rate === 0 ? { resume: true } : { freeze: true }), "clock-button");
  const hour = button(t("top.hour"), () => app.changeClock({ advance: 3600 }), "clock-button");
  const reset = button(t("top.reset"), async () => {
    if (await confirmed({ title: t("top.resetAsk"), text: t("top.resetText"), yes: t("top.reset") })) {
      app.returnTo(app.world, "reset", t("top.wasReset"));
    }
  }, "clock-button");
  const state = h("span.pill.bad", { role: "status" });
  const menu = button(t("menu"), () => setMenu(menu.getAttribute("aria-expanded") !== "true"), "menu-button");
  menu.setAttribute("aria-controls", "nav");
  menu.setAttribute("aria-expanded", "false");
  const badges = new Map();
  const links = new Map();
  const nav = h("nav.nav", { id: "nav", "aria-label": t("nav.label") },
    GROUPS.map(([title, pages]) => [
      title ? h("h2", null, t(title)) : null,
      h("ul", null,
        pages.map((name) => {
          const badge = h("span.pill", { hidden: true });
          const link = h("a", { onclick: () => setMenu(false) }, h("span", null, t(`page.${name}`)), badge);
          badges.set(name, badge);
          links.set(name, link);
          return h("li", null, link);
        })),
    ]),
    h("div.nav-foot", null,
      button(t("keys.title"), () => showKeys(), "quiet-button"),
      languageButton()));
  const heading = h("h1.heard", { tabindex: "-1" });
  const main = h("main", { id: "main" });
  const node = h("div.shell", null,
    h("a.skip", {
      href: "#main",
      onclick: (event) => {
        event.preventDefault();
        (main.querySelector("console-list") ?? heading).focus();
      },
    }, t("skip")),
    h("header.top", null,
      menu,
      h("p.brand", null, h("b", { lang: "ko" }, "마당"), ` ${t("brand.console")}`),
      h("span.pill.dev", null, t("top.development")),
      worlds,
      state,
      clock,
      stop,
      hour,
      reset),
    nav,
    main);

  app.tick(() => {
    const { now, rate } = app.clock();
    say(time, now === null ? "" : new Date(now).toISOString().slice(0, 19).replace("T", " "));
    say(stop, rate === 0 ? t("clock.run") : t("clock.stop"));
  });

  function setMenu(on) {
    const was = menu.getAttribute("aria-expanded") === "true";
    menu.setAttribute("aria-expanded", on);
    node.classList.toggle("menu-open", on);
    if (was && !on) menu.focus();
    return was && !on;
  }

  return {
    node,
    showKeys,
    closeMenu: () => setMenu(false),
    focus: () => heading.focus(),
    /** Shows a page. */
    show(page) {
      heading.textContent = page.title;
      const isLive = page.list !== undefined;
      main.className = isLive ? "main-live" : "main-page";
      fill(main, heading, isLive ? null : h("p.page-title", { "aria-hidden": "true" }, page.title), page.node);
      main.scrollTop = 0;
    },
    /** Marks the page in the navigation. */
    draw(name) {
      app.page = name;
      for (const [page, link] of links) {
        link.href = app.link(page);
        if (page === name) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
      this.worlds();
      if (worlds.value !== app.where) worlds.value = app.where;
      // The clock is one world's.
      const isOne = app.where !== "*" && !app.isGone;
      clock.hidden = stop.hidden = hour.hidden = !isOne;
      reset.hidden = !isOne || (app.world === "" && !app.alone);
      setMenu(false);
    },
    worlds() {
      const list = app.worlds();
      const isKnown = app.world === "" || list.some((one) => one.id === app.world);
      const mark = JSON.stringify([...list.map((one) => [one.id, one.name, one.seed]), isKnown || app.where]);
      this.badge("worlds", app.alone ? "" : String(list.length || ""), "");
      if (worlds.mark === mark) return;
      worlds.mark = mark;
      const words = (one) =>
        t("world.option", { name: one.name === one.id ? one.id : `${one.name} (${one.id})`, seed: one.seed });
      const options = app.alone
        ? [["~", words(list[0])]]
        : [...list.map((one) => [one.id, words(one)]), ["~", t("world.server")], ...(list.length ? [["*", t("world.all")]] : [])];
      if (!isKnown) options.unshift([app.where, t("world.gone", { world: app.where })]);
      fill(worlds, options.map(([value, text]) => h("option", { value }, text)));
      worlds.value = app.where;
    },
    badge(page, text, kind) {
      const badge = badges.get(page);
      if (!badge) return;
      badge.hidden = !text;
      badge.className = `pill ${kind}`;
      say(badge, text);
    },
    state(name) {
      say(state, name === "off" ? t("state.off") : "");
      state.hidden = name !== "off";
    },
  };
}

// The frame around each page: header with world and clock, navigation, messages.

import { button, fill, h, say } from "./console-dom.js";
import { confirmed } from "./console-confirm.js";
import { chooseLanguage, language, t } from "./console-text.js";

const GROUPS = [["", ["live", "people", "sockets"]], ["nav.test", ["worlds", "clock", "faults", "scripts", "seeds", "review", "coverage"]], ["nav.sent", ["pushes", "mails", "payments", "tokens"]], ["nav.connect", ["phone", "contract"]]];
const KEYS = [["/", "keys.filter"], ["↑ ↓", "keys.move"], ["Enter", "keys.open"], ["Esc", "keys.close"], ["End", "keys.end"], ["?", "keys.keys"]];

/** Makes the frame. */
export function frame(app) {
  const worlds = h("select", { class: "input world", "aria-label": t("world.choose"), onchange: () => app.goWorld(worlds.value, app.page ?? "live") });
  const time = h("span", { class: "time mono soft" });
  const stop = button("", () => app.changeClock(app.clock().rate === 0 ? { resume: true } : { freeze: true }), "clock-button");
  const hour = button(t("top.hour"), () => app.changeClock({ advance: 3600 }), "clock-button");
  const reset = button(t("top.reset"), async () => { if (await confirmed(t("top.resetAsk"), t("top.resetText"), t("top.reset"))) app.returnTo(app.world, "reset", t("top.wasReset")); }, "clock-button");
  const state = h("span", { class: "pill bad", role: "status" });
  const menu = button(t("menu"), () => setMenu(menu.getAttribute("aria-expanded") !== "true"), "menu-button");
  menu.setAttribute("aria-controls", "nav");
  menu.setAttribute("aria-expanded", "false");
  const toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
  const badges = new Map();
  const links = new Map();
  const nav = h("nav", { class: "nav", id: "nav", "aria-label": t("nav.label") },
    GROUPS.map(([title, pages]) => [title ? h("h2", {}, t(title)) : null, h("ul", {}, pages.map((name) => {
      const badge = h("span", { class: "pill", hidden: true });
      const link = h("a", { onclick: () => setMenu(false) }, h("span", {}, t(`page.${name}`)), badge);
      badges.set(name, badge);
      links.set(name, link);
      return h("li", {}, link);
    }))]),
    h("div", { class: "nav-foot" }, button(t("keys.title"), () => showKeys(), "quiet-button"), button(language === "ko" ? "English" : "한국어", () => chooseLanguage(language === "ko" ? "en" : "ko"), "quiet-button")));
  nav.querySelector(".nav-foot").lastChild.lang = language === "ko" ? "en" : "ko";
  const heading = h("h1", { class: "heard", tabindex: "-1" });
  const main = h("main", { id: "main" });
  const node = h("div", { class: "shell" },
    h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); (main.querySelector("console-list") ?? heading).focus(); } }, t("skip")),
    h("header", { class: "top" }, menu, h("p", { class: "brand" }, h("b", { lang: "ko" }, "마당"), ` ${t("brand.console")}`), h("span", { class: "pill dev" }, t("top.development")), worlds, state, h("span", { class: "clock-now" }, h("span", { class: "heard" }, t("clock.now")), time), stop, hour, reset),
    nav, main, toasts);

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

  function showKeys() {
    const dialog = h("dialog", { "aria-labelledby": "keys-title", onclose: () => dialog.remove() }, h("h2", { id: "keys-title" }, t("keys.title")), h("dl", { class: "keys" }, KEYS.map(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(text))])), h("div", { class: "acts end" }, button(t("close"), () => dialog.close(), "main")));
    document.body.append(dialog);
    dialog.showModal();
  }

  return {
    node, toasts, showKeys,
    closeMenu: () => setMenu(false),
    focus: () => heading.focus(),
    /** Shows a page. */
    show(page) {
      heading.textContent = page.title;
      const isLive = page.list !== undefined;
      main.className = isLive ? "main-live" : "main-page";
      fill(main, heading, isLive ? null : h("p", { class: "page-title", "aria-hidden": "true" }, page.title), page.node);
      main.scrollTop = 0;
    },
    /** Marks the page in the navigation. */
    draw(name) {
      app.page = name;
      for (const [page, link] of links) {
        link.href = app.link(page);
        if (page === name) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
      }
      if (worlds.value !== app.where) worlds.value = app.where;
      reset.hidden = app.world === "" && !app.alone;
      setMenu(false);
    },
    worlds() {
      const list = app.worlds();
      const mark = JSON.stringify(list.map((one) => [one.id, one.name, one.seed]));
      this.badge("worlds", app.alone ? "" : String(list.length || ""), "");
      if (worlds.mark === mark) return;
      worlds.mark = mark;
      const words = (one) => t("world.option", { name: one.name === one.id ? one.id : `${one.name} (${one.id})`, seed: one.seed });
      const options = app.alone ? [["~", words(list[0])]] : [...list.map((one) => [one.id, words(one)]), ["~", t("world.server")], ...(list.length ? [["*", t("world.all")]] : [])];
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
    state(name) { say(state, name === "off" ? t("state.off") : ""); state.hidden = name !== "off"; },
  };
}

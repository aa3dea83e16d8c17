/**
 * The frame around each page: header, navigation, the line of read-only mode.
 * @module
 */

import { button, pill } from "./admin-parts.js";
import { h } from "./elements.js";
import { changing } from "./steady.js";
import { chooseLanguage, currentLanguage, t } from "./words.js";

const GROUPS = [
  ["", ["overview"]],
  ["nav.people", ["accounts", "workspaces", "invitations", "announcements", "moderation"]],
  ["nav.server", ["health", "backups", "files", "mails", "keys", "settings"]],
  ["nav.oversight", ["audit", "administrators"]],
];

/** The first row of a list: what opens it, or else what acts on it. */
const ROW = "tbody .row-link, tbody a, tbody button";

/** @param {object} app of admin.js */
export function frame(app) {
  const links = new Map();
  const badges = new Map();
  const { server, administrator } = app.session;
  const menu = h("button.button.menu", { type: "button", "aria-controls": "nav", "aria-expanded": "false", onclick: () => setMenu(menu.getAttribute("aria-expanded") !== "true") }, t("menu"));
  const state = h("a.pill.state", { href: app.link("health") });
  const other = currentLanguage() === "ko" ? ["en", "English"] : ["ko", "한국어"];
  const nav = h("nav.nav", { id: "nav", "aria-label": t("nav.label") },
    GROUPS.map(([title, pages]) => [title && h("h2", null, t(title)), h("ul", null, pages.map((name) => {
      const badge = h("span.pill", { hidden: true });
      const link = h("a", { href: app.link(name), onclick: () => setMenu(false) }, h("span", null, t(`page.${name}`)), badge);
      links.set(name, link);
      badges.set(name, badge);
      return h("li", null, link);
    }))]),
    h("div.nav-foot", null,
      h("button.link.small", { type: "button", lang: other[0], onclick: () => { chooseLanguage(other[0]); location.reload(); } }, other[1]),
      h("span.faint.small", null, server.version)));
  const heading = h("h1", { tabindex: "-1" });
  const count = h("span.faint.count");
  const actions = h("div.page-actions");
  const head = h("div.page-head", null, h("div.page-title", null, heading, count), actions);
  const place = h("div.page");
  const readOnly = h("div.strip", { role: "status" });
  const said = h("p.heard", { role: "status" });
  const wait = h("div.wait", { hidden: true, role: "progressbar", "aria-label": t("loading") });
  const main = h("main", { id: "main", tabindex: "0" }, readOnly, head, place);
  const node = h("div.shell", null,
    h("a.skip", { href: "#main", onclick: (event) => { event.preventDefault(); heading.focus(); } }, t("skip")),
    h("a.skip", { href: "#main", onclick: (event) => { event.preventDefault(); (place.querySelector(ROW) ?? heading).focus(); } }, t("skip.row")),
    h("header.top", null, menu, h("p.brand", null, h("b", { lang: "ko" }, "마당"), " ", h("span", { dir: "auto" }, server.name)), state, wait,
      h("a.me.soft", { href: app.link("administrators"), dir: "auto", title: t("me.title") }, administrator.name),
      button(t("signout"), () => app.signOut(), "plain")),
    nav, main, said);

  function setMenu(on) {
    const was = menu.getAttribute("aria-expanded") === "true";
    menu.setAttribute("aria-expanded", on);
    node.classList.toggle("menu-open", on);
    if (was && !on && nav.contains(document.activeElement)) menu.focus();
    return was && !on;
  }

  const badge = (name, text, kind = "") => {
    const element = badges.get(name);
    element.hidden = !text;
    element.className = `pill ${kind}`;
    element.textContent = text;
  };

  return {
    node, heading, wait,
    closeMenu: () => setMenu(false),
    mark(name) {
      for (const [page, link] of links) {
        if (page === name) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
      setMenu(false);
    },
    show(page) {
      if (heading.textContent) said.textContent = page.title;
      heading.textContent = page.title;
      count.textContent = page.count ?? "";
      changing(() => {
        actions.replaceChildren(...(page.actions ?? []));
        place.replaceChildren(page.node);
      });
      main.scrollTop = 0;
      scrollTo(0, 0);
    },
    count(text) { count.textContent = text; },
    /** Shows the state of the server. `overview` is null while it does not answer. */
    state(overview) {
      if (!overview) {
        state.className = "pill state bad";
        state.textContent = t("state.lost");
        return;
      }
      const { areKnown, errors, warnings } = overview.findings;
      state.className = `pill state ${errors ? "bad" : warnings ? "warm" : areKnown ? "good" : ""}`;
      state.textContent = errors || warnings ? t("state.needs", { n: errors + warnings }) : t(areKnown ? "state.well" : "state.unknown");
      badge("accounts", overview.pending ? t("badge.wait", { n: overview.pending }) : "", "warm");
      badge("health", errors || warnings ? String(errors + warnings) : "", errors ? "bad" : "warm");
      badge("mails", overview.mails.waiting && overview.mails.failing ? String(overview.mails.waiting) : "", "bad");
      badge("backups", overview.backup.running ? t("badge.running") : "", "sky");
      const on = overview.readOnly.isOn;
      readOnly.hidden = !on;
      if (on && !readOnly.firstChild) {
        readOnly.append(pill(t("readonly"), "warm"), h("span", null, h("span", null, t("readonly.strip")), overview.readOnly.reason && h("span.soft", { dir: "auto" }, ` ${overview.readOnly.reason}`)),
          button(t("readonly.end"), () => app.endReadOnly()));
      } else if (!on) readOnly.replaceChildren();
    },
  };
}

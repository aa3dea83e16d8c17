/**
 * The page "Live": the query, the list, and the opened row.
 * @module
 */

import { button, fill, say } from "./console-dom.js";
import { EFFECTS } from "./console-effects.js";
import { number } from "./console-figures.js";
import { liveNote } from "./console-live-note.js";
import { Opened } from "./console-opened.js";
import { onNames } from "./console-places.js";
import { has, matcher, toggled } from "./console-query.js";
import { drawRow, makeRow } from "./console-rows.js";
import { h } from "./elements.js";
import { t } from "./words.js";
import "./console-list.js";
import "./console-querybox.js";

/**
 * Makes the page.
 * @param {object} app The console: `store`, `world`, `worlds()`, `operations()`.
 */
export function live(app) {
  const { store } = app;
  const list = h("console-list", { id: "timeline", "aria-label": t("live.list") });
  list.make = makeRow;
  list.draw = drawRow;
  const query = h("console-query");
  query.label = t("live.filter");
  query.hint = "person:mina outcome:refused";
  query.known = () => ({ worlds: app.worlds().map((one) => one.id), operations: app.operations(), faults: Object.keys(EFFECTS) });
  const count = h("span.soft.count", { role: "status" });
  const quick = (label, field, value) => {
    const it = button(label, () => ask(toggled(query.value, field, value)));
    it.update = () => it.setAttribute("aria-pressed", has(query.value, field, value));
    return it;
  };
  const quicks = [
    quick(t("live.errors"), "outcome", "refused"),
    quick(t("live.sockets"), "kind", "socket"),
    quick(t("live.all"), "show", "all"),
  ];
  const following = button(t("live.following"), () => (list.following ? list.stay() : list.toEnd()));
  const clear = button(t("live.clearList"), () => store.clear(true), "quiet-button.clear-list");
  const nothing = h("div.empty.nothing", { hidden: true });
  const note = liveNote(app);
  const opened = new Opened(app, { close: () => shut(), jump: (row) => open(row), narrow: (text) => ask(text) });
  const node = h("div.live", null,
    h("section.stream", { "aria-label": t("live.title") },
      h("div.tools", null, query, h("div.quick", { role: "group", "aria-label": t("live.quick") }, quicks, following), count, clear),
      note.node,
      nothing,
      list),
    opened.node);

  let test = matcher("");
  let shown = [];
  let read = 0;
  let dropped = store.dropped;

  /** Filters the rows that were added since the last call. */
  function more() {
    let gone = 0;
    if (store.dropped > dropped) {
      dropped = store.dropped;
      while (gone < shown.length && shown[gone].seq < dropped) gone++;
      if (gone) shown = shown.slice(gone);
      left = Math.max(0, left - gone);
    }
    for (let index = Math.max(0, read - dropped); index < store.rows.length; index++) {
      const row = store.rows[index];
      row.seq = dropped + index;
      if (test(row)) shown.push(row);
    }
    read = dropped + store.rows.length;
    list.show(shown, gone);
    tell();
  }

  function again() {
    test = matcher(query.value);
    shown = [];
    dropped = read = store.dropped;
    left = 0;
    more();
    left = shown.length;
    if (list.current && !shown.includes(list.current)) list.current = null;
    for (const one of quicks) one.update();
  }

  function hide() {
    opened.hide();
    node.classList.remove("opened");
  }

  let telling;
  function tell() {
    // A status announced for each entry would flood screen readers.
    telling ??= setTimeout(() => {
      telling = undefined;
      say(count, t("live.count", { n: shown.length, shown: number(shown.length) }));
      tellFollowing();
      note.draw(query.value);
      clear.disabled = !store.rows.length;
    }, 400);
    const isEmpty = !shown.length;
    if (nothing.hidden === isEmpty) nothing.hidden = !isEmpty;
    if (isEmpty) {
      const filtered = query.value.trim() !== "" && store.rows.length > 0;
      const mark = `${filtered} ${app.where}`;
      if (nothing.mark !== mark) {
        nothing.mark = mark;
        fill(nothing,
          h("p.empty-title", null, t(filtered ? "live.none" : "live.empty")),
          h("p.soft", null, t(filtered ? "live.noneWhy" : "live.emptyWhy")),
          filtered ? h("p.acts", null, button(t("live.clear"), () => ask(""), "main")) : [
            h("p.mono.address", null, app.origin(app.world)),
            h("p.acts", null,
              h("a.button", { href: app.link("people") }, t("page.people")),
              h("a.button", { href: app.link("worlds") }, t("page.worlds"))),
          ]);
      }
    }
  }

  function ask(text) {
    query.value = text;
    app.remember(text);
    again();
  }

  function open(row, focus = false) {
    list.choose(row, true);
    opened.show(row, focus);
    node.classList.add("opened");
  }

  function shut() {
    hide();
    list.focus();
  }

  query.addEventListener("query", () => {
    app.remember(query.value);
    again();
  });
  query.addEventListener("leave", () => list.focus());
  list.addEventListener("enter", (event) => {
    if (event.detail) open(event.detail, true);
  });
  list.addEventListener("choose", (event) => {
    if (!opened.node.hidden && event.detail) opened.show(event.detail);
  });
  let left = 0;
  const tellFollowing = () =>
    say(
      following,
      list.following || shown.length <= left
        ? t("live.following")
        : t("live.new", { n: shown.length - left, new: number(shown.length - left) }),
    );
  list.addEventListener("follow", () => {
    left = shown.length;
    following.setAttribute("aria-pressed", list.following);
    tellFollowing();
  });
  following.setAttribute("aria-pressed", "true");
  store.addEventListener("rows", more);
  store.addEventListener("clear", () => {
    dropped = 0;
    hide();
    list.current = null;
    list.toEnd();
    again();
  });
  onNames(() => {
    again();
    opened.renamed();
  });

  return {
    node,
    title: t("live.title"),
    /** Called when the page is shown. */
    enter(text) {
      // On a narrow screen the opened row would cover the requested list.
      if (matchMedia("(max-width: 820px)").matches) hide();
      if (text !== undefined) query.value = text;
      else if (query.value) app.remember(query.value);
      again();
    },
    filter() {
      query.focus();
    },
    key(event) {
      if (event.key === "/") {
        query.focus();
        return true;
      }
      if (event.key === "Escape" && !opened.node.hidden) {
        shut();
        return true;
      }
      return false;
    },
    openNumber(world, which) {
      const row = store.find(world, which);
      if (row) open(row, true);
      return Boolean(row);
    },
    openRow: (row) => open(row, true),
    list,
  };
}

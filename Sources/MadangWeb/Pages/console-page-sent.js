/**
 * Pushes and mails that the stand-ins received.
 * @module
 */

import { get } from "./console-api.js";
import { block, button, empty, fill, visible } from "./console-dom.js";
import { personName } from "./console-places.js";
import { h, keyed } from "./elements.js";
import { t } from "./words.js";

const KEPT = 500;
const LINK = /https?:\/\/[^\s<>"')]+/g;

/** A text with its links; only http and https lead anywhere. */
export function linked(text) {
  const out = [];
  let at = 0;
  for (const found of text.matchAll(LINK)) {
    const target = found[0].replace(/[.,;:!?]+$/, "");
    out.push(text.slice(at, found.index), h("a", { href: target, target: "_blank", rel: "noopener noreferrer" }, target));
    at = found.index + target.length;
  }
  return [...out, text.slice(at)];
}

/** A page with a list and a pane, as a mailbox has. */
function box(app, name, { rowOf, paneOf, none, complete }) {
  const list = h("ul.inbox", { "aria-label": t(`page.${name}`) });
  const pane = h("div.letter");
  const node = h("div.page.split", null, h("section.side", { "aria-label": t(`page.${name}`) }, list), pane);
  let items = [];
  let chosen = null;
  let last = 0;
  const open = (item) => {
    chosen = item.id;
    node.classList.add("chosen");
    fill(pane, button(t("back"), shut, "back"), paneOf(item));
    draw();
  };
  const shut = () => {
    node.classList.remove("chosen");
    list.querySelector("[aria-current]")?.focus();
  };
  const draw = () => {
    const make = (one) => h("li", null, h("button", { type: "button", onclick: () => open(one) }, rowOf(one)));
    keyed(list, items, (one) => String(one.id), make, (element, one) => {
      if (one.id === chosen) element.firstChild.setAttribute("aria-current", "true");
      else element.firstChild.removeAttribute("aria-current");
    });
    if (!items.length) fill(pane, empty(t(`${name}.none`), t(`${name}.noneWhy`)), none?.());
    else if (chosen === null) fill(pane, empty(t("sent.choose"), t("sent.chooseWhy")));
  };
  const read = async () => {
    const got = await get(app.world, `${name}?after=${last}`);
    if (!got.length) {
      if (!items.length) draw();
      return;
    }
    last = got.at(-1).id;
    await complete?.(got);
    items = [...got.reverse(), ...items].slice(0, KEPT);
    draw();
  };
  app.every(2000, () => read().catch(() => {}));
  read().catch((error) => fill(pane, h("p.why", null, app.wording(error))));
  return { title: t(`page.${name}`), node };
}

/** The page "Mails". */
export const mails = (app) =>
  box(app, "mails", {
    none: () =>
      h("p.acts.middle", null,
        h("a.button", { href: `${app.origin(app.world)}/password`, target: "_blank", rel: "noreferrer" }, t("mails.ask"))),
    rowOf: (one) => [
      h("b", { dir: "auto" }, visible(one.subject)),
      h("span.soft", null, h("bdi", null, one.to)),
      h("span.faint.mono", null, one.at.slice(0, 16).replace("T", " ")),
    ],
    paneOf: (one) => [
      h("h2", { dir: "auto" }, visible(one.subject)),
      h("p.soft", null,
        t("mails.to", { to: one.to }),
        ` · ${one.kind} · `,
        h("span.mono", null, one.at.slice(0, 19).replace("T", " "))),
      h("p.mail-body", { dir: "auto" }, linked(visible(one.body))),
    ],
  });

/** Adds to pushes their entries of the journal, which have the person and the time. */
function entriesOf(app) {
  const unused = new Map();
  let after = 0;
  return async (pushes) => {
    const page = await get(app.world, `journal?kind=push&after=${after}&limit=20000`).catch(() => null);
    if (!page) return;
    after = page.last;
    for (const one of page.entries) {
      const key = `${one.deviceToken} ${one.payload}`;
      (unused.get(key) ?? unused.set(key, []).get(key)).push(one);
    }
    for (const one of pushes) one.entry = unused.get(`${one.deviceToken} ${JSON.stringify(one.payload)}`)?.shift();
  };
}

/** Who a push is for, when it was sent, and its entry. */
const sentTo = (app, { entry }) =>
  entry && h("p.soft", null,
    entry.account ? `${t("pushes.who", { who: personName(entry.account) })} · ` : "",
    h("span.mono", null, entry.at.slice(0, 19).replace("T", " ")),
    " · ",
    h("a", { href: app.link("live", `${entry.number}`) }, t("pushes.entry", { n: `${entry.number}` })));

/** The page "Pushes". */
export const pushes = (app) =>
  box(app, "pushes", {
    complete: entriesOf(app),
    rowOf: ({ payload, deviceToken, entry }) => [
      h("b", { dir: "auto" }, visible(payload.aps?.alert?.title ?? "–")),
      h("span.soft", { dir: "auto" }, visible(payload.aps?.alert?.body ?? "")),
      h("span.faint.mono", null,
        [entry?.at.slice(11, 19), entry?.account ? personName(entry.account) : visible(deviceToken.slice(0, 24))].filter(Boolean).join(" · ")),
    ],
    paneOf: (one) => [
      h("div.banner", null,
        h("b", { dir: "auto" }, visible(one.payload.aps?.alert?.title ?? "–")),
        h("p", { dir: "auto" }, visible(one.payload.aps?.alert?.body ?? ""))),
      sentTo(app, one),
      h("p.soft", null, t("pushes.to", { edition: one.edition }), " ", h("span.mono", null, one.deviceToken)),
      h("h3", null, t("open.payload")),
      block(JSON.stringify(one.payload, null, 2), t("open.payload")),
    ],
  });

// Pushes and mails that the stand-ins received.

import { get } from "./console-api.js";
import { block, empty, fill, h, keyed } from "./console-dom.js";
import { t } from "./console-text.js";

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
function box(app, name, { rowOf, paneOf }) {
  const list = h("ul", { class: "inbox", "aria-label": t(`page.${name}`) });
  const pane = h("div", { class: "letter" });
  const node = h("div", { class: "page split" }, h("section", { class: "side", "aria-label": t(`page.${name}`) }, list), pane);
  let items = [];
  let chosen = null;
  let last = 0;
  const open = (item) => {
    chosen = item.id;
    node.classList.add("chosen");
    fill(pane, h("button", { type: "button", class: "button back", onclick: () => { node.classList.remove("chosen"); list.querySelector("[aria-current]")?.focus(); } }, t("back")), paneOf(item));
    draw();
  };
  const draw = () => {
    keyed(list, items, (one) => one.id, (one) => h("li", {}, h("button", { type: "button", onclick: () => open(one) }, rowOf(one))), (element, one) => { if (one.id === chosen) element.firstChild.setAttribute("aria-current", "true"); else element.firstChild.removeAttribute("aria-current"); });
    if (!items.length) fill(pane, empty(t(`${name}.none`), t(`${name}.noneWhy`)));
    else if (chosen === null) fill(pane, empty(t("sent.choose"), t("sent.chooseWhy")));
  };
  const read = async () => {
    const got = await get(app.world, `${name}?after=${last}`);
    if (!got.length) { if (!items.length) draw(); return; }
    last = got.at(-1).id;
    items = [...got.reverse(), ...items].slice(0, KEPT);
    draw();
  };
  app.every(2000, () => read().catch(() => {}));
  read().catch((error) => { fill(pane, h("p", { class: "why" }, app.wording(error))); });
  return { title: t(`page.${name}`), node };
}

/** The page "Mails". */
export const mails = (app) => box(app, "mails", {
  rowOf: (one) => [h("b", {}, one.subject), h("span", { class: "soft" }, h("bdi", {}, one.to)), h("span", { class: "faint mono" }, one.at.slice(0, 16).replace("T", " "))],
  paneOf: (one) => [h("h2", {}, one.subject), h("p", { class: "soft" }, t("mails.to", { to: one.to }), ` · ${one.kind} · `, h("span", { class: "mono" }, one.at.slice(0, 19).replace("T", " "))), h("p", { class: "mail-body", dir: "auto" }, linked(one.body))],
});

/** The page "Pushes". */
export const pushes = (app) => box(app, "pushes", {
  rowOf: ({ payload, deviceToken }) => [h("b", { dir: "auto" }, payload.aps?.alert?.title ?? "–"), h("span", { class: "soft", dir: "auto" }, payload.aps?.alert?.body ?? ""), h("span", { class: "faint mono" }, deviceToken.slice(0, 24))],
  paneOf: (one) => [
    h("div", { class: "banner" }, h("b", { dir: "auto" }, one.payload.aps?.alert?.title ?? "–"), h("p", { dir: "auto" }, one.payload.aps?.alert?.body ?? "")),
    h("p", { class: "soft" }, t("pushes.to", { edition: one.edition }), " ", h("span", { class: "mono" }, one.deviceToken)),
    h("h3", {}, t("open.payload")), block(JSON.stringify(one.payload, null, 2), t("open.payload")),
  ],
});

/**
 * The pages of the console, and what stands in for a page that cannot be shown.
 * @module
 */

import { get } from "./console-api.js";
import { empty } from "./console-dom.js";
import { h } from "./elements.js";
import { t } from "./words.js";

/** Pages besides "Live", read when they are first opened. */
export const PAGES = {
  people: () => import("./console-page-people.js"),
  sockets: () => import("./console-page-sockets.js"),
  worlds: () => import("./console-page-worlds.js"),
  clock: () => import("./console-page-clock.js"),
  faults: () => import("./console-page-faults.js"),
  scripts: () => import("./console-page-scripts.js"),
  seeds: () => import("./console-page-seeds.js"),
  review: () => import("./console-page-review.js"),
  coverage: () => import("./console-page-coverage.js"),
  payments: () => import("./console-page-payments.js"),
  tokens: () => import("./console-page-tokens.js"),
  phone: () => import("./console-page-phone.js"),
  pushes: async () => ({ default: (await import("./console-page-sent.js")).pushes }),
  mails: async () => ({ default: (await import("./console-page-sent.js")).mails }),
  contract: () => import("./console-contract.js"),
};
/** Pages that need no world. */
const FREE = new Set(["worlds", "contract"]);
/** Pages that make sense while all worlds are looked at together; the server's coverage has that of its worlds. */
const OF_ALL = new Set(["live", "seeds", "coverage", "phone", ...FREE]);
/** Worlds that are offered at most. */
const OFFERED = 50;

/** What stands in for a page; null if the page can be shown. */
export function insteadOf(app, name) {
  if (FREE.has(name)) return null;
  if (app.isGone) return gone(app);
  return app.where === "*" && !OF_ALL.has(name) ? choice(app, name) : null;
}

const place = (title, ...children) => ({ title, node: h("div.page", null, h("div.empty", null, children)) });
const link = (href, text) => h("a.button", { href }, text);

/** The world of the address does not exist (any more). */
function gone(app) {
  return place(t("gone.title", { world: app.where }),
    h("p.soft", null, t("gone.why")),
    h("p.acts", null,
      link("#/~/live", t("world.server")),
      app.worlds().length ? link("#/*/live", t("world.all")) : null,
      link("#/~/worlds", t("page.worlds"))));
}

/** A page that acts on one world, while all are looked at. */
function choice(app, name) {
  const worlds = app.worlds().slice(-OFFERED).reverse();
  return place(t(`page.${name}`),
    h("p.empty-title", null, t("choose.title")),
    h("p.soft", null, t("choose.why")),
    h("p.acts", null,
      worlds.map((one) => link(`#/${encodeURIComponent(one.id)}/${name}`, one.name === one.id ? one.id : `${one.name} (${one.id})`)),
      link(`#/~/${name}`, t("world.server"))));
}

/** The server does not answer, and the page's file did not come. Browsers keep that in mind: all is loaded again. */
export function away(app, name) {
  app.every(1000, () => get("", "about").then(() => location.reload(), () => {}));
  return { title: t(`page.${name}`), node: h("div.page", null, empty(t("error.away"), t("away.why"))) };
}

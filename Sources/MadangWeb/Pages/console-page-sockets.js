/**
 * Sockets: account, transport, start, rooms, waiting packets; cut one.
 * @module
 */

import { get, remove } from "./console-api.js";
import { button, empty, say } from "./console-dom.js";
import { bytes } from "./console-figures.js";
import { personName, placeName } from "./console-places.js";
import { roomOf } from "./console-row.js";
import { h, keyed } from "./elements.js";
import { t } from "./words.js";

const COLUMNS = ["who", "transport", "since", "rooms", "waits"];

export default function page(app) {
  const list = h("tbody");
  const heads = COLUMNS.map((one) => h("th", { scope: "col" }, t(`sockets.${one}`)));
  const table = h("div.scroll", { role: "group", tabindex: "0", "aria-label": t("page.sockets") },
    h("table", null, h("caption.heard", null, t("page.sockets")), h("thead", null, h("tr", null, heads, h("td"))), list));
  const none = empty(t("sockets.none"), t("sockets.noneWhy"));
  const draw = (sockets) => {
    none.hidden = sockets.length > 0;
    table.hidden = !sockets.length;
    app.badge("sockets", sockets.length || "");
    keyed(list, sockets.slice(0, 500), (one) => one.session, (one) => {
      const cells = COLUMNS.map((name) => h(name === "since" ? "td.mono" : "td"));
      const row = h("tr", null,
        cells,
        h("td.acts-cell", null,
          h("a.button", { href: app.link("live", `?socket:${one.session} show:all`) }, t("sockets.traffic")),
          button(t("sockets.cut"),
            () =>
              app.doing(remove(app.world, `sockets/${encodeURIComponent(one.session)}`), () => t("sockets.wasCut")).then(read))));
      row.update = (it) => {
        say(cells[0], it.account ? personName(it.account) : "–");
        say(cells[1], it.transport);
        say(cells[2], it.since.slice(11, 19));
        say(cells[3], it.namespaces.map((name) => placeName(roomOf(name) ?? name)).join(", ") || "–");
        say(cells[4], it.waitingBytes ? bytes(it.waitingBytes) : "–");
      };
      return row;
    }, (row, one) => row.update(one));
  };
  const read = () =>
    get(app.world, "sockets").then(draw).catch((error) => {
      none.hidden = false;
      table.hidden = true;
      none.firstChild.textContent = t("sockets.unknown");
      none.lastChild.textContent = app.wording(error);
    });
  app.every(1500, read);
  read();
  return { title: t("page.sockets"), node: h("div.page.wide", null, h("p.lead", null, t("sockets.lead")), none, table) };
}

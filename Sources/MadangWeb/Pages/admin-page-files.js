/** Files and space. @module */

import { get } from "./admin-calls.js";
import { bar } from "./admin-graph.js";
import { empty, facts, named, section, table } from "./admin-parts.js";
import { bytes, number, percent } from "./admin-words.js";
import { h, name } from "./elements.js";
import { t } from "./words.js";

export default async function files(app) {
  const { disk, place, files: count, fileBytes, trash, database, log, workspaces, accounts } = await get("files");
  const used = disk.size - disk.free;
  const others = Math.max(0, used - fileBytes - trash.bytes - database - log);
  const parts = [["files", fileBytes, "persimmon"], ["trash", trash.bytes, "plum"], ["database", database, "pine"], ["log", log, "sky"], ["others", others, "other"]].filter(([, size]) => size > 0);
  const most = (rows) => Math.max(1, ...rows.map((one) => one.fileBytes));
  const size = (one, rows) => h("div.share", null, h("p", null, h("span", null, bytes(one.fileBytes)), one.limit > 0 && h("span.soft", null, percent(one.fileBytes / one.limit))),
    bar(one.limit > 0 ? one.fileBytes / one.limit : one.fileBytes / most(rows), one.limit > 0 ? t("quota.of", { used: bytes(one.fileBytes), limit: bytes(one.limit) }) : bytes(one.fileBytes), one.limit > 0 && one.fileBytes > 0.9 * one.limit));
  const strip = h("div.space", { role: "img", "aria-label": t("stat.disk.heard", { used: bytes(used), size: bytes(disk.size) }) }, parts.map(([, size, colour]) => {
    const piece = h(`span.${colour}`);
    // A piece of a byte is still seen.
    piece.style.flexBasis = `max(3px, ${(size / disk.size) * 100}%)`;
    return piece;
  }));
  return {
    node: h("div.stack", null,
      h("section.space-box", null, h("p.figure", null, percent(used / disk.size), h("span.soft.small", null, t("stat.of", { used: bytes(used), size: bytes(disk.size) }))), strip,
        h("ul.legend", null, parts.map(([key, size, colour]) => h("li", null, h(`span.dot.${colour}`, { "aria-hidden": "true" }), h("span", null, t(`space.${key}`)), h("span.soft", null, bytes(size)))), h("li", null, h("span.dot.free", { "aria-hidden": "true" }), h("span", null, t("space.free")), h("span.soft", null, bytes(disk.free))))),
      facts([[t("space.count"), number(count)], [t("space.place"), h("span.mono.break", null, place)], [t("space.trash"), t("space.trash.days", { files: t("count.files", { n: trash.files }), days: t("kept.days", { n: trash.days }) })]], true),
      h("div.halves", null,
        section(t("space.workspaces"), workspaces.length ? table(t("space.workspaces"), [t("workspace.name"), t("space.size")], workspaces.map((one) => [h("a.row-link", { href: app.link("workspaces", one.number) }, name(one.name)), size(one, workspaces)])) : empty(t("space.empty"), t("space.empty.text"))),
        section(t("space.accounts"), accounts.length ? table(t("space.accounts"), [t("account.name"), t("space.size")], accounts.map((one) => [h("a.row-link", { href: app.link("accounts", one.number) }, named(name(one.nickname))), size(one, accounts)])) : empty(t("space.empty"), t("space.empty.text"))))),
  };
}

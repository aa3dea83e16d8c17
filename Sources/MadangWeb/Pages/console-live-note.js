/**
 * A line above the list that says what the list lacks: worlds, older entries, fields that a filter names.
 * @module
 */

import { fill, linkButton } from "./console-dom.js";
import { number } from "./console-figures.js";
import { FIELDS, unknownFields } from "./console-query.js";
import { h } from "./elements.js";
import { t } from "./words.js";

/** Makes the line. */
export function liveNote(app) {
  const node = h("p.note", { role: "status", hidden: true });
  let shown = "";
  return {
    node,
    /** @param {string} query the filter */
    draw(query) {
      const [unknown] = unknownFields(query);
      const { older, worlds } = app.following;
      const followed = worlds.filter(Boolean).length;
      const all = app.worlds().length;
      const isPart = app.where === "*" && followed < all;
      const { dropped } = app.store;
      const mark = JSON.stringify([unknown, older, dropped, isPart && [followed, all]]);
      if (mark === shown) return;
      shown = mark;
      const lines = [
        unknown && h("span", null, t("live.noField", { field: unknown, fields: FIELDS.join(", ") })),
        isPart && h("span", null, t("live.someWorlds", { n: followed, all: number(all) })),
        older > 0 && h("span", null,
          t("live.older", { n: older }), " ", linkButton(t("live.readOlder"), () => app.readOlder())),
        !older && dropped > 0 && h("span", null, t("live.dropped", { n: dropped })),
      ].filter(Boolean);
      node.hidden = !lines.length;
      fill(node, lines);
    },
  };
}

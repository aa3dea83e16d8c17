/** A list with one of its rows opened beside it. @module */

import { openPane } from "./admin-parts.js";
import { explain } from "./admin-trouble.js";
import { h, toast } from "./elements.js";
import { changing } from "./steady.js";

/**
 * @param {object} list as `paged` makes it
 * @param {{ kind: string, tools: Node[], here: (number: string) => string, load: (number: string) => Promise<Node> }} page
 *   `kind`: the beginning of the rows' `data-focus`; `here`: the address with a row opened, or none; `load`: a row's pane
 */
export function splitList(app, list, { kind, tools, here, load }) {
  const side = h("div.side");
  const node = h("div.split", null, h("div.first", null, h("div.tools", null, tools), list.node), side);
  let turns = 0;
  const split = {
    node,
    /** The number of the opened row; empty for none. */
    opened: "",
    async open(number) {
      const before = split.opened;
      split.opened = number;
      if (!number) {
        changing(() => {
          side.replaceChildren();
          node.classList.remove("opened");
        });
        list.draw();
        node.querySelector(`[data-focus="${kind}-${CSS.escape(before)}"]`)?.focus();
        return;
      }
      const turn = ++turns;
      const pane = await load(number);
      if (split.opened !== number || turn !== turns) return;
      changing(() => node.classList.add("opened"));
      list.draw();
      openPane(side, pane, before !== number);
    },
    /** Reads a row again, if it is still the opened one. */
    async reread(number) {
      if (split.opened === number) await split.open(number);
    },
    /** Opens a row that may no longer exist. */
    async tryOpen(number) {
      const turn = turns + 1;
      try { await split.open(number); } catch (error) {
        if (error.code === "signedOut" || split.opened !== number || turn !== turns) return;
        split.opened = "";
        node.classList.remove("opened");
        side.replaceChildren();
        app.remember(here(""));
        toast(explain(error));
      }
    },
    /** False if no row is open. */
    close() {
      if (!split.opened) return false;
      app.go(here(""));
      return true;
    },
  };
  return split;
}

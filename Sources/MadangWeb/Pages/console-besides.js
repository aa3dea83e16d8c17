/**
 * Rows that the journal does not record yet: faults switched on and off, resets. Delete this file once it does.
 * @module
 */

import { t } from "./words.js";

const row = (kind, world, at, quote, more) => ({
  world, kind, at, elapsed: 0, person: "", operation: "", outcome: "ok", quiet: false, quote, ...more,
});

/** A line across the list. With `isBreak` what was before it has nothing to do with what comes after. */
export const markRow = (world, at, quote, isBreak) => row("mark", world, at, quote, { isBreak });

/** Rules that were seen, also removed ones, by world and id. */
const rules = new Map();
const MOST_RULES = 1000;

/** A rule of a fault, if the console has seen it. */
export const ruleOf = (world, id) => rules.get(`${world} ${id}`);

/** Faults that were switched on or off since. */
export const faultRows = {
  known: null,
  begin() {
    this.known = null;
  },
  take(faults, world, at, link) {
    const now = new Map(faults.map((one) => [one.id, one]));
    const before = this.known;
    this.known = now;
    for (const one of faults) rules.set(`${world} ${one.id}`, one);
    while (rules.size > MOST_RULES) rules.delete(rules.keys().next().value);
    if (!before) return [];
    const line = (key, one) =>
      row("fault", world, at, t(key, { kind: one.effect.kind }), {
        fault: one.effect.kind,
        text: JSON.stringify({ match: one.match, effect: one.effect }, null, 2),
        link: [link, t("page.faults")],
      });
    return [
      ...faults.filter((one) => !before.has(one.id)).map((one) => line("mark.faultOn", one)),
      ...[...before.values()].filter((one) => !now.has(one.id)).map((one) => line("mark.faultOff", one)),
    ];
  },
};

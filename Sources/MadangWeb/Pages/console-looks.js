/**
 * Polls what the journal does not record: clock and faults; and counts for the navigation.
 * @module
 */

import { get } from "./console-api.js";
import { faultRows } from "./console-besides.js";
import { isLive } from "./console-effects.js";
import { t } from "./words.js";

export class Looks {
  /** Operations of the contract, for completion. */
  operations = [];
  #app;

  constructor(app) {
    this.#app = app;
  }

  begin() {
    faultRows.begin();
    for (const page of ["faults", "review", "sockets", "coverage"]) this.#app.badge(page, "");
    this.now();
    this.slowly();
  }

  /** The badge of the page Faults: rules that can still apply. */
  #faults(faults) {
    const many = faults.filter(isLive).length;
    this.#app.badge("faults", many ? t("faults.badge", { n: many }) : "", "bad");
  }

  /** Clock and faults of one world. */
  async now() {
    const app = this.#app;
    const { where, world } = app;
    if (where === "*") return;
    const of = (what) => get(world, what).catch(() => null);
    const [clock, faults] = await Promise.all([of("clock"), of("faults")]);
    if (where !== app.where) return;
    if (clock) app.setClock(clock);
    if (faults) {
      this.#faults(faults.faults);
      app.store.add(faultRows.take(faults.faults, world, app.now(), app.link("faults")));
    }
  }

  /** What changes slowly. */
  async slowly() {
    const app = this.#app;
    const { where, world } = app;
    const of = (what) => (where === "*" && what !== "coverage" ? null : get(world, what).catch(() => null));
    const [review, coverage, sockets] = await Promise.all([of("review"), of("coverage"), of("sockets")]);
    if (where !== app.where) return;
    if (review) app.badge("review", review.findings.length || "", "bad");
    if (sockets) app.badge("sockets", sockets.length || "");
    if (!coverage) return;
    app.badge("coverage", `${Math.floor(coverage.report.percent)} %`);
    const operations = coverage.report.parts.filter((one) => one.section === "operations");
    this.operations = [...new Set(operations.flatMap((one) => [...Object.keys(one.counts), ...one.missing]))].sort();
  }
}

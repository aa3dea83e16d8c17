/**
 * Coverage as a picture: a tile for each operation, in it a square for each code it may answer.
 * @module
 */

import { get, remove } from "./console-api.js";
import { button, fill, select } from "./console-dom.js";
import { number } from "./console-figures.js";
import { confirmed } from "./dialogs.js";
import { h } from "./elements.js";
import { t } from "./words.js";

export default function page(app) {
  const picture = h("div");
  const edition = select(["2024-10", "2024-01"], "2024-10", { "aria-label": t("coverage.edition"), onchange: () => draw(true) });
  const where = select([["all", t("coverage.all")], ["missing", t("coverage.missing")]], "all", {
    "aria-label": t("coverage.show"),
    onchange: () => draw(true),
  });
  let report;
  let last = "";
  const draw = (again) => {
    const mark = JSON.stringify(report);
    if (!report || (mark === last && !again)) return;
    last = mark;
    fill(picture, paint(app, report, edition.value, where.value === "missing"));
  };
  const read = () =>
    get(app.world, "coverage").then((got) => {
      report = got.report;
      app.badge("coverage", `${Math.floor(report.percent)} %`);
      draw();
    });
  app.every(5000, () => read().catch(() => {}));
  read().catch(app.fail);
  return {
    title: t("page.coverage"),
    node: h("div.page.wide", null,
      h("p.lead", null, t("coverage.lead")),
      h("div.acts", null,
        edition,
        where,
        button(t("coverage.clear"), async () => {
          if (await confirmed({ title: t("coverage.clearAsk"), text: t("coverage.clearText"), yes: t("coverage.clear") })) {
            await app.doing(remove(app.world, "coverage"));
            read().catch(app.fail);
          }
        })),
      picture),
  };
}

function paint(app, report, edition, missingOnly) {
  const parts = Object.fromEntries(report.parts.filter((one) => one.edition === edition).map((one) => [one.section, one]));
  const bars = h("ul.bars", null,
    Object.values(parts).map((one) => {
      const fillBar = h("span.bar-fill");
      fillBar.style.width = `${one.percent}%`;
      return h("li", null,
        h("span.bar-name", null, t(`coverage.${one.section}`)),
        h("span.bar", { "aria-hidden": "true" }, fillBar),
        h("span.mono", null, `${one.touched} / ${one.total}`));
    }));
  const counts = parts.operations?.counts ?? {};
  const codes = new Map();
  const note = (key, n) => {
    const [operation, code] = key.split(" ");
    if (code) (codes.get(operation) ?? codes.set(operation, []).get(operation)).push([code, n]);
  };
  for (const [key, n] of Object.entries(parts.codes?.counts ?? {})) note(key, n);
  for (const key of parts.codes?.missing ?? []) note(key, 0);
  const operations = [...new Set([...Object.keys(counts), ...(parts.operations?.missing ?? [])])].sort();
  const shown = missingOnly ? operations.filter((one) => !counts[one] || codes.get(one)?.some(([, n]) => !n)) : operations;
  const most = Math.max(1, ...Object.values(counts));
  const tiles = h("ul.map", { "aria-label": t("coverage.operations") },
    shown.map((operation) => {
      const n = counts[operation] ?? 0;
      const heat = n ? 1 + Math.min(3, Math.floor((Math.log(n + 1) / Math.log(most + 1)) * 4)) : 0;
      const list = (codes.get(operation) ?? []).sort(([one], [other]) => (one < other ? -1 : 1));
      return h(`li.heat-${heat}`, null,
        h("a", { href: app.link("live", `?operation:${operation}`) },
          h("b", null, operation),
          h("span.mono", null, n ? number(n) : t("coverage.never"))),
        h("span.codes", null,
          list.map(([code, times]) =>
            h(times ? "span.code.hit" : "span.code", null,
              h("span.heard", null, t(times ? "coverage.seen" : "coverage.unseen")),
              code))));
    }));
  const rest = ["fields", "events", "flows"].filter((one) => parts[one]?.missing.length).map((one) =>
    h("details.part", null,
      h("summary", null, t("coverage.lacks", { section: t(`coverage.${one}`), n: parts[one].missing.length })),
      h("ul.columns.mono", null, parts[one].missing.map((it) => h("li", null, it))))
  );
  return [bars, tiles, rest];
}

// Coverage as a picture: a tile for each operation, in it a square for each code it may answer.

import { get, remove } from "./console-api.js";
import { button, fill, h, select } from "./console-dom.js";
import { confirmed } from "./console-confirm.js";
import { number, t } from "./console-text.js";

export default function page(app) {
  const picture = h("div", {});
  const edition = select(["2024-10", "2024-01"], "2024-10", { "aria-label": t("coverage.edition"), onchange: () => draw(true) });
  const where = select([["all", t("coverage.all")], ["missing", t("coverage.missing")]], "all", { "aria-label": t("coverage.show"), onchange: () => draw(true) });
  let report;
  let last = "";
  const draw = (anew) => {
    const mark = JSON.stringify(report);
    if (!report || (mark === last && !anew)) return;
    last = mark;
    fill(picture, paint(app, report, edition.value, where.value === "missing"));
  };
  const read = () => get(app.world, "coverage").then((got) => { report = got.report; app.badge("coverage", `${Math.floor(report.percent)} %`); draw(); });
  app.every(5000, () => read().catch(() => {}));
  read().catch(app.fail);
  return { title: t("page.coverage"), node: h("div", { class: "page wide" }, h("p", { class: "lead" }, t("coverage.lead")),
    h("div", { class: "acts" }, edition, where, button(t("coverage.clear"), async () => { if (await confirmed(t("coverage.clearAsk"), t("coverage.clearText"), t("coverage.clear"))) { await app.doing(remove(app.world, "coverage")); read().catch(app.fail); } })), picture) };
}

function paint(app, report, edition, missingOnly) {
  const parts = Object.fromEntries(report.parts.filter((one) => one.edition === edition).map((one) => [one.section, one]));
  const bars = h("ul", { class: "bars" }, Object.values(parts).map((one) => {
    const fillBar = h("span", { class: "bar-fill" });
    fillBar.style.width = `${one.percent}%`;
    return h("li", {}, h("span", { class: "bar-name" }, t(`coverage.${one.section}`)), h("span", { class: "bar", "aria-hidden": "true" }, fillBar), h("span", { class: "mono" }, `${one.touched} / ${one.total}`));
  }));
  const counts = parts.operations?.counts ?? {};
  const codes = new Map();
  const note = (key, n) => { const [operation, code] = key.split(" "); if (code) (codes.get(operation) ?? codes.set(operation, []).get(operation)).push([code, n]); };
  for (const [key, n] of Object.entries(parts.codes?.counts ?? {})) note(key, n);
  for (const key of parts.codes?.missing ?? []) note(key, 0);
  const operations = [...new Set([...Object.keys(counts), ...(parts.operations?.missing ?? [])])].sort();
  const shown = missingOnly ? operations.filter((one) => !counts[one] || codes.get(one)?.some(([, n]) => !n)) : operations;
  const most = Math.max(1, ...Object.values(counts));
  const tiles = h("ul", { class: "map", "aria-label": t("coverage.operations") }, shown.map((operation) => {
    const n = counts[operation] ?? 0;
    const heat = n ? 1 + Math.min(3, Math.floor((Math.log(n + 1) / Math.log(most + 1)) * 4)) : 0;
    const list = (codes.get(operation) ?? []).sort(([one], [other]) => (one < other ? -1 : 1));
    return h("li", { class: `heat-${heat}` }, h("a", { href: app.link("live", `?operation:${operation}`) }, h("b", {}, operation), h("span", { class: "mono" }, n ? number(n) : t("coverage.never"))),
      h("span", { class: "codes" }, list.map(([code, times]) => h("span", { class: times ? "code hit" : "code" }, h("span", { class: "heard" }, t(times ? "coverage.seen" : "coverage.unseen")), code))));
  }));
  const rest = ["fields", "events", "flows"].filter((one) => parts[one]?.missing.length).map((one) => h("details", { class: "part" }, h("summary", {}, t("coverage.lacks", { section: t(`coverage.${one}`), n: parts[one].missing.length })), h("ul", { class: "columns mono" }, parts[one].missing.map((it) => h("li", {}, it)))));
  return [bars, tiles, rest];
}

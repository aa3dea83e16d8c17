/**
 * Review: habits of a client that will cause trouble.
 * @module
 */

import { get } from "./console-api.js";
import { empty, fill } from "./console-dom.js";
import { personName } from "./console-places.js";
import { h } from "./elements.js";
import { t } from "./words.js";

export default function page(app) {
  const list = h("div.cards");
  let last = "";
  const draw = ({ findings, looked }) => {
    const mark = JSON.stringify([findings, looked === 0]);
    app.badge("review", findings.length || "", "bad");
    if (mark === last) return;
    last = mark;
    fill(list,
      findings.length
        ? findings.map((one) => card(app, one))
        : empty(t(looked ? "review.fine" : "review.nothing"), t(looked ? "review.fineWhy" : "review.nothingWhy")));
  };
  const read = () => get(app.world, "review").then(draw).catch(app.fail);
  app.every(4000, () => get(app.world, "review").then(draw).catch(() => {}));
  read();
  return { title: t("page.review"), node: h("div.page", null, h("p.lead", null, t("review.lead")), list) };
}

function card(app, { habit, what, cure, rule, count, calls, account }) {
  return h("article.panel", { "aria-label": habit },
    h("header", null,
      h("h2", null, t(`habit.${habit}`)),
      h("span.pill.bad", null, t("review.count", { n: count })),
      account ? h("span.soft", null, personName(account)) : null),
    h("dl.facts", { lang: "en" },
      h("dt", null, t("review.what")),
      h("dd", null, what),
      h("dt", null, t("review.rule")),
      h("dd", null, rule),
      h("dt", null, t("review.cure")),
      h("dd", null, cure)),
    h("p.soft", null,
      t("review.calls"),
      " ",
      calls.slice(0, 20).map((number, index) => [index ? ", " : "", h("a.link", { href: app.link("live", `${number}`) }, `#${number}`)]),
      calls.length > 20 ? " …" : ""));
}

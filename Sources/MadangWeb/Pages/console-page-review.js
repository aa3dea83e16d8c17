// Review: habits of a client that will cause trouble.

import { get } from "./console-api.js";
import { empty, fill, h } from "./console-dom.js";
import { personName } from "./console-places.js";
import { t } from "./console-text.js";

export default function page(app) {
  const list = h("div", { class: "cards" });
  let last = "";
  const draw = ({ findings, looked }) => {
    const mark = JSON.stringify([findings, looked === 0]);
    app.badge("review", findings.length || "", "bad");
    if (mark === last) return;
    last = mark;
    fill(list, findings.length ? findings.map((one) => card(app, one)) : empty(t(looked ? "review.fine" : "review.nothing"), t(looked ? "review.fineWhy" : "review.nothingWhy")));
  };
  const read = () => get(app.world, "review").then(draw).catch(app.fail);
  app.every(4000, () => get(app.world, "review").then(draw).catch(() => {}));
  read();
  return { title: t("page.review"), node: h("div", { class: "page" }, h("p", { class: "lead" }, t("review.lead")), list) };
}

function card(app, { habit, what, cure, rule, count, calls, account }) {
  return h("article", { class: "panel", "aria-label": habit },
    h("header", {}, h("h2", {}, t(`habit.${habit}`)), h("span", { class: "pill bad" }, t("review.count", { n: count })), account ? h("span", { class: "soft" }, personName(account)) : null),
    h("dl", { class: "facts", lang: "en" }, h("dt", {}, t("review.what")), h("dd", {}, what), h("dt", {}, t("review.rule")), h("dd", {}, rule), h("dt", {}, t("review.cure")), h("dd", {}, cure)),
    h("p", { class: "soft" }, t("review.calls"), " ", calls.slice(0, 20).map((number, index) => [index ? ", " : "", h("a", { href: app.link("live", String(number)), class: "link" }, `#${number}`)]), calls.length > 20 ? " …" : ""));
}

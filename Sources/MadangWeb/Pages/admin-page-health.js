/** The doctor's findings, with cures. @module */

import { get, post } from "./admin-calls.js";
import { cureWords, findingWords } from "./admin-finding.js";
import { button, empty, pill, redraw } from "./admin-parts.js";
import { when } from "./admin-words.js";
import { h, toast } from "./elements.js";
import { t } from "./words.js";

export default async function health(app) {
  let report = await get("doctor");
  const place = h("div.stack");
  const draw = () => redraw(place,
    h("p.soft", null, report.at ? [t("health.at"), " ", when(report.at)] : t("health.never")),
    report.findings.length ? h("ul.findings", null, report.findings.map((one) => h(`li.finding.${one.severity}`, null,
      h("p", null, pill(t(`severity.${one.severity}`), one.severity === "error" ? "bad" : "warm"), h("span.faint.small.mono", null, one.check)),
      h("p.finding-text", null, findingWords(one)), h("p.cure", null, h("strong", null, t("health.cure.is")), " ", cureWords(one.cure)))))
      : report.at && empty(t("health.well"), t("health.well.text")),
    h("p.faint.small", null, t("health.outside"), " ", h("code", null, `madang doctor ${app.session.server.address} --outside`)));
  draw();
  return {
    node: place,
    // The server examines by itself, too.
    onOverview: async () => {
      const next = await get("doctor", {}, { poll: true }).catch(() => report);
      if (JSON.stringify(next) === JSON.stringify(report)) return;
      report = next;
      draw();
    },
    actions: [button(t("health.run"), async () => {
      report = await post("doctor");
      draw();
      toast(report.findings.length ? t("health.ran", { n: report.findings.length }) : t("health.well"));
      await app.look();
    }, "main")],
  };
}

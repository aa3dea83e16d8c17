/** Backups: the last ones, the next, and one made now. @module */

import { get, post } from "./admin-calls.js";
import { bar } from "./admin-graph.js";
import { button, empty, facts, named, pill, redraw, table } from "./admin-parts.js";
import { ago, bytes, number, percent, stamp, when } from "./admin-words.js";
import { h, toast } from "./elements.js";
import { hasText, t } from "./words.js";

const LOOK = 1000;

export default async function backups(app) {
  let state = await get("backups");
  const place = h("div.stack");
  const heard = h("p.heard", { role: "status" });
  const make = button(t("backup.now"), async () => {
    await post("backups");
    await look();
  }, "main");

  const look = async () => {
    const before = state;
    state = await get("backups", {}, { poll: true });
    draw();
    if (before.running && !state.running) {
      const text = state.failed ? t("backup.failed") : t("backup.made");
      toast(text);
      app.look();
    }
  };
  const draw = () => {
    make.disabled = Boolean(state.running) || !state.directory;
    const { running, failed } = state;
    const share = running && running.total ? running.done / running.total : null;
    const phase = running && (hasText(`phase.${running.phase}`) ? t(`phase.${running.phase}`) : running.phase);
    if (running) heard.textContent = phase;
    redraw(place,
      !state.directory && h("p.notice", null, h("strong", null, t("backup.nowhere")), " ", t("backup.nowhere.text")),
      running && h("section.running", { "aria-label": t("backup.running") }, h("p", null, h("strong", null, t("backup.running")), " ", h("span.soft", null, phase, share === null ? "" : ` · ${percent(share)}`)), bar(share ?? 0.03, `${phase} ${share === null ? "" : percent(share)}`, false)),
      failed && h("p.notice.bad", null, h("strong", null, t("backup.failed")), " ", ago(failed.at), ": ", h("span", { lang: "en" }, failed.message)),
      facts([[t("backup.last"), state.backups[0] ? when(state.backups[0].createdAt) : t("backup.never")], [t("backup.next"), state.next ? [stamp(state.next), " ", h("span.soft", null, `(${ago(state.next)})`)] : t("backup.unplanned")],
        [t("backup.keep"), state.keep ? t("backup.keep.n", { n: state.keep }) : t("backup.keep.all")], [t("backup.directory"), state.directory && h("span.mono.break", null, state.directory)]], true),
      state.backups.length ? table(t("page.backups"), [t("backup.when"), [t("backup.rows"), "wide num"], [t("backup.files"), "wide num"], [t("backup.size"), "num"], t("account.state")], state.backups.map((one) => [
        named(stamp(one.createdAt), t("backup.under", { rows: t("count.rows", { n: one.rows }), files: t("count.files", { n: one.files }) })), number(one.rows), number(one.files), bytes(one.bytes),
        one.losses.length ? h("span", { title: one.losses.join("\n") }, pill(t("backup.lost", { n: one.losses.length }), "bad")) : pill(t("backup.whole"), "good")]))
        : empty(t("backup.empty"), t("backup.empty.text")),
      h("p.faint.small", null, t("backup.restore"), " ", h("code.break", null, `madang admin restore ${state.backups[0]?.path ?? t("backup.path")}`)));
  };
  draw();
  return { node: h("div", null, place, heard), actions: [make], repeat: { every: LOOK, act: () => { if (state.running) look().catch(() => {}); } } };
}

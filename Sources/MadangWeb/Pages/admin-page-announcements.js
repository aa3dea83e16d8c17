/** Announcements: a chat of one account in the default channel of each workspace. @module */

import { get, post, remove } from "./admin-calls.js";
import { ask, button, empty, named, paged, pill, quoted, sure, table, trying } from "./admin-parts.js";
import { bar } from "./admin-graph.js";
import { when } from "./admin-words.js";
import { refused } from "./admin-trouble.js";
import { h, name, toast } from "./elements.js";
import { t } from "./words.js";

export default async function announcements(app) {
  let isPoll = false;
  const list = paged(
    async (after) => {
      const answer = await get("announcements", { after, limit: 30 }, { poll: isPoll });
      return { items: answer.announcements, next: answer.next, total: answer.total };
    },
    (items) => (items.length ? table(t("page.announcements"), [t("announce.content"), [t("announce.from"), "wide"], [t("announce.when"), "wide"], [t("announce.progress"), "wide"], ["", "acts"]], items.map((one) => [
      named(h("span.clip", { dir: "auto" }, one.content), progress(one)), name(one.from), when(one.createdAt), progress(one),
      one.waiting && !one.cancelledAt ? button(t("announce.cancel"), async () => {
        if (!await sure(t("announce.cancel"), t("announce.cancel.ask", { n: one.waiting }), t("announce.cancel"))) return;
        const answer = await remove(`announcements/${one.number}`);
        list.change((other) => (other.number === one.number ? answer.announcement : other));
        toast(t("announce.cancelled"));
      }, "small.grave", one.content.slice(0, 40)) : ""])) : empty(t("announcements.empty"), t("announcements.empty.text"))));

  const read = async () => { await list.start(); app.count(list.total); };
  const again = () => trying(read);
  const write = async () => {
    const done = await ask({
      title: t("announce.new"), happens: [t("announce.text")], grave: false, yes: t("announce.do"),
      fields: [
        { name: "title", label: t("announce.title"), most: 100 }, { name: "content", label: t("announce.content"), type: "textarea", required: true, most: 10_000 },
        { name: "from", label: t("announce.from.label"), type: "email", required: true, autocomplete: "off", hint: t("announce.from.hint") },
        { name: "workspace", label: t("announce.where"), hint: t("announce.where.hint") }],
      act: async (values) => {
        const { from, workspace, workspaces: n } = await post("announcements/check", values);
        const where = workspace === null ? t("announce.sure.all", { n }) : t("announce.sure.one", { name: workspace });
        const text = values.title ? `${values.title}\n\n${values.content}` : values.content;
        if (!await sure(t("announce.sure"), where, t("announce.do"), quoted(t("announce.sure.from", { name: from.nickname || from.email, email: from.email }), text))) throw refused("cancelled");
        await post("announcements", values);
      },
      errors: { cancelled: t("announce.kept") },
    });
    if (!done) return;
    toast(t("announce.done"));
    await again();
  };
  await list.start();
  return { node: list.node, count: list.total, actions: [button(t("announce.new"), write, "main")],
    repeat: { every: 5000, act: () => {
      if (!list.items.some((one) => one.waiting && !one.cancelledAt)) return;
      isPoll = true;
      read().catch(() => {});
      isPoll = false;
    } } };
}

function progress(one) {
  const posted = one.channels - one.waiting;
  if (one.cancelledAt) return pill(t("announce.stopped", { posted, n: one.channels }));
  if (!one.waiting) return pill(t("announce.all", { n: one.channels }), "good");
  return h("div.under-way", null, h("span.small", null, t("announce.some", { posted, n: one.channels })), bar(posted / one.channels, t("announce.some", { posted, n: one.channels }), false));
}

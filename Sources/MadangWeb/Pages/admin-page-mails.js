/** The queue of mails. @module */

import { get, post } from "./admin-calls.js";
import { button, empty, facts, formDialog, named, pill, redraw, table } from "./admin-parts.js";
import { number, when } from "./admin-words.js";
import { h, name, toast } from "./elements.js";
import { hasText, t } from "./words.js";

export default async function mails(app) {
  let queue = await get("mails");
  const place = h("div.stack");
  const kind = (one) => (hasText(`mail.${one}`) ? t(`mail.${one}`) : one);
  const draw = () => {
    redraw(place,
      !queue.sends && h("p.notice", null, h("strong", null, t("mails.off")), " ", t("mails.off.text")),
      queue.failing && h("p.notice.bad", null, h("strong", null, t("mails.failing")), " ", t("mails.failing.since"), " ", when(queue.failing.since), ". ", h("span", { lang: "en" }, queue.failing.reason)),
      facts([[t("mails.waiting"), number(queue.waiting)], [t("mails.hour"), queue.hour.limit ? t("quota.of", { used: number(queue.hour.sent), limit: number(queue.hour.limit) }) : number(queue.hour.sent)], [t("mails.server"), queue.server && h("span.mono", null, queue.server)], [t("mails.from"), queue.from && name(queue.from)]], true),
      queue.mails.length ? table(t("page.mails"), [t("mails.to"), [t("mails.kind"), "wide"], [t("mails.queued"), "wide"], [t("mails.tries"), "wide num"], t("mails.next"), [t("mails.error"), "wide"]], queue.mails.map((one) => [
        named(name(one.to), kind(one.kind)), kind(one.kind), when(one.queuedAt), number(one.tries), new Date(one.nextAt) <= Date.now() ? t("mails.due") : when(one.nextAt), one.error ? h("span.small", { lang: "en" }, one.error) : pill(t("mails.new"), "sky")]))
        : queue.sends && empty(t("mails.empty"), t("mails.empty.text")));
  };
  draw();
  const counted = () => (queue.sends ? number(queue.waiting) : "");
  const take = (next) => {
    queue = next;
    draw();
    app.count(counted());
  };
  const test = () => formDialog(t("mails.test"), t("mails.test.text"), {
    fields: [{ name: "to", label: t("email"), type: "email", required: true, autocomplete: "email" }], submit: t("mails.test.do"),
    action: async (values) => { await post("mails/test", { to: values.to }); toast(t("mails.test.done", { email: values.to })); take(await get("mails")); },
  });
  return { node: place, count: counted(), actions: queue.sends ? [button(t("mails.test"), test)] : [], repeat: { every: 10_000, act: () => get("mails", {}, { poll: true }).then(take, () => {}) } };
}

// Payments: record one as the payment service would, and see how it ended.

import { get, post } from "./console-api.js";
import { copy, empty, field, fill, h, input, select, table } from "./console-dom.js";
import { personName } from "./console-places.js";
import { number, t } from "./console-text.js";

export default function page(app) {
  const merchant = input({ value: "ios_1", required: true, class: "mono" });
  const amount = input({ value: "500", inputmode: "numeric", class: "short", required: true });
  const status = select(["paid", "ready", "cancelled", "failed"].map((one) => [one, t(`payments.${one}`)]), "paid");
  const made = h("p", { class: "made", role: "status" });
  const list = h("div", {});
  let last = "";
  const read = async () => {
    const { entries } = await get(app.world, "journal?kind=payment&limit=1000");
    const mark = `${entries.length} ${entries.at(-1)?.number}`;
    if (mark === last) return;
    last = mark;
    fill(list, entries.length ? table(t("page.payments"), ["when", "what", "merchant", "imp", "amount", "who", "outcome"].map((one) => t(`payments.${one}`)), entries.reverse().slice(0, 200).map((one) => [
      h("span", { class: "mono" }, one.at.slice(11, 19)), t(`row.payment.${one.event}`), one.merchant ?? "", h("span", { class: "mono" }, one.payment ?? ""), one.amount === undefined ? "" : number(one.amount), one.account ? personName(one.account) : "",
      one.code ? h("a", { href: app.link("live", String(one.number)) }, one.code) : h("span", { class: "pill good" }, "ok"),
    ])) : empty(t("payments.none"), t("payments.noneWhy")));
  };
  app.every(2000, () => read().catch(() => {}));
  read().catch(app.fail);
  return { title: t("page.payments"), node: h("div", { class: "page wide" }, h("p", { class: "lead" }, t("payments.lead")),
    h("form", { class: "form row-form", onsubmit: async (event) => {
      event.preventDefault();
      const got = await app.doing(post(app.world, "payments", { merchant_uid: merchant.value, amount: Number(amount.value), status: status.value }));
      if (got) fill(made, t("payments.made"), " ", h("b", { class: "mono" }, got.imp_uid), " ", h("button", { type: "button", class: "link", onclick: async () => { if (await copy(got.imp_uid, "imp_uid")) app.toast(t("copied")); } }, t("copy")));
      read().catch(() => {});
    } }, field("merchant_uid", merchant), field(t("payments.amount"), amount), field(t("payments.status"), status), h("button", { class: "button main" }, t("payments.record"))), made, list) };
}

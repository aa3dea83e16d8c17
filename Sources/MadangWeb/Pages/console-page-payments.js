/**
 * Payments: record one as the payment service would, and see how it ended.
 * @module
 */

import { get, post } from "./console-api.js";
import { copyButton, empty, field, fill, formOf, input, select, table } from "./console-dom.js";
import { number } from "./console-figures.js";
import { personName } from "./console-places.js";
import { h } from "./elements.js";
import { t } from "./words.js";

export default function page(app) {
  const merchant = input({ value: "ios_1", required: true }, "mono");
  const amount = input({ value: "500", inputmode: "numeric", required: true }, "short");
  const status = select(["paid", "ready", "cancelled", "failed"].map((one) => [one, t(`payments.${one}`)]), "paid");
  const made = h("p.made", { role: "status" });
  const list = h("div");
  /** Statuses of payments that were recorded here, by their ids: the journal does not have them. */
  const statuses = new Map();
  let last = "";
  const read = async () => {
    const { entries } = await get(app.world, "journal?kind=payment&limit=1000");
    const mark = `${entries.length} ${entries.at(-1)?.number}`;
    if (mark === last) return;
    last = mark;
    fill(list,
      entries.length
        ? table(t("page.payments"),
          ["when", "what", "merchant", "imp", "amount", "who", "outcome"].map((one) => t(`payments.${one}`)),
          entries.reverse().slice(0, 200).map((one) => [
            h("span.mono", null, one.at.slice(11, 19)),
            t(`row.payment.${one.event}`),
            one.merchant ?? "",
            h("span.mono", null, one.payment ?? ""),
            one.amount === undefined ? "" : number(one.amount),
            one.account ? personName(one.account) : "",
            outcome(app, one, statuses.get(one.payment)),
          ]))
        : empty(t("payments.none"), t("payments.noneWhy")));
  };
  app.every(2000, () => read().catch(() => {}));
  read().catch(app.fail);
  return {
    title: t("page.payments"),
    node: h("div.page.wide", null,
      h("p.lead", null, t("payments.lead")),
      formOf("form.row-form",
        async () => {
          const got = await app.doing(
            post(app.world, "payments", { merchant_uid: merchant.value, amount: Number(amount.value), status: status.value }),
          );
          if (got) {
            statuses.set(got.imp_uid, status.value);
            fill(made,
              t("payments.made"),
              " ",
              h("b.mono", null, got.imp_uid),
              " ",
              copyButton(() => got.imp_uid, "imp_uid"));
          }
          read().catch(() => {});
        },
        field("merchant_uid", merchant),
        field(t("payments.amount"), amount),
        field(t("payments.status"), status),
        h("button.button.main", null, t("payments.record"))),
      made,
      list),
  };
}

/** How a payment ended. A recorded one has not ended: only its status is known, if it was recorded here. */
function outcome(app, { code, event, number: which }, status) {
  if (code) return h("a", { href: app.link("live", String(which)) }, code);
  if (event !== "recorded") return h("span.pill.good", null, "ok");
  return status ? h(status === "paid" ? "span.pill" : "span.pill.bad", null, t(`payments.${status}`)) : "–";
}

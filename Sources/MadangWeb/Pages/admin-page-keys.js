/** API keys. @module */

import { get, post, remove } from "./admin-calls.js";
import { ask, button, empty, formDialog, named, pill, redraw, secret, table, trying } from "./admin-parts.js";
import { date, number } from "./admin-words.js";
import { h, name, toast } from "./elements.js";
import { t } from "./words.js";

export default async function keys(app) {
  let { keys: list } = await get("keys");
  const place = h("div.stack");
  const rule = (one) => [t(`registration.${one.registration ?? "usual"}`), one.approval === "on" && t("keys.approval")].filter(Boolean).join(", ");
  const draw = () => redraw(place, list.length ? table(t("page.keys"), [t("keys.label"), [t("keys.edition"), "wide"], [t("keys.rule"), "wide"], [t("keys.made"), "wide"], [t("account.state"), "wide"], ["", "acts"]], list.map((one) => [
    named(name(one.label), [`${one.edition} · ${date(one.createdAt)}`, one.revokedAt && [" ", pill(t("keys.revoked"))]]), h("span.mono", null, one.edition), rule(one), date(one.createdAt), one.revokedAt ? pill(t("keys.revoked")) : pill(t("keys.valid"), "good"),
    one.revokedAt ? "" : button(t("keys.revoke"), () => revoked(one), "small.grave", one.label)])) : empty(t("keys.empty"), t("keys.empty.text")), h("p.faint.small", null, t("keys.settings")));
  const again = () => trying(async () => { ({ keys: list } = await get("keys")); draw(); app.count(number(list.length)); });
  const revoked = async (one) => {
    const done = await ask({ title: t("keys.revoke.title", { label: one.label }), happens: [t("keys.revoke.apps"), t("keys.revoke.people"), t("delete.final")], word: one.label, wordLabel: t("delete.type", { word: one.label }), yes: t("keys.revoke"), act: () => remove(`keys/${one.number}`) });
    if (!done) return;
    toast(t("keys.revoked.done"));
    await again();
  };
  const made = () => formDialog(t("keys.new"), t("keys.new.text"), {
    fields: [{ name: "label", label: t("keys.label"), required: true, most: 100, hint: t("keys.label.hint") }, { name: "edition", label: t("keys.edition"), options: [["2024-10", "2024-10"], ["2024-01", "2024-01"]], value: "2024-10" },
      { name: "registration", label: t("keys.registration"), options: ["usual", "open", "invite", "domain", "closed"].map((one) => [one === "usual" ? "" : one, t(`registration.${one}`)]) },
      { name: "approval", label: t("keys.waits"), options: [["", t("registration.usual")], ["on", t("yes")], ["off", t("no")]] }],
    submit: t("keys.make"),
    action: async (values) => {
      const { key } = await post("keys", { label: values.label, edition: values.edition, registration: values.registration || null, approval: values.approval || null });
      await again();
      return [h("p.soft", null, t("keys.once")), secret(key.key, t("keys.key"))];
    },
  });
  draw();
  return { node: place, count: number(list.length), actions: [button(t("keys.new"), made, "main")] };
}

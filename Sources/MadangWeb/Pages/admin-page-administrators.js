/** Administrators, and one's own password and second step. @module */

import { get, post, put, remove } from "./admin-calls.js";
import { isGood, newPassword } from "./admin-password.js";
import { enrol, recoveryCodes } from "./admin-secondstep.js";
import { ask, button, formDialog, pill, redraw, secret, section, sure, table, trying } from "./admin-parts.js";
import { explain, refused } from "./admin-trouble.js";
import { date, number, when } from "./admin-words.js";
import { face, h, name, toast } from "./elements.js";
import { openDialog } from "./dialogs.js";
import { qrPicture } from "./qr.js";
import { form } from "./form.js";
import { t } from "./words.js";

const present = () => ({ name: "password", label: t("password.present"), type: "password", required: true, autocomplete: "current-password", hint: t("password.why") });

export default async function administrators(app) {
  let state = await get("administrators");
  const place = h("div.stack");
  const me = () => state.administrators.find((one) => one.isYou);
  const again = () => trying(async () => { state = await get("administrators"); draw(); app.count(number(state.administrators.length)); });
  const wrong = { credentials: t("password.wrong") };

  const invited = () => formDialog(t("admins.add"), t("admins.add.text"), {
    fields: [present()], submit: t("admins.link"), errors: wrong,
    action: async (values) => {
      const { link, expiresAt } = await post("administrators", { password: values.password });
      await again();
      return [h("p.soft", null, t("admins.link.once"), " ", t("admins.link.until"), " ", when(expiresAt), "."), h("div.qr.centred", null, qrPicture(link, t("admins.link.qr"))), secret(link, t("admins.link.heard"))];
    },
  });
  const removed = async (one) => {
    const done = await ask({ title: t("admins.remove.title", { name: one.name }), happens: [t("admins.remove.sessions"), t("admins.remove.log"), t("admins.remove.back")], fields: [present()], yes: t("admins.remove"), errors: wrong, act: (values) => remove(`administrators/${one.number}`, { password: values.password }) });
    if (!done) return;
    toast(t("admins.removed", { name: one.name }));
    await again();
  };
  const password = () => formDialog(t("password.change"), t("password.change.text"), {
    fields: [{ ...present(), hint: undefined }, ...newPassword("next", t("password.new"))], submit: t("save"), errors: wrong,
    action: async (values) => {
      if (!isGood(values.next)) throw refused("weak");
      await put("me/password", { password: values.password, next: values.next });
      toast(t("password.changed"));
    },
  });
  const totp = () => {
    // Codes are shown once: nothing but their own button closes them.
    let hasCodes = false;
    const dialog = openDialog(t("totp.change"), [], { stays: () => hasCodes });
    const body = dialog.element.querySelector(".body");
    const cancel = () => h("button.button", { type: "button", onclick: () => dialog.close() }, t("cancel"));
    const fill = (...children) => { body.replaceChildren(...children.flat().filter(Boolean)); (body.querySelector("input:not([type=checkbox])") ?? body.querySelector("button"))?.focus(); };
    fill(h("p.soft", null, t("totp.change.text")), form({
      fields: [present()], submit: t("signin.next"), explain: (error) => explain(error, wrong), beside: [cancel()],
      action: async (values) => {
        const { secret: fresh } = await post("me/totp", { password: values.password });
        fill(h("p.soft", null, t("totp.text")), enrol({
          secret: fresh, name: me().name, issuer: app.session.server.name, submit: t("totp.confirm"), explain: (error) => explain(error, { code: t("totp.wrong") }), beside: [cancel()],
          action: async (code) => {
            const { recoveryCodes: codes } = await put("me/totp", { code });
            hasCodes = true;
            dialog.element.querySelector(".close").hidden = true;
            again();
            fill(h("h3", null, t("recovery.title")), h("p.soft", null, t("recovery.text")), recoveryCodes(codes, location.origin, () => { hasCodes = false; dialog.close(); toast(t("totp.changed")); }));
          },
        }));
      },
    }));
    return dialog.closed;
  };

  const draw = () => redraw(place,
    table(t("page.administrators"), [t("signin.name"), [t("admins.since"), "wide"], [t("admins.seen"), "wide"], ["", "acts"]], state.administrators.map((one) => [
      h("div.who", null, face(`administrator ${one.number}`, one.name), h("div", null, name(one.name), one.isYou && [" ", pill(t("admins.you"), "good")], h("span.under", null, one.isYou ? t("now") : one.seenAt && when(one.seenAt)))), date(one.createdAt), [one.isYou ? t("now") : one.seenAt && when(one.seenAt), one.address && h("span.faint.small.mono", null, ` ${one.address}`)],
      one.isYou ? "" : button(t("admins.remove"), () => removed(one), "small.grave", one.name)])),
    state.links.length > 0 && section(t("admins.links"), table(t("admins.links"), [t("admins.link.by"), t("admins.link.ends"), ["", "acts"]], state.links.map((one) => [name(one.by), when(one.expiresAt),
      button(t("revoke"), async () => { if (!await sure(t("admins.link.revoke"), t("admins.link.revoke.ask"), t("revoke"))) return; await remove(`administrators/links/${one.number}`); await again(); }, "small.grave", one.by)]))),
    section(t("admins.yours"), h("ul.yours", null,
      h("li", null, h("div", null, h("p", null, h("strong", null, t("password"))), h("p.soft.small", null, me().passwordAt ? [t("password.since"), " ", when(me().passwordAt)] : "")), button(t("password.change"), password)),
      h("li", null, h("div", null, h("p", null, h("strong", null, t("totp.own")), " ", me().recoveryCodes < 4 && pill(t("recovery.few"), "warm")), h("p.soft.small", null, t("recovery.left", { n: me().recoveryCodes }))), button(t("totp.change"), totp)))));
  draw();
  return { node: place, count: number(state.administrators.length), actions: [button(t("admins.add"), invited, "main")] };
}

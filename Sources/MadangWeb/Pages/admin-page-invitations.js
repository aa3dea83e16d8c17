/** Invitations: of addresses, and codes as link and QR. @module */

import { get, post, remove } from "./admin-calls.js";
import { addressesField, addressesIn, each, refusals } from "./admin-several.js";
import { button, chooser, empty, formDialog, named, paged, pill, secret, sure, table, trying } from "./admin-parts.js";
import { date, number, when } from "./admin-words.js";
import { h, length, name, toast } from "./elements.js";
import { qrPicture } from "./qr.js";
import { t } from "./words.js";

function stateOf(one) {
  if (one.revokedAt) return ["revoked", ""];
  if (new Date(one.expiresAt) < Date.now()) return ["expired", ""];
  return one.usesLeft === 0 ? ["used", "good"] : ["open", "warm"];
}

/** The longest name of a person who invites, in characters. */
const NAME = 30;

export default async function invitations(app) {
  let state = "open";
  const list = paged(
    async (after) => {
      const answer = await get("invitations", { after, state: state === "all" ? "" : state, limit: 50 });
      return { items: answer.invitations, next: answer.next, total: answer.total };
    },
    (items) => (items.length ? table(t("page.invitations"), [t("invitation.whom"), [t("invitation.workspace"), "wide"], [t("invitation.left"), "wide num"], [t("invitation.made"), "wide"], [t("invitation.ends"), "wide"], [t("account.state"), "wide"], ["", "acts"]], items.map((one) => {
      const [is, kind] = stateOf(one);
      const title = one.email ? name(one.email) : t("invitation.code", { n: String(one.number) });
      return [named([title, one.codeNumber && h("span.soft.small.plain-weight", null, ` ${t("invitation.by", { n: String(one.codeNumber) })}`)], [one.workspace && [name(one.workspace), " · "], t("invitation.until", { date: date(one.expiresAt) }), !one.email && ` · ${t("invitation.leftover", { n: one.usesLeft })}`]), one.workspace ? name(one.workspace) : "", number(one.usesLeft), when(one.createdAt), when(one.expiresAt), pill(t(`invitation.${is}`), kind),
        is === "open" ? button(t("revoke"), async () => {
          if (!await sure(t("invitation.revoke"), t(one.email ? "invitation.revoke.ask" : "invitation.revoke.code", { email: one.email ?? "" }), t("revoke"))) return;
          const answer = await remove(`invitations/${one.number}`);
          list.change((other) => (other.number === one.number ? (state === "open" ? null : answer.invitation) : other));
          toast(t("invitation.revoked.done"));
        }, "small.grave", one.email ?? title) : ""];
    })) : empty(t("invitations.empty"), t("invitations.empty.text"))));

  const again = () => trying(async () => { await list.start(); app.count(list.total); });
  const daysField = { name: "days", label: t("invitation.days"), type: "number", min: 1, max: 365, value: "14", required: true };
  /** To which workspace, and in whose name. A long list of workspaces is typed instead. */
  const placeFields = async () => {
    const { workspaces, next } = await get("workspaces", { limit: 100 });
    const own = app.session.administrator.name;
    return [
      { name: "workspace", label: t("invitation.workspace"), hint: t("invitation.workspace.hint"), ...(next === null && { options: [["", t("invitation.workspace.none")], ...workspaces.map((one) => [one.workspace_id, one.name])] }) },
      { name: "from", label: t("invitation.from"), hint: t("invitation.from.hint"), most: NAME, value: length(own) <= NAME ? own : "", autocomplete: "off" }];
  };
  const placed = (values) => ({ days: Number(values.days), ...(values.workspace && { workspace: values.workspace }), ...(values.from && { from: values.from }) });
  /** Shown this once: the link with its QR code, or a code without a link. */
  const made = (invitation, ...lead) => [...lead, invitation.link && h("div.qr.centred", null, qrPicture(invitation.link, t("invite.qr"))),
    (invitation.link || invitation.code) && secret(invitation.link ?? invitation.code, t(invitation.link ? "invite.link" : "invite.code.heard")), !invitation.link && h("p.soft.small", null, t("invite.nolink"))].filter(Boolean);
  const mailed = async () => formDialog(t("invite.mail"), t("invite.mail.text"), {
    fields: [addressesField(), ...await placeFields(), daysField,
      ...(app.session.server.mail ? [{ name: "mail", label: t("invite.send"), options: [["yes", t("yes")], ["", t("no")]], value: "yes" }] : [])],
    submit: t("invite.do"),
    action: async (values) => {
      const isMailed = values.mail === "yes";
      const { done, refused } = await each(addressesIn(values.emails), (email) => post("invitations", { email, ...placed(values), mail: isMailed }));
      const [first] = done;
      if (first) {
        toast(done.length > 1 ? t(isMailed ? "invites.sent" : "invites.done", { n: done.length }) : t(isMailed ? "invite.sent" : "invite.done", { email: first[0] }));
        await again();
      }
      const trouble = refused.length > 0 && h("p.trouble", { role: "alert" }, refusals(refused));
      const shown = isMailed ? [] : done.filter(([, { invitation }]) => invitation.link);
      if (shown.length === 1) return made(shown[0][1].invitation, trouble, h("p.soft", null, t("invite.once.one", { email: shown[0][0] }))).filter(Boolean);
      if (!trouble && !shown.length) return undefined;
      return [trouble, shown.length > 0 && h("p.soft", null, t("invites.once")),
        shown.map(([email, { invitation }]) => [h("p", null, name(email)), secret(invitation.link, `${t("invite.link")}: ${email}`)])].flat(2).filter(Boolean);
    },
  });
  const coded = async () => formDialog(t("invite.code"), t("invite.code.text"), {
    fields: [{ name: "uses", label: t("invitation.uses"), type: "number", min: 1, max: 1000, value: "1", required: true }, ...await placeFields(), daysField], submit: t("invite.make"),
    action: async (values) => {
      const { invitation } = await post("invitations", { uses: Number(values.uses), ...placed(values) });
      await again();
      return made(invitation, h("p.soft", null, t("invite.once")));
    },
  });
  await list.start();
  return {
    node: h("div", null, h("div.tools", null, chooser(t("account.state"), ["open", "all"].map((one) => [one, t(`invitations.${one}`)]), state, (value) => { state = value; return again(); })), list.node),
    count: list.total, actions: [button(t("invite.code"), coded), button(t("invite.mail"), mailed, "main")],
  };
}

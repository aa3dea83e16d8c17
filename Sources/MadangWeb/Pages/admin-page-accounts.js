/** Accounts: search, and one opened beside the list. @module */

import { get, Lost, post, remove } from "./admin-calls.js";
import { addToWorkspaces } from "./admin-pick-workspace.js";
import { each, refusals, said } from "./admin-several.js";
import { ask, button, chooser, empty, facts, formDialog, named, paged, pane, part, pill, searchField, sure, table, trying } from "./admin-parts.js";
import { date, number, stamp, when } from "./admin-words.js";
import { splitList } from "./admin-split.js";
import { face, h, name, toast } from "./elements.js";
import { hasText, t } from "./words.js";

const STATES = ["all", "active", "pending", "unconfirmed", "disabled", "deleted"];

/** The state of an account: its name and colour. */
function stateOf(account) {
  if (account.deletedAt) return ["deleted", ""];
  if (account.disabledAt) return ["disabled", "bad"];
  if (account.pendingAt) return ["pending", "warm"];
  if (account.unconfirmedAt) return ["unconfirmed", "warm"];
  return ["active", "good"];
}
const statePill = (account) => { const [state, kind] = stateOf(account); return pill(t(`account.${state}`), kind); };

export default async function accounts(app, rest, query) {
  let [find, state] = [query.get("find") ?? "", query.get("state") ?? "all"];
  const here = (number = split.opened) => app.link("accounts", number, { find, state: state === "all" ? "" : state });
  /** Numbers of the accounts that wait and are ticked. */
  const picked = new Set();
  const list = paged(
    async (after) => {
      const answer = await get("accounts", { find, state: state === "all" ? "" : state, after, limit: 50 });
      return { items: answer.accounts, next: answer.next, total: answer.total };
    },
    (items) => (items.length ? picking(items, (head, tick) => table(t("page.accounts"), [...head, t("account.name"), [t("email"), "wide"], [t("account.coins"), "wide num"], [t("account.seen"), "wide"], t("account.state")], items.map((one) => [
      ...tick(one), h("a.row-link", { href: here(one.number), "data-focus": `account-${one.number}`, "aria-current": String(one.number) === split.opened ? "true" : null }, named(name(one.nickname || t("account.noname")), one.email)),
      one.email, number(one.coins), one.lastSeenAt ? when(one.lastSeenAt) : "", statePill(one)])))
      : find || state !== "all" ? empty(t("list.nothing"), t("accounts.nothing.text")) : empty(t("accounts.empty"), t("accounts.empty.text"), h("div", null, h("a.button", { href: app.link("invitations") }, t("page.invitations"))))));
  /** Accounts that wait get ticks, and a button that approves all that are ticked. `make` draws the table. */
  const picking = (items, make) => {
    if (state !== "pending") return make([], () => []);
    const boxes = items.map((one) => {
      const box = h("input", { type: "checkbox", "aria-label": t("pick.one", { name: one.nickname || one.email }), onchange: () => { (box.checked ? picked.add(one.number) : picked.delete(one.number)); draw(); } });
      return [one.number, box];
    });
    const all = h("input", { type: "checkbox", "aria-label": t("pick.all"), onchange: () => { for (const [number] of boxes) (all.checked ? picked.add(number) : picked.delete(number)); draw(); } });
    const approve = button("", approveAll, "main");
    const draw = () => {
      for (const [number, box] of boxes) box.checked = picked.has(number);
      all.checked = boxes.every(([number]) => picked.has(number));
      all.indeterminate = !all.checked && picked.size > 0;
      approve.textContent = t("pick.approve", { n: picked.size });
      approve.disabled = !picked.size;
    };
    draw();
    return h("div.list", null, make([[all, "pick"]], (one) => [boxes.find(([number]) => number === one.number)[1]]), h("div.row-acts", null, approve));
  };
  const approveAll = async () => {
    const wanted = list.items.filter((one) => picked.has(one.number));
    const { done, refused } = await each(wanted, (one) => post(`accounts/${one.number}/approve`));
    picked.clear();
    toast([t("pick.approved", { n: done.length }), refusals(refused.map(([one, error]) => [one.email, error]))].filter(Boolean).join("\n"));
    await reload();
    await app.look();
  };
  const change = (account) => { list.change((one) => (one.number === account.number ? { ...one, ...account } : one)); };
  const reload = async () => {
    app.remember(here());
    await list.start();
    app.count(list.total);
  };
  const split = splitList(app, list, {
    kind: "account", here,
    tools: [
      searchField(t("accounts.find"), find, (value) => { find = value; return reload(); }),
      chooser(t("account.state"), STATES.map((one) => [one, t(`account.${one}`)]), state, (value) => { state = value; picked.clear(); return reload(); })],
    load: async (number) => detailPane(
      app, await get(`accounts/${encodeURIComponent(number)}`), here(""), { change, again: () => trying(() => split.reread(number)) }),
  });
  await list.start();
  if (rest[0]) await split.tryOpen(rest[0]);

  return {
    node: split.node, count: list.total, close: split.close,
    async update([number = ""], values) {
      if ((values.get("find") ?? "") !== find || (values.get("state") ?? "all") !== state) return app.again();
      if (number !== split.opened) await split.tryOpen(number);
    },
  };
}

function detailPane(app, { account, phone, signInMethod, workspaces, sessions }, close, { change, again }) {
  const path = `accounts/${account.number}`;
  const act = (action, done, body) => async () => {
    const answer = await post(`${path}/${action}`, body);
    toast(t(done, { name: account.nickname, email: account.email, n: answer.ended ?? 0 }));
    if (answer.account) change(answer.account);
    app.look();
    await again();
  };
  const asked = (title, text, run) => async () => { if (await sure(t(title), t(text, { email: account.email, n: sessions.length }), t(title))) await run(); };
  const [state] = stateOf(account);

  const coins = () => formDialog(t("coins.title", { name: account.nickname }), t("coins.text"), {
    fields: [{ name: "amount", label: t("coins.amount"), type: "number", min: 1, max: 1_000_000, required: true, inputmode: "numeric" }, { name: "note", label: t("coins.note"), most: 200, required: true, hint: t("coins.note.hint") }],
    submit: t("coins.do"),
    action: async (values) => {
      try {
        await act("coins", "coins.done", { amount: Number(values.amount), note: values.note })();
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        await again();
        throw said(t("coins.unknown"));
      }
    },
  });
  const exported = async () => {
    const answer = await post(`${path}/export`);
    h("a", { href: answer.url, download: "" }).click();
    toast(answer.content === false ? t("export.hidden") : answer.lost.length ? t("export.lost", { n: answer.lost.length }) : t("export.done", { chats: t("count.chats", { n: answer.chats }), files: t("count.files", { n: answer.files }) }));
  };
  const owned = workspaces.filter((one) => one.isOwner);
  const deleted = async () => {
    const gone = await ask({
      title: t("delete.title", { name: account.nickname }),
      happens: [t("delete.person"), t("delete.left", { n: workspaces.length }), t("delete.chats"), account.coins > 0 && t("delete.coins", { n: account.coins }), t("delete.backups"), t("delete.final")],
      word: account.email, wordLabel: t("delete.type", { word: account.email }), yes: t("account.delete"),
      act: (values) => remove(path, { email: values.word }),
    });
    if (!gone) return;
    toast(t("delete.done", { email: account.email }));
    change((await get(path).catch(() => ({ account: { ...account, deletedAt: new Date().toISOString() } }))).account);
    app.go(close);
  };

  const main = {
    pending: [button(t("account.approve"), act("approve", "account.approved"), "main"), button(t("account.reject"), asked("account.reject", "account.reject.ask", act("reject", "account.rejected")), "grave")],
    unconfirmed: [button(t("account.confirm"), asked("account.confirm", "account.confirm.ask", act("confirm", "account.confirmed")), "main")],
    disabled: [button(t("account.enable"), act("enable", "account.enabled"), "main")],
    active: [button(t("account.disable"), asked("account.disable", "account.disable.ask", act("disable", "account.disabled.done")))],
    deleted: [],
  }[state];
  const common = state === "deleted" ? [] : [
    app.session.server.mail && state !== "pending" && button(t("reset.do"), asked("reset.do", "reset.ask", act("reset", "reset.done"))), state !== "pending" && button(t("coins.give"), coins)];

  return pane([face(account.user_id, account.nickname), name(account.nickname || t("account.noname")), " ", statePill(account)], close,
    h("p.soft.break", null, account.email),
    h("div.row-acts", null, main, common.filter(Boolean)),
    facts([[t("account.number"), h("span.mono", null, String(account.number))], [t("account.id"), h("span.mono.break", null, account.user_id)], [t("account.since"), date(account.createdAt)], [t("account.seen"), account.lastSeenAt && when(account.lastSeenAt)],
      [t("account.coins"), number(account.coins)], [t("account.phone"), phone && name(phone)], [t("account.method"), hasText(`method.${signInMethod}`) ? t(`method.${signInMethod}`) : signInMethod], [t("account.disabled"), account.disabledAt && when(account.disabledAt)]]),
    part([t("account.workspaces"), h("span.faint.count", null, number(workspaces.length))], workspaces.length ? h("ul.plain", null, workspaces.map((one) => h("li", null, h("a.link", { href: app.link("workspaces", one.number) }, name(one.name)), one.isOwner && [" ", pill(t("member.owner"))]))) : h("p.soft", null, t("account.workspaces.none")),
    state !== "deleted" && h("div.row-acts", null, button(t("addto.open"), () => addToWorkspaces(account, workspaces, again)))),
    part([t("sessions"), h("span.faint.count", null, number(sessions.length))], sessions.length ? [table(t("sessions"), [t("session.since"), t("session.used"), ["", "acts"]], sessions.map((one) => [
      [stamp(one.createdAt), h("span.under.always", null, [one.device, one.address, t("session.edition", { edition: one.edition })].filter(Boolean).join(" · "))], when(one.lastUsedAt),
      button(t("session.end"), async () => { await remove(`sessions/${one.number}`); toast(t("session.ended")); change({ ...account, sessions: account.sessions - 1 }); await again(); }, "small", [stamp(one.createdAt), one.device].filter(Boolean).join(", "))])),
    sessions.length > 1 && h("div.row-acts", null, button(t("sessions.end"), asked("sessions.end", "sessions.end.ask", act("end-sessions", "sessions.ended"))))] : h("p.soft", null, t("sessions.none"))),
    h("div.row-acts", null, h("a.button", { href: app.link("audit", "", { account: String(account.number) }) }, t("account.audit")), state !== "deleted" && button(t("export.do"), exported)),
    state !== "deleted" && part(t("danger"), owned.length
      ? h("p.soft", null, t("delete.owner", { names: owned.map((one) => one.name).join(", ") })) : h("p.soft", null, t("delete.lead")),
    h("div.row-acts", null, h("button.button.grave", { type: "button", disabled: owned.length > 0, onclick: () => trying(deleted) }, t("account.delete")))));
}

/** Workspaces: search, and one opened beside the list. @module */

import { get, post, remove } from "./admin-calls.js";
import { ask, button, empty, facts, formDialog, named, paged, pane, part, pill, searchField, sure, table, trying } from "./admin-parts.js";
import { bar } from "./admin-graph.js";
import { bytes, date, number, when } from "./admin-words.js";
import { addressesField, addressesIn, each, refusals, said } from "./admin-several.js";
import { refused } from "./admin-trouble.js";
import { splitList } from "./admin-split.js";
import { face, h, name, toast } from "./elements.js";
import { t } from "./words.js";

const GIGA = 1e9;

export default async function workspaces(app, rest, query) {
  let find = query.get("find") ?? "";
  const here = (number = split.opened) => app.link("workspaces", number, { find });
  const list = paged(
    async (after) => {
      const answer = await get("workspaces", { find, after, limit: 50 });
      return { items: answer.workspaces, next: answer.next, total: answer.total };
    },
    (items) => (items.length ? table(t("page.workspaces"), [t("workspace.name"), [t("workspace.owner"), "wide"], [t("workspace.members"), "num"], [t("workspace.chats"), "wide num"], [t("workspace.kept"), "wide"]], items.map((one) => [
      h("a.row-link", { href: here(one.number), "data-focus": `workspace-${one.number}`, "aria-current": String(one.number) === split.opened ? "true" : null }, named([name(one.name), one.heldAt && [" ", pill(t("workspace.held"), "sky")], one.deletedAt && [" ", pill(t("workspace.deleted"), "bad")]], one.owner)),
      one.owner, number(one.members), number(one.chats), days(one.chatDays)]))
      : find ? empty(t("list.nothing"), t("workspaces.nothing.text")) : empty(t("workspaces.empty"), t("workspaces.empty.text"))));
  const change = (workspace) => list.change((one) => (one.number === workspace.number ? workspace : one));
  const split = splitList(app, list, {
    kind: "workspace", here,
    tools: [searchField(t("workspaces.find"), find, async (value) => { find = value; app.remember(here()); await list.start(); app.count(list.total); })],
    load: async (number) => {
      const again = () => trying(() => split.reread(number));
      const members = memberList(app, number, again, change);
      const [detail] = await Promise.all([get(`workspaces/${encodeURIComponent(number)}`), members.start()]);
      return detailPane(app, detail, members, here(""), { change, again, gone: () => list.start() });
    },
  });
  await list.start();
  if (rest[0]) await split.tryOpen(rest[0]);

  return {
    node: split.node, count: list.total, close: split.close,
    async update([number = ""], values) {
      if ((values.get("find") ?? "") !== find) return app.again();
      if (number !== split.opened) await split.tryOpen(number);
    },
  };
}

const days = (count) => (count === null ? t("kept.usual") : count === 0 ? t("kept.ever") : t("kept.days", { n: count }));

function memberList(app, workspace, again, change) {
  return paged(
    async (after) => {
      const answer = await get(`workspaces/${encodeURIComponent(workspace)}/members`, { after, limit: 50 });
      return { items: answer.members, next: answer.next };
    },
    (items) => table(t("workspace.members"), [t("account.name"), ["", "acts"]], items.map((one) => [
      h("a.row-link", { href: app.link("accounts", one.number) }, name(one.nickname), h("span.under.always", null, one.email)),
      one.isOwner ? pill(t("member.owner")) : h("div.row-acts", null,
        button(t("member.own"), async () => {
          if (!await sure(t("member.own.title"), t("member.own.ask", { name: one.nickname }), t("member.own.title"))) return;
          change((await post(`workspaces/${workspace}/hand-over`, { email: one.email })).workspace);
          toast(t("member.own.done", { name: one.nickname }));
          await again();
        }, "small", one.nickname),
        button(t("member.remove"), async () => {
          if (!await sure(t("member.remove.title"), t("member.remove.ask", { name: one.nickname }), t("member.remove"))) return;
          change((await post(`workspaces/${workspace}/remove-member`, { email: one.email })).workspace);
          toast(t("member.removed", { name: one.nickname }));
          await again();
        }, "small.grave", one.nickname))])));
}

function detailPane(app, { workspace, quota, defaults }, members, close, { change, again, gone }) {
  const path = `workspaces/${workspace.number}`;
  const send = async (action, body, done) => {
    const answer = await post(`${path}/${action}`, body);
    if (answer.workspace) change(answer.workspace);
    toast(done);
    await again();
  };
  const added = () => formDialog(t("member.add.title", { name: workspace.name }), t("member.add.text"), {
    fields: [addressesField()], submit: t("member.add"),
    action: async (values, form) => {
      const { done, refused: left } = await each(addressesIn(values.emails), (email) => post(`${path}/add-member`, { email }));
      if (done.length) {
        change(done.at(-1)[1].workspace);
        toast(done.length === 1 ? t("member.added", { email: done[0][0] }) : t("members.added", { n: done.length }));
        await again();
      }
      if (!left.length) return;
      // What was refused stays to be corrected.
      form.elements.emails.value = left.map(([email]) => email).join("\n");
      throw said(refusals(left, { notFound: t("member.unknown") }));
    },
  });
  const own = (value) => (value === null ? "" : String(value));
  const whole = (text) => (text === "" ? null : Number(text));
  const quotas = () => formDialog(t("quota.title"), t("quota.text"), {
    fields: [
      { name: "channels", label: t("quota.channels"), type: "number", min: 0, value: own(quota.channels.own), hint: usual(defaults.channels, number) },
      { name: "members", label: t("quota.members"), type: "number", min: 0, value: own(quota.members.own), hint: usual(defaults.members, number) },
      { name: "files", label: t("quota.files"), type: "number", min: 0, step: 0.1, value: quota.fileBytes.own === null ? "" : String(quota.fileBytes.own / GIGA), hint: usual(defaults.fileBytes, bytes) }],
    submit: t("save"),
    action: (values) => send("quota", { channels: whole(values.channels), members: whole(values.members), fileBytes: values.files === "" ? null : Math.round(Number(values.files) * GIGA) }, t("quota.done")),
  });
  const retention = () => formDialog(t("kept.title"), t("kept.text"), {
    fields: [
      { name: "chats", label: t("kept.chats"), type: "number", min: 0, max: 36500, value: own(workspace.chatDays), hint: t("kept.hint", { days: days(defaults.chatDays) }) },
      { name: "files", label: t("kept.files"), type: "number", min: 0, max: 36500, value: own(workspace.fileDays), hint: t("kept.hint", { days: days(defaults.fileDays) }) }],
    submit: t("save"),
    action: async (values) => {
      const next = { chatDays: whole(values.chats), fileDays: whole(values.files) };
      const shorter = [next.chatDays ?? defaults.chatDays, next.fileDays ?? defaults.fileDays].some((one) => one > 0);
      if (shorter && !await sure(t("kept.title"), t("kept.ask", { chats: days(next.chatDays), files: days(next.fileDays) }), t("save"))) throw refused("cancelled");
      await send("retention", next, t("kept.done"));
    },
    errors: { cancelled: t("kept.cancelled") },
  });
  const held = async () => {
    if (workspace.heldAt) {
      if (!await sure(t("hold.end"), t("hold.end.ask"), t("hold.end"))) return;
      return send("release", {}, t("hold.ended"));
    }
    if (await sure(t("hold.begin"), t("hold.begin.ask"), t("hold.begin"))) await send("hold", {}, t("hold.begun"));
  };
  const deleted = async () => {
    const done = await ask({
      title: t("wsdelete.title", { name: workspace.name }),
      happens: [t("wsdelete.members", { n: workspace.members }), t("wsdelete.chats", { n: workspace.chats }), t("wsdelete.files", { size: bytes(quota.fileBytes.used) }), t("delete.backups"), t("delete.final")],
      word: workspace.name, wordLabel: t("delete.type", { word: workspace.name }), yes: t("workspace.delete"), act: (values) => remove(path, { name: values.word }),
    });
    if (!done) return;
    toast(t("wsdelete.done", { name: workspace.name }));
    app.go(close);
    await gone();
  };
  return pane([face(workspace.workspace_id, workspace.name), name(workspace.name), workspace.heldAt && [" ", pill(t("workspace.held"), "sky")]], close,
    facts([[t("workspace.owner"), name(workspace.owner)], [t("account.number"), h("span.mono", null, String(workspace.number))], [t("account.id"), h("span.mono.break", null, workspace.workspace_id)], [t("workspace.made"), date(workspace.createdAt)],
      [t("workspace.channels"), number(workspace.channels)], [t("workspace.chats"), number(workspace.chats)], [t("workspace.held"), workspace.heldAt && when(workspace.heldAt)]]),
    part(t("quota.title"), h("div.quotas", null, share(t("quota.channels"), quota.channels, number), share(t("quota.members"), quota.members, number), share(t("quota.files.short"), quota.fileBytes, bytes)),
      h("div.row-acts", null, button(t("quota.change"), quotas))),
    part(t("kept.title"), facts([[t("kept.chats.short"), days(workspace.chatDays)], [t("kept.files.short"), days(workspace.fileDays)]]), h("div.row-acts", null, button(t("kept.change"), retention), button(t(workspace.heldAt ? "hold.end" : "hold.begin"), held))),
    part([t("workspace.members"), h("span.faint.count", null, number(workspace.members))], members.node, h("div.row-acts", null, button(t("member.add"), added))),
    part(t("danger"), h("p.soft", null, t(workspace.heldAt ? "wsdelete.held" : "wsdelete.lead")), h("div.row-acts", null, h("button.button.grave", { type: "button", disabled: Boolean(workspace.heldAt), onclick: () => trying(deleted) }, t("workspace.delete")))));
}

const usual = (value, format) => t("quota.hint", { usual: value === 0 ? t("quota.any") : format(value) });

function share(label, { used, limit }, format) {
  return h("div.share", null, h("p", null, h("span", null, label), h("span.soft", null, limit ? t("quota.of", { used: format(used), limit: format(limit) }) : t("quota.used", { used: format(used) }))),
    limit > 0 && bar(used / limit, t("quota.of", { used: format(used), limit: format(limit) })));
}

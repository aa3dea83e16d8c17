/** A dialog that adds an account to workspaces. @module */

import { get, post } from "./admin-calls.js";
import { formDialog, searchField } from "./admin-parts.js";
import { each, refusals, said } from "./admin-several.js";
import { h, name, toast } from "./elements.js";
import { t } from "./words.js";

/** Workspaces that one search shows. */
const SHOWN = 20;

/**
 * @param {{number: number, email: string, nickname: string}} account
 * @param {Array<{number: number}>} workspaces of the account
 * @param {() => Promise<void>} again draws the account again
 */
export function addToWorkspaces(account, workspaces, again) {
  const isIn = new Set(workspaces.map((one) => one.number));
  const picked = new Map();
  const list = h("div.picks", { role: "group", "aria-label": t("page.workspaces") });
  const foot = h("p.faint.small", { role: "status" });
  let turn = 0;
  const show = async (find) => {
    const mine = ++turn;
    const answer = await get("workspaces", { find, limit: SHOWN });
    if (mine !== turn) return;
    list.replaceChildren(...answer.workspaces.filter((one) => !one.deletedAt).map((one) => {
      const box = h("input", { type: "checkbox", disabled: isIn.has(one.number), onchange: () => (box.checked ? picked.set(one.number, one.name) : picked.delete(one.number)) });
      box.checked = isIn.has(one.number) || picked.has(one.number);
      return h("label.tick", null, box, h("span", null, name(one.name), h("span.soft.small", null, isIn.has(one.number) ? ` ${t("addto.is")}` : ` ${one.owner}`)));
    }));
    foot.textContent = answer.workspaces.length ? (answer.next === null ? "" : t("addto.more", { n: SHOWN })) : t("list.nothing");
  };
  const find = searchField(t("workspaces.find"), "", show);
  // It searches, and does not send the form.
  find.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  show("").catch(() => { foot.textContent = t("error.lost"); });
  return formDialog(t("addto.title", { name: account.nickname || account.email }), t("member.add.text"), {
    fields: [find, list, foot], submit: t("addto.do"),
    action: async () => {
      if (!picked.size) throw said(t("addto.none"));
      const { done, refused } = await each([...picked.keys()], (number) => post(`workspaces/${number}/add-member`, { email: account.email }));
      const names = new Map(picked);
      for (const [number] of done) { picked.delete(number); isIn.add(number); }
      if (done.length) {
        toast(t("addto.done", { n: done.length }));
        await again();
      }
      if (refused.length) throw said(refusals(refused.map(([number, error]) => [names.get(number), error])));
    },
  });
}

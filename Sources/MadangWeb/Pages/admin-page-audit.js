/** The audit log: who did what, the newest first. @module */

import { get } from "./admin-calls.js";
import { actorWords, auditDetails, auditWords, kindWords } from "./admin-audit-words.js";
import { chooser, empty, paged, searchField, table } from "./admin-parts.js";
import { stamp } from "./admin-words.js";
import { h, name } from "./elements.js";
import { t } from "./words.js";

const SINCE = [["", "audit.since.all"], ["1", "audit.since.1"], ["7", "audit.since.7"], ["30", "audit.since.30"]];

export default async function audit(app, rest, query) {
  let [kind, account, since] = [query.get("kind") ?? "", query.get("account") ?? "", query.get("since") ?? ""];
  let kinds = [];
  const list = paged(
    async (before) => {
      const from = since ? new Date(Date.now() - Number(since) * 86_400_000).toISOString() : "";
      const answer = await get("audit", { kind, ...(/^\d+$/.test(account) ? { number: account } : { account }), since: from, before, limit: 50 });
      ({ kinds } = answer);
      return { items: answer.entries, next: answer.next };
    },
    (items) => (items.length ? table(t("page.audit"), [t("audit.what"), [t("audit.who"), "wide"], [t("audit.from"), "wide"], [t("audit.when"), "wide"]], items.map((one) => [
      h("div.plain-weight", null, h("p", null, auditWords(one)), details(one)), actor(app, one), h("span.mono.small", null, one.address), h("time", { datetime: one.at }, stamp(one.at))]))
      : empty(t("list.nothing"), t("audit.nothing"))));
  const reload = async () => {
    app.remember(app.link("audit", "", { kind, account, since }));
    await list.start();
  };
  await list.start();
  return {
    node: h("div", null, h("div.tools", null,
      searchField(t("audit.account"), account, (value) => { account = value; return reload(); }),
      chooser(t("audit.kind"), [["", t("audit.kind.all")], ...kinds.map((one) => [one, kindWords(one)]).sort((one, other) => one[1].localeCompare(other[1]))], kind, (value) => { kind = value; return reload(); }),
      chooser(t("audit.since"), SINCE.map(([value, key]) => [value, t(key)]), since, (value) => { since = value; return reload(); })), list.node),
  };
}

function details(entry) {
  const rows = auditDetails(entry);
  return [h("p.under", null, stamp(entry.at), " · ", name(actorWords(entry.actor)), entry.address && ` · ${entry.address}`), rows.length > 0 && h("p.details.small.soft", null, rows.map(([key, value]) => h("span.detail", null, h("span.faint", null, `${key} `), name(value))))];
}

/** Accounts link to their page. */
function actor(app, entry) {
  const account = /^account (\d+)$/.exec(entry.actor)?.[1];
  return account ? h("a.link", { href: app.link("accounts", account) }, actorWords(entry.actor)) : name(actorWords(entry.actor));
}

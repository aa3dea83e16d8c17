/**
 * What happened around a request: the sockets and devices that it reached, and what its person did before.
 * @module
 */

import { personName } from "./console-places.js";
import { momentOf, outcomeOf, titleOf } from "./console-rows.js";
import { h } from "./elements.js";
import { t } from "./words.js";

/** Rows around a request that are searched for its events and pushes. */
const NEAR = 600;

/** A part of the opened row. */
export const section = (title, ...children) => h("section.part", null, h("h3", null, title), ...children);

/** A socket in few words. */
export const socketWords = (session, transport) => [
  h("span.soft", null, ` · ${transport} · `),
  h("span.mono.faint", null, session),
];

/**
 * Events and notifications that a request caused.
 * @param {object[]} rows of the list
 * @param {(row: object, words: string) => Node} jump makes a link to a row
 */
export function reached(row, rows, jump) {
  if (!row.chat) return null;
  const at = rows.lastIndexOf(row);
  const near = rows.slice(Math.max(0, at - NEAR), at + NEAR).filter((one) => one.world === row.world);
  const events = near.filter((one) => one.kind === "event" && one.chat === row.chat && one.to);
  const sockets = events.flatMap((one) => one.to.map((to) => [one, to]));
  const end = row.elapsed + row.ms + 250;
  const pushes = near.filter((one) =>
    one.kind === "push" && one.room === row.room && one.quote === row.quote && one.elapsed >= row.elapsed && one.elapsed <= end);
  if (!sockets.length && !pushes.length) return section(t("open.reached"), h("p.soft", null, t("open.reachedNone")));
  return section(t("open.reached"), h("ul.plain", null,
    sockets.slice(0, 50).map(([event, [person, session, transport]]) =>
      h("li", null, jump(event, person ? personName(person) : session), socketWords(session, transport))),
    pushes.slice(0, 50).map((push) =>
      h("li", null, jump(push, personName(push.person)), h("span.soft", null, ` · ${t("row.push")} · ${push.device}`)))));
}

/** The person's previous requests, and how often the same request was refused. */
export function before(row, rows, jump) {
  if (!row.person) return null;
  const at = rows.lastIndexOf(row);
  const own = [];
  let same = 0;
  for (let index = at - 1; index >= 0 && index > at - 3000; index--) {
    const one = rows[index];
    // What was before a reset has nothing to do with it.
    if (one.world === row.world && (one.gone || one.isBreak) && !row.gone) break;
    if (one.kind !== "request" || one.person !== row.person || one.quiet || one.world !== row.world) continue;
    if (own.length < 3) own.push(one);
    if (row.code && one.code === row.code && one.operation === row.operation && one.path === row.path) same++;
  }
  if (!own.length) return null;
  const review = h("a", { href: `#/${row.world || "~"}/review` }, t("page.review"));
  return section(t("open.before"),
    same ? h("p.soft", null, t("open.same", { n: same }), " ", review) : null,
    h("ul.plain", null,
      own.map((one) =>
        h("li", null,
          h("span.mono.faint", null, `${momentOf(one)} `),
          jump(one, titleOf(one)),
          h("span.soft", null, ` · ${outcomeOf(one)}`)))));
}

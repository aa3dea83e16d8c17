/**
 * What a request changed, in words.
 * @module
 */

import { ruleOf } from "./console-besides.js";
import { place } from "./console-places.js";
import { hasText, t } from "./words.js";

const READS_THAT_WRITE = {
  channelHistory: "joins",
  leaveChannel: "leaves",
  leaveWorkspace: "leaves",
  signOut: "signsOut",
  refresh: "token",
};
/** Faults that take the place of the operation, unless their rule says `after`. */
const INSTEAD = new Set(["status", "expiredToken", "limited", "reset", "restart"]);
/** Faults whose rule never says `after`. */
const ALWAYS_INSTEAD = new Set(["expiredToken", "limited"]);

/** Whether a fault took the place of the operation; undefined if that cannot be known. */
function isReplaced({ kind, rule }, world) {
  if (!INSTEAD.has(kind)) return false;
  if (ALWAYS_INSTEAD.has(kind)) return true;
  const known = ruleOf(world, rule);
  return known ? known.effect.after !== true : undefined;
}

/** What a request changed. The server does not report it; operation, answer and the contract's rule on failures imply it. */
export function writtenBy(row, entry) {
  if (entry.fault) {
    const replaced = isReplaced(entry.fault, row.world);
    if (replaced === undefined) return t("written.fault");
    if (replaced) return t("written.replaced");
    // The fault changed the answer only. Its status, if there is one, is the operation's.
    return entry.status === undefined || entry.status < 400 ? t("written.asUsual", { what: done(row, entry) }) : t("written.nothing");
  }
  if (row.outcome === "refused" || row.outcome === "failed") return t("written.nothing");
  return done(row, entry);
}

/** What the operation changes when it succeeds. */
function done(row, entry) {
  if (entry.method === "GET") {
    return t(READS_THAT_WRITE[entry.operation] ? `written.${READS_THAT_WRITE[entry.operation]}` : "written.read");
  }
  const files = /"files":\[("[^\]]*")\]/.exec(entry.answer?.body ?? "")?.[1].split(",").length ?? 0;
  const where = row.room ? (place(row.room)?.name ?? "") : "";
  if (row.chat) {
    return [t("written.chat", { id: row.chat, where }), files ? t("written.files", { n: files }) : ""].filter(Boolean).join(" ");
  }
  return hasText(`written.${entry.operation}`)
    ? t(`written.${entry.operation}`)
    : t("written.changed", { operation: entry.operation ?? entry.method });
}

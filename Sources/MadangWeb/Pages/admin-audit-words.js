/** An entry of the audit log in words. @module */

import { h, name } from "./elements.js";
import { hasText, t } from "./words.js";

/** The words of a kind; a newer server may write kinds that this page does not know. */
export const kindWords = (kind) => (hasText(`audit.${kind}`) ? t(`audit.${kind}`) : kind);

/** What happened, and to what. */
export function auditWords(entry) {
  return [kindWords(entry.kind), entry.subject && [" ", h("span.subject", null, name(entry.subject))]];
}

/** Who did it, in words. The log has `account 7`, `administrator NAME`, `administrator #7 NAME`, `server`, `provider NAME`, or one word for an unknown caller. */
export function actorWords(actor) {
  const [, kind, who = ""] = /^(\w+) ?(.*)$/s.exec(actor) ?? [null, actor];
  if (hasText(`actor.${kind}`)) return t(`actor.${kind}`, { name: who });
  return who ? actor : t("actor.unknown");
}

/** Details as names and values. */
export const auditDetails = (entry) => Object.entries(entry.detail).filter(([, value]) => value);

/**
 * What a request changed, in words.
 * @module
 */

import { place } from "./console-places.js";
import { hasText, t } from "./words.js";

const READS_THAT_WRITE = {
  channelHistory: "joins",
  leaveChannel: "leaves",
  leaveWorkspace: "leaves",
  signOut: "signsOut",
  refresh: "token",
};

/** What a request changed. The server does not report it; operation, answer and the contract's rule on failures imply it. */
export function writtenBy(row, entry) {
  if (entry.fault && row.outcome === "fault" && entry.status !== 200) return t("written.fault");
  if (row.outcome === "refused" || row.outcome === "failed") return t("written.nothing");
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

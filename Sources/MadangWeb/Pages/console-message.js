/**
 * A recorded request or answer as text, with what the journal masks masked.
 * @module
 */

import { block, pretty } from "./console-dom.js";
import { bytes } from "./console-figures.js";
import { personName } from "./console-places.js";
import { h } from "./elements.js";
import { t } from "./words.js";

const PHRASES = {
  200: "OK",
  206: "Partial Content",
  304: "Not Modified",
  400: "Bad Request",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
};
const TELLING = new Set([
  "sesackey", "authorization", "refreshtoken", "cookie", "set-cookie", "content-type", "range", "content-range", "etag",
  "retry-after", "location", "x-madang-reason",
]);
/** Whether a header decides something; the others are folded. */
const isTelling = ({ name }) => TELLING.has(name.toLowerCase()) || /^if-/i.test(name);

/** The headers that say little, folded. */
export function more(part) {
  const rest = part?.headers.filter((one) => !isTelling(one)) ?? [];
  if (!rest.length) return null;
  return h("details", null,
    h("summary.soft", null, t("open.headers", { n: rest.length })),
    block(rest.map(({ name, value }) => `${name}: ${value}`).join("\n"), t("open.headers", { n: rest.length })));
}

/** A value that the journal masks; beside a token the name of its person. */
function shownValue({ name, value }, { account }) {
  if (value !== "***") return value;
  return name.toLowerCase() === "authorization" && account ? `••• ${personName(account)}` : "•••";
}

/** The journal masks passwords; where one was right it was most likely the seeds'. */
const MASKED = /("password"\s*:\s*")\*\*\*(?=")|((?:^|&)password=)\*\*\*(?=&|$)/g;

/** A body with the password of seeds where a right one is masked. */
export const unmasked = ({ request: { body }, status, fault }) =>
  status === 200 || fault ? body?.replace(MASKED, (_, inJSON, inForm) => `${inJSON ?? inForm}Passw0rd!`) : body;

const partLine = ({ name, fileName, size, text }) =>
  fileName ? `${name}: “${fileName}”, ${bytes(size)}` : `${name}: ${text ?? ""}`;

/** A request or an answer as text: its first line, the headers that decide, its body. */
export function message(first, { headers, body, parts, size, truncated: isCut }, entry) {
  const telling = headers.filter(isTelling);
  const lines = [first, ...telling.map((header) => `${header.name}: ${shownValue(header, entry)}`)];
  if (parts) lines.push("", ...parts.map(partLine));
  else if (body) lines.push("", pretty(body, isCut));
  else if (size) lines.push("", t("open.binary", { size: bytes(size) }));
  return lines.join("\n");
}

/** The first line of an answer. */
export const statusLine = (status) => `${status} ${PHRASES[status] ?? ""}`.trim();

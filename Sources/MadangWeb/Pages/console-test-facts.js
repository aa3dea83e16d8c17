/**
 * What a test needs to know about a recorded request. Ids are looked up by name, as each world has its own.
 * @module
 */

import { visible } from "./console-dom.js";
import { place, placeKey } from "./console-places.js";
import { placeOf } from "./console-row.js";

/** A literal that Python, Swift and Java share with JSON. Signs that hide or turn text are escaped: a test reads as it runs. */
export const literal = (value) => visible(JSON.stringify(value));

/** Words as one name: `meIsRefused`. */
export const camel = (words) => words.map((one, index) => (index ? one[0].toUpperCase() + one.slice(1) : one)).join("");

/** The journal masks passwords; where one was right it was most likely the seeds'. */
const MASKED = /("password"\s*:\s*")\*\*\*(?=")|((?:^|&)password=)\*\*\*(?=&|$)/g;

function bodyOf({ request, status }) {
  if (request.parts) return undefined;
  if (status !== 200) return request.body;
  return request.body?.replace(MASKED, (_, inJSON, inForm) => `${inJSON ?? inForm}Passw0rd!`);
}

/** The keys of an answered object; null for another answer. */
function keysOf(text) {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) || !value ? null : Object.keys(value);
  } catch {
    return null;
  }
}

/**
 * Path and query in parts: texts, and gaps for the ids of known places. The caller chose the texts, so they never hold a gap.
 * @returns {{parts: Array<string|{gap: "workspace"|"room"}>, outer?: object, inner?: object}}
 */
function pathOf({ path, query }) {
  const { workspace, room, kind } = placeOf(path);
  const parts = [];
  let rest = path + (query ? `?${query}` : "");
  const cut = (list, id, gap) => {
    const at = rest.indexOf(`${list}${id}`);
    if (at < 0) return false;
    parts.push(rest.slice(0, at) + list, { gap });
    rest = rest.slice(at + list.length + id.length);
    return true;
  };
  let outer = workspace && place(placeKey("w", workspace));
  if (!outer || !cut("/workspaces/", workspace, "workspace")) outer = undefined;
  let inner = outer && room && place(placeKey(kind, room));
  if (inner?.name[0] !== "#" || !cut("/channels/", room, "room")) inner = undefined;
  return { parts: rest ? [...parts, rest] : parts, outer, inner };
}

/** The path's parts as expressions: texts as literals, gaps by name. */
export const expressions = ({ path }, ofText, ofGap = (gap) => gap) =>
  path.map((one) => (typeof one === "string" ? ofText(one) : ofGap(one.gap)));

/**
 * @param {object} entry a whole entry of a request
 */
export function factsOf(entry) {
  const headers = new Map(entry.request.headers.map(({ name, value }) => [name.toLowerCase(), value]));
  const { parts, outer, inner } = pathOf(entry);
  const isOld = entry.edition === "2024-01";
  const ending = entry.code ? `is refused with ${entry.code}` : "succeeds";
  return {
    isOld,
    words: `${entry.operation ?? entry.method.toLowerCase()} ${ending}`.replace(/\W+/g, " ").trim().split(" "),
    method: entry.method,
    path: parts,
    outer: outer?.name,
    inner: inner?.name.slice(1),
    /** Who looks up ids. */
    finder: outer?.members?.[0] ?? "mina@example.com",
    person: headers.has("authorization") ? entry.account : undefined,
    hadKey: headers.has("sesackey"),
    refreshes: headers.has("refreshtoken"),
    type: headers.get("content-type"),
    body: bodyOf(entry),
    parts: entry.request.parts,
    status: entry.status ?? 0,
    code: entry.code,
    keys: keysOf(entry.answer?.body ?? ""),
    key: isOld ? "dev-key-2024-01" : "dev-key-2024-10",
  };
}

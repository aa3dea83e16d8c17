/**
 * What a test needs to know about a recorded request. Ids are looked up by name, as each world has its own.
 * @module
 */

import { place, placeKey } from "./console-places.js";
import { placeOf } from "./console-row.js";

/** A literal that Python, Swift and Java share with JSON. */
export const literal = (value) => JSON.stringify(value);

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

/** The path with gaps for the ids of known places. */
function pathOf({ path }) {
  const { workspace, room, kind } = placeOf(path);
  const outer = workspace && place(placeKey("w", workspace));
  const inner = room && place(placeKey(kind, room));
  let found = path;
  if (outer) found = found.replace(`/workspaces/${workspace}`, "/workspaces/{workspace}");
  if (inner?.name[0] === "#") found = found.replace(`/channels/${room}`, "/channels/{room}");
  return { path: found, outer, inner };
}

/**
 * @param {object} entry a whole entry of a request
 */
export function factsOf(entry) {
  const headers = new Map(entry.request.headers.map(({ name, value }) => [name.toLowerCase(), value]));
  const { path, outer, inner } = pathOf(entry);
  const isOld = entry.edition === "2024-01";
  const ending = entry.code ? `is refused with ${entry.code}` : "succeeds";
  return {
    isOld,
    words: `${entry.operation ?? entry.method.toLowerCase()} ${ending}`.replace(/\W+/g, " ").trim().split(" "),
    method: entry.method,
    path: path + (entry.query ? `?${entry.query}` : ""),
    outer: outer?.name,
    inner: path.includes("{room}") ? inner.name.slice(1) : undefined,
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

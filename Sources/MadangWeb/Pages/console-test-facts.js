/**
 * What a test needs to know about a recorded request. Ids are looked up by name, as each world has its own.
 * @module
 */

import { visible } from "./console-dom.js";
import { unmasked } from "./console-message.js";
import { personById, place, placeKey } from "./console-places.js";
import { placeOf } from "./console-row.js";
import { clockOf, faultOf, wordsOf } from "./console-test-world.js";

/** A literal that Python, Swift and Java share with JSON. Signs that hide or turn text are escaped: a test reads as it runs. */
export const literal = (value) => visible(JSON.stringify(value));

/** Words as one name: `meIsRefused`. */
export const camel = (words) => words.map((one, index) => (index ? one[0].toUpperCase() + one.slice(1) : one)).join("");

/** Words of a request that are other ones in each world: ids of people, tokens of social sign-in, ids of payments. */
const OWN = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|(?<="(?:oauthToken|idToken)"\s*:\s*")\*\*\*(?=")|\bimp_(?!uid\b)\w+/g;

function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/**
 * A text in parts: texts, and gaps where a test has another word. The caller chose the texts, so they never hold a gap.
 * @param {(word: string) => string|undefined} gapOf
 * @returns {Array<string|{gap: string}>}
 */
function gapped(text, gapOf) {
  const parts = [];
  let at = 0;
  for (const { 0: word, index } of text.matchAll(OWN)) {
    const gap = gapOf(word);
    if (!gap) continue;
    parts.push(text.slice(at, index), { gap });
    at = index + word.length;
  }
  return [...parts, text.slice(at)].filter(Boolean);
}

/** Path and query in parts, with the places whose ids are gaps. */
function pathOf({ path, query }, gapOf) {
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
  const list = inner?.name[0] === "#" ? "/channels/" : "/dms/";
  if (!inner || !cut(list, room, "room")) inner = undefined;
  return { path: [...parts, ...gapped(rest, gapOf)], outer, inner };
}

/** Parts as expressions: texts as literals, gaps by name. */
export const expressions = (parts, ofText, ofGap = (gap) => gap) =>
  parts.map((one) => (typeof one === "string" ? ofText(one) : ofGap(one.gap)));

/** A stand-in's token or payment that the request shows, with the call that makes one. */
function madeOf({ operation, code, answer, request, account }) {
  const provider = { signInWithKakao: "kakao", signInWithApple: "apple" }[operation];
  const answered = parsed(answer?.body);
  if (provider && code !== "E03") {
    const email = code === "E12" ? "mina@example.com" : code ? undefined : answered.email ?? account ?? "new@example.com";
    return { path: "/_dev/social-tokens", key: "token", body: { provider, subject: "42", email } };
  }
  if (operation !== "validatePayment" || code) return null;
  return { path: "/_dev/payments", key: "imp_uid", body: { merchant_uid: parsed(request.body).merchant_uid, amount: answered.price } };
}

/** The room's list, and how it is found there. In a list of direct messages it is the other person's. */
function roomFound(inner, finder) {
  if (!inner) return null;
  if (inner.name[0] === "#") return { list: "channels", key: "channel_id", name: inner.name.slice(1) };
  return { list: "dms", key: "room_id", email: inner.members.find((one) => one !== finder) };
}

/**
 * @param {object} entry a whole entry of a request
 * @param {{seed: string, number: number|null, rule?: object}} [world] what its world began with, and the fault's rule
 */
export function factsOf(entry, world = { seed: "courtyard", number: null }) {
  const headers = new Map(entry.request.headers.map(({ name, value }) => [name.toLowerCase(), value]));
  const people = new Map();
  const made = madeOf(entry);
  let isMade = false;
  const gapOf = (word) => {
    if (word === "***" || word.startsWith("imp_")) {
      isMade ||= made !== null;
      return made ? "made" : undefined;
    }
    const email = personById(word)?.email;
    if (!email) return undefined;
    if (!people.has(email)) people.set(email, `person${people.size || ""}`);
    return people.get(email);
  };
  const { path, outer, inner } = pathOf(entry, gapOf);
  const isOld = entry.edition === "2024-01";
  const text = entry.request.parts ? undefined : unmasked(entry);
  const person = headers.has("authorization") ? entry.account : undefined;
  // Direct messages are found by one of the two.
  const members = inner && inner.name[0] !== "#" ? inner.members : outer?.members;
  const finder = (members?.includes(person) ? person : members?.[0]) ?? "mina@example.com";
  const body = text === undefined ? undefined : gapped(text, gapOf);
  return {
    ...wordsOf(entry),
    isOld,
    seed: world.seed,
    number: world.number,
    method: entry.method,
    path,
    outer: outer?.name,
    inner: roomFound(inner, finder),
    people: [...people].map(([email, gap]) => ({ email, gap })),
    made: isMade ? made : null,
    clock: clockOf(entry),
    fault: faultOf(entry, world.rule),
    /** Who looks up ids. */
    finder,
    person,
    hadKey: headers.has("sesackey"),
    hasWrongKey: entry.code === "E01" && headers.has("sesackey") && !entry.fault,
    refreshes: headers.has("refreshtoken"),
    type: headers.get("content-type"),
    body: body?.length ? body : text === undefined ? undefined : [""],
    parts: entry.request.parts,
    status: entry.status ?? 0,
    code: entry.code,
    keys: Array.isArray(parsed(entry.answer?.body)) ? null : Object.keys(parsed(entry.answer?.body)),
    key: isOld ? "dev-key-2024-01" : "dev-key-2024-10",
  };
}

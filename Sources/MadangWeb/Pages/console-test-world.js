/**
 * What a recorded request needs of its world: a fault, a moment, a seed, calls before it.
 * @module
 */

import { EFFECTS } from "./console-effects.js";
import { SEEDS } from "./console-seeds.js";
import { t } from "./words.js";

/** Seconds after which a token has expired, by the code that says so. */
const EXPIRED = new Map([["E05", 90_000], ["E06", 2_678_400]]);
/** Calls that change nothing a later call depends on. */
const HARMLESS = new Set(["signIn", "signInWithKakao", "signInWithApple", "refresh", "validateEmail", "setDeviceToken"]);
/** Calls that are named at most. */
const NAMED = 6;

/** How the test is called, and what it expects instead of a readable answer: `lost`, `malformed` or nothing. */
export function wordsOf({ operation, method, fault, code, status }) {
  const ending = fault ? `with fault ${fault.kind}` : code ? `is refused with ${code}` : "succeeds";
  const ends = status === undefined || fault?.kind === "cut" ? "lost" : fault?.kind === "malformedJSON" ? "malformed" : "";
  return { words: `${operation ?? method.toLowerCase()} ${ending}`.replace(/\W+/g, " ").trim().split(" "), ends };
}

/** Seconds by which the clock goes on after the sign-in. */
export const clockOf = ({ code, fault }) => (fault ? 0 : EXPIRED.get(code) ?? 0);

/**
 * A rule that hits this request, also when a client's library repeats it; null if no fault did. Without the rule itself its values are
 * those of the page Faults.
 */
export function faultOf({ fault, operation, method, path }, rule) {
  if (!fault || !Object.hasOwn(EFFECTS, fault.kind)) return null;
  const effect = rule?.effect ?? { kind: fault.kind, ...EFFECTS[fault.kind].fields };
  return { effect, match: operation ? { operation } : { method, path } };
}

/** What a test of this request cannot have by itself, in sentences. */
export function notesOf(entry, facts, world, rows) {
  const before = rows.filter((one) =>
    one.world === world.id && !one.gone && one.kind === "request" && one.number < entry.number && one.method !== "GET" &&
    one.outcome === "ok" && one.operation && !HARMLESS.has(one.operation));
  const names = [...new Set(before.map((one) => one.operation))];
  const hasIds = world.number === null &&
    [...facts.path, ...(facts.body ?? [])].some((one) => typeof one === "string" && /[0-9a-f]{8}-[0-9a-f]{4}-|\/static\//.test(one));
  return [
    world.seed === undefined && t("test.noSeed"),
    world.seed !== undefined && !SEEDS.includes(world.seed) && t("test.ownSeed", { seed: world.seed }),
    names.length > 0 && t("test.changed", { calls: names.slice(0, NAMED).join(", ") + (names.length > NAMED ? ", …" : "") }),
    hasIds && t("test.ids"),
    entry.code === "E98" && !entry.fault && t("test.limits"),
    entry.fault && !world.rule && t("test.noRule", { kind: entry.fault.kind }),
  ].filter(Boolean);
}

/** What a world is made of in a test; `text`: its seed is given as text. */
export const planOf = ({ seed, number }) => {
  const isShipped = seed === undefined || SEEDS.includes(seed);
  return {
    isUsual: isShipped && (seed ?? "courtyard") === "courtyard" && number === null,
    isShipped,
    seed: seed ?? "courtyard",
    number,
  };
};

/**
 * Follows journals by waiting calls. A stream of the server would change only this file.
 * @module
 */

import { call, CallError, get } from "./console-api.js";

/** Entries of one answer. Small, so that reading it stays within a frame. */
const PAGE = 250;
/** Unread entries that are still read. If there are more, only the newest page is. */
const BACKLOG = 2000;
/** Entries that are read of the past. */
const PAST = 3000;
/** Milliseconds that entries gather before they are read: more of them at once cost less. */
const GATHER = 90;
/** Milliseconds of rest for each entry that was read: an eye cannot follow more, and each costs the server time. */
const REST = 2;
const ROUND = 700;
/** Milliseconds until an absent world is asked for again. */
const ABSENT = 3000;

const pause = (ms, signal) =>
  new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });

/**
 * Follows the journals of one or several worlds until `signal` aborts.
 * @param {() => string[]} worlds Ids, asked for in each round; "" is the server itself.
 * @param {{entries: (world: string, entries: object[]) => void, older: (world: string, count: number) => void,
 *   skipped: (world: string, count: number) => void, reset: (world: string, from: number) => void, state: (state: "on"|"off"|"gone") => void}} to
 *   `older`: so many entries of the past were left unread. `skipped`: so many came too fast to be read. `reset`: entries before `from` are gone.
 * @param {{alone: boolean, whole: boolean, signal: AbortSignal}} how `alone`: one world, which is waited for; several are asked in
 *   turn. `whole`: from the beginning of the journals.
 */
export async function follow(worlds, to, { alone, whole, signal }) {
  const known = new Map();
  let failures = 0;
  while (!signal.aborted) {
    try {
      let state = "on";
      for (const world of worlds()) {
        try {
          await step(world, known, to, { waits: alone, past: whole ? Infinity : PAST, signal });
        } catch (error) {
          if (!(error instanceof CallError) || error.status === 0) throw error;
          // A removed world, or numbers that start again after the server did.
          if (await isThere(world, signal)) {
            if (!known.has(world)) throw error;
            to.reset(world, Infinity);
          } else if (alone) state = "gone";
          known.delete(world);
        }
      }
      if (signal.aborted) return;
      failures = 0;
      to.state(state);
      if (!alone || state === "gone") await pause(alone ? ABSENT : ROUND, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof CallError)) console.error(error);
      to.state("off");
      failures += 1;
      await pause(Math.min(5000, 250 * 2 ** failures) * (0.75 + Math.random() / 2), signal);
    }
  }
}

/** Whether a world exists. A server that stops refuses waiting calls first: a moment later it does not answer. */
async function isThere(world, signal) {
  if (world === "") return true;
  await pause(GATHER, signal);
  try {
    await get("", `worlds/${encodeURIComponent(world)}`, signal);
    return true;
  } catch (error) {
    if (error instanceof CallError && error.status !== 0) return false;
    throw error;
  }
}

/**
 * Reads the new entries of one journal. `known` has by world the oldest entry kept, the newest one read, and how many were read last.
 * @param {Map<string, {from: number, last: number, read: number}>} known
 */
async function step(world, known, to, { waits, past, signal }) {
  let it = known.get(world);
  if (!it) {
    const { from, last } = await call(world, "journal", { method: "POST", body: {}, signal });
    it = { from, last: Math.max(from - 1, last - past, 0), read: 0 };
    to.older(world, it.last - Math.max(from - 1, 0));
    known.set(world, it);
    while (await readPage(world, it, to, signal)) { /* until all of the past is read */ }
    return;
  }
  if (waits) {
    // Waits for news only. The pages below have it, together with the entries of the pause.
    const news = await get(world, `journal?after=${it.last}&limit=1&wait=25s`, signal);
    if (!news.entries.length) return take(world, it, news, to);
    await pause(Math.max(GATHER, it.read * REST), signal);
  }
  if (await readPage(world, it, to, signal)) await skip(world, it, to, signal);
}

/** Returns whether there may be more. */
async function readPage(world, it, to, signal) {
  const page = await get(world, `journal?after=${it.last}&limit=${PAGE}`, signal);
  take(world, it, page, to);
  it.read = page.entries.length;
  if (it.read) to.entries(world, page.entries);
  return it.read === PAGE && !signal.aborted;
}

/** Leaves entries of a burst unread, so that the next reading ends with the newest ones. */
async function skip(world, it, to, signal) {
  const { last } = await call(world, "journal", { method: "POST", body: {}, signal });
  const unread = last - it.last;
  if (unread <= BACKLOG) return;
  const count = unread - PAGE;
  it.last += count;
  to.skipped(world, count);
}

/** Notes how far was read. A reset drops all entries that were read, a full journal the oldest; numbers continue. */
function take(world, it, { from, last }, to) {
  if (from > it.last && from > it.from) to.reset(world, from);
  [it.from, it.last] = [from, last];
}

/** One whole entry, with headers and bodies. */
export async function entryOf(world, number) {
  const page = await get(world, `journal?after=${number - 1}&limit=1`);
  return page.entries[0]?.number === number ? page.entries[0] : null;
}

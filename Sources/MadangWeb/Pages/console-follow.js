/**
 * Follows journals by waiting calls. A stream of the server would change only this file.
 * @module
 */

import { call, CallError, get } from "./console-api.js";

/** Entries of one answer. Small, so that reading it stays within a frame. */
const PAGE = 250;
/** Entries that are read of the past. */
const PAST = 3000;
/** Milliseconds that entries gather before they are read: more of them at once cost less. */
const GATHER = 90;
const ROUND = 700;

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
 * @param {string[]} worlds Ids; "" is the server itself. One world is waited for, several are asked in turn.
 * @param {{entries: (world: string, entries: object[]) => void, reset: (world: string) => void, state: (state: "on"|"off") => void}} to
 * @param {AbortSignal} signal
 */
export async function follow(worlds, to, signal) {
  const after = new Map();
  let failures = 0;
  const alone = worlds.length === 1;
  while (!signal.aborted) {
    try {
      for (const world of worlds) {
        try {
          await step(world, after, to, signal, alone);
        } catch (error) {
          // After a restart numbers start again. A removed world must not stop the others.
          if (error instanceof CallError && error.status === 400 && after.get(world)) {
            after.delete(world);
            to.reset(world);
          } else if (alone || !(error instanceof CallError) || error.status === 0) throw error;
        }
      }
      failures = 0;
      to.state("on");
      if (!alone) await pause(ROUND, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof CallError)) console.error(error);
      to.state("off");
      failures += 1;
      await pause(Math.min(5000, 250 * 2 ** failures) * (0.75 + Math.random() / 2), signal);
    }
  }
}

/** Reads the new entries of one journal. */
async function step(world, after, to, signal, waits) {
  if (!after.has(world)) {
    const { from, last } = await call(world, "journal", { method: "POST", body: {}, signal });
    after.set(world, Math.max(from - 1, last - PAST, 0));
  } else if (waits) {
    // Waits for news only. The page below has it, together with the entries of the pause.
    const news = await get(world, `journal?after=${after.get(world)}&limit=1&wait=25s`, signal);
    if (!news.entries.length) {
      tellGap(world, news, after, to);
      after.set(world, news.last);
      return;
    }
    await pause(GATHER, signal);
  }
  for (;;) {
    const page = await get(world, `journal?after=${after.get(world)}&limit=${PAGE}`, signal);
    tellGap(world, page, after, to);
    if (page.entries.length) to.entries(world, page.entries);
    after.set(world, page.last);
    if (page.entries.length < PAGE || signal.aborted) return;
  }
}

/** Reports missing entries: a reset or a full journal drops them, and numbers continue. */
function tellGap(world, { from }, after, to) {
  if (from > after.get(world) + 1) to.reset(world);
}

/** One whole entry, with headers and bodies. */
export async function entryOf(world, number) {
  const page = await get(world, `journal?after=${number - 1}&limit=1`);
  return page.entries[0]?.number === number ? page.entries[0] : null;
}

/** Typing and clicking count as activity, also where they call nothing. @module */

import { idleFor, stay } from "./admin-calls.js";

/** Milliseconds between two calls at least; less only if sessions end sooner. */
const PAUSE = 60_000;

/**
 * While an administrator works in a dialog or a field, the session goes on.
 * @param {number} minutes after which a session ends without activity
 */
export function keepAlive(minutes) {
  const pause = Math.min(PAUSE, minutes * 30_000);
  let timer = 0;
  const act = (event) => {
    if (timer || !(document.querySelector("dialog[open]") ?? event.target.closest?.("main :is(input, textarea, select)"))) return;
    timer = setTimeout(() => {
      timer = 0;
      stay().catch(() => {});
    }, Math.max(0, pause - idleFor()));
  };
  for (const kind of ["keydown", "input", "pointerdown"]) addEventListener(kind, act, { capture: true, passive: true });
}

/**
 * Keeps a click for the control that it was meant for. Rows that are drawn again and dialogs that open or close put another control under a
 * pointer that rests, and the second click of a double-click would press it. For a moment, clicks at that place are dropped. Keys are not, nor
 * is a click after keys.
 * @module
 */

import { setDrawWithin } from "./elements.js";

/** Milliseconds. */
const REST = 1000, AGAIN = 400;
/** Pixels that a hand trembles. */
const NEAR = 16;
const CONTROLS = "a, button, input, select, summary, label";

/** Where the pointer is; null while keys are used. */
let pointer = null;
/** The control that was clicked last. */
let pressed = null;
/** The place whose clicks are dropped, and until when. */
let held = null;

const controlAt = ({ x, y }) => document.elementFromPoint(x, y)?.closest(CONTROLS) ?? null;
const wordsOf = (control) => control && [control.closest("tr, li")?.textContent, control.ariaLabel, control.textContent, control.href].join("\n");

/** Runs an act that replaces elements. If another control is under the pointer afterwards, clicks wait there. */
export function changing(act) {
  if (!pointer) return act();
  const words = wordsOf(controlAt(pointer));
  const wasThere = pressed?.isConnected;
  const result = act();
  const isReplaced = wasThere && !pressed.isConnected;
  if (isReplaced) pressed = null;
  const after = controlAt(pointer);
  if (after && (isReplaced || wordsOf(after) !== words)) held = { ...pointer, until: performance.now() + REST };
  return result;
}

/** Runs an act that draws the children of `parent` again by their keys. If another of them, or another control, comes under the pointer, clicks wait there. */
function moving(parent, act) {
  if (!pointer || !parent.matches(":hover")) return act();
  const before = controlAt(pointer);
  const rowOf = (control) => control?.closest("[data-key]");
  const [row, words] = [rowOf(before), before?.textContent];
  act();
  const after = controlAt(pointer);
  if (after && after !== before && (rowOf(after) !== row || after.textContent !== words)) held = { ...pointer, until: performance.now() + AGAIN };
}
setDrawWithin(moving);

const follow = (event) => { pointer = { x: event.clientX, y: event.clientY }; };
for (const kind of ["pointermove", "pointerdown"]) addEventListener(kind, follow, { capture: true, passive: true });
addEventListener("keydown", () => { pointer = null; }, { capture: true, passive: true });

addEventListener("click", (event) => {
  // Keys and scripts click without a count.
  if (!event.detail) return;
  const now = performance.now();
  if (held && now < held.until && Math.hypot(event.clientX - held.x, event.clientY - held.y) < NEAR) {
    held.until = Math.max(held.until, now + AGAIN);
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  // A click elsewhere shows that the hand has moved.
  held = null;
  pressed = event.target.closest?.(CONTROLS) ?? null;
}, { capture: true });

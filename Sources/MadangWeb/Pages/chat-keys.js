/**
 * Everything by keyboard: the shortcuts.
 * @module
 */

import { showKeys } from "./chat-later.js";
import { isApple } from "./chat-list.js";
import { go, roomAddress } from "./chat-route.js";
import { state } from "./chat-state.js";

/** @param {{find: () => void, compose: () => void, profile: () => void, room: () => void}} does */
export function startKeys(does) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const command = isApple() ? event.metaKey : event.ctrlKey;
    const inDialog = Boolean(document.querySelector("dialog[open]"));
    const act = actionOf(event, command);
    if (!act || inDialog) return;
    event.preventDefault();
    act();
  });

  function actionOf(event, command) {
    const { key, altKey, shiftKey } = event;
    if (command && !altKey && key.toLowerCase() === "k") return does.find;
    if (command && !altKey && (key === "/" || key === "?")) return showKeys;
    if (altKey && !command && (key === "ArrowUp" || key === "ArrowDown")) return () => step(key === "ArrowUp" ? -1 : 1, shiftKey);
    if (altKey && !command && /^Digit[1-9]$/.test(event.code)) return () => workspace(Number(event.code[5]) - 1);
    // By the key's place: with Alt held down some keyboards write another letter.
    if (altKey && !command && event.code === "KeyI") return does.room;
    if (altKey && !command && event.code === "KeyP") return does.profile;
    if (key === "Escape" && state.room) return does.compose;
    return null;
  }
}

/** The next room of the list, or the next unread one. */
function step(direction, unread) {
  const { place, room } = state;
  if (!place) return;
  const all = place.rooms;
  const start = all.indexOf(room);
  for (let far = 1; far <= all.length; far++) {
    const next = all[(start + direction * far + all.length * 2) % all.length];
    if (!unread || next.count) return go(roomAddress(place, next));
  }
}

function workspace(at) {
  const place = state.places[at];
  if (place) go(roomAddress(place, null));
}

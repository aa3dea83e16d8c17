/**
 * What the page asks again and again: its lists, since the socket brings new chats only, and whether the session goes on.
 * @module
 */

import { get, readSession } from "./chat-calls.js";
import { toast } from "./elements.js";
import { state } from "./chat-state.js";
import { t } from "./words.js";

/** Milliseconds between reads of lists. An account without a workspace waits for its first one. */
const ROUND = 30_000, BARE = 5000, OTHERS = 300_000;
/** Milliseconds between looks whether read-only mode has ended. */
const LOOK = 5000;

/** Begins the rounds. `open` opens what the address names. */
export function startRounds(open) {
  const round = async () => {
    if (document.hidden) return;
    try {
      const wasBare = !state.places.length || (state.place && !state.place.loaded);
      await state.readPlaces();
      if (wasBare && state.places.length) await open();
      if (state.place) await state.readPlace(state.place);
      await state.readOthers(Date.now() - OTHERS);
    } catch { /* the next round reads it */ }
  };
  setInterval(round, ROUND);
  setInterval(() => { if (!state.places.length) round(); }, BARE);
  document.addEventListener("visibilitychange", round);
  state.readOthers(Date.now() - OTHERS);
  followMode();
}

/** Any answer tells whether read-only mode has ended; without a look, the next one may come late. */
function followMode() {
  let timer = 0;
  const changed = () => {
    clearInterval(timer);
    if (state.readOnly) timer = setInterval(() => get("/users/me").catch(() => {}), LOOK);
  };
  state.on("readOnly", () => {
    changed();
    if (!state.readOnly) toast(t("mode.ended"));
  });
  changed();
}

let checking = false;

/** A call was refused for its session: asks whether it ended, and loads the page again if so. */
export async function checkSession() {
  if (checking) return;
  checking = true;
  try {
    const session = await readSession();
    if (session.account?.user_id === state.account.user_id) return;
    if (!session.account) sessionStorage.setItem("madang.ended", "yes");
    location.reload();
  } catch { /* no connection: the next refusal asks again */ } finally {
    checking = false;
  }
}

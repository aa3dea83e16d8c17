/**
 * Live chats: one Socket.IO connection with a namespace for each joined room of all workspaces.
 * @module
 */

import { state } from "./chat-state.js";
import { SocketIO } from "./socketio.js";

/** Rooms that are listened to at most, the open workspace's first. */
const MOST_ROOMS = 500;
/** Milliseconds that a burst of reconnects may take before counts are read once. */
const SETTLE = 300;
/** Milliseconds before a room that was refused is asked for again, unless it is gone by then. */
const REFUSED = 20_000;

const io = new SocketIO();
/** Room id to {namespace, room}. */
const listened = new Map();
let timer = 0;
const toCount = new Set();
let endedTimer = 0;
const ended = new Set();

/** Begins to listen, and follows the state from then on. */
export function startLive() {
  io.onstate = (live) => {
    state.live = live;
    state.tell("live");
  };
  state.on("rooms", follow);
  state.on("places", follow);
  // What was open before the network changed is probably dead, and would be noticed late.
  addEventListener("online", () => io.renew());
  document.addEventListener("visibilitychange", () => { if (!document.hidden) io.wake(); });
  follow();
}

/** Connects again at once if the connection is lost. */
export function wakeLive() {
  io.wake();
}

/** Whether live chats of a room arrive now. */
export function isLive(room) {
  return listened.get(room.id)?.namespace.connected ?? false;
}

/** Joins the namespaces of rooms that are new, and leaves those of rooms that are gone. */
function follow() {
  const wanted = new Map();
  const places = [state.place, ...state.places].filter((place) => place);
  for (const place of places) {
    for (const room of place.rooms) if (wanted.size < MOST_ROOMS) wanted.set(room.id, room);
  }
  for (const [id, { namespace }] of listened) {
    if (wanted.has(id)) continue;
    listened.delete(id);
    namespace.close();
  }
  for (const [id, room] of wanted) {
    if (listened.has(id)) listened.get(id).namespace.connect();
    else listen(room);
  }
}

function listen(room) {
  const event = room.kind === "channel" ? "channel" : "dm";
  const namespace = io.namespace(room.kind === "channel" ? `/ws-channel-${room.id}` : `/ws-dm-${room.id}`);
  listened.set(room.id, { namespace, room });
  namespace.on(event, (chat) => state.arrived(room, chat, true));
  let connectedBefore = false;
  namespace.onconnect = () => {
    // Nothing is replayed: what came before this moment has to be read.
    const history = state.keptHistory(room);
    if (history) history.stale = true;
    if (room === state.room) state.tell("live");
    if (connectedBefore) recount(room.place);
    connectedBefore = true;
  };
  namespace.ondisconnect = (again) => {
    // The server ends a namespace when the room or the membership is gone, or the session.
    if (!again) reread(room.place);
  };
  namespace.onrefused = () => setTimeout(() => {
    if (listened.has(room.id)) namespace.connect();
  }, REFUSED);
}

/** Reads a workspace once after the server ended some of its rooms; the workspaces if it is gone. */
function reread(place) {
  ended.add(place);
  clearTimeout(endedTimer);
  endedTimer = setTimeout(async () => {
    const places = [...ended];
    ended.clear();
    for (const one of places) {
      try {
        await state.readPlace(one);
      } catch {
        await state.readPlaces().catch(() => {});
      }
    }
  }, SETTLE);
}

/** Reads the counts of a workspace once after all its rooms came back. */
function recount(place) {
  toCount.add(place);
  clearTimeout(timer);
  timer = setTimeout(() => {
    for (const one of toCount) state.readCounts(one).catch(() => {});
    toCount.clear();
  }, SETTLE);
}

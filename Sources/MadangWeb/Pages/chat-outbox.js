/**
 * Sends chats, each exactly once, in the order of writing within a room.
 *
 * Two things repeat a post. Browsers do by themselves, without telling the page, when a connection that was used before
 * ends without an answer. And the page does when it got no answer. Against the first, each post carries a key
 * (`X-Madang-Once`): the server answers a key that it knows with the first answer. Against the second, as the server
 * may have restarted since, the history is read before a post is repeated: a chat there by this account, with the same
 * text and the same number of files, that answered no other entry, is the one whose answer was lost.
 * @module
 */

import { Lost, pause, Refusal, send, upload } from "./chat-calls.js";
import { forgetEntry, isKept, keepEntry, keptEntries } from "./chat-kept.js";
import { History } from "./chat-history.js";
import { state } from "./chat-state.js";

/** Entries that may wait in all. */
const MOST = 100;
/** Ids of own chats that are remembered, so that two equal chats are not taken for one. */
const MOST_CLAIMED = 500;
/** Milliseconds: a request whose answer was lost may still be worked on; the history is read after this pause. */
const SETTLE = 1500;
/** Longest pause between two attempts. */
const LONGEST_PAUSE = 20_000;
/** How often `E99` is answered before the chat counts as refused. */
const MOST_FAILURES = 3;

/**
 * @typedef {object} Entry
 * @property {string} id
 * @property {string} text
 * @property {Array<File>} files
 * @property {string} since date of the newest chat of the room that was known when it was written
 * @property {boolean} tried an attempt may have succeeded
 * @property {"waiting"|"sending"|"refused"|"held"} state `held`: from an earlier visit, asks before it is sent
 * @property {number} progress of its files, 0 to 1
 * @property {string} code of a refusal
 * @property {object|null} seen the chat that is probably this one and came live
 */

/** @type {Map<string, Array<Entry>>} room id to entries */
const waiting = new Map();
const running = new Set();
const claimed = new Set();
const wakers = new Set();

/** Starts for the state's account. Chats of an earlier visit are sent; where tabs cannot agree who sends, they are shown. */
export async function startOutbox() {
  state.on("history", recognise);
  state.on("live", () => { if (state.live === "open") wake(); });
  state.on("readOnly", () => {
    for (const room of waiting.keys()) state.tell("outbox", room);
    if (!state.readOnly) wake();
  });
  addEventListener("online", wake);
  for (const stored of await keptEntries(state.account.user_id)) {
    if (entriesOf(stored.room).some((entry) => entry.id === stored.id)) continue;
    add({ ...stored, tried: true, state: navigator.locks ? "waiting" : "held", progress: 0, code: "", seen: null, resumed: true });
  }
}

/** Chats of a room that wait to be sent. @returns {Array<Entry>} */
export function entriesOf(room) {
  return waiting.get(room) ?? [];
}

/** How many chats wait in all. */
export function waitingCount() {
  return [...waiting.values()].reduce((sum, entries) => sum + entries.length, 0);
}

/**
 * Sends a chat.
 * @returns {boolean} false if too many wait
 */
export function post(room, text, files) {
  if (waitingCount() >= MOST) return false;
  const entry = {
    id: newId(), account: state.account.user_id, workspace: room.place.id, room: room.id,
    path: state.pathOf(room), text, files, since: latest(room),
  };
  keepEntry(entry);
  add({ ...entry, tried: false, state: "waiting", progress: 0, code: "", seen: null });
  return true;
}

/** Sends an entry that was refused or held once more. */
export function sendAgain(entry) {
  entry.state = "waiting";
  tell(entry);
  run(entry.room);
}

/** Gives an entry up. One that is being sent is cut off and may arrive all the same. */
export function discard(entry) {
  entry.abort?.abort();
  remove(entry);
}

/** Ends pauses: the connection is back. */
export function wake() {
  for (const done of [...wakers]) done();
}

function add(entry) {
  if (!waiting.has(entry.room)) waiting.set(entry.room, []);
  waiting.get(entry.room).push(entry);
  tell(entry);
  run(entry.room);
}

function remove(entry) {
  const entries = entriesOf(entry.room).filter((one) => one !== entry);
  if (entries.length) waiting.set(entry.room, entries);
  else waiting.delete(entry.room);
  entry.gone = true;
  forgetEntry(entry.id);
  tell(entry);
}

function tell(entry) {
  state.tell("outbox", entry.room);
}

/** Sends a room's entries one after the other. */
async function run(room) {
  if (running.has(room)) return;
  running.add(room);
  try {
    for (;;) {
      const entry = entriesOf(room).find((one) => one.state === "waiting");
      if (!entry) break;
      if (navigator.locks) await navigator.locks.request(`madang.send.${entry.id}`, () => deliver(entry));
      else await deliver(entry);
    }
  } finally {
    running.delete(room);
  }
}

/** Sends one entry until it is there, refused or given up. */
async function deliver(entry) {
  if (entry.resumed && !(await isKept(entry.id))) return remove(entry);
  let failures = 0;
  for (let attempt = 1; !entry.gone; attempt++) {
    while (state.readOnly && !entry.gone) await restUntil(LONGEST_PAUSE, entry);
    if (entry.gone) return;
    try {
      const chat = (entry.tried && await lookFor(entry)) || await attemptOnce(entry);
      return arrived(entry, chat);
    } catch (error) {
      if (entry.gone) return;
      // It begins to wait above, where the mode is known from this refusal.
      if (error.why === "readOnly") {
        await pause(SETTLE);
        continue;
      }
      if (error instanceof Refusal && !(error.code === "E99" && ++failures < MOST_FAILURES)) {
        if (error.code === "E98") {
          await restUntil(error.seconds * 1000, entry);
          continue;
        }
        // Another tab may have signed in again. If this account is still signed in, the next attempt has the new proof.
        if (error.code === "E02" && attempt < 3) {
          await pause(SETTLE);
          continue;
        }
        entry.state = "refused";
        entry.code = error.code;
        state.tell("refused", entry);
        return tell(entry);
      }
      if (!(error instanceof Refusal) && !(error instanceof Lost)) console.error(error);
      await pause(SETTLE);
      // The live chat may have told in the meantime.
      if (entry.seen) return arrived(entry, entry.seen);
      await restUntil(Math.min(1000 * 2 ** Math.min(attempt, 6), LONGEST_PAUSE) * (0.5 + Math.random() / 2), entry);
    }
  }
}

async function attemptOnce(entry) {
  const before = entry.tried;
  entry.tried = true;
  entry.state = "sending";
  entry.progress = 0;
  tell(entry);
  const path = `${entry.path}/chats`;
  try {
    if (!entry.files.length) return await send("POST", path, { content: entry.text }, { "X-Madang-Once": entry.id });
    const body = new FormData();
    if (entry.text) body.append("content", entry.text);
    for (const file of entry.files) body.append("files", file, file.name || "file");
    entry.abort = new AbortController();
    return await upload(path, body, {
      headers: { "X-Madang-Once": entry.id },
      progress: (share) => { entry.progress = share; tell(entry); },
      signal: entry.abort.signal,
    });
  } catch (error) {
    // A refused post did nothing.
    if (error instanceof Refusal && (error.code !== "E99" || error.why === "readOnly")) entry.tried = before;
    entry.state = "waiting";
    tell(entry);
    throw error;
  }
}

/** The chat that an earlier attempt made, or null. */
function lookFor(entry) {
  return new History(entry.path, entry.since).find(entry.since, (chat) => isSame(entry, chat));
}

function arrived(entry, chat) {
  const id = idOf(chat);
  claimed.add(id);
  if (claimed.size > MOST_CLAIMED) claimed.delete(claimed.values().next().value);
  const room = state.roomOf(state.placeOf(entry.workspace), entry.room);
  remove(entry);
  // Sent in order: a later entry, also after a reload, is a later chat, even with the same text.
  for (const later of entriesOf(entry.room)) {
    later.since = chat.createdAt;
    keepEntry(kept(later));
  }
  if (room) state.arrived(room, chat, false);
}

/** A chat of this account came live while one is being sent: it is probably that one, and stands in its place. */
function recognise({ room, chat, mine }) {
  if (!mine) return;
  const entry = entriesOf(room.id).find((one) => one.tried && !one.seen && isSame(one, chat));
  if (!entry) return;
  entry.seen = chat;
  tell(entry);
}

function isSame(entry, chat) {
  return chat.user.user_id === state.account.user_id && lines(chat.content) === lines(entry.text)
    && chat.files.length === entry.files.length && chat.createdAt > entry.since && !claimed.has(idOf(chat));
}

/** Forms turn the end of a line into two characters. */
function lines(text) {
  return text.replace(/\r\n?/g, "\n");
}

/** What is stored of an entry. */
function kept({ id, account, workspace, room, path, text, files, since }) {
  return { id, account, workspace, room, path, text, files, since };
}

function restUntil(milliseconds, entry) {
  if (entry.gone) return;
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      wakers.delete(end);
      done();
    };
    const timer = setTimeout(end, milliseconds);
    wakers.add(end);
  });
}

/** The date of the newest chat that is known: an own one that is sent now is later. */
function latest(room) {
  const kept = state.keptHistory(room)?.newest?.createdAt ?? "";
  return kept > room.last ? kept : room.last || room.createdAt;
}

export function idOf(chat) {
  return chat.chat_id ?? chat.dm_id;
}

/** `crypto.randomUUID` needs a secure page; a home server may have none. */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * What the page knows: account, workspaces, rooms, counts. Views listen to `change` events by name.
 * @module
 */

import { get, pause, unreadCounts } from "./chat-calls.js";
import { History } from "./chat-history.js";
import { Marks } from "./chat-marks.js";

/** Histories that are kept in memory: the rooms that were open last. */
const KEPT_HISTORIES = 8;
/** Milliseconds in which changes of counts are gathered. */
const COUNTS = 40;

/**
 * @typedef {object} Room
 * @property {string} id
 * @property {"channel"|"dm"} kind
 * @property {Place} place
 * @property {string} name of the channel, or the other person's nickname
 * @property {string} about the channel's description
 * @property {object|null} person the other person of a direct message
 * @property {string} owner id of the channel's owner
 * @property {string} createdAt
 * @property {string|null} picture
 * @property {number} count unread chats
 * @property {string} last date of the newest chat that is known
 */

/** Reads of the same thing that overlap. An answer is late if a read that began later was answered first. */
class Reads {
  #begun = 0;
  #answered = 0;

  begin() {
    return ++this.#begun;
  }

  isLate(read) {
    if (read < this.#answered) return true;
    this.#answered = read;
    return false;
  }
}

/** One workspace with its rooms. */
class Place {
  /** @type {Array<object>} all channels, as the wire sends them */
  channels = [];
  /** @type {Array<object>} */
  members = [];
  /** @type {Array<Room>} joined channels, by name */
  joined = [];
  /** @type {Array<Room>} direct messages, latest first */
  direct = [];
  loaded = false;
  readAt = 0;
  reads = new Reads();
  counts = new Reads();
  /** Done when the unread counts are known. */
  counting = Promise.resolve();

  constructor(workspace) {
    this.workspace = workspace;
  }

  get id() {
    return this.workspace.workspace_id;
  }

  get rooms() {
    return this.joined.concat(this.direct);
  }

  get count() {
    return this.rooms.reduce((sum, room) => sum + room.count, 0);
  }
}

class State {
  account = null;
  server = null;
  /** @type {Array<Place>} oldest first, so that a new one does not move the others */
  places = [];
  /** @type {Place|null} */
  place = null;
  /** @type {Room|null} */
  room = null;
  /** @type {Marks} */
  marks = null;
  /** "idle" | "connecting" | "open" | "waiting", as of the socket */
  live = "idle";
  /** Whether the server accepts no changes for now. */
  readOnly = false;

  #reads = new Reads();
  #target = new EventTarget();
  #histories = new Map();
  #toTell = new Set();
  #timer = 0;

  /**
   * @param {"account"|"places"|"rooms"|"counts"|"open"|"live"|"history"|"outbox"|"refused"|"readOnly"} name
   * @param {(detail: any) => void} listener
   */
  on(name, listener) {
    this.#target.addEventListener(name, (event) => listener(event.detail));
  }

  tell(name, detail) {
    this.#target.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Begins with a session. */
  begin(session) {
    this.account = session.account;
    this.server = session.server;
    this.marks = new Marks(session.account.user_id, session.now ?? new Date().toISOString());
    this.tell("account");
    // Another tab of this browser has read on.
    let timer = 0;
    addEventListener("storage", (event) => {
      if (!this.marks.isKeptAs(event.key)) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        for (const place of this.places) if (place.count) this.readCounts(place).catch(() => {});
      }, 500);
    });
  }

  setReadOnly(on) {
    if (on === this.readOnly) return;
    this.readOnly = on;
    this.tell("readOnly");
  }

  setAccount(account) {
    this.account = account;
    this.tell("account");
  }

  /** Reads the list of workspaces. Workspaces that are still in it keep their rooms and counts. */
  async readPlaces(list) {
    const read = this.#reads.begin();
    const workspaces = list ?? await get("/workspaces");
    if (this.#reads.isLate(read)) return;
    const known = new Map(this.places.map((place) => [place.id, place]));
    this.places = workspaces.map((workspace) => {
      const place = known.get(workspace.workspace_id) ?? new Place(workspace);
      place.workspace = workspace;
      return place;
    }).reverse();
    if (this.place && !this.places.includes(this.place)) this.open(null, null);
    this.tell("places");
  }

  placeOf(id) {
    return this.places.find((place) => place.id === id) ?? null;
  }

  /** @returns {Room|null} */
  roomOf(place, id) {
    return place?.rooms.find((room) => room.id === id) ?? null;
  }

  /** Reads rooms, members and counts of a workspace. */
  async readPlace(place) {
    const path = `/workspaces/${place.id}`;
    const read = place.reads.begin();
    const [detail, joined, direct] = await Promise.all([
      get(path), get(`${path}/my-channels`), get(`${path}/dms`)]);
    if (place.reads.isLate(read)) return;
    const { channels, workspaceMembers, ...workspace } = detail;
    place.workspace = workspace;
    place.channels = channels;
    place.members = workspaceMembers;
    const known = new Map(place.rooms.map((room) => [room.id, room]));
    const keep = (room) => Object.assign(known.get(room.id) ?? { count: 0, last: "" }, room);
    place.joined = joined.map((channel) => keep({
      id: channel.channel_id, kind: "channel", place, name: channel.name, about: channel.description, person: null,
      owner: channel.owner_id, createdAt: channel.createdAt, picture: channel.coverImage,
    })).reverse();
    place.direct = direct.map((room) => keep({
      id: room.room_id, kind: "dm", place, name: room.user.nickname, about: "", person: room.user,
      owner: "", createdAt: room.createdAt, picture: room.user.profileImage,
    }));
    place.loaded = true;
    place.readAt = Date.now();
    if (this.place === place && this.room && !place.rooms.includes(this.room)) this.open(place, null);
    this.tell("rooms", place);
    // Not waited for: the room is read meanwhile.
    place.counting = this.readCounts(place).catch(() => {});
  }

  /** Reads the unread counts of a workspace. */
  async readCounts(place) {
    if (!place.rooms.length) return;
    const read = place.counts.begin();
    const dates = {};
    for (const room of place.rooms) dates[room.id] = this.marks.of(room);
    const newest = new Map(place.rooms.map((room) => [room.id, room.last]));
    const counts = await unreadCounts(place.id, dates);
    if (place.counts.isLate(read)) return;
    for (const room of place.rooms) {
      // What was read meanwhile stays read; what came meanwhile may be missing in the answer.
      if (!(room.id in counts) || this.marks.of(room) !== dates[room.id]) continue;
      room.count = room.last === newest.get(room.id) ? counts[room.id] : Math.max(room.count, counts[room.id]);
    }
    this.#counted(place);
  }

  /** Reads the other workspaces one after the other, for their unread counts. */
  async readOthers(oldest) {
    for (const place of [...this.places]) {
      if (place.readAt > oldest) continue;
      try {
        await this.readPlace(place);
      } catch { /* the next round reads it */ }
      await pause(50);
    }
  }

  /** Opens a room, or with null the list. */
  open(place, room) {
    this.place = place;
    this.room = room;
    this.tell("open");
  }

  /** The path of a room below `/web/v1`. */
  pathOf(room) {
    return `/workspaces/${room.place.id}/${room.kind === "channel" ? "channels" : "dms"}/${room.id}`;
  }

  /** The kept history of a room, made if there is none. @returns {History} */
  historyOf(room) {
    const history = this.#histories.get(room.id) ?? new History(this.pathOf(room), room.createdAt);
    this.#histories.delete(room.id);
    this.#histories.set(room.id, history);
    for (const [id] of this.#histories) {
      if (this.#histories.size <= KEPT_HISTORIES) break;
      if (id !== this.room?.id) this.#histories.delete(id);
    }
    return history;
  }

  /** The history of a room if one is kept. */
  keptHistory(room) {
    return this.#histories.get(room.id) ?? null;
  }

  forgetHistory(room) {
    this.#histories.delete(room.id);
  }

  /** A chat came, live or as the answer to a post. */
  arrived(room, chat, live) {
    const added = this.keptHistory(room)?.add(chat, live) ?? false;
    const mine = chat.user.user_id === this.account.user_id;
    const fresh = chat.createdAt > room.last;
    if (fresh) {
      room.last = chat.createdAt;
      if (!mine && chat.createdAt > this.marks.of(room)) room.count++;
      if (room.kind === "dm" && room.place.direct[0] !== room) {
        room.place.direct = [room, ...room.place.direct.filter((one) => one !== room)];
        this.tell("rooms", room.place);
      }
    }
    this.tell("history", { room, chat, added, mine, fresh });
    if (fresh && !mine) this.#counted(room.place);
  }

  /** Marks a room as read up to a date. */
  read(room, date) {
    if (date <= this.marks.of(room) && !room.count) return;
    this.marks.set(room, date);
    if (room.count) {
      room.count = 0;
      this.#counted(room.place);
    }
  }

  /** Many chats may come at once: views draw counts once for all of them. */
  #counted(place) {
    this.#toTell.add(place);
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      const places = [...this.#toTell];
      this.#toTell.clear();
      for (const one of places) this.tell("counts", one);
    }, COUNTS);
  }

  /** All unread chats. */
  get count() {
    return this.places.reduce((sum, place) => sum + place.count, 0);
  }
}

/** The state of this page. */
export const state = new State();

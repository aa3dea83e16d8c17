/**
 * Names of people, workspaces and rooms by id, so that rows show `#ios` instead of an id. Until the server lists places in one call,
 * the names come from calls made as people, which appear in neither journal nor coverage.
 * @module
 */

import { as, get } from "./console-api.js";
import { visible } from "./console-dom.js";

/** People whose direct messages are read; and the most people whose workspaces are read. */
const ASKED = 12;
const MOST_PEOPLE = 300;
/** Milliseconds between two searches for unknown ids. */
const REST = 4000;
const MOST_MISSING = 5000;
const JANUARY = "edition=2024-01";

let worlds = [];
let people = new Map();
const places = new Map();
/** Ids without a known name. */
const missing = new Set();
let asking = null;
let isWanted = false;
let last = 0;
const changes = new EventTarget();

/** Ids of edition 2024-01 are numbers, counted separately for each kind: with the kind (`w`, `c`, `d`) they are unique. */
export const placeKey = (kind, id) => (id !== undefined && /^\d+$/.test(id) ? `${kind}:${id}` : id);
const isId = (key) => /^[wcd]:\d+$|^[0-9a-f-]{36}$/.test(key);
const short = (key) => (key.length > 12 ? `${key.slice(0, 4)}…` : key.replace(/^[wcd]:/, ""));

/** Calls `act` when names changed. */
export const onNames = (act) => changes.addEventListener("names", act);

/** Reads the names of some worlds. Those of other worlds are forgotten; the present ones stay until there are new ones. */
export function readNames(of) {
  if (!of.some((one) => worlds.includes(one))) {
    people = new Map();
    places.clear();
  }
  worlds = of;
  missing.clear();
  last = 0;
  asking = null;
  return search();
}

/** Reads the names of worlds that came to `of`. */
export function readMoreNames(of, added) {
  worlds = of;
  if (!added.length) return;
  missing.clear();
  Promise.all(added.map((world) => read(world, of))).then(() => changes.dispatchEvent(new Event("names")));
}

function search() {
  const of = worlds;
  isWanted = false;
  asking ??= Promise.all(of.map((world) => read(world, of))).finally(() => {
    if (of !== worlds) return;
    [asking, last] = [null, Date.now()];
    changes.dispatchEvent(new Event("names"));
  });
  return asking;
}

async function read(world, of) {
  try {
    const found = await get(world, "people");
    if (of !== worlds) return;
    for (const one of found) people.set(one.email, one);
    const unseen = new Set(found.flatMap((one) => one.workspaces));
    for (const [index, person] of found.slice(0, MOST_PEOPLE).entries()) {
      if (of !== worlds) return;
      if (index >= ASKED && !person.workspaces.some((one) => unseen.has(one))) continue;
      const lists = ["workspaces", `workspaces?${JANUARY}`].map((path) => as(world, person.email, path));
      const [mine, numbered] = await Promise.all(lists);
      for (const workspace of mine) {
        const twin = numbered.find((one) => one.name === workspace.name);
        if (unseen.delete(workspace.name)) await readWorkspace(world, person, workspace, twin);
        if (index < ASKED) await readRooms(world, person, workspace, twin);
      }
    }
  } catch { /* what is unknown is shown by its id */ }
}

async function readWorkspace(world, { email }, { workspace_id: id, name, owner_id: owner }, twin) {
  const [whole, numbered] = await Promise.all([
    as(world, email, `workspaces/${id}`),
    twin ? as(world, email, `workspaces/${twin.workspace_id}?${JANUARY}`) : { channels: [] },
  ]);
  const workspace = { name, owner, members: whole.workspaceMembers.map((one) => one.email) };
  places.set(id, workspace);
  if (twin) places.set(`w:${twin.workspace_id}`, workspace);
  for (const one of whole.channels) {
    const channel = { name: `#${one.name}`, workspace: id, owner: one.owner_id };
    places.set(one.channel_id, channel);
    const same = numbered.channels.find((it) => it.name === one.name);
    if (same) places.set(`c:${same.channel_id}`, channel);
  }
}

async function readRooms(world, { email, nickname }, { workspace_id: id }, twin) {
  const [rooms, numbered] = await Promise.all([
    as(world, email, `workspaces/${id}/dms`),
    twin ? as(world, email, `workspaces/${twin.workspace_id}/dms?${JANUARY}`) : [],
  ]);
  const name = (one) => ({ name: `${nickname} · ${one.user.nickname}`, workspace: id, members: [email, one.user.email] });
  for (const one of rooms) if (!places.has(one.room_id)) places.set(one.room_id, name(one));
  for (const one of numbered) if (!places.has(`d:${one.room_id}`)) places.set(`d:${one.room_id}`, name(one));
}

/** A place by its key. An unknown one starts one search. */
export function place(key) {
  const found = places.get(key);
  if (found || !key || !isId(key) || missing.has(key)) return found;
  if (missing.size < MOST_MISSING) missing.add(key);
  if (!isWanted) {
    isWanted = true;
    setTimeout(search, Math.max(300, last + REST - Date.now()));
  }
  return undefined;
}

/** The name of a place, or the beginning of its id. */
export const placeName = (key) => visible(place(key)?.name ?? short(key));

/** `Weekend/ios` for a row in a room, `Weekend` in a workspace. */
export function label({ workspace, room }) {
  const outer = workspace ?? places.get(room)?.workspace;
  return `${outer ? placeName(outer) : ""}${room ? `/${placeName(room).replace(/^#/, "")}` : ""}`;
}

/** A person's nickname, or the text before the `@`. */
export const personName = (email) => visible(people.get(email)?.nickname ?? email.split("@")[0]);
/** The person with an id. */
export const personById = (id) => names.people().find((one) => one.id === id);

export const names = {
  people: () => [...people.values()],
  rooms: () => {
    const channels = [...places.values()].filter((one) => one.workspace && one.name[0] === "#");
    return [...new Set(channels.map((one) => `${places.get(one.workspace)?.name}/${one.name.slice(1)}`))];
  },
};

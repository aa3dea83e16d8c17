/**
 * Parts of the page that the first view does not need: they are loaded when it stands, or when they are asked for.
 * @module
 */

import { toast } from "./elements.js";
import { t } from "./words.js";

const MODULES = {
  channels: () => import("./chat-channels.js"),
  find: () => import("./chat-find.js"),
  keys: () => import("./chat-keys-sheet.js"),
  notices: () => import("./chat-notify.js"),
  people: () => import("./chat-people.js"),
  pictures: () => import("./chat-pictures.js"),
  profile: () => import("./chat-profile.js"),
  rounds: () => import("./chat-rounds.js"),
  shortcuts: () => import("./chat-keys.js"),
  workspaces: () => import("./chat-workspaces.js"),
};

/** A function of a module that may not be loaded yet. */
function later(module, name) {
  return async (...values) => (await loaded(module))?.[name](...values);
}

let presses = 0;

/** As `later`, for what a person opens. Of several presses while modules load, the last one opens something. */
function opening(module, name) {
  return async (...values) => {
    const press = ++presses;
    const functions = await loaded(module);
    if (press === presses) functions?.[name](...values);
  };
}

/** The functions of a module. Without a connection: null, and a message to the person. */
async function loaded(module) {
  try {
    return await MODULES[module]();
  } catch {
    toast(t("trouble.lost"));
    return null;
  }
}

export const exploreChannels = opening("channels", "exploreChannels");
export const joinChannel = later("channels", "joinChannel");
export const newChannel = opening("channels", "newChannel");
export const openRoom = opening("channels", "openRoom");
export const openFind = opening("find", "openFind");
export const openPerson = opening("people", "openPerson");
export const openPictures = opening("pictures", "openPictures");
export const openProfile = opening("profile", "openProfile");
export const invite = opening("workspaces", "invite");
export const newWorkspace = opening("workspaces", "newWorkspace");
export const openWorkspace = opening("workspaces", "openWorkspace");
export const showKeys = opening("keys", "showKeys");
export const startRounds = later("rounds", "startRounds");
export const checkSession = later("rounds", "checkSession");
export const startNotices = later("notices", "startNotices");
export const startKeys = later("shortcuts", "startKeys");

/** Loads all of them while the page rests, so that they open at once, without a connection too. */
export function loadLater() {
  setTimeout(() => Promise.all(Object.values(MODULES).map((load) => load())).catch(() => {}), 150);
}

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
  return async (...values) => {
    let loaded;
    try {
      loaded = await MODULES[module]();
    } catch {
      return toast(t("trouble.lost"));
    }
    return loaded[name](...values);
  };
}

export const exploreChannels = later("channels", "exploreChannels");
export const joinChannel = later("channels", "joinChannel");
export const newChannel = later("channels", "newChannel");
export const openRoom = later("channels", "openRoom");
export const openFind = later("find", "openFind");
export const openPerson = later("people", "openPerson");
export const openPictures = later("pictures", "openPictures");
export const openProfile = later("profile", "openProfile");
export const invite = later("workspaces", "invite");
export const newWorkspace = later("workspaces", "newWorkspace");
export const openWorkspace = later("workspaces", "openWorkspace");
export const startRounds = later("rounds", "startRounds");
export const checkSession = later("rounds", "checkSession");
export const startNotices = later("notices", "startNotices");
export const showKeys = later("keys", "showKeys");
export const startKeys = later("shortcuts", "startKeys");

/** Loads all of them while the page rests, so that they open at once, without a connection too. */
export function loadLater() {
  setTimeout(() => Promise.all(Object.values(MODULES).map((load) => load())).catch(() => {}), 150);
}

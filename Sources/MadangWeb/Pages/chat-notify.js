/**
 * Announces new chats: the tab's title, notifications of the browser, the icon's badge, and words for screen readers.
 * @module
 */

import { h } from "./elements.js";
import { go, roomAddress } from "./chat-route.js";
import { state } from "./chat-state.js";
import { readSetting, t, writeSetting } from "./words.js";

/** Milliseconds in which chats are gathered before they are read out. */
const GATHER = 900;
/** Chats that are read out in full; more are counted. */
const READ_OUT = 2;

const region = h("div.heard", { "aria-live": "polite", role: "status", id: "heard" });
let gathered = [];
let timer = 0;

export function startNotices() {
  document.body.append(region);
  for (const change of ["counts", "open", "account", "rooms"]) state.on(change, drawTitle);
  state.on("history", told);
  state.on("refused", () => { region.textContent = t("notice.refused"); });
  drawTitle();
}

/** Whether this browser can show notifications, and whether they are wanted: "on" | "off" | "denied" | "none". */
export function noticesState() {
  if (!("Notification" in globalThis)) return "none";
  if (Notification.permission === "denied") return "denied";
  return Notification.permission === "granted" && readSetting("notices") === "on" ? "on" : "off";
}

/** Turns notifications on, which may ask, or off. */
export async function setNotices(on) {
  if (on && Notification.permission !== "granted") await Notification.requestPermission();
  writeSetting("notices", on ? "on" : null);
}

function drawTitle() {
  const { room, place, server, count } = state;
  const where = room ? (room.kind === "channel" ? `#${room.name}` : room.name) : place?.workspace.name;
  document.title = `${count ? `(${count}) ` : ""}${where ? `${where} · ` : ""}${server?.name ?? "Madang"}`;
  if (navigator.setAppBadge) (count ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => {});
}

function told({ room, chat, mine, fresh }) {
  if (mine || !fresh) return;
  const watched = room === state.room && !document.hidden && document.hasFocus();
  if (watched) return readOut(chat);
  if (noticesState() === "on") notify(room, chat);
}

function textOf(chat) {
  return chat.content || t("notice.files", { n: chat.files.length });
}

function readOut(chat) {
  gathered.push(chat);
  clearTimeout(timer);
  timer = setTimeout(() => {
    const chats = gathered;
    gathered = [];
    region.textContent = chats.length > READ_OUT ? t("notice.many", { n: chats.length })
      : chats.map((one) => t("notice.one", { name: one.user.nickname, text: textOf(one).slice(0, 300) })).join(" ");
  }, GATHER);
}

function notify(room, chat) {
  const by = chat.user.nickname;
  const title = room.kind === "channel" ? t("notice.title", { name: by, room: room.name }) : by;
  try {
    // The tag lets several tabs show one notification, and a room's newest replace the one before.
    const notice = new Notification(title, { body: textOf(chat).slice(0, 300), tag: room.id, icon: "/icon.svg", renotify: true });
    notice.onclick = () => {
      window.focus();
      go(roomAddress(room.place, room));
      notice.close();
    };
  } catch { /* Android shows them from a service worker only */ }
}

/**
 * The rail of workspaces and the list of rooms.
 * @module
 */

import { face, h, keyed, name } from "./elements.js";
import { roomAddress } from "./chat-route.js";
import { state } from "./chat-state.js";
import { t } from "./words.js";

/** Rooms of one kind that are listed; the others are found by search. */
const MOST = 300;

/**
 * @param {object} does what the buttons do: `newWorkspace`, `profile`, `workspace`, `find`, `explore`, `newPerson`
 */
export function rail(does) {
  const list = h("ul");
  const profile = h("button.me", { type: "button", "aria-label": t("profile.open"), title: t("profile.title"), onclick: does.profile });
  const element = h("nav.rail", { "aria-label": t("rail.label") }, list,
    h("button.add", { type: "button", "aria-label": t("workspace.new"), title: t("workspace.new"), onclick: does.newWorkspace }, "+"),
    h("span.space"), profile);
  const draw = () => keyed(list, state.places, (place) => place.id, () => h("li", null, h("a")), (item, place) => {
    const link = item.firstElementChild;
    const { workspace, count } = place;
    const look = `${workspace.name} ${workspace.coverImage}`;
    if (link.dataset.look !== look) {
      link.dataset.look = look;
      link.href = roomAddress(place, null);
      link.title = workspace.name;
      link.replaceChildren(face(place.id, workspace.name, workspace.coverImage), h("i.count"));
    }
    current(link, place === state.place);
    link.lastElementChild.textContent = count ? few(count) : "";
    link.setAttribute("aria-label", count ? t("rail.unread", { name: workspace.name, n: count }) : workspace.name);
  });
  const drawMe = () => {
    const { account } = state;
    profile.replaceChildren(face(account.user_id, account.nickname, account.profileImage));
  };
  for (const change of ["places", "counts", "open", "rooms"]) state.on(change, draw);
  state.on("account", drawMe);
  draw();
  drawMe();
  return element;
}

/** @param {object} does as of `rail` */
export function rooms(does) {
  const title = h("h1", null, h("button.title", { type: "button", onclick: does.workspace }));
  const channels = h("ul");
  const people = h("ul");
  const heading = (text, label, act) => h("div.heading", null, h("h2", null, text),
    h("button.add", { type: "button", "aria-label": label, title: label, onclick: act }, "+"));
  const body = h("div.scroll", null,
    h("button.find", { type: "button", onclick: does.find, "aria-keyshortcuts": "Control+K Meta+K" }, h("span", null, t("find.button")), h("kbd", { "aria-hidden": "true" }, isApple() ? "⌘K" : "Ctrl K")),
    heading(t("rooms.channels"), t("channel.add"), does.explore), channels,
    heading(t("rooms.people"), t("person.new"), does.newPerson), people);
  const bar = h("div.top", null, title, h("button.me", { type: "button", "aria-label": t("profile.open"), onclick: does.profile }));
  const element = h("nav.rooms", { "aria-label": t("rooms.label") }, bar, body);

  const draw = () => {
    const { place } = state;
    body.hidden = title.hidden = !place;
    if (!place) return;
    title.firstElementChild.replaceChildren(name(place.workspace.name), h("span.faint", { "aria-hidden": "true" }, " ▾"));
    title.firstElementChild.setAttribute("aria-label", t("workspace.menu", { name: place.workspace.name }));
    drawRooms(channels, place, place.joined);
    drawRooms(people, place, place.direct);
  };
  const drawMe = () => bar.lastElementChild.replaceChildren(face(state.account.user_id, state.account.nickname, state.account.profileImage));
  for (const change of ["places", "rooms", "open"]) state.on(change, draw);
  state.on("counts", (place) => { if (place === state.place) draw(); });
  state.on("account", drawMe);
  element.addEventListener("keydown", (event) => arrows(event, element));
  draw();
  drawMe();
  return element;
}

function drawRooms(list, place, all) {
  keyed(list, all.slice(0, MOST), (room) => room.id, () => h("li", null, h("a.room")), (item, room) => {
    const link = item.firstElementChild;
    const look = `${room.name} ${room.picture}`;
    if (link.dataset.look !== look) {
      link.dataset.look = look;
      link.href = roomAddress(place, room);
      link.replaceChildren(
        room.kind === "channel" ? h("span.sign", { "aria-hidden": "true" }, "#") : face(room.person.user_id, room.name, room.picture),
        h("span.name", { dir: "auto" }, room.name), h("span.pill.warm"));
    }
    current(link, room === state.room);
    link.classList.toggle("new", room.count > 0);
    const pill = link.lastElementChild;
    pill.hidden = !room.count;
    pill.textContent = few(room.count);
    const label = t(room.kind === "channel" ? "room.channel" : "room.person", { name: room.name });
    link.setAttribute("aria-label", room.count ? t("room.unread", { name: label, n: room.count }) : label);
  });
}

function current(link, on) {
  if (on) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

/** A count as short as a pill. */
function few(count) {
  return count > 999 ? "999+" : `${count}`;
}

/** Arrow keys go through the rooms. */
function arrows(event, element) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
  const links = [...element.querySelectorAll("a.room")];
  const at = links.indexOf(document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
}

export function isApple() {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}

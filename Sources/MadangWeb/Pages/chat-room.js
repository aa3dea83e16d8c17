/**
 * The main part of the page: the open room with its head, chats and composer, or a kind word where none is open.
 * @module
 */

import { get } from "./chat-calls.js";
import { Composer, takeDrops } from "./chat-compose.js";
import { h, name } from "./elements.js";
import { isLive, wakeLive } from "./chat-live.js";
import { exploreChannels, invite, joinChannel, newChannel, newWorkspace, openPerson, openRoom } from "./chat-later.js";
import { roomAddress } from "./chat-route.js";
import { state } from "./chat-state.js";
import { Talk } from "./chat-talk.js";
import { t } from "./words.js";

/** Milliseconds before a missing connection is worth a word: a blink is none. */
const BLINK = 1200;

let shown;
/** Kept when the first room stands. */
export const firstRoom = new Promise((done) => { shown = done; });

export class RoomPane {
  constructor() {
    this.title = h("h1", { tabindex: "-1" });
    this.about = h("span.about.soft", { dir: "auto" });
    this.live = h("button.live.pill", { type: "button", onclick: () => wakeLive() });
    this.liveText = h("span", { role: "status" });
    this.members = h("button.button.plain.more", { type: "button", onclick: () => openRoom() });
    this.back = h("a.button.plain.back", { "aria-label": t("back") }, "‹");
    this.bar = h("header", null, this.back, this.title, this.about, h("span.space"), h("span.status", null, this.live), this.members);
    this.live.append(this.liveText);
    this.composer = new Composer({ onSent: () => this.talk.toNewest(), onPage: (direction) => this.talk.page(direction), onLast: () => this.talk.scroller.focus() });
    this.talk = new Talk({
      onPerson: openPerson,
      onEdit: (entry) => this.composer.edit(entry.text, entry.files),
      empty: beginning,
      onShown: () => { performance.mark("madang-room-shown"); shown(); },
    });
    this.none = h("section.none");
    this.element = h("section.room-pane", { id: "room", "aria-label": t("room.pane") }, this.bar, this.talk.element, this.composer.element, this.none);
    takeDrops(this.element, (files) => this.composer.add(files));
    this.element.append(h("div.drop-here", { "aria-hidden": "true" }, h("p", null, t("compose.drop", { n: state.server.limits.files }))));
    state.on("open", () => this.#opened());
    state.on("rooms", () => this.#drawBar());
    state.on("live", () => this.#liveChanged());
    for (const change of ["online", "offline"]) addEventListener(change, () => this.#liveChanged());
  }

  #room = null;
  #timer = 0;
  #countedRoom = null;
  #people = 0;

  /** Where nothing is open: `pending` is a channel that the address names and that is not joined. */
  showNone(pending) {
    const { place } = state;
    const say = (title, text, ...does) => this.none.replaceChildren(
      h("a.button.plain.back", { href: place ? roomAddress(place, null) : "#", hidden: !place, "aria-label": t("back") }, "‹"),
      h("div", null, h("img", { src: "/persimmon.svg", alt: "", width: "72", height: "64" }),
        h("h1", null, title), h("p.soft", null, text), h("div.does", null, does)));
    const button = (text, act, main) => h(`button.button${main ? ".main" : ""}`, { type: "button", onclick: act }, text);
    if (pending) {
      say(`# ${pending.name}`, pending.description || t("none.join"), button(t("channel.join"), () => joinChannel(place, pending), true));
    } else if (!place) {
      say(t("none.welcome", { name: state.account.nickname }), t("none.welcome.text", { email: state.account.email }), button(t("workspace.new"), () => newWorkspace(), true));
    } else if (place.loaded) {
      say(t("none.choose"), t("none.choose.text"), button(t("channel.explore"), () => exploreChannels(), true), button(t("channel.new"), () => newChannel()));
    } else {
      this.none.replaceChildren();
    }
  }

  #opened() {
    const { room, place } = state;
    const open = Boolean(room);
    for (const part of [this.bar, this.talk.element, this.composer.element]) part.hidden = !open;
    this.none.hidden = open;
    this.back.href = place ? roomAddress(place, null) : "#";
    if (room !== this.#room) {
      this.#room = room;
      this.composer.show(room);
      if (room) this.talk.show(room).then(() => this.#count(room));
      else this.talk.hide();
    }
    this.#drawBar();
    this.#liveChanged();
    if (!open) this.showNone(null);
  }

  #drawBar() {
    const { room } = state;
    if (!room) return;
    this.title.replaceChildren(room.kind === "channel" ? "# " : "", name(room.name));
    this.about.textContent = room.kind === "channel" ? room.about : room.person.email;
    const people = room === this.#countedRoom ? this.#people : 0;
    this.members.textContent = people ? t("members", { n: people }) : t(room.kind === "channel" ? "room.about" : "room.profile");
  }

  /** How many people are in a channel: read after its chats, which matter more. */
  async #count(room) {
    if (room.kind !== "channel") return;
    try {
      const people = await get(`${state.pathOf(room)}/members`);
      if (room !== state.room) return;
      this.#countedRoom = room;
      this.#people = people.length;
      this.#drawBar();
    } catch { /* the button has a word of its own */ }
  }

  #liveChanged() {
    const { room, live } = state;
    clearTimeout(this.#timer);
    if (!room) return;
    const good = live === "open" && isLive(room) && navigator.onLine;
    const show = () => {
      const text = good ? t("live.on") : !navigator.onLine ? t("live.offline") : t("live.off");
      this.live.className = `live pill ${good ? "good" : "warm"}`;
      this.live.disabled = good;
      this.liveText.textContent = text;
    };
    if (good || !this.liveText.textContent) return show();
    this.#timer = setTimeout(show, BLINK);
  }
}

/** What stands above the first chat of a room. */
function beginning(room, isEmpty) {
  const { place } = room;
  if (room.kind === "dm") {
    return h("div", null, h("h2", null, name(room.name)), h("p.soft", null, t(isEmpty ? "begin.person.empty" : "begin.person", { name: room.name })));
  }
  const owner = place.workspace.owner_id === state.account.user_id;
  return h("div", null, h("h2", null, "# ", name(room.name)),
    h("p.soft", null, room.about || t("begin.channel")),
    isEmpty && h("p.soft", null, t("begin.channel.empty")),
    isEmpty && owner && place.members.length < 2 && h("button.button", { type: "button", onclick: () => invite(place) }, t("workspace.invite")));
}

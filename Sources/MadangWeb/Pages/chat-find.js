/**
 * One field finds everything of a workspace: joined rooms at once, then all channels and members by the server's search.
 * @module
 */

import { get } from "./chat-calls.js";
import { joinChannel } from "./chat-channels.js";
import { openDialog } from "./dialogs.js";
import { face, h } from "./elements.js";
import { writeTo } from "./chat-people.js";
import { go, roomAddress } from "./chat-route.js";
import { state } from "./chat-state.js";
import { t } from "./words.js";

/** Results in all, and milliseconds of rest before the server is asked. */
const MOST = 30, REST = 180;

/** @param {{people?: boolean}} [options] `people`: only people are wanted */
export function openFind({ people = false } = {}) {
  const { place } = state;
  if (!place) return;
  const list = h("ul.results", { role: "listbox", id: "results", "aria-label": t("find.results") });
  const note = h("p.faint.small", { role: "status" });
  const title = t(people ? "person.new" : "find.title", { name: place.workspace.name });
  const field = h("input", {
    type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": "results", "aria-autocomplete": "list",
    autocomplete: "off", placeholder: t(people ? "find.people" : "find.field"), "aria-label": title, autofocus: true,
  });
  let results = [], at = 0, timer = 0, asked = 0, remote = null;

  const draw = () => {
    results = resultsFor(place, field.value, remote, people);
    at = Math.min(at, Math.max(results.length - 1, 0));
    list.replaceChildren(...results.map((one, index) => h(`li${index === at ? ".on" : ""}`, {
      role: "option", id: `result-${index}`, "aria-selected": index === at ? "true" : "false", onclick: () => choose(one),
    }, one.person ? face(one.person.user_id, one.text, one.person.profileImage) : h("span.sign", { "aria-hidden": "true" }, "#"),
    h("span.who", null, h("b", { dir: "auto" }, one.text), one.detail && h("span.soft", { dir: "auto" }, one.detail)),
    one.room?.count ? h("span.pill.warm", null, `${one.room.count}`) : one.mark && h("span.pill", null, one.mark))));
    if (results.length) field.setAttribute("aria-activedescendant", `result-${at}`);
    else field.removeAttribute("aria-activedescendant");
    list.querySelector(".on")?.scrollIntoView({ block: "nearest" });
    note.textContent = results.length ? "" : t("find.none");
    note.hidden = !note.textContent;
  };
  const choose = (one) => {
    dialog.close();
    if (one.room) go(roomAddress(place, one.room));
    else if (one.channel) joinChannel(place, one.channel);
    else writeTo(one.person, place);
  };
  const ask = async (text) => {
    const turn = ++asked;
    try {
      const found = await get(`/workspaces/${place.id}/search?keyword=${encodeURIComponent(text)}`);
      if (turn !== asked) return;
      remote = found;
      draw();
    } catch { /* the local results stay */ }
  };
  field.addEventListener("input", () => {
    asked++;
    at = 0;
    remote = null;
    draw();
    clearTimeout(timer);
    const text = field.value.trim().slice(0, 100);
    if (text) timer = setTimeout(() => ask(text), REST);
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step && results.length) {
      event.preventDefault();
      at = (at + step + results.length) % results.length;
      draw();
    } else if (event.key === "Enter" && results[at]) {
      event.preventDefault();
      choose(results[at]);
    }
  });
  const dialog = openDialog(title, [field, list, note], { kind: "finder", plain: true });
  draw();
}

function resultsFor(place, text, remote, people) {
  const wanted = text.trim().toLocaleLowerCase();
  const fits = (value) => value.toLocaleLowerCase().includes(wanted);
  const results = [];
  const seen = new Set([state.account.user_id]);
  const take = (id, result) => {
    if (seen.has(id) || results.length >= MOST) return;
    seen.add(id);
    results.push(result);
  };
  const rooms = people ? place.direct : [...place.rooms].sort((one, other) => (other.count > 0) - (one.count > 0));
  for (const room of rooms) {
    if (!fits(room.name) && !(room.person && fits(room.person.email))) continue;
    take(room.person?.user_id ?? room.id, { room, person: room.person, text: room.name, detail: room.person?.email });
  }
  if (wanted || people) {
    if (!people) {
      for (const channel of [...place.channels.filter((one) => fits(one.name)), ...remote?.channels ?? []]) {
        take(channel.channel_id, { channel, text: channel.name, detail: channel.description, mark: t("channel.join") });
      }
    }
    for (const person of [...place.members.filter((one) => fits(one.nickname) || fits(one.email)), ...remote?.workspaceMembers ?? []]) {
      take(person.user_id, { person, text: person.nickname, detail: person.email });
    }
  }
  return results;
}

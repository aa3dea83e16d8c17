/**
 * People of a workspace: lists of them, one of them, and how to write to one.
 * @module
 */

import { send } from "./chat-calls.js";
import { openDialog } from "./dialogs.js";
import { face, h, keyed, name } from "./elements.js";
import { goFrom, roomAddress } from "./chat-route.js";
import { state } from "./chat-state.js";
import { attempt } from "./chat-trouble.js";
import { t } from "./words.js";

/** People shown of a long list; the field above narrows it. */
const MOST = 60;

/** Opens the direct message with a person. */
export async function writeTo(person, place = state.place) {
  const { hash } = location;
  await attempt(async () => {
    const room = await send("POST", `/workspaces/${place.id}/dms`, { opponent_id: person.user_id });
    if (!state.roomOf(place, room.room_id)) await state.readPlace(place);
    goFrom(hash, roomAddress(place, state.roomOf(place, room.room_id)));
  }, { E13: t("person.gone") });
}

/** A card of a person. */
export function openPerson(person) {
  const me = person.user_id === state.account.user_id;
  const here = state.place?.members.some((one) => one.user_id === person.user_id);
  const dialog = openDialog(person.nickname, h("div.person-card", null,
    face(person.user_id, person.nickname, person.profileImage),
    h("p.big", null, name(person.nickname)),
    h("p.soft", { dir: "auto" }, person.email),
    me ? h("p.faint", null, t("person.you"))
      : here ? h("button.button.main", { type: "button", onclick: () => { dialog.close(); writeTo(person); } }, t("person.write"))
        : h("p.faint", null, t("person.left"))), { kind: "narrow" });
}

/**
 * A list of people with a field that narrows it.
 * @param {Array<object>} people
 * @param {{mark?: (person: object) => string, onChoose: (person: object) => void, label: string}} options
 */
export function peopleList(people, { mark, onChoose, label }) {
  const list = h("ul.people", { "aria-label": label });
  const more = h("p.faint.small");
  const draw = (text) => {
    const wanted = text.trim().toLocaleLowerCase();
    const found = wanted ? people.filter((one) => `${one.nickname} ${one.email}`.toLocaleLowerCase().includes(wanted)) : people;
    keyed(list, found.slice(0, MOST), (one) => one.user_id, (one) => h("li", null,
      h("button.choice", { type: "button", onclick: () => onChoose(one) },
        face(one.user_id, one.nickname, one.profileImage),
        h("span.who", null, h("b", null, name(one.nickname)), h("span.soft", { dir: "auto" }, one.email)),
        mark?.(one) && h("span.pill", null, mark(one)))));
    more.textContent = found.length > MOST ? t("people.more", { n: found.length - MOST }) : found.length ? "" : t("people.none");
    more.hidden = !more.textContent;
  };
  const field = people.length > 8 && h("input.narrowing", { type: "search", "aria-label": t("people.narrow"), placeholder: t("people.narrow"), oninput: (event) => draw(event.target.value) });
  draw("");
  return h("div.people-list", null, field, list, more);
}

/** Asks for one of several people. Resolves to null if the dialog is closed. */
export async function choosePerson(title, people, text) {
  let chosen = null;
  const dialog = openDialog(title, [
    text && h("p.soft", null, text),
    peopleList(people, { label: title, onChoose: (person) => { chosen = person; dialog.close(); } }),
  ]);
  await dialog.closed;
  return chosen;
}

/**
 * Channels: find and join, create, edit, members, hand over, leave, delete.
 * @module
 */

import { get, send } from "./chat-calls.js";
import { confirmed, openDialog } from "./dialogs.js";
import { h, keyed, name, toast } from "./elements.js";
import { form } from "./form.js";
import { choosePerson, openPerson, peopleList } from "./chat-people.js";
import { pictureField } from "./chat-picture-field.js";
import { goFrom, roomAddress } from "./chat-route.js";
import { state } from "./chat-state.js";
import { attempt, explain } from "./chat-trouble.js";
import { filled } from "./chat-workspaces.js";
import { t } from "./words.js";

/** Channels shown of a long list. */
const MOST = 100;

/** All channels of the workspace: join one, or make one. */
export async function exploreChannels() {
  const { place } = state;
  if (!place) return;
  const list = h("ul.people", { "aria-label": t("channel.explore") });
  const note = h("p.faint.small");
  const field = place.channels.length > 8 && h("input.narrowing", { type: "search", "aria-label": t("channel.narrow"), placeholder: t("channel.narrow"), oninput: () => draw() });
  const draw = () => {
    const wanted = (field ? field.value : "").trim().toLocaleLowerCase();
    const found = place.channels.filter((one) => one.name.toLocaleLowerCase().includes(wanted));
    keyed(list, found.slice(0, MOST), (one) => one.channel_id, (one) => {
      const joined = state.roomOf(place, one.channel_id);
      return h("li", null, h("button.choice", { type: "button", onclick: () => { dialog.close(); joinChannel(place, one); } },
        h("span.sign", { "aria-hidden": "true" }, "#"),
        h("span.who", null, h("b", null, name(one.name)), one.description && h("span.soft", { dir: "auto" }, one.description)),
        h(`span.pill${joined ? "" : ".warm"}`, null, joined ? t("channel.joined") : t("channel.join"))));
    });
    note.textContent = found.length > MOST ? t("people.more", { n: found.length - MOST }) : found.length ? "" : t("channel.none");
    note.hidden = !note.textContent;
  };
  const dialog = openDialog(t("channel.explore"), [
    h("div.does", null, h("button.button.main", { type: "button", onclick: () => { dialog.close(); newChannel(); } }, t("channel.new"))),
    field, list, note,
  ]);
  draw();
  try {
    await state.readPlace(place);
    draw();
  } catch { /* the list stays as it was */ }
}

/** Opens a channel, and joins it if it is not joined: reading its history does. */
export async function joinChannel(place, channel) {
  const { hash } = location;
  await attempt(async () => {
    if (!state.roomOf(place, channel.channel_id)) {
      await get(`/workspaces/${place.id}/channels/${channel.channel_id}/chats?cursor_date=${encodeURIComponent(new Date(Date.now() + 86_400_000).toISOString())}`);
      await state.readPlace(place);
    }
    const room = state.roomOf(place, channel.channel_id);
    if (room) goFrom(hash, roomAddress(place, room));
  }, { E13: t("channel.gone") });
}

/** The form of a new channel. */
export function newChannel() {
  const { place } = state;
  if (!place) return;
  const picture = pictureField({ id: "new", text: "#", picture: null, label: t("picture.choose") });
  const dialog = openDialog(t("channel.new"), form({
    fields: [
      { name: "name", label: t("channel.name"), required: true, most: 30, autofocus: true },
      { name: "description", label: t("channel.about"), type: "textarea", most: 1000 }, picture.element],
    submit: t("channel.make"),
    explain: (error) => explain(error, { E12: t("channel.taken"), E11: t("channel.badname") }),
    action: async (values) => {
      const { hash } = location;
      const channel = await send("POST", `/workspaces/${place.id}/channels`, filled(values, picture.file()));
      dialog.close();
      await state.readPlace(place);
      goFrom(hash, roomAddress(place, state.roomOf(place, channel.channel_id)));
    },
  }));
}

/** The sheet of the open room. */
export async function openRoom(room = state.room) {
  if (!room) return;
  if (room.kind === "dm") return openPerson(room.person);
  const owner = room.owner === state.account.user_id;
  const path = state.pathOf(room);
  const then = (act) => () => { dialog.close(); act(room); };
  const members = h("div.people-list", null, h("p.faint", null, t("loading")));
  const dialog = openDialog(`# ${room.name}`, [
    room.about && h("p.soft.about", { dir: "auto" }, room.about),
    h("div.does", null,
      owner && h("button.button", { type: "button", onclick: then(edit) }, t("edit")),
      owner && !isDefault(room) && h("button.button", { type: "button", onclick: then(handOver) }, t("handover")),
      !owner && !isDefault(room) && h("button.button", { type: "button", onclick: then(leave) }, t("channel.leave")),
      owner && !isDefault(room) && h("button.button.grave", { type: "button", onclick: then(remove) }, t("delete"))),
    isDefault(room) && h("p.faint.small", null, t("channel.default")),
    members,
  ]);
  try {
    const people = await get(`${path}/members`);
    members.replaceChildren(h("h3", null, t("members", { n: people.length })), peopleList(people, {
      label: t("members", { n: people.length }),
      mark: (one) => one.user_id === room.owner ? t("owner") : "",
      onChoose: (one) => { dialog.close(); openPerson(one); },
    }));
  } catch (error) {
    members.replaceChildren(h("p.soft", null, explain(error)));
  }
}

/** The channel that came with the workspace: the oldest. */
function isDefault(room) {
  const { channels } = room.place;
  return channels.length > 0 && channels[channels.length - 1].channel_id === room.id;
}

function edit(room) {
  const picture = pictureField({ id: room.id, text: room.name, picture: room.picture, label: t("picture.choose") });
  const dialog = openDialog(t("channel.edit"), form({
    fields: [
      { name: "name", label: t("channel.name"), value: room.name, required: true, most: 30 },
      { name: "description", label: t("channel.about"), type: "textarea", value: room.about, most: 1000 }, picture.element],
    submit: t("save"),
    explain: (error) => explain(error, { E12: t("channel.taken"), E11: isDefault(room) ? t("channel.default") : t("channel.badname") }),
    action: async (values) => {
      await send("PUT", state.pathOf(room), filled(values, picture.file()));
      dialog.close();
      await state.readPlace(room.place);
      state.tell("open");
    },
  }));
}

async function handOver(room) {
  let people = [];
  if (!await attempt(async () => { people = await get(`${state.pathOf(room)}/members`); })) return;
  const person = await choosePerson(t("handover.title"), people.filter((one) => one.user_id !== state.account.user_id), t("handover.channel"));
  if (!person) return;
  if (!await confirmed({ title: t("handover.title"), text: t("handover.sure", { name: person.nickname, what: `#${room.name}` }), yes: t("handover") })) return;
  await attempt(async () => {
    await send("PUT", `${state.pathOf(room)}/transfer/ownership`, { owner_id: person.user_id });
    await state.readPlace(room.place);
    toast(t("handover.done", { name: person.nickname }));
  });
}

async function leave(room) {
  if (!await confirmed({ title: t("channel.leave"), text: t("channel.leave.sure", { name: room.name }), yes: t("leave"), grave: true })) return;
  const { hash } = location;
  await attempt(async () => {
    await get(`${state.pathOf(room)}/exit`);
    await gone(room, hash);
  }, { E15: t("channel.leave.owner"), E11: t("channel.default") });
}

async function remove(room) {
  if (!await confirmed({ title: t("channel.delete"), text: t("channel.delete.sure", { name: room.name }), yes: t("delete"), grave: true })) return;
  const { hash } = location;
  await attempt(async () => {
    await send("DELETE", state.pathOf(room));
    await gone(room, hash);
  }, { E11: t("channel.default") });
}

async function gone(room, hash) {
  state.forgetHistory(room);
  await state.readPlace(room.place);
  goFrom(hash, roomAddress(room.place, null), true);
}

/**
 * Workspaces: create, edit, members, invite, hand over, leave, delete.
 * @module
 */

import { get, send } from "./chat-calls.js";
import { confirmed, openDialog } from "./dialogs.js";
import { h, toast } from "./elements.js";
import { form } from "./form.js";
import { choosePerson, openPerson, peopleList } from "./chat-people.js";
import { pictureField } from "./chat-picture-field.js";
import { go, goFrom, roomAddress } from "./chat-route.js";
import { state } from "./chat-state.js";
import { attempt, explain } from "./chat-trouble.js";
import { t } from "./words.js";

function isOwner(place) {
  return place.workspace.owner_id === state.account.user_id;
}

/** The form of a new workspace. */
export function newWorkspace() {
  const cost = state.server.coins?.workspace ?? 0;
  const picture = pictureField({ id: "new", text: "+", picture: null, label: t("picture.choose") });
  const dialog = openDialog(t("workspace.new"), form({
    fields: [picture.element,
      { name: "name", label: t("workspace.name"), required: true, most: 30, autofocus: true },
      { name: "description", label: t("workspace.about"), type: "textarea", most: 1000 },
      cost ? h("p.soft.small", null, t("workspace.cost", { n: cost, have: state.account.sesacCoin })) : h("span", { hidden: true })],
    submit: t("workspace.make"),
    explain: (error) => explain(error, { E12: t("workspace.taken"), E21: t("workspace.poor"), E11: t("form.refused") }),
    action: async (values) => {
      const { hash } = location;
      const workspace = await send("POST", "/workspaces", filled(values, picture.file()));
      dialog.close();
      await state.readPlaces();
      const { account } = state;
      get("/users/me").then((me) => state.account === account && state.setAccount(me)).catch(() => {});
      goFrom(hash, roomAddress(state.placeOf(workspace.workspace_id), null));
    },
  }));
}

/** A form with name, description and perhaps a picture. */
export function filled(values, file) {
  const body = new FormData();
  body.append("name", values.name);
  body.append("description", values.description);
  if (file) body.append("image", file);
  return body;
}

/** The sheet of a workspace: what it is, who is in it, what can be done. */
export function openWorkspace(place = state.place) {
  if (!place) return;
  const { workspace } = place;
  const owner = isOwner(place);
  const then = (act) => () => { dialog.close(); act(place); };
  const dialog = openDialog(workspace.name, [
    workspace.description && h("p.soft.about", { dir: "auto" }, workspace.description),
    h("div.does", null,
      owner && h("button.button.main", { type: "button", onclick: then(invite) }, t("workspace.invite")),
      owner && h("button.button", { type: "button", onclick: then(edit) }, t("edit")),
      owner && h("button.button", { type: "button", onclick: then(handOver) }, t("handover")),
      !owner && h("button.button", { type: "button", onclick: then(leave) }, t("workspace.leave")),
      owner && h("button.button.grave", { type: "button", onclick: then(remove) }, t("delete"))),
    !owner && h("p.faint.small", null, t("workspace.owner", { name: nicknameOf(place, workspace.owner_id) })),
    h("h3", null, t("members", { n: place.members.length })),
    peopleList(place.members, {
      label: t("members", { n: place.members.length }),
      mark: (one) => one.user_id === workspace.owner_id ? t("owner") : "",
      onChoose: (one) => { dialog.close(); openPerson(one); },
    }),
  ]);
}

function nicknameOf(place, id) {
  return place.members.find((one) => one.user_id === id)?.nickname ?? t("person.unknown");
}

/** Invites a person by e-mail. */
export function invite(place = state.place) {
  const dialog = openDialog(t("invite.title", { name: place.workspace.name }), form({
    fields: [h("p.soft", null, t("invite.text")),
      { name: "email", label: t("email"), type: "email", required: true, autocomplete: "off", autofocus: true }],
    submit: t("invite.send"),
    explain: (error) => explain(error, { E12: t("invite.already"), E13: t("invite.unknown"), E11: t("form.wrong", { field: t("email") }) }),
    action: async ({ email }) => {
      const person = await send("POST", `/workspaces/${place.id}/members`, { email });
      dialog.close();
      toast(t("invite.done", { name: person.nickname }));
      await state.readPlace(place);
    },
  }));
}

function edit(place) {
  const { workspace } = place;
  const picture = pictureField({ id: place.id, text: workspace.name, picture: workspace.coverImage, label: t("picture.choose") });
  const dialog = openDialog(t("workspace.edit"), form({
    fields: [picture.element,
      { name: "name", label: t("workspace.name"), value: workspace.name, required: true, most: 30 },
      { name: "description", label: t("workspace.about"), type: "textarea", value: workspace.description, most: 1000 }],
    submit: t("save"),
    explain: (error) => explain(error, { E12: t("workspace.taken"), E11: t("form.refused") }),
    action: async (values) => {
      await send("PUT", `/workspaces/${place.id}`, filled(values, picture.file()));
      dialog.close();
      await state.readPlaces();
      await state.readPlace(place);
    },
  }));
}

async function handOver(place) {
  const others = place.members.filter((one) => one.user_id !== state.account.user_id);
  const person = await choosePerson(t("handover.title"), others, t("handover.workspace"));
  if (!person) return;
  if (!await confirmed({ title: t("handover.title"), text: t("handover.sure", { name: person.nickname, what: place.workspace.name }), yes: t("handover") })) return;
  await attempt(async () => {
    await send("PUT", `/workspaces/${place.id}/transfer/ownership`, { owner_id: person.user_id });
    await state.readPlaces();
    await state.readPlace(place);
    toast(t("handover.done", { name: person.nickname }));
  });
}

async function leave(place) {
  if (!await confirmed({ title: t("workspace.leave"), text: t("workspace.leave.sure", { name: place.workspace.name }), yes: t("leave"), grave: true })) return;
  await attempt(async () => {
    const { hash } = location;
    await get(`/workspaces/${place.id}/exit`);
    await state.readPlaces();
    goHome(hash);
  }, { E15: t("workspace.leave.owner") });
}

async function remove(place) {
  if (!await confirmed({ title: t("workspace.delete"), text: t("workspace.delete.sure", { name: place.workspace.name }), yes: t("delete"), grave: true })) return;
  await attempt(async () => {
    const { hash } = location;
    await send("DELETE", `/workspaces/${place.id}`);
    await state.readPlaces();
    goHome(hash);
  });
}

function goHome(before) {
  const [first] = state.places;
  const home = first ? roomAddress(first, null) : "#";
  // With no workspace open there is no page to stay on.
  if (state.place) goFrom(before, home, true);
  else go(home, true);
}

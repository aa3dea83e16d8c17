/**
 * People: read a person's rooms, and act as the person.
 * @module
 */

import { as, get, post } from "./console-api.js";
import { button, empty, field, fill, formOf, input, select } from "./console-dom.js";
import { face, h, keyed } from "./elements.js";
import { t } from "./words.js";

const SHOWN = 300;
const CHATS = 60;

export default function page(app, [email, ...rest]) {
  const list = h("ul.people", { "aria-label": t("page.people") });
  const search = input({ type: "search", placeholder: t("people.find"), "aria-label": t("people.find"), oninput: () => draw() });
  const pane = h("div.person");
  let people = [];
  const row = (one) =>
    h("li", null,
      h("a", { href: app.link("people", one.email), "aria-current": one.email === email && "true" },
        face(one.id, one.nickname),
        h("span", null, h("bdi", null, one.nickname), h("span.soft.mono", null, one.email))));
  const draw = () => {
    const wanted = search.value.toLowerCase();
    const found = people.filter((one) => `${one.nickname} ${one.email}`.toLowerCase().includes(wanted));
    keyed(list, found.slice(0, SHOWN), (one) => one.email, row);
  };
  get(app.world, "people").then((got) => {
    people = got;
    draw();
    const person = people.find((one) => one.email === email);
    if (person) showPerson(app, pane, person, rest.join("/"));
    else if (people.length) fill(pane, empty(t("people.choose"), t("people.chooseWhy")));
    else fill(pane, empty(t("people.none"), t("people.noneWhy")));
  }).catch(app.fail);
  return {
    title: t("page.people"),
    node: h(email ? "div.page.split.chosen" : "div.page.split", null,
      h("section.side", { "aria-label": t("page.people") }, search, list),
      pane),
  };
}

/** Opens the chat for browsers as a person. The server signs this browser in; at another address the cookie would not count. */
async function chatAs(app, { email }) {
  // Browsers open a tab only at once after a press.
  const tab = open("about:blank");
  const answer = await app.doing(post(app.world, `people/${encodeURIComponent(email)}/browser`));
  if (!tab) return;
  if (!/^https?:/.test(answer?.url ?? "")) return tab.close();
  tab.opener = null;
  tab.location.replace(answer.url);
}

/** Workspaces of a person with their channels, joined or not, and direct messages. */
async function readRooms(app, { email }) {
  const found = [];
  for (const workspace of await as(app.world, email, "workspaces")) {
    const lists = ["channels", "my-channels", "dms"].map((one) =>
      as(app.world, email, `workspaces/${workspace.workspace_id}/${one}`));
    const [channels, mine, dms] = await Promise.all(lists);
    const own = new Set(mine.map((one) => one.channel_id));
    const rooms = channels.map(({ name, channel_id: id }) => ({
      workspace, name: `#${name}`, path: `channels/${id}`, place: `${workspace.name}/${name}`, joined: own.has(id),
    }));
    for (const { user, room_id: id } of dms) {
      rooms.push({ workspace, name: user.nickname, path: `dms/${id}`, to: user.email, place: workspace.name, joined: true });
    }
    found.push({ workspace, rooms });
  }
  return found;
}

async function showPerson(app, pane, person, where) {
  const room = h("div.room");
  const rooms = h("ul.rooms", { "aria-label": t("people.rooms") });
  fill(pane,
    h("header.person-head", null,
      face(person.id, person.nickname),
      h("div", null, h("h2", null, h("bdi", null, person.nickname)), h("p.soft.mono", null, person.email)),
      h("div.acts", null,
        h("a.button.back", { href: app.link("people") }, t("back")),
        app.about.chat ? button(t("people.chat", { who: person.nickname }), () => chatAs(app, person)) : null,
        h("a.button", { href: app.link("live", `?person:${person.email.split("@")[0]}`) }, t("people.traffic")))),
    h("p.soft", null, t("people.lead")),
    h("div.rooms-and-room", null, rooms, room),
    joinForm(app, person));
  try {
    const found = await readRooms(app, person);
    const all = found.flatMap((one) => one.rooms);
    const link = (one) =>
      h("a", { href: app.link("people", person.email, one.path), "aria-current": one.path === where && "true" },
        h("bdi", null, one.name),
        one.joined ? null : h("span.pill", null, t("people.notIn")));
    fill(rooms,
      found.map(({ workspace, rooms: some }) => [
        h("li.workspace", null, h("bdi", null, workspace.name)),
        some.map((one) => h("li", null, link(one))),
      ]));
    const chosen = all.find((one) => one.path === where);
    if (chosen) showRoom(app, room, person, chosen);
    else if (all.length) fill(room, empty(t("people.chooseRoom"), t("people.chooseRoomWhy")));
    else fill(room, empty(t("people.nowhere"), t("people.nowhereWhy")));
  } catch (error) {
    app.fail(error);
  }
}

const chatRow = ({ user, createdAt, content, files }) =>
  h("li", null,
    face(user.user_id, user.nickname),
    h("div", null,
      h("p", null,
        h("b", null, h("bdi", null, user.nickname)),
        h("span.faint.mono", null, ` ${createdAt.slice(0, 16).replace("T", " ")}`)),
      content ? h("p.said-text", { dir: "auto" }, content) : null,
      files.length ? h("p.soft", null, t("row.files", { n: files.length })) : null));

function showRoom(app, node, person, room) {
  const list = h("ol.chats", { tabindex: "0", "aria-label": room.name });
  const invitation = t("people.write", { who: person.nickname });
  const text = input({ "aria-label": invitation, placeholder: invitation }, "grow");
  const many = [1, 2, 5].map((n) => [String(n), t("people.files", { n })]);
  const files = select([["0", t("people.noFiles")], ...many], "0", { "aria-label": t("people.pictures") });
  let last = null;
  const read = async () => {
    // Reading the history of a channel joins it: only members are asked.
    if (!room.joined) return fill(list, h("li.soft", null, t("people.joinFirst")));
    const whole = await as(app.world, person.email, `workspaces/${room.workspace.workspace_id}/${room.path}/chats`);
    const chats = whole.slice(-CHATS);
    const mark = chats.map((one) => one.chat_id ?? one.dm_id).join();
    if (mark === last) return;
    last = mark;
    if (!chats.length) return fill(list, h("li.soft", null, t("people.silent")));
    keyed(list, chats, (one) => one.chat_id ?? one.dm_id, chatRow);
    list.scrollTop = list.scrollHeight;
  };
  const join = async () => {
    if (await app.doing(post(app.world, `people/${encodeURIComponent(person.email)}/join`, { in: room.place }))) app.again();
  };
  app.every(2000, () => read().catch(() => {}));
  fill(node,
    h("h3", null, h("bdi", null, room.name)),
    list,
    formOf("composer",
      async () => {
        const body = room.to ? { to: room.to, in: room.place } : { in: room.place };
        if (text.value) body.text = text.value;
        if (files.value !== "0") body.files = Number(files.value);
        const typed = [text.value, files.value];
        [text.value, files.value] = ["", "0"];
        if (await app.doing(post(app.world, `people/${encodeURIComponent(person.email)}/post`, body))) read().catch(app.fail);
        else if (!text.value) [text.value, files.value] = typed;
      },
      text,
      files,
      h("button.button.main", null, t("people.post"))),
    room.joined || room.to ? null : button(t("people.join"), join));
  read().catch(app.fail);
}

function joinForm(app, person) {
  const where = input({ placeholder: "Weekend/ios" }, "mono");
  const act = (name) => async () => {
    if (!where.value.trim()) return where.focus();
    const call = post(app.world, `people/${encodeURIComponent(person.email)}/${name}`, { in: where.value.trim() });
    const done = await app.doing(call, () => t(`people.${name}ed`, { who: person.nickname, where: where.value.trim() }));
    if (done) app.again();
  };
  return formOf("form.row-form",
    act("join"),
    field(t("people.where"), where, t("people.whereHint")),
    h("button.button", null, t("people.join")),
    button(t("people.leave"), act("leave")));
}

// People: read a person's rooms, and act as the person.

import { as, get, post } from "./console-api.js";
import { button, empty, field, fill, h, input, keyed, select } from "./console-dom.js";
import { t } from "./console-text.js";

const SHOWN = 300;
const CHATS = 60;

export default function page(app, [email, ...rest]) {
  const list = h("ul", { class: "people", "aria-label": t("page.people") });
  const search = input({ type: "search", placeholder: t("people.find"), "aria-label": t("people.find"), oninput: () => draw() });
  const pane = h("div", { class: "person" });
  let people = [];
  const draw = () => {
    const wanted = search.value.toLowerCase();
    keyed(list, people.filter((one) => `${one.nickname} ${one.email}`.toLowerCase().includes(wanted)).slice(0, SHOWN), (one) => one.email, (one) => h("li", {}, h("a", { href: app.link("people", one.email) }, face(one), h("span", {}, h("bdi", {}, one.nickname), h("span", { class: "soft mono" }, one.email)))),
      (element, one) => { const link = element.firstChild; if (one.email === email) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current"); });
  };
  get(app.world, "people").then((got) => {
    people = got;
    draw();
    const person = people.find((one) => one.email === email);
    if (person) showPerson(app, pane, person, rest.join("/"));
    else fill(pane, people.length ? empty(t("people.choose"), t("people.chooseWhy")) : empty(t("people.none"), t("people.noneWhy")));
  }).catch(app.fail);
  return { title: t("page.people"), node: h("div", { class: `page split ${email ? "chosen" : ""}` }, h("section", { class: "side", "aria-label": t("page.people") }, search, list), pane) };
}

/** The first letter on a colour that stays the person's. The chat has the same eight colours. */
export function face({ nickname, id }) {
  let sum = 0;
  for (const letter of id ?? nickname) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
  const first = [...new Intl.Segmenter().segment(nickname.trim().slice(0, 40))][0]?.segment ?? "·";
  return h("span", { class: `face c${sum % 8}`, "aria-hidden": "true" }, first.toUpperCase());
}

async function showPerson(app, pane, person, where) {
  const room = h("div", { class: "room" });
  const rooms = h("ul", { class: "rooms", "aria-label": t("people.rooms") });
  fill(pane, h("header", { class: "person-head" }, face(person), h("div", {}, h("h2", {}, h("bdi", {}, person.nickname)), h("p", { class: "soft mono" }, person.email)),
    h("div", { class: "acts" }, h("a", { class: "button back", href: app.link("people") }, t("back")), h("a", { class: "button", href: app.chatAs(person.email), target: "_blank", rel: "noopener" }, t("people.chat", { who: person.nickname })),
      h("a", { class: "button", href: app.link("live", `?person:${person.email.split("@")[0]}`) }, t("people.traffic")))),
    h("p", { class: "soft" }, t("people.lead")), h("div", { class: "rooms-and-room" }, rooms, room), joinForm(app, person));
  try {
    const found = [];
    for (const workspace of await as(app.world, person.email, "workspaces")) {
      const [channels, mine, dms] = await Promise.all(["channels", "my-channels", "dms"].map((one) => as(app.world, person.email, `workspaces/${workspace.workspace_id}/${one}`)));
      const own = new Set(mine.map((one) => one.channel_id));
      found.push({ workspace, rooms: [...channels.map((one) => ({ name: `#${one.name}`, path: `channels/${one.channel_id}`, place: `${workspace.name}/${one.name}`, joined: own.has(one.channel_id) })), ...dms.map((one) => ({ name: one.user.nickname, path: `dms/${one.room_id}`, to: one.user.email, place: workspace.name, joined: true }))] });
    }
    const all = found.flatMap(({ workspace, rooms: some }) => some.map((one) => ({ ...one, workspace })));
    fill(rooms, found.map(({ workspace, rooms: some }) => [h("li", { class: "workspace" }, h("bdi", {}, workspace.name)), ...some.map((one) => h("li", {}, h("a", { href: app.link("people", person.email, one.path), "aria-current": one.path === where ? "true" : undefined }, h("bdi", {}, one.name), one.joined ? null : h("span", { class: "pill" }, t("people.notIn")))))]));
    const chosen = all.find((one) => one.path === where);
    if (chosen) showRoom(app, room, person, chosen); else fill(room, empty(all.length ? t("people.chooseRoom") : t("people.nowhere"), all.length ? t("people.chooseRoomWhy") : t("people.nowhereWhy")));
  } catch (error) { app.fail(error); }
}

function showRoom(app, node, person, room) {
  const list = h("ol", { class: "chats", tabindex: "0", "aria-label": room.name });
  const text = input({ "aria-label": t("people.write", { who: person.nickname }), placeholder: t("people.write", { who: person.nickname }), class: "grow" });
  const files = select(["0", "1", "2", "5"].map((one) => [one, one === "0" ? t("people.noFiles") : t("people.files", { n: Number(one) })]), "0", { "aria-label": t("people.pictures") });
  let last = null;
  const read = async () => {
    // Reading the history of a channel joins it: only members are asked.
    if (!room.joined) return fill(list, h("li", { class: "soft" }, t("people.joinFirst")));
    const chats = (await as(app.world, person.email, `workspaces/${room.workspace.workspace_id}/${room.path}/chats`)).slice(-CHATS);
    const mark = chats.map((one) => one.chat_id ?? one.dm_id).join();
    if (mark === last) return;
    last = mark;
    if (!chats.length) return fill(list, h("li", { class: "soft" }, t("people.silent")));
    keyed(list, chats, (one) => one.chat_id ?? one.dm_id, (one) => h("li", {}, face({ nickname: one.user.nickname, id: one.user.user_id }), h("div", {}, h("p", {}, h("b", {}, h("bdi", {}, one.user.nickname)), h("span", { class: "faint mono" }, ` ${one.createdAt.slice(0, 16).replace("T", " ")}`)), one.content ? h("p", { class: "said-text", dir: "auto" }, one.content) : null, one.files.length ? h("p", { class: "soft" }, t("row.files", { n: one.files.length })) : null)));
    list.scrollTop = list.scrollHeight;
  };
  app.every(2000, () => read().catch(() => {}));
  fill(node, h("h3", {}, h("bdi", {}, room.name)), list, h("form", { class: "composer", onsubmit: async (event) => {
    event.preventDefault();
    const body = room.to ? { to: room.to, in: room.place } : { in: room.place };
    if (text.value) body.text = text.value;
    if (files.value !== "0") body.files = Number(files.value);
    if (await app.doing(post(app.world, `people/${encodeURIComponent(person.email)}/post`, body))) { text.value = ""; files.value = "0"; read().catch(app.fail); }
  } }, text, files, h("button", { class: "button main" }, t("people.post"))), room.joined || room.to ? null : button(t("people.join"), () => app.doing(post(app.world, `people/${encodeURIComponent(person.email)}/join`, { in: room.place })).then((done) => done && app.again())));
  read().catch(app.fail);
}

function joinForm(app, person) {
  const where = input({ placeholder: "Weekend/ios", class: "mono" });
  const act = (name) => async () => {
    if (!where.value.trim()) { where.focus(); return; }
    if (await app.doing(post(app.world, `people/${encodeURIComponent(person.email)}/${name}`, { in: where.value.trim() }), () => t(`people.${name}ed`, { who: person.nickname, where: where.value.trim() }))) app.again();
  };
  return h("form", { class: "form row-form", onsubmit: (event) => { event.preventDefault(); act("join")(); } }, field(t("people.where"), where, t("people.whereHint")), h("button", { class: "button" }, t("people.join")), button(t("people.leave"), act("leave")));
}

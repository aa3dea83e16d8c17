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
  const draw = () => {
    const wanted = search.value.toLowerCase();
    keyed(
      list,
      people.filter((one) => `${one.nickname} ${one.email}`.toLowerCase().includes(wanted)).slice(0, SHOWN),
      (one) => one.email,
      (one) =>
        h("li", null,
          h("a", { href: app.link("people", one.email) },
            face(one.id, one.nickname),
            h("span", null, h("bdi", null, one.nickname), h("span.soft.mono", null, one.email)))),
      (element, one) => {
        const link = element.firstChild;
        if (one.email === email) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      },
    );
  };
  get(app.world, "people").then((got) => {
    people = got;
    draw();
    const person = people.find((one) => one.email === email);
    if (person) showPerson(app, pane, person, rest.join("/"));
    else {fill(
        pane,
        people.length ? empty(t("people.choose"), t("people.chooseWhy")) : empty(t("people.none"), t("people.noneWhy")),
      );}
  }).catch(app.fail);
  return {
    title: t("page.people"),
    node: h(email ? "div.page.split.chosen" : "div.page.split", null,
      h("section.side", { "aria-label": t("page.people") }, search, list),
      pane),
  };
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
        h("a.button", { href: app.chatAs(person.email), target: "_blank", rel: "noopener" },
          t("people.chat", { who: person.nickname })),
        h("a.button", { href: app.link("live", `?person:${person.email.split("@")[0]}`) }, t("people.traffic")))),
    h("p.soft", null, t("people.lead")),
    h("div.rooms-and-room", null, rooms, room),
    joinForm(app, person));
  try {
    const found = [];
    for (const workspace of await as(app.world, person.email, "workspaces")) {
      const [channels, mine, dms] = await Promise.all(
        ["channels", "my-channels", "dms"].map((one) =>
          as(app.world, person.email, `workspaces/${workspace.workspace_id}/${one}`)
        ),
      );
      const own = new Set(mine.map((one) => one.channel_id));
      found.push({
        workspace,
        rooms: [
          ...channels.map((one) => ({
            name: `#${one.name}`,
            path: `channels/${one.channel_id}`,
            place: `${workspace.name}/${one.name}`,
            joined: own.has(one.channel_id),
          })),
          ...dms.map((one) => ({
            name: one.user.nickname,
            path: `dms/${one.room_id}`,
            to: one.user.email,
            place: workspace.name,
            joined: true,
          })),
        ],
      });
    }
    const all = found.flatMap(({ workspace, rooms: some }) => some.map((one) => ({ ...one, workspace })));
    fill(rooms,
      found.map(({ workspace, rooms: some }) => [
        h("li.workspace", null, h("bdi", null, workspace.name)),
        ...some.map((one) =>
          h("li", null,
            h("a", { href: app.link("people", person.email, one.path), "aria-current": one.path === where ? "true" : undefined },
              h("bdi", null, one.name),
              one.joined ? null : h("span.pill", null, t("people.notIn"))))
        ),
      ]));
    const chosen = all.find((one) => one.path === where);
    if (chosen) showRoom(app, room, person, chosen);
    else {fill(
        room,
        empty(all.length ? t("people.chooseRoom") : t("people.nowhere"),
          all.length ? t("people.chooseRoomWhy") : t("people.nowhereWhy")),
      );}
  } catch (error) {
    app.fail(error);
  }
}

function showRoom(app, node, person, room) {
  const list = h("ol.chats", { tabindex: "0", "aria-label": room.name });
  const invitation = t("people.write", { who: person.nickname });
  const text = input({ "aria-label": invitation, placeholder: invitation }, "grow");
  const files = select(
    ["0", "1", "2", "5"].map((one) => [one, one === "0" ? t("people.noFiles") : t("people.files", { n: Number(one) })]),
    "0",
    { "aria-label": t("people.pictures") },
  );
  let last = null;
  const read = async () => {
    // Reading the history of a channel joins it: only members are asked.
    if (!room.joined) return fill(list, h("li.soft", null, t("people.joinFirst")));
    const chats = (await as(app.world, person.email, `workspaces/${room.workspace.workspace_id}/${room.path}/chats`)).slice(
      -CHATS,
    );
    const mark = chats.map((one) => one.chat_id ?? one.dm_id).join();
    if (mark === last) return;
    last = mark;
    if (!chats.length) return fill(list, h("li.soft", null, t("people.silent")));
    keyed(
      list,
      chats,
      (one) => one.chat_id ?? one.dm_id,
      (one) =>
        h("li", null,
          face(one.user.user_id, one.user.nickname),
          h("div", null,
            h("p", null,
              h("b", null, h("bdi", null, one.user.nickname)),
              h("span.faint.mono", null, ` ${one.createdAt.slice(0, 16).replace("T", " ")}`)),
            one.content ? h("p.said-text", { dir: "auto" }, one.content) : null,
            one.files.length ? h("p.soft", null, t("row.files", { n: one.files.length })) : null)),
    );
    list.scrollTop = list.scrollHeight;
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
        if (await app.doing(post(app.world, `people/${encodeURIComponent(person.email)}/post`, body))) {
          text.value = "";
          files.value = "0";
          read().catch(app.fail);
        }
      },
      text,
      files,
      h("button.button.main", null, t("people.post"))),
    room.joined || room.to ? null : button(t("people.join"),
      () =>
        app.doing(post(app.world, `people/${encodeURIComponent(person.email)}/join`, { in: room.place })).then((done) =>
          done && app.again()
        )));
  read().catch(app.fail);
}

function joinForm(app, person) {
  const where = input({ placeholder: "Weekend/ios" }, "mono");
  const act = (name) => async () => {
    if (!where.value.trim()) {
      where.focus();
      return;
    }
    if (
      await app.doing(
        post(app.world, `people/${encodeURIComponent(person.email)}/${name}`, { in: where.value.trim() }),
        () => t(`people.${name}ed`, { who: person.nickname, where: where.value.trim() }),
      )
    ) app.again();
  };
  return formOf("form.row-form",
    () => {
      act("join")();
    },
    field(t("people.where"), where, t("people.whereHint")),
    h("button.button", null, t("people.join")),
    button(t("people.leave"), act("leave")));
}

/**
 * One chat as an element. A row depends on its chat and the one before it, on nothing else.
 * @module
 */

import { face, h, name } from "./elements.js";
import { filesOf } from "./chat-files.js";
import { linked } from "./chat-links.js";
import { idOf } from "./chat-outbox.js";
import { state } from "./chat-state.js";
import { clock, day, moment, size, t } from "./words.js";

/** Chats of one author within this time stand together. */
const TOGETHER = 5 * 60_000;

/**
 * @param {object} chat
 * @param {object|null} before the chat above
 * @param {boolean} firstUnread whether the line "read until here" stands above
 * @param {(person: object) => void} onPerson opens the author
 */
export function row(chat, before, firstUnread, onPerson) {
  const newDay = !before || new Date(before.createdAt).toDateString() !== new Date(chat.createdAt).toDateString();
  const continued = !newDay && !firstUnread && before.user.user_id === chat.user.user_id
    && Date.parse(chat.createdAt) - Date.parse(before.createdAt) < TOGETHER;
  const author = chat.user.nickname;
  const time = h("time", { datetime: chat.createdAt, title: moment(chat.createdAt) }, clock(chat.createdAt));
  const element = h("li.row", null,
    newDay && h("h2.day", null, h("span", null, day(chat.createdAt))),
    firstUnread && unreadLine(),
    h(`article.chat${continued ? ".continued" : ""}`, { tabindex: "-1", "aria-label": t("chat.by", { name: author, time: clock(chat.createdAt) }) },
      continued ? time : h("button.author", { type: "button", tabindex: "-1", "aria-label": t("person.open", { name: author }), onclick: () => onPerson(chat.user) },
        face(chat.user.user_id, author, chat.user.profileImage)),
      h("div.said", null,
        !continued && h("p.by", null, h("b", null, name(author)), time),
        chat.content && h(`p.text${isLarge(chat.content) ? ".large" : ""}`, { dir: "auto" }, linked(chat.content)),
        filesOf(chat.files, author))));
  element.dataset.date = chat.createdAt;
  element.dataset.id = idOf(chat);
  return element;
}

/** The line above the first unread chat. */
function unreadLine() {
  return h("p.unread", { id: "unread-line" }, h("span", null, t("talk.unread")));
}

/**
 * A chat that is not on the server yet.
 * @param {import("./chat-outbox.js").Entry} entry
 * @param {{again: () => void, discard: () => void, edit: () => void}} does
 */
export function waitingRow(entry, does) {
  const trouble = entry.state === "refused" || entry.state === "held";
  const me = state.account;
  const status = entry.state === "refused" ? t("send.refused", { reason: reasonOf(entry.code) })
    : entry.state === "held" ? t("send.held")
      : entry.state === "sending" ? (entry.files.length && entry.progress < 1 ? t("send.progress", { n: Math.round(entry.progress * 100) }) : t("send.sending"))
        : t(state.readOnly ? "send.readonly" : "send.waiting");
  return h(`article.chat.pending${trouble ? ".trouble" : ""}`, { "aria-label": t("chat.by", { name: me.nickname, time: status }) },
    face(me.user_id, me.nickname, me.profileImage),
    h("div.said", null,
      h("p.by", null, h("b", null, name(me.nickname)), h("span.state", null, status)),
      entry.text && h("p.text", { dir: "auto" }, linked(entry.text)),
      entry.files.length > 0 && h("ul.chosen", null, entry.files.map((file) =>
        h("li", null, h("span.name", { dir: "auto" }, file.name), h("span.faint", null, size(file.size))))),
      entry.state === "sending" && entry.files.length > 0
        && h("progress", { max: "1", value: entry.progress, "aria-label": t("send.sending") }),
      (trouble || entry.state === "waiting" || entry.files.length > 0) && h("p.does", null,
        trouble && h("button.link", { type: "button", onclick: does.again }, t("send.again")),
        trouble && h("button.link", { type: "button", onclick: does.edit }, t("send.edit")),
        h("button.link", { type: "button", onclick: does.discard }, t("send.discard")))));
}

function reasonOf(code) {
  const key = `send.${code}`;
  const text = t(key);
  return text === key ? t("trouble.other", { code }) : text;
}

/** One to three emoji alone are shown large. */
function isLarge(text) {
  return text.length <= 24 && /^(?:\p{Extended_Pictographic}[\u{fe0f}\u{1f3fb}-\u{1f3ff}]?(?:\u200d\p{Extended_Pictographic}\ufe0f?)*\s*){1,3}$/u.test(text);
}

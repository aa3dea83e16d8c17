/** Moderation: find chats and remove them. Texts come only if the server's settings allow it. @module */

import { post, remove } from "./admin-calls.js";
import { ask, button, empty, pill, quoted, redraw, table } from "./admin-parts.js";
import { stamp } from "./admin-words.js";
import { explain } from "./admin-trouble.js";
import { h, name, toast } from "./elements.js";
import { form } from "./form.js";
import { t } from "./words.js";

const MOST = 100;

export default async function moderation(app) {
  const isReadable = app.session.server.content;
  let chats = null;
  const place = h("div.list");
  const draw = () => redraw(place,
    chats === null ? empty(t("moderation.begin"), t(isReadable ? "moderation.begin.text" : "moderation.begin.hidden"))
      : !chats.length ? empty(t("list.nothing"), t("moderation.nothing"))
        : [h("p.faint.small", { role: "status" }, t(chats.length === MOST ? "moderation.most" : "moderation.found", { n: chats.length })),
          table(t("moderation.found.label"), [t("moderation.chat"), [t("moderation.place"), "wide"], [t("moderation.when"), "wide"], ["", "acts"]], chats.map((one) => [
            h("div.chat-cell", null, h("p.small", null, name(one.author), one.files > 0 && [" ", h("span", { title: fileWords(one) }, pill(t("moderation.files", { n: one.files }), "sky"))]),
              one.content === null ? h("p.faint", null, t("moderation.hidden", { n: String(one.number) })) : h("p.content", { dir: "auto" }, one.content), h("p.under", null, where(one), " · ", stamp(one.createdAt))),
            where(one), stamp(one.createdAt), button(t("moderation.remove"), () => removed(one), "small.grave", `${one.author} ${stamp(one.createdAt)}`)]))]);

  const removed = async (one) => {
    const done = await ask({
      title: t("moderation.remove.title"), shown: quoted([name(one.author), " · ", where(one), " · ", stamp(one.createdAt)], [one.content ?? t("moderation.hidden", { n: String(one.number) }), fileWords(one)].filter(Boolean).join("\n")), happens: [t("moderation.remove.text"), t("moderation.remove.loaded"), t("moderation.remove.audit"), t("delete.final")],
      yes: t("moderation.remove"), act: () => remove(`chats/${one.number}`), errors: { held: t("moderation.held") },
    });
    if (!done) return;
    chats = chats.filter((other) => other !== one);
    toast(t("moderation.removed"));
    draw();
  };

  const search = form({
    fields: [
      ...(isReadable ? [{ name: "text", label: t("moderation.text"), autocomplete: "off" }] : []), { name: "author", label: t("moderation.author"), type: "email", autocomplete: "off" },
      { name: "workspace", label: t("moderation.workspace"), autocomplete: "off" },
      { name: "days", label: t("moderation.since"), options: [["1", t("moderation.days.1")], ["7", t("moderation.days.7")], ["30", t("moderation.days.30")], ["", t("moderation.days.all")]], value: "7" }],
    submit: t("moderation.find"), explain,
    action: async (values) => {
      const since = values.days ? new Date(Date.now() - Number(values.days) * 86_400_000).toISOString() : null;
      // What was found before does not stand below a refusal.
      chats = null;
      draw();
      ({ chats } = await post("chats/search", { text: values.text ?? "", author: values.author || null, workspace: values.workspace || null, since, limit: MOST }));
      draw();
    },
  });
  search.classList.add("sideways");
  draw();
  return { node: h("div.stack", null, h("p.notice", { role: "note" }, h("strong", null, t(isReadable ? "moderation.seen" : "moderation.unseen")), " ", t(isReadable ? "moderation.seen.text" : "moderation.seen.hidden")), search, place) };
}

/** The names of a chat's files, or how many there are. */
const fileWords = (one) => (one.fileNames?.length ? one.fileNames.join(", ") : one.files ? t("moderation.files", { n: one.files }) : "");
const where = (one) => [name(one.workspace), " · ", one.channel === null ? t("moderation.direct") : name(`#${one.channel}`)];

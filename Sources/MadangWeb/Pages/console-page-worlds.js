/**
 * Worlds: make, reset, keep and restore states, remove, open.
 * @module
 */

import { post, remove } from "./console-api.js";
import { button, copyButton, empty, field, formOf, input, say, select } from "./console-dom.js";
import { SEEDS } from "./console-seeds.js";
import { confirmed } from "./dialogs.js";
import { h, keyed } from "./elements.js";
import { t } from "./words.js";

export default function page(app) {
  const seed = select(SEEDS.map((one) => [one, `${one} · ${t(`seed.${one}`)}`]), "courtyard");
  const name = input({ maxlength: "100" });
  const count = input({ inputmode: "numeric", pattern: "\\d*", title: t("worlds.digits") }, "short");
  const form = formOf("form.row-form",
    async () => {
      const plan = { seed: seed.value };
      if (name.value.trim()) plan.name = name.value.trim();
      if (count.value.trim()) plan.number = Number(count.value);
      const made = await app.doing(post("", "worlds", plan), (world) => t("worlds.made", { name: world.name, url: world.url }));
      if (made) {
        name.value = count.value = "";
        await app.readWorlds();
        app.goWorld(made.id, "worlds");
      }
    },
    field(t("worlds.seed"), seed),
    field(t("worlds.name"), name),
    field(t("worlds.number"), count, t("worlds.numberHint")),
    h("button.button.main", null, t("worlds.make")));
  const list = h("div.cards");
  const none = empty(t("worlds.none"), t("worlds.noneWhy"));
  const draw = () => {
    const worlds = app.worlds();
    none.hidden = worlds.length > 0;
    keyed(list, worlds, (one) => one.id, (one) => card(app, one), (element, one) => element.update(one));
  };
  const close = app.onWorlds(draw);
  draw();
  return {
    title: t("page.worlds"),
    node: h("div.page", null, h("p.lead", null, t("worlds.lead")), app.alone ? null : form, none, list),
    close,
  };
}

function card(app, world) {
  const { id } = world;
  // At its own port a world is called without its id.
  const target = app.alone ? "" : id;
  const now = h("span.mono");
  const snapshots = h("div.snapshots");
  const current = h("span.pill.sky", null, t("worlds.current"));
  const name = input({ "aria-label": t("worlds.snapshotName"), placeholder: t("worlds.snapshotName") }, "name-field");
  const snapshot = (text) => {
    const path = `snapshots/${encodeURIComponent(text)}`;
    const forget = () => app.doing(remove(target, path), () => t("worlds.forgotten", { name: text })).then(() => app.readWorlds());
    return h("div.line", null,
      h("bdi", null, text),
      button(t("worlds.restore"), () => app.returnTo(target, `${path}/restore`, t("worlds.restored", { name: text }))),
      button(t("worlds.forget"), forget));
  };
  const keep = async () => {
    const given = name.value.trim();
    if (!given) return name.focus();
    if (await app.doing(post(target, "snapshots", { name: given }), () => t("worlds.kept", { name: given }))) name.value = "";
    app.readWorlds();
  };
  const drop = async () => {
    const words = { name: world.name };
    const title = t("worlds.removeAsk", words);
    if (!await confirmed({ title, text: t("worlds.removeText"), yes: t("worlds.remove"), grave: true })) return;
    await app.doing(remove("", `worlds/${encodeURIComponent(id)}`), () => t("worlds.removed", words));
    await app.readWorlds();
    if (app.world === id) app.goWorld("~", "worlds");
  };
  const element = h("article.panel", { "aria-label": world.name },
    h("header", null,
      h("h2", null, h("bdi", null, world.name)),
      world.name === id ? null : h("span.soft", null, id),
      h("span.pill", null, world.seed),
      world.number === null ? null : h("span.pill", null, `№ ${world.number}`),
      current),
    h("p.line", null,
      h("span.mono", null, world.url),
      copyButton(() => world.url, t("copy")),
      h("span.soft", null, now)),
    h("div.acts", null,
      button(t("worlds.look"), () => app.goWorld(target, "live")),
      h("a.button", { href: `${world.url}/`, target: "_blank", rel: "noreferrer" }, t("worlds.chat")),
      button(t("worlds.reset"), () => app.returnTo(target, "reset", t("worlds.wasReset", { name: world.name }))),
      app.alone ? null : button(t("worlds.remove"), drop)),
    formOf("line",
      keep,
      name,
      h("button.button", null, t("worlds.snapshot"))),
    snapshots);
  element.update = (one) => {
    say(now, one.now.slice(0, 19).replace("T", " "));
    current.hidden = app.world !== target;
    keyed(snapshots, one.snapshots, (text) => text, snapshot);
  };
  return element;
}

// Worlds: make, reset, keep and restore states, remove, open.

import { call, post, remove } from "./console-api.js";
import { button, copy, empty, field, h, input, keyed, say, select } from "./console-dom.js";
import { t } from "./console-text.js";
import { confirmed } from "./console-confirm.js";
import { SEEDS } from "./console-page-seeds.js";

export default function page(app) {
  const seed = select(SEEDS.map((one) => [one, `${one} · ${t(`seed.${one}`)}`]), "courtyard");
  const name = input({ maxlength: "100" });
  const count = input({ inputmode: "numeric", pattern: "\\d*", class: "short" });
  const form = h("form", { class: "form row-form", onsubmit: async (event) => {
    event.preventDefault();
    const plan = { seed: seed.value };
    if (name.value.trim()) plan.name = name.value.trim();
    if (count.value.trim()) plan.number = Number(count.value);
    const made = await app.doing(post("", "worlds", plan), (world) => t("worlds.made", { name: world.name, url: world.url }));
    if (made) { name.value = count.value = ""; await app.readWorlds(); app.goWorld(made.id, "worlds"); }
  } }, field(t("worlds.seed"), seed), field(t("worlds.name"), name), field(t("worlds.number"), count, t("worlds.numberHint")), h("button", { class: "button main" }, t("worlds.make")));
  const list = h("div", { class: "cards" });
  const none = empty(t("worlds.none"), t("worlds.noneWhy"));
  const draw = () => {
    const worlds = app.worlds();
    none.hidden = worlds.length > 0;
    keyed(list, worlds, (one) => one.id, (one) => card(app, one), (element, one) => element.update(one));
  };
  const close = app.onWorlds(draw);
  draw();
  return { title: t("page.worlds"), node: h("div", { class: "page" }, h("p", { class: "lead" }, t("worlds.lead")), app.alone ? null : form, none, list), close };
}

function card(app, world) {
  const { id } = world;
  // At its own port a world is called without its id.
  const target = app.alone ? "" : id;
  const now = h("span", { class: "mono" });
  const snapshots = h("div", { class: "snapshots" });
  const current = h("span", { class: "pill sky" }, t("worlds.current"));
  const name = input({ "aria-label": t("worlds.snapshotName"), placeholder: t("worlds.snapshotName"), class: "name-field" });
  const element = h("article", { class: "panel", "aria-label": world.name },
    h("header", {}, h("h2", {}, h("bdi", {}, world.name)), world.name === id ? null : h("span", { class: "soft" }, id), h("span", { class: "pill" }, world.seed), world.number === null ? null : h("span", { class: "pill" }, `№ ${world.number}`), current),
    h("p", { class: "line" }, h("span", { class: "mono" }, world.url), h("button", { type: "button", class: "link", onclick: async () => { if (await copy(world.url, t("copy"))) app.toast(t("copied")); } }, t("copy")), h("span", { class: "soft" }, now)),
    h("div", { class: "acts" },
      button(t("worlds.look"), () => app.goWorld(target, "live")),
      h("a", { class: "button", href: `${world.url}/`, target: "_blank", rel: "noreferrer" }, t("worlds.chat")),
      button(t("worlds.reset"), () => app.returnTo(target, "reset", t("worlds.wasReset", { name: world.name }))),
      app.alone ? null : button(t("worlds.remove"), async () => {
        if (!await confirmed(t("worlds.removeAsk", { name: world.name }), t("worlds.removeText"), t("worlds.remove"))) return;
        await app.doing(call("", `worlds/${encodeURIComponent(id)}`, { method: "DELETE" }), () => t("worlds.removed", { name: world.name }));
        await app.readWorlds();
        if (app.world === id) app.goWorld("~", "worlds");
      })),
    h("form", { class: "line", onsubmit: async (event) => {
      event.preventDefault();
      if (!name.value.trim()) { name.focus(); return; }
      await app.doing(post(target, "snapshots", { name: name.value.trim() }), () => t("worlds.kept", { name: name.value.trim() }));
      name.value = "";
      app.readWorlds();
    } }, name, h("button", { class: "button" }, t("worlds.snapshot"))), snapshots);
  element.update = (one) => {
    say(now, one.now.slice(0, 19).replace("T", " "));
    current.hidden = app.world !== target;
    keyed(snapshots, one.snapshots.map((text) => ({ text })), (it) => it.text, ({ text }) => h("div", { class: "line" }, h("bdi", {}, text),
      button(t("worlds.restore"), () => app.returnTo(target, `snapshots/${encodeURIComponent(text)}/restore`, t("worlds.restored", { name: text }))),
      button(t("worlds.forget"), () => app.doing(remove(target, `snapshots/${encodeURIComponent(text)}`), () => t("worlds.forgotten", { name: text })).then(() => app.readWorlds()))));
  };
  return element;
}

// Seeds: make a world from a built-in or custom seed; export the present state.

import { call, post } from "./console-api.js";
import { button, copy, field, h } from "./console-dom.js";
import { t } from "./console-text.js";

/** Seeds that every server has. */
export const SEEDS = ["courtyard", "empty", "crowded", "edge"];
const EXAMPLE = `name: weekend
people:
  - {email: mina@example.com, nickname: Mina, coins: 250}
  - {email: joon@example.com}
workspaces:
  - name: Weekend
    owner: mina
    members: everybody
    channels:
      - name: ios
        owner: joon
        members: everybody
        chats:
          - {from: joon, at: -1h, text: Lunch?}
`;

export default function page(app) {
  const text = h("textarea", { class: "input mono", rows: "16", spellcheck: "false", value: EXAMPLE });
  const said = h("p", { class: "why", role: "alert", hidden: true });
  const make = async (seed) => {
    said.hidden = true;
    try {
      const world = await post("", "worlds", { seed });
      app.toast(t("worlds.made", { name: world.name, url: world.url }));
      await app.readWorlds();
      app.goWorld(world.id, "people");
    } catch (error) { said.textContent = app.wording(error); said.hidden = false; }
  };
  const exported = async () => { const seed = await app.doing(call(app.world, "seed", { text: true })); if (seed) { text.value = seed; app.toast(t("seeds.exported")); text.focus(); } };
  return { title: t("page.seeds"), node: h("div", { class: "page" }, h("p", { class: "lead" }, t("seeds.lead")),
    app.alone ? null : h("div", { class: "tiles" }, SEEDS.map((one) => h("button", { type: "button", class: "tile", onclick: () => make(one) }, h("b", {}, one), h("span", { class: "soft" }, t(`seed.${one}`))))),
    h("form", { class: "form part", onsubmit: (event) => { event.preventDefault(); make(text.value); } }, field(t("seeds.own"), text, t("seeds.hint")), said,
      h("div", { class: "acts" }, app.alone ? null : h("button", { class: "button main" }, t("seeds.make")), button(t("seeds.export"), exported), button(t("copy"), async () => { if (await copy(text.value, t("copy"))) app.toast(t("copied")); })))) };
}

/**
 * Seeds: make a world from a built-in or custom seed; export the present state.
 * @module
 */

import { call, post } from "./console-api.js";
import { button, copyButton, field, formOf, single } from "./console-dom.js";
import { SEEDS } from "./console-seeds.js";
import { confirmed } from "./dialogs.js";
import { h, toast } from "./elements.js";
import { t } from "./words.js";

const EXAMPLE = `name: weekend
people:
  - {email: mina@example.com, nickname: Mina, coins: 250}
  - {email: joon@example.com}
workspaces:
  - name: Weekend
    owner: mina
    members: [joon]
    channels:
      - name: ios
        owner: joon
        members: [mina]
        chats:
          - {from: joon, at: -1h, text: Lunch?}
`;

export default function page(app) {
  const text = h("textarea.input.mono", { rows: "16", spellcheck: "false", value: EXAMPLE });
  const said = h("p.why", { role: "alert", hidden: true });
  /** The last export: replacing it loses nothing. */
  let last = "";
  const make = single(async (seed) => {
    said.hidden = true;
    try {
      const world = await post("", "worlds", { seed });
      toast(t("worlds.made", { name: world.name, url: world.url }));
      await app.readWorlds();
      app.goWorld(world.id, "people");
    } catch (error) {
      said.textContent = app.wording(error);
      said.hidden = false;
    }
  });
  const exported = async () => {
    const isOwn = text.value !== EXAMPLE && text.value !== last;
    if (isOwn && !await confirmed({ title: t("seeds.replaceAsk"), text: t("seeds.replaceText"), yes: t("seeds.replace") })) return;
    const seed = await app.doing(call(app.world, "seed", { text: true }), () => t("seeds.exported"));
    if (!seed) return;
    text.value = last = seed;
    text.focus();
  };
  return {
    title: t("page.seeds"),
    node: h("div.page", null,
      h("p.lead", null, t("seeds.lead")),
      app.alone ? null : h("div.tiles", null,
        SEEDS.map((one) =>
          h("button.tile", { type: "button", onclick: () => make(one) },
            h("b", null, one),
            h("span.soft", null, t(`seed.${one}`))))),
      formOf("form.part",
        () => make(text.value),
        field(t("seeds.own"), text, t("seeds.hint")),
        said,
        h("div.acts", null,
          app.alone ? null : h("button.button.main", null, t("seeds.make")),
          button(t("seeds.export"), exported),
          copyButton(() => text.value, t("copy"), button)))),
  };
}

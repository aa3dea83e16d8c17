/**
 * Scripts: people act by themselves.
 * @module
 */

import { get, post, remove } from "./console-api.js";
import { button, empty, field, fill, formOf, say } from "./console-dom.js";
import { h, keyed } from "./elements.js";
import { t } from "./words.js";

const EXAMPLE = `scripts:
  - name: joon answers
    when: {chat: {from: mina, in: Weekend/ios}}
    after: 200ms
    do: [{as: joon, post: "{nickname}, you said: {text}"}]
  - name: rush
    as: [mina, joon]
    rate: 5/s
    for: 10s
    do: [{post: "Chat {n}", in: Weekend/ios}]
`;
const STATES = { ready: "", running: "warm", ended: "good", stopped: "" };

export default function page(app) {
  const list = h("ul.ruled", { "aria-label": t("page.scripts") });
  const stands = h("p.why.warm", { role: "status", hidden: true }, t("scripts.stands"));
  const none = empty(t("scripts.none"), t("scripts.noneWhy"));
  const draw = (scripts) => {
    none.hidden = scripts.length > 0;
    stands.hidden = app.clock().rate !== 0 || !scripts.some((one) => one.state === "running");
    keyed(list, scripts, (one) => one.name, (one) => {
      const path = `scripts/${encodeURIComponent(one.name)}`;
      const state = h("span.pill");
      const runs = h("span.mono.soft");
      const failures = h("ul.plain.failures");
      const toggle = button("", () => app.doing(post(app.world, `${path}/${toggle.stops ? "stop" : "start"}`)).then(read));
      const element = h("li.rule.tall", null,
        h("span.grow", null, h("b", null, h("bdi", null, one.name))),
        state,
        runs,
        toggle,
        button(t("scripts.delete"),
          () => app.doing(remove(app.world, path), () => t("scripts.deleted", { name: one.name })).then(read)),
        failures);
      element.update = (it) => {
        say(state, t(`scripts.${it.state}`));
        state.className = `pill ${STATES[it.state]}`;
        say(runs, t("scripts.runs", { n: it.runs, runs: it.runs, failed: it.failed }));
        toggle.stops = it.state === "running";
        say(toggle, toggle.stops ? t("scripts.stop") : t("scripts.start"));
        fill(failures,
          it.failures.slice(0, 5).map(({ run, code, error }) =>
            h("li.plum", null, t("scripts.failure", { run, error: `${code ?? ""} ${error}`.trim() }))));
      };
      return element;
    }, (element, one) => element.update(one));
  };
  const read = () => get(app.world, "scripts").then(draw).catch(app.fail);
  app.every(1000, () => get(app.world, "scripts").then(draw).catch(() => {}));
  read();
  const text = h("textarea.input.mono", { rows: "12", spellcheck: "false", value: EXAMPLE });
  return {
    title: t("page.scripts"),
    node: h("div.page", null,
      h("p.lead", null, t("scripts.lead")),
      none,
      stands,
      list,
      formOf("form.part",
        async () => {
          if (await app.doing(post(app.world, "scripts", text.value), () => t("scripts.added"))) read();
        },
        field(t("scripts.new"), text, t("scripts.hint")),
        h("div.acts", null, h("button.button.main", null, t("scripts.add"))))),
  };
}

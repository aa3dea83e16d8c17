// The clock: stop, set, advance, rate.

import { post } from "./console-api.js";
import { button, field, h, input, say, select } from "./console-dom.js";
import { t } from "./console-text.js";

const STEPS = [["1s", 1], ["1m", 60], ["1h", 3600], ["1d", 86_400], ["25h", 90_000], ["30d", 2_592_000]];
const RATES = ["0", "1", "10", "60", "600", "3600"];

export default function page(app) {
  const big = h("p", { class: "big mono", role: "timer", "aria-label": t("clock.now") });
  const rate = h("p", { class: "soft" });
  const stop = button("", () => change(app.clock().rate === 0 ? { resume: true } : { freeze: true }), "main");
  const when = input({ type: "datetime-local", step: "1", class: "when" });
  const rates = select(RATES.map((one) => [one, t("clock.times", { n: one })]), "1");
  const change = (body) => app.doing(post(app.world, "clock", body)).then((clock) => clock && app.setClock(clock));
  const draw = () => {
    const { now, rate: times } = app.clock();
    say(big, now ? new Date(now).toISOString().slice(0, 19).replace("T", " ") : "–");
    say(rate, times === 0 ? t("clock.stopped") : t("clock.times", { n: times }));
    say(stop, times === 0 ? t("clock.run") : t("clock.stop"));
  };
  draw();
  return {
    title: t("page.clock"), close: app.tick(draw),
    node: h("div", { class: "page" }, h("p", { class: "lead" }, t("clock.lead")), h("div", { class: "clock-face" }, big, rate, stop),
      h("section", { class: "part" }, h("h2", {}, t("clock.advance")), h("div", { class: "tiles" }, STEPS.map(([name, seconds]) => h("button", { type: "button", class: "tile", onclick: () => change({ advance: seconds }) }, h("b", {}, `+ ${t(`clock.step.${name}`)}`), h("span", { class: "soft" }, t(`clock.why.${name}`)))))),
      h("section", { class: "part" }, h("h2", {}, t("clock.set")),
        h("form", { class: "form row-form", onsubmit: (event) => { event.preventDefault(); if (when.value) change({ set: `${when.value.length === 16 ? `${when.value}:00` : when.value}.000Z`.replace(/(\.\d{3})\.000Z$/, "$1Z") }); } }, field(t("clock.date"), when, t("clock.utc")), h("button", { class: "button" }, t("clock.setIt"))),
        h("form", { class: "form row-form", onsubmit: (event) => { event.preventDefault(); change({ rate: Number(rates.value) }); } }, field(t("clock.rate"), rates), h("button", { class: "button" }, t("clock.setIt"))))),
  };
}

/**
 * The clock: stop, set, advance, rate.
 * @module
 */

import { button, field, formOf, input, say, select } from "./console-dom.js";
import { h } from "./elements.js";
import { t } from "./words.js";

const STEPS = [["1s", 1], ["1m", 60], ["1h", 3600], ["1d", 86_400], ["25h", 90_000], ["30d", 2_592_000]];
const RATES = ["0", "1", "10", "60", "600", "3600"];

export default function page(app) {
  const big = h("p.big.mono", { role: "timer", "aria-label": t("clock.now") });
  const rate = h("p.soft");
  const stop = button("", () => change(app.clock().rate === 0 ? { resume: true } : { freeze: true }), "main");
  const when = input({ type: "datetime-local", step: "1" }, "when");
  const rates = select(RATES.map((one) => [one, one === "0" ? t("scripts.stopped") : t("clock.rateOf", { n: one })]), "1");
  const change = (body) => app.changeClock(body);
  let isBegun = false;
  const draw = () => {
    const { now, rate: times } = app.clock();
    if (now !== null && !isBegun) {
      // The fields begin with the present values.
      isBegun = true;
      when.value = new Date(now).toISOString().slice(0, 19);
      if (RATES.includes(String(times))) rates.value = String(times);
    }
    say(big, now ? new Date(now).toISOString().slice(0, 19).replace("T", " ") : "–");
    say(rate, times === 0 ? t("clock.stopped") : t("clock.times", { n: times }));
    say(stop, times === 0 ? t("clock.run") : t("clock.stop"));
  };
  draw();
  return {
    title: t("page.clock"),
    close: app.tick(draw),
    node: h("div.page", null,
      h("p.lead", null, t("clock.lead")),
      h("div.clock-face", null, big, rate, stop),
      h("section.part", null,
        h("h2", null, t("clock.advance")),
        h("div.tiles", null,
          STEPS.map(([name, seconds]) =>
            h("button.tile", { type: "button", onclick: () => change({ advance: seconds }) },
              h("b", null, `+ ${t(`clock.step.${name}`)}`),
              h("span.soft", null, t(`clock.why.${name}`)))))),
      h("section.part", null,
        h("h2", null, t("clock.set")),
        formOf("form.row-form",
          () => {
            if (when.value) change({ set: new Date(`${when.value}Z`).toISOString() });
          },
          field(t("clock.date"), when, t("clock.utc")),
          h("button.button", null, t("clock.setIt"))),
        formOf("form.row-form",
          () => change({ rate: Number(rates.value) }),
          field(t("clock.rate"), rates),
          h("button.button", null, t("clock.setIt"))))),
  };
}

/**
 * Faults: active rules with their hits, and a list of effects to switch on.
 * @module
 */

import { get, post, remove } from "./console-api.js";
import { button, field, fill, formOf, input, say, select, tick } from "./console-dom.js";
import { CONDITIONS, EFFECTS, matchWords } from "./console-effects.js";
import { names } from "./console-places.js";
import { h, keyed } from "./elements.js";
import { t } from "./words.js";

export default function page(app) {
  const on = h("ul.ruled", { "aria-label": t("faults.on") });
  const none = h("p.soft", null, t("faults.none"));
  const all = button(t("faults.allOff"), () => app.doing(remove(app.world, "faults"), () => t("faults.areOff")).then(read));
  const draw = ({ faults }) => {
    none.hidden = faults.length > 0;
    all.hidden = faults.length < 2;
    app.badge("faults", faults.length ? t("faults.badge", { n: faults.length }) : "", "bad");
    keyed(on, faults, (one) => String(one.id), (one) => {
      const hits = h("span.hits.mono");
      const element = h("li.rule", null,
        h("span.pill.warm", null, one.effect.kind),
        h("span.grow", null,
          h("span", null, matchWords(one.match) || t("faults.everything")),
          h("span.soft", null, effectWords(one.effect))),
        hits,
        h("a.button", { href: app.link("live", `?fault:${one.effect.kind}`) }, t("faults.hits")),
        button(t("faults.off"),
          () => app.doing(remove(app.world, `faults/${one.id}`), () => t("faults.isOff", { kind: one.effect.kind })).then(read)));
      element.update = (it) => say(hits, t("faults.count", { applied: it.applied, matched: it.matched }));
      return element;
    }, (element, one) => element.update(one));
  };
  const read = () => get(app.world, "faults").then(draw).catch(app.fail);
  app.every(1000, () => get(app.world, "faults").then(draw).catch(() => {}));
  read();
  const chosen = h("div.chosen");
  const choose = (kind, tile) => {
    for (const other of catalogue.querySelectorAll("[aria-pressed=true]")) other.setAttribute("aria-pressed", "false");
    tile.setAttribute("aria-pressed", "true");
    fill(chosen, faultForm(app, kind, read));
    chosen.querySelector("select, input, button").focus();
    chosen.scrollIntoView({ block: "nearest" });
  };
  const tile = (kind) =>
    h("button.tile", { type: "button", "aria-pressed": "false", onclick: (event) => choose(kind, event.currentTarget) },
      h("b.mono", null, kind),
      h("span.soft", null, t(`effect.${kind}`)));
  const kinds = Object.keys(EFFECTS);
  const catalogue = h("div", null,
    ["requests", "sockets"].map((of) =>
      h("section.part", null,
        h("h2", null, t(`faults.of.${of}`)),
        h("div.tiles", null, kinds.filter((kind) => EFFECTS[kind].of === of).map(tile)))));
  return {
    title: t("page.faults"),
    node: h("div.page.wide", null,
      h("p.lead", null, t("faults.lead")),
      h("section.part", null, h("h2", null, t("faults.on")), none, on, all),
      chosen,
      catalogue),
  };
}

const effectWords = ({ kind, ...fields }) => Object.entries(fields).map(([name, value]) => `${name} ${value}`).join(" · ");

/** Conditions whose values are counts. */
const COUNTS = ["nth", "every", "times"];
/** Fields of effects that stay texts, also when they look like numbers. */
const TEXTS = ["code", "message"];

/** Values that a condition may have, if they are few. */
const choicesOf = (app, name) => ({
  account: names.people().map((one) => one.email),
  operation: app.operations(),
  edition: ["2024-10", "2024-01"],
  method: ["GET", "POST", "PUT", "DELETE"],
  direction: ["fromClient", "toClient"],
  transport: ["polling", "websocket"],
})[name] ?? [];

/** The form of one effect: its fields and conditions. */
function faultForm(app, kind, done) {
  const { of, fields, optional = {} } = EFFECTS[kind];
  const controls = new Map();
  const control = ([name, value]) => {
    if (typeof value === "boolean") {
      controls.set(name, h("input", { type: "checkbox" }));
      return tick(name, controls.get(name));
    }
    controls.set(name, input({ value: String(value), inputmode: typeof value === "number" && "numeric" }, "short"));
    return field(name, controls.get(name));
  };
  const conditions = new Map();
  const condition = (name) => {
    const choices = choicesOf(app, name);
    const isChoice = choices.length > 0 && choices.length < 100;
    const one = isChoice ? select([["", t("faults.any")], ...choices], "")
      : input({ inputmode: COUNTS.includes(name) && "numeric" }, "short");
    conditions.set(name, one);
    return field(name, one);
  };
  const switchOn = async () => {
    const effect = { kind };
    for (const [name, { type, checked, value }] of controls) {
      if (type === "checkbox" && checked) effect[name] = true;
      else if (type !== "checkbox" && value !== "") effect[name] = /^\d+$/.test(value) && !TEXTS.includes(name) ? Number(value) : value;
    }
    const match = {};
    for (const [name, { value }] of conditions) {
      if (value !== "") match[name] = COUNTS.includes(name) ? Number(value) : value;
    }
    await app.doing(post(app.world, "faults", { effect, match }), () => t("faults.isOn", { kind }));
    done();
  };
  const element = formOf("form.panel.fault-form", switchOn,
    h("h2.mono", null, kind),
    h("p.soft", null, t(`effect.${kind}`)),
    h("div.fields", null, Object.entries({ ...fields, ...optional }).map(control)),
    h("h3", null, t("faults.for")),
    h("div.fields", null, (kind === "refuseUpgrade" ? COUNTS : CONDITIONS[of]).map(condition)),
    h("div.acts", null, h("button.button.main", null, t("faults.switchOn"))));
  element.setAttribute("aria-label", kind);
  return element;
}

/**
 * Faults: active rules with their hits, and a list of effects to switch on.
 * @module
 */

import { get, post, remove } from "./console-api.js";
import { button, field, fill, formOf, input, say, select, tick } from "./console-dom.js";
import { CONDITIONS, EFFECTS, isLive, matchWords, OF_ANY } from "./console-effects.js";
import { number } from "./console-figures.js";
import { names } from "./console-places.js";
import { h, keyed, toast } from "./elements.js";
import { hasText, t } from "./words.js";

export default function page(app) {
  const on = h("ul.ruled", { "aria-label": t("faults.on") });
  const none = h("p.soft", null, t("faults.none"));
  const all = button(t("faults.allOff"), () => app.doing(remove(app.world, "faults"), () => t("faults.areOff")).then(changed));
  const draw = ({ faults }) => {
    none.hidden = faults.length > 0;
    all.hidden = faults.length < 2;
    const live = faults.filter(isLive).length;
    app.badge("faults", live ? t("faults.badge", { n: live }) : "", "bad");
    keyed(on, faults, (one) => String(one.id), (one) => {
      const hits = h("span.hits");
      const kind = h("span.pill.warm", null, one.effect.kind);
      const element = h("li.rule", null,
        kind,
        h("span.grow", null,
          h("span", null, matchWords(one.match) || t("faults.everything")),
          h("span.soft", null, effectWords(one.effect))),
        hits,
        h("a.button", { href: app.link("live", `?fault:${one.effect.kind}`) }, t("faults.hits")),
        button(t("faults.off"),
          () => app.doing(remove(app.world, `faults/${one.id}`), () => t("faults.isOff", { kind: one.effect.kind })).then(changed)));
      element.update = (it) => {
        const words = t("faults.count", { applied: number(it.applied), n: it.matched });
        say(hits, isLive(it) ? words : `${t("faults.usedUp")} · ${words}`);
        kind.className = isLive(it) ? "pill warm" : "pill";
      };
      return element;
    }, (element, one) => element.update(one));
  };
  const read = () => get(app.world, "faults").then(draw).catch(app.fail);
  /** The list shows it at once: the line stands above the first request that is hit. */
  const changed = () => Promise.all([read(), app.look()]);
  app.every(1000, () => get(app.world, "faults").then(draw).catch(() => {}));
  read();
  const chosen = h("div.chosen");
  const choose = (kind, tile) => {
    for (const other of catalogue.querySelectorAll("[aria-pressed=true]")) other.setAttribute("aria-pressed", "false");
    tile.setAttribute("aria-pressed", "true");
    fill(chosen, faultForm(app, kind, changed));
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

/** Conditions whose values are numbers. */
const COUNTS = ["nth", "every", "probability", "times"];
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

/** A unit, or an example. */
const hintOf = (name) => (hasText(`faults.hint.${name}`) ? t(`faults.hint.${name}`) : undefined);

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
    return field(name, controls.get(name), hintOf(name));
  };
  const conditions = new Map();
  const condition = (name) => {
    const choices = choicesOf(app, name);
    const isChoice = choices.length > 0 && choices.length < 100;
    const one = isChoice ? select([["", t("faults.any")], ...choices], "")
      : input({ inputmode: COUNTS.includes(name) && "decimal" }, "short");
    conditions.set(name, one);
    return field(name, one, hintOf(name));
  };
  const said = h("p.why", { role: "alert", hidden: true });
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
    said.hidden = true;
    try {
      await post(app.world, "faults", { effect, match });
      toast(t("faults.isOn", { kind }));
    } catch (error) {
      said.textContent = app.wording(error);
      said.hidden = false;
    }
    done();
  };
  const element = formOf("form.panel.fault-form", switchOn,
    h("h2.mono", null, kind),
    h("p.soft", null, t(`effect.${kind}`)),
    h("div.fields", null, Object.entries({ ...fields, ...optional }).map(control)),
    h("h3", null, t("faults.for")),
    h("div.fields", null, (kind === "refuseUpgrade" ? OF_ANY : CONDITIONS[of]).map(condition)),
    said,
    h("div.acts", null, h("button.button.main", null, t("faults.switchOn"))));
  element.setAttribute("aria-label", kind);
  return element;
}

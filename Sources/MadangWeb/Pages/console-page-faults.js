// Faults: active rules with their hits, and a list of effects to switch on.

import { get, post, remove } from "./console-api.js";
import { button, field, fill, h, input, keyed, say, select } from "./console-dom.js";
import { CONDITIONS, EFFECTS, matchWords } from "./console-effects.js";
import { names } from "./console-places.js";
import { t } from "./console-text.js";

export default function page(app) {
  const on = h("ul", { class: "ruled", "aria-label": t("faults.on") });
  const none = h("p", { class: "soft" }, t("faults.none"));
  const all = button(t("faults.allOff"), () => app.doing(remove(app.world, "faults"), () => t("faults.areOff")).then(read));
  const draw = ({ faults }) => {
    none.hidden = faults.length > 0;
    all.hidden = faults.length < 2;
    app.badge("faults", faults.length ? t("faults.badge", { n: faults.length }) : "", "bad");
    keyed(on, faults, (one) => one.id, (one) => {
      const hits = h("span", { class: "hits mono" });
      const element = h("li", { class: "rule" }, h("span", { class: "pill warm" }, one.effect.kind), h("span", { class: "grow" }, h("span", {}, matchWords(one.match) || t("faults.everything")), h("span", { class: "soft" }, effectWords(one.effect))), hits,
        h("a", { class: "button", href: app.link("live", `?fault:${one.effect.kind}`) }, t("faults.hits")), button(t("faults.off"), () => app.doing(remove(app.world, `faults/${one.id}`), () => t("faults.isOff", { kind: one.effect.kind })).then(read)));
      element.update = (it) => say(hits, t("faults.count", { applied: it.applied, matched: it.matched }));
      return element;
    }, (element, one) => element.update(one));
  };
  const read = () => get(app.world, "faults").then(draw).catch(app.fail);
  app.every(1000, () => get(app.world, "faults").then(draw).catch(() => {}));
  read();
  const chosen = h("div", { class: "chosen" });
  const tile = (kind) => h("button", { type: "button", class: "tile", "aria-pressed": "false", onclick: (event) => { for (const other of catalogue.querySelectorAll("[aria-pressed=true]")) other.setAttribute("aria-pressed", "false"); event.currentTarget.setAttribute("aria-pressed", "true"); fill(chosen, form(app, kind, read)); chosen.querySelector("select, input, button").focus(); chosen.scrollIntoView({ block: "nearest" }); } }, h("b", { class: "mono" }, kind), h("span", { class: "soft" }, t(`effect.${kind}`)));
  const catalogue = h("div", {}, ["requests", "sockets"].map((of) => h("section", { class: "part" }, h("h2", {}, t(`faults.of.${of}`)), h("div", { class: "tiles" }, Object.keys(EFFECTS).filter((kind) => EFFECTS[kind].of === of).map(tile)))));
  return { title: t("page.faults"), node: h("div", { class: "page wide" }, h("p", { class: "lead" }, t("faults.lead")), h("section", { class: "part" }, h("h2", {}, t("faults.on")), none, on, all), chosen, catalogue) };
}

const effectWords = ({ kind, ...fields }) => Object.entries(fields).map(([name, value]) => `${name} ${value}`).join(" · ");

/** The form of one effect: its fields and conditions. */
function form(app, kind, done) {
  const { of, fields, optional = {} } = EFFECTS[kind];
  const controls = new Map();
  const control = (name, value) => {
    const one = typeof value === "boolean" ? h("input", { type: "checkbox" }) : input({ value: String(value), inputmode: typeof value === "number" ? "numeric" : undefined, class: "short" });
    controls.set(name, one);
    return typeof value === "boolean" ? h("div", { class: "check" }, one, label(one, name)) : field(name, one);
  };
  const conditions = new Map();
  const condition = (name) => {
    const choices = { account: names.people().map((one) => one.email), operation: app.operations(), edition: ["2024-10", "2024-01"], method: ["GET", "POST", "PUT", "DELETE"], direction: ["fromClient", "toClient"], transport: ["polling", "websocket"] }[name];
    const one = choices?.length && choices.length < 100 ? select([["", t("faults.any")], ...choices.map((it) => [it, it])], "") : input({ class: "short", inputmode: /nth|every|times/.test(name) ? "numeric" : undefined });
    conditions.set(name, one);
    return field(name, one);
  };
  return h("form", { class: "form panel fault-form", "aria-label": kind, onsubmit: async (event) => {
    event.preventDefault();
    const effect = { kind };
    for (const [name, one] of controls) {
      if (one.type === "checkbox") { if (one.checked) effect[name] = true; } else if (one.value !== "") effect[name] = /^\d+$/.test(one.value) && name !== "code" && name !== "message" ? Number(one.value) : one.value;
    }
    const match = {};
    for (const [name, one] of conditions) if (one.value !== "") match[name] = /nth|every|times/.test(name) ? Number(one.value) : one.value;
    await app.doing(post(app.world, "faults", { effect, match }), () => t("faults.isOn", { kind }));
    done();
  } },
  h("h2", { class: "mono" }, kind), h("p", { class: "soft" }, t(`effect.${kind}`)),
  h("div", { class: "fields" }, Object.entries(fields).map(([name, value]) => control(name, value)), Object.entries(optional).map(([name, value]) => control(name, value))),
  h("h3", {}, t("faults.for")), h("div", { class: "fields" }, (kind === "refuseUpgrade" ? ["nth", "every", "times"] : CONDITIONS[of]).map(condition)),
  h("div", { class: "acts" }, h("button", { class: "button main" }, t("faults.switchOn"))));
}

let ids = 0;
function label(control, text) { control.id = `check-${++ids}`; return h("label", { for: control.id }, text); }

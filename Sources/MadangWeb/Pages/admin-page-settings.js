/** Read-only mode, and the settings with their source. @module */

import { get, post } from "./admin-calls.js";
import { ask, button, choice, empty, pill, redraw, searchField, table } from "./admin-parts.js";
import { number } from "./admin-words.js";
import { h, name, toast } from "./elements.js";
import { t } from "./words.js";

const valueOf = (one) => (one.value === "" ? h("span.faint", null, t("settings.empty")) : h("span.mono.break", null, one.value));
const sourceOf = (one) => (one.source === "default" ? h("span.faint.small", null, t("settings.default")) : h("span.soft.small", null, one.source));
/** A value that was given may be the default. */
const isChanged = (one) => one.source !== "default" && !one.isDefault;

export default async function settings(app) {
  const [{ settings: list }] = await Promise.all([get("settings"), app.state()]);
  let [find, given] = ["", true];
  const mode = h("section.setting-mode", { "aria-labelledby": "mode-title" });
  const drawMode = () => {
    const { isOn, reason } = app.overview.readOnly;
    redraw(mode, h("div", null, h("h2", { id: "mode-title" }, t("readonly"), " ", isOn ? pill(t("readonly.on"), "warm") : pill(t("readonly.off"))),
      h("p.soft", null, t("readonly.text"), isOn && reason && [" ", name(reason)])),
    isOn ? button(t("readonly.end"), async () => { await app.endReadOnly(); drawMode(); }, "main") : button(t("readonly.begin"), begin));
  };
  const begin = async () => {
    const done = await ask({
      title: t("readonly.begin"), happens: [t("readonly.stops"), t("readonly.goes"), t("readonly.apps")], yes: t("readonly.begin"),
      fields: [{ name: "reason", label: t("readonly.reason"), most: 200, hint: t("readonly.reason.hint") }], act: (values) => post("read-only", { isOn: true, reason: values.reason }),
    });
    if (!done) return;
    toast(t("readonly.begun"));
    await app.look();
    drawMode();
  };
  drawMode();
  const place = h("div.list");
  const draw = () => {
    const shown = list.filter((one) => (find ? [one.key, one.help].some((text) => text.toLowerCase().includes(find.toLowerCase())) : !given || isChanged(one)));
    redraw(place, shown.length ? table(t("page.settings"), [t("settings.key"), [t("settings.value"), "wide value"], [t("settings.source"), "wide"]], shown.map((one) => [
      h("div", null, h("span.mono", null, one.key), one.isLive && [" ", h("span", { title: t("settings.live.text") }, pill(t("settings.live"), "sky"))], h("p.under", null, valueOf(one), " · ", sourceOf(one)), h("p.soft.small.plain-weight", { lang: "en" }, one.help)),
      valueOf(one), sourceOf(one)]))
      : empty(t("list.nothing"), t("settings.nothing")));
  };
  draw();
  return {
    node: h("div.stack", null, mode, h("div.tools", null, searchField(t("settings.find"), "", (value) => { find = value; draw(); }),
      choice(t("settings.which"), [["given", t("settings.given")], ["all", t("settings.all", { n: number(list.length) })]], "given", (value) => { given = value === "given"; draw(); })), place, h("p.faint.small", null, t("settings.how"))),
    onOverview: () => { if (!mode.contains(document.activeElement)) drawMode(); },
  };
}

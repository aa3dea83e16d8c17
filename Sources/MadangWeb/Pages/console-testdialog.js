// The dialog "Make a test".

import { block, button, copy, h } from "./console-dom.js";
import { KINDS } from "./console-maketest.js";
import { t } from "./console-text.js";

/** Shows the lines of a test that sends a recorded request and expects its answer. */
export function showTest(entry) {
  let kind = "pytest";
  const place = h("div", {});
  const tabs = Object.keys(KINDS).map((name) => button(name, () => show(name)));
  const copied = h("span", { role: "status", class: "soft" });
  const dialog = h("dialog", { class: "wide", "aria-labelledby": "test-title", onclose: () => dialog.remove() },
    h("h2", { id: "test-title" }, t("test.title")), h("p", { class: "soft" }, t("test.lead")),
    h("div", { class: "acts", role: "group", "aria-label": t("test.kind") }, tabs), place,
    h("div", { class: "acts end" }, copied, button(t("copy"), async () => { if (await copy(KINDS[kind](entry), t("test.title"))) copied.textContent = t("copied"); }, "main"), button(t("close"), () => dialog.close())));
  function show(name) {
    kind = name;
    copied.textContent = "";
    tabs.forEach((tab) => tab.setAttribute("aria-pressed", tab.textContent === name));
    place.replaceChildren(block(KINDS[name](entry), name));
  }
  show(kind);
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * The dialog "Make a test".
 * @module
 */

import { block, button, copyButton } from "./console-dom.js";
import { junit } from "./console-test-junit.js";
import { pytest } from "./console-test-pytest.js";
import { swift } from "./console-test-swift.js";
import { factsOf } from "./console-test-facts.js";
import { notesOf } from "./console-test-world.js";
import { openDialog } from "./dialogs.js";
import { h } from "./elements.js";
import { t } from "./words.js";

/** @type {Object<string, (entry: object, world: object) => string>} */
const KINDS = { pytest, Swift: swift, JUnit: junit };

/**
 * Shows the lines of a test that sends a recorded request and expects its answer.
 * @param {object} entry
 * @param {{id: string, seed?: string, number: number|null, rule?: object}} world what its world began with, and the rule of its fault
 * @param {object[]} rows of the list
 */
export function showTest(entry, world, rows) {
  let kind = "pytest";
  const place = h("div");
  const tabs = Object.keys(KINDS).map((name) => button(name, () => show(name)));
  const show = (name) => {
    kind = name;
    for (const tab of tabs) tab.setAttribute("aria-pressed", tab.textContent === name);
    place.replaceChildren(block(KINDS[name](entry, world), name));
  };
  show(kind);
  openDialog(t("test.title"), [
    h("p.soft", null, t("test.lead")),
    notesOf(entry, factsOf(entry, world), world, rows).map((one) => h("p.why.warm.noted", null, one)),
    h("div.acts", { role: "group", "aria-label": t("test.kind") }, tabs),
    place,
    h("div.acts.end", null, copyButton(() => KINDS[kind](entry, world), t("test.title"), (label, act) => button(label, act, "main"))),
  ], { kind: "wide" });
}

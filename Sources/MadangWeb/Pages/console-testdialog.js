/**
 * The dialog "Make a test".
 * @module
 */

import { block, button, copyButton } from "./console-dom.js";
import { junit } from "./console-test-junit.js";
import { pytest } from "./console-test-pytest.js";
import { swift } from "./console-test-swift.js";
import { openDialog } from "./dialogs.js";
import { h } from "./elements.js";
import { t } from "./words.js";

/** @type {Object<string, (entry: object) => string>} */
const KINDS = { pytest, Swift: swift, JUnit: junit };

/** Shows the lines of a test that sends a recorded request and expects its answer. */
export function showTest(entry) {
  let kind = "pytest";
  const place = h("div");
  const tabs = Object.keys(KINDS).map((name) => button(name, () => show(name)));
  const show = (name) => {
    kind = name;
    for (const tab of tabs) tab.setAttribute("aria-pressed", tab.textContent === name);
    place.replaceChildren(block(KINDS[name](entry), name));
  };
  show(kind);
  openDialog(t("test.title"), [
    h("p.soft", null, t("test.lead")),
    h("div.acts", { role: "group", "aria-label": t("test.kind") }, tabs),
    place,
    h("div.acts.end", null, copyButton(() => KINDS[kind](entry), t("test.title"), (label, act) => button(label, act, "main"))),
  ], { kind: "wide" });
}

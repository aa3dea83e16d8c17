// A question before something that cannot be undone.

import { button, h } from "./console-dom.js";
import { t } from "./console-text.js";

/** Asks, and answers whether the reader agreed. */
export function confirmed(title, text, act) {
  return new Promise((done) => {
    const dialog = h("dialog", { "aria-labelledby": "ask-title", onclose: () => { dialog.remove(); done(dialog.returnValue === "yes"); } },
      h("h2", { id: "ask-title" }, title), h("p", {}, text),
      h("div", { class: "acts end" }, button(t("cancel"), () => dialog.close("")), button(act, () => dialog.close("yes"), "main")));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Dialogs: one that shows something, one that asks for a yes.
 * @module
 */

import { h } from "./elements.js";
import { t } from "./words.js";

/**
 * Opens a dialog.
 * @param {string} title
 * @param {Array<Node|string>|Node} body
 * @param {{kind?: string, plain?: boolean}} [options] `plain`: the title is only heard
 * @returns {{element: HTMLDialogElement, close: () => void, closed: Promise<void>}}
 */
export function openDialog(title, body, options = {}) {
  const heading = h("h2", { id: `title-${++dialogs}`, dir: "auto" }, title);
  const close = () => element.close();
  const element = h(`dialog${options.kind ? "." + options.kind : ""}`, { "aria-labelledby": heading.id },
    options.plain ? (heading.classList.add("heard"), heading)
      : h("header", null, heading, h("button.close", { type: "button", "aria-label": t("close"), onclick: close }, "×")),
    h("div.body", null, body));
  // A press on the ground beside the dialog, not a text selection that ends there.
  let pressed = false;
  element.addEventListener("pointerdown", (event) => { pressed = event.target === element; });
  element.addEventListener("click", (event) => { if (pressed && event.target === element) close(); });
  const closed = new Promise((done) => element.addEventListener("close", () => {
    // What was said in the dialog is still to be read.
    document.body.append(...element.querySelectorAll(".toasts"));
    element.remove();
    done();
  }, { once: true }));
  document.body.append(element);
  element.showModal();
  return { element, close, closed };
}
let dialogs = 0;

/**
 * Asks for a yes. Resolves to false if the dialog is closed.
 * @param {{title: string, text: string, yes: string, grave?: boolean}} question
 * @returns {Promise<boolean>}
 */
export async function confirmed({ title, text, yes, grave }) {
  let answer = false;
  const dialog = openDialog(title, [
    h("p.soft", null, text),
    h("div.actions", null,
      h("button.button", { type: "button", autofocus: grave, onclick: () => dialog.close() }, t("cancel")),
      h(`button.button${grave ? ".grave" : ".main"}`, { type: "button", onclick: () => { answer = true; dialog.close(); } }, yes)),
  ]);
  await dialog.closed;
  return answer;
}

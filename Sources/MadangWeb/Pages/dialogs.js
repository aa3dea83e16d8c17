/**
 * Dialogs: one that shows something, one that asks for a yes.
 * @module
 */

import { h } from "./elements.js";
import { changing } from "./steady.js";
import { t } from "./words.js";

/** What ends each open dialog, the lowest first. */
const open = new Map();

/**
 * Opens a dialog.
 * @param {string} title
 * @param {Array<Node|string>|Node} body
 * @param {{kind?: string, plain?: boolean, stays?: () => boolean}} [options] `plain`: the title is only heard; `stays`: while true,
 *   nothing closes the dialog
 * @returns {{element: HTMLDialogElement, close: () => void, closed: Promise<void>}}
 */
export function openDialog(title, body, options = {}) {
  const heading = h("h2", { id: `title-${++dialogs}`, dir: "auto" }, title);
  const stays = () => options.stays?.() ?? false;
  const close = () => { if (!stays()) changing(() => element.close()); };
  const element = h(`dialog${options.kind ? "." + options.kind : ""}`, { "aria-labelledby": heading.id },
    options.plain ? (heading.classList.add("heard"), heading)
      : h("header", null, heading, h("button.close", { type: "button", "aria-label": t("close"), onclick: close }, "×")),
    h("div.body", null, body));
  // A press on the ground beside the dialog, not a text selection that ends there.
  let pressed = false;
  element.addEventListener("pointerdown", (event) => { pressed = event.target === element; });
  element.addEventListener("click", (event) => { if (pressed && event.target === element) close(); });
  for (const kind of ["cancel", "keydown"]) {
    element.addEventListener(kind, (event) => { if (stays() && (kind === "cancel" || event.key === "Escape")) event.preventDefault(); });
  }
  const closed = new Promise((done) => {
    open.set(element, () => {
      open.delete(element);
      keepToasts(element);
      element.remove();
      done();
    });
    // A browser closes at the second Escape, also against the page.
    element.addEventListener("close", () => (stays() ? element.showModal() : open.get(element)?.()));
  });
  document.body.append(element);
  changing(() => element.showModal());
  return { element, close, closed };
}
let dialogs = 0;

/** What was said in a dialog is still to be read. */
const keepToasts = (element) => document.body.append(...element.querySelectorAll(".toasts"));

/** Takes all dialogs off the page, with what was typed but for passwords. They come back as they were, or end as if they were closed. */
export function suspendDialogs() {
  const all = [...open.keys()].map((element) => ({ element, focus: element.contains(document.activeElement) ? document.activeElement : null }));
  for (const { element } of all) {
    keepToasts(element);
    for (const input of element.querySelectorAll("input[type=password]")) input.value = "";
    element.remove();
  }
  return {
    count: all.length,
    resume() {
      for (const { element, focus } of all) {
        // Its act has closed it meanwhile.
        if (!open.has(element)) continue;
        for (const trouble of element.querySelectorAll(".trouble")) trouble.textContent = "";
        element.removeAttribute("open");
        document.body.append(element);
        element.showModal();
        focus?.focus();
      }
    },
    drop() { for (const { element } of all) open.get(element)?.(); },
  };
}

/**
 * Asks for a yes. Resolves to false if the dialog is closed.
 * @param {{title: string, text: string, yes: string, grave?: boolean, more?: Array<Node>}} question `more`: shown below the text
 * @returns {Promise<boolean>}
 */
export async function confirmed({ title, text, yes, grave, more = [] }) {
  let answer = false;
  const dialog = openDialog(title, [
    h("p.soft", null, text), more,
    h("div.actions", null,
      h("button.button", { type: "button", autofocus: grave, onclick: () => dialog.close() }, t("cancel")),
      h(`button.button${grave ? ".grave" : ".main"}`, { type: "button", onclick: () => { answer = true; dialog.close(); } }, yes)),
  ]);
  await dialog.closed;
  return answer;
}

/**
 * What the console adds to `elements.js`: controls of a tool, tables, and blocks of recorded text.
 * @module
 */

import { openDialog } from "./dialogs.js";
import { h, toast } from "./elements.js";
import { t } from "./words.js";

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

/** Sets a text only if it differs, so that the browser has no layout to repeat. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A button. `kind` is a class such as `main`. */
export function button(label, act, kind = "") {
  return h(`button.button${kind && `.${kind}`}`, { type: "button", onclick: act }, label);
}

/** A button within a text. */
export function linkButton(label, act) {
  return h("button.link", { type: "button", onclick: act }, label);
}

/** An act that is not done again while it is under way, as by the second click of a double-click. */
export function single(act) {
  let works = false;
  return async (...values) => {
    if (works) return;
    works = true;
    try {
      await act(...values);
    } finally {
      works = false;
    }
  };
}

/** A form that never leaves the page, and is sent once. */
export function formOf(kind, submit, ...children) {
  const once = single(submit);
  const onsubmit = (event) => {
    event.preventDefault();
    once();
  };
  return h(`form.${kind}`, { onsubmit }, ...children);
}

let fields = 0;

/** A label with its control. */
export function field(label, control, hint) {
  control.id ||= `field-${++fields}`;
  const note = hint ? h("span.hint", { id: `${control.id}-hint` }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div.labelled", null, h("label", { for: control.id }, label), control, note);
}

/** A box to tick, with its label. */
export function tick(label, control = h("input", { type: "checkbox" })) {
  control.id ||= `field-${++fields}`;
  return h("div.check", null, control, h("label", { for: control.id }, label));
}

/** A text field. `kind` holds classes such as `short`. */
export function input(attributes = {}, kind = "") {
  return h(`input.input${kind && `.${kind}`}`, { type: "text", autocomplete: "off", spellcheck: "false", ...attributes });
}

/** A choice. Options are texts, or pairs of value and text. */
export function select(options, chosen, attributes = {}) {
  return h("select.input", attributes, options.map((one) => {
    const [value, text] = Array.isArray(one) ? one : [one, one];
    return h("option", { value, selected: value === chosen }, text);
  }));
}

/**
 * A table.
 * @param {string} caption for screen readers
 * @param {string[]} heads
 * @param {Array<Array<Node|string>>} rows
 */
export function table(caption, heads, rows) {
  return h("div.scroll", { role: "group", tabindex: "0", "aria-label": caption },
    h("table", null,
      h("caption.heard", null, caption),
      h("thead", null, h("tr", null, heads.map((one) => h("th", { scope: "col" }, one)))),
      h("tbody", null, rows.map((cells) => h("tr", null, cells.map((one) => h("td", null, one)))))));
}

/** What a page without content shows. */
export function empty(title, text) {
  return h("div.empty", null, h("p.empty-title", null, title), h("p.soft", null, text));
}

/** Signs that turn or hide the text around them, and letters that look like nothing. The joiner of emoji stays. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\uffa0]/g;

/** Text in which such signs are seen, written as in JSON. */
export function visible(text) {
  return text.replace(HIDDEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Text in a block, such as a body; it can be scrolled by keyboard. */
export function block(text, label) {
  return h("pre.mono", { tabindex: "0", role: "group", "aria-label": label }, visible(text));
}

/** JSON that is nested deeper is shown as it was sent: its indentation would be most of it. */
const DEEPEST = 60;
const TOKENS = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s"[\]{},:]+/gs;

/** JSON with line breaks. Its numbers and escapes stay as they were written, and its end may be missing. */
function indented(text) {
  let out = "";
  let depth = 0;
  let isOpen = false;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(TOKENS)) {
    const closes = token === "}" || token === "]";
    if (closes) depth = Math.max(0, depth - 1);
    if (closes !== isOpen) out += line();
    isOpen = token === "{" || token === "[";
    if (isOpen) depth++;
    if (depth > DEEPEST) return text;
    out += token === ":" ? ": " : token;
    if (token === ",") out += line();
  }
  return out;
}

/**
 * A body as it is shown: JSON with line breaks, another text as it is.
 * @param {boolean} [truncated] whether the end was not kept
 */
export function pretty(text, truncated = false) {
  if (!/^\s*[[{]/.test(text) || text.length > 200_000) return text;
  try {
    JSON.parse(text);
  } catch {
    if (!truncated) return text;
  }
  return indented(text);
}

/** Puts text on the clipboard. Without the browser's permission it is selected in a dialog instead, and the answer is false. */
export async function copy(text, label) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea.input.mono", { rows: 8, cols: 60, readonly: true, "aria-label": label, value: text });
    openDialog(label, area);
    area.select();
    return false;
  }
}

/** A button that copies what `text` returns. */
export function copyButton(text, label, make = linkButton) {
  return make(t("copy"), async () => {
    if (await copy(text(), label)) toast(t("copied"));
  });
}

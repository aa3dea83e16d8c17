// Makes and changes elements. Texts are always text: nothing here parses HTML.

/**
 * Makes an element.
 * @param {string} tag
 * @param {Object<string, any>} [set] Attributes; `class`; `onclick` and the like take functions. Absent values are left out.
 * @param {...(Node|string|number|null|undefined|false|Array)} children
 */
export function h(tag, set, ...children) {
  const node = document.createElement(tag);
  for (const name in set ?? {}) {
    const value = set[name];
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  return fill(node, ...children);
}

/** Replaces the children of an element. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(3).filter((one) => one !== null && one !== undefined && one !== false));
  return node;
}

/** Sets a text only if it differs, so that nothing is laid out anew for nothing. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A button. `kind` is a class such as `main`. */
export function button(label, act, kind = "") {
  return h("button", { type: "button", class: `button ${kind}`.trim(), onclick: act }, label);
}

let lastId = 0;
/** A number for an id that no other element has. */
export const freshId = (name) => `${name}-${++lastId}`;

/** A label with its control. */
export function field(label, control, hint) {
  control.id ||= freshId("field");
  const note = hint ? h("span", { class: "hint", id: `${control.id}-hint` }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div", { class: "labelled" }, h("label", { for: control.id }, label), control, note);
}

/** A text field. */
export const input = (set = {}) => h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...set, class: `input ${set.class ?? ""}`.trim() });

/** A choice. Options are texts, or pairs of value and text. */
export function select(options, chosen, set = {}) {
  const node = h("select", { ...set, class: "input" }, options.map((one) => {
    const [value, text] = Array.isArray(one) ? one : [one, one];
    return h("option", { value, selected: value === chosen }, text);
  }));
  return node;
}

/**
 * A table.
 * @param {string} caption For screen readers.
 * @param {string[]} heads
 * @param {Array<Array<Node|string>>} rows
 */
export function table(caption, heads, rows) {
  return h("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": caption },
    h("table", {}, h("caption", { class: "heard" }, caption),
      h("thead", {}, h("tr", {}, heads.map((one) => h("th", { scope: "col" }, one)))),
      h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((one) => h("td", {}, one)))))));
}

/** The placeholder of a page without content. */
export const empty = (title, text) => h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), h("p", { class: "soft" }, text));

/** Text in which signs that turn or hide other text are seen, written as in JSON. */
export const visible = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (sign) => (sign === "\u200d" ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`));

/** Text in a block, such as a body; it can be scrolled by keyboard. */
export const block = (text, label) => h("pre", { class: "mono", tabindex: "0", role: "group", "aria-label": label }, visible(text));

/** Puts text on the clipboard. Without the browser's permission it is selected in a dialog instead. */
export async function copy(text, label) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "input mono", rows: "8", cols: "60", readonly: true, "aria-label": label, value: text });
    const dialog = h("dialog", { "aria-label": label, onclose: () => dialog.remove() }, area);
    document.body.append(dialog);
    dialog.showModal();
    area.select();
    return false;
  }
}

/** JSON with line breaks if the text is JSON, else the text itself. */
export function pretty(text) {
  if (!/^\s*[[{]/.test(text) || text.length > 200_000) return text;
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

/**
 * Brings a list of elements up to date. Elements stay, so that focus and selection do.
 * @param {HTMLElement} parent
 * @param {object[]} items
 * @param {(item: object) => string|number} keyOf
 * @param {(item: object) => HTMLElement} make
 * @param {(element: HTMLElement, item: object) => void} [update]
 */
export function keyed(parent, items, keyOf, make, update = () => {}) {
  const old = new Map([...parent.children].map((one) => [one.key, one]));
  let before = null;
  for (const item of items) {
    const key = keyOf(item);
    let element = old.get(key);
    if (element) old.delete(key); else { element = make(item); element.key = key; }
    update(element, item);
    const place = before ? before.nextSibling : parent.firstChild;
    if (place !== element) parent.insertBefore(element, place);
    before = element;
  }
  for (const element of old.values()) element.remove();
}

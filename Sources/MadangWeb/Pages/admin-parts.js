/**
 * Parts that pages are made of: tables, lists in pages, panes, buttons that wait.
 * @module
 */

import { confirmed, openDialog } from "./dialogs.js";
import { h, toast } from "./elements.js";
import { form } from "./form.js";
import { explain, refused } from "./admin-trouble.js";
import { number } from "./admin-words.js";
import { changing } from "./steady.js";
import { t } from "./words.js";

/**
 * A button that waits while its act works, and says what went wrong.
 * @param {string} text @param {() => Promise<void>|void} act @param {string} [kind] classes
 * @param {string} [about] its row, for screen readers
 */
export function button(text, act, kind = "", about = "") {
  const element = h(`button.button${kind && `.${kind}`}`, { type: "button", "aria-label": about ? `${text}: ${about}` : null, onclick: async () => {
    if (element.getAttribute("aria-disabled")) return;
    element.setAttribute("aria-disabled", "true");
    await trying(act);
    element.removeAttribute("aria-disabled");
    // Its place was drawn again: the focus stays near it.
    if (!element.isConnected && document.activeElement === document.body) (document.querySelector(".pane h2") ?? document.querySelector("main h1"))?.focus({ preventScroll: true });
  } }, text);
  return element;
}

/** A short state in a colour: `good`, `warm`, `bad`, `sky`, or none. */
export const pill = (text, kind = "") => h(`span.pill${kind && `.${kind}`}`, null, text);

/** Where nothing is yet: why, and what can be done. */
export const empty = (title, text, ...more) => h("div.empty", null, h("p.empty-title", null, title), h("p.soft", null, text), more);

/** Names and values. Absent values are left out. `across`: side by side. */
export const facts = (rows, across = false) => h(`dl.facts${across ? ".across" : ""}`, null, rows.filter((row) => row && row[1] !== null && row[1] !== undefined && row[1] !== "")
  .map(([label, value]) => h("div", null, h("dt", null, label), h("dd", null, value))));

/**
 * A table. Cells of a head that is marked `wide` show on wide windows only; `num` aligns to the right; `pick` holds a tick before the name.
 * A row with a `row-link` opens wherever it is clicked.
 * @param {string} caption for screen readers
 * @param {Array<string|[string|Node, string]>} heads text, or text and classes
 * @param {Array<Array<any>>} rows the first cell, but for a tick, names the row
 */
export function table(caption, heads, rows) {
  const kinds = heads.map((head) => (Array.isArray(head) ? head[1] : ""));
  const first = kinds[0] === "pick" ? 1 : 0;
  const cell = (kind, tag, child, more) => h(tag, { class: kind || null, ...more }, child);
  return h("table", null, h("caption.heard", null, caption),
    h("thead", null, h("tr", null, heads.map((head, at) => cell(kinds[at], "th", kinds[at] === "acts" ? h("span.heard", null, t("actions")) : Array.isArray(head) ? head[0] : head, { scope: "col" })))),
    h("tbody", null, rows.map((cells) => h("tr", { onclick: openRow }, cells.map((child, at) => (at === first ? cell(kinds[at], "th", child, { scope: "row" }) : cell(kinds[at], "td", child)))))));
}

/** A click beside the link of a row opens it too, but not one that ends the selection of a text. */
function openRow(event) {
  if (event.target.closest("a, button, input, label") || !getSelection().isCollapsed) return;
  event.currentTarget.querySelector(".row-link")?.click();
}

/** Replaces what `place` holds. The focus goes to the element with the same `data-focus`. */
export function redraw(place, ...children) {
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  changing(() => place.replaceChildren(...children.flat().filter(Boolean)));
  if (key) place.querySelector(`[data-focus="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/**
 * A list that the server answers page by page.
 * @param {(after: number|undefined) => Promise<{items: Array, next: number|null, total?: number}>} load
 * @param {(items: Array) => Node} draw all that has been loaded
 */
export function paged(load, draw) {
  let [items, next, total, turn] = [[], null, undefined, 0];
  const place = h("div", { "aria-live": "off" });
  const more = button("", async () => {
    const [mine, after] = [turn, next];
    const answer = await load(after);
    if (mine === turn && after === next) take(answer, false);
  });
  const count = h("p.faint.small", { role: "status" });
  const foot = h("div.list-foot", null, count, more);
  const take = (answer, isFirst) => {
    items = isFirst ? answer.items : [...items, ...answer.items];
    ({ next } = answer);
    // Later pages do not count; nor does a search of too many rows.
    if (isFirst) total = answer.total ?? undefined;
    const focused = document.activeElement === more;
    more.hidden = next === null;
    more.textContent = t("list.more");
    count.textContent = total === undefined ? t("list.shown", { n: items.length }) : t("list.of", { n: items.length, total: number(total) });
    // A list that is whole says its number to screen readers only.
    count.classList.toggle("heard", next === null);
    redraw(place, draw(items));
    if (focused && more.hidden) place.querySelector("a, button")?.focus();
  };
  return {
    node: h("div.list", null, place, foot),
    /** Loads the first page; only the last of several questions counts. */
    async start() {
      const mine = ++turn;
      const answer = await load(undefined);
      if (mine === turn) take(answer, true);
    },
    /** Draws again, for example after a change of an item. */
    draw: () => redraw(place, draw(items)),
    change(replace) {
      items = items.map(replace).filter(Boolean);
      redraw(place, draw(items));
    },
    get items() { return items; },
    /** How many there are, in words; empty if the server has not counted them. */
    get total() { return total === undefined ? "" : number(total); },
  };
}

/** Says what went wrong in an act that no button or form waits for. */
export async function trying(act) {
  try {
    await act();
  } catch (error) {
    if (error.code !== "signedOut") toast(explain(error));
  }
}

/** A field to search by; it asks after a pause in typing. */
export function searchField(label, value, act) {
  let timer;
  const input = h("input.search", { type: "search", value, "aria-label": label, placeholder: label, autocomplete: "off", spellcheck: "false", oninput: () => {
    clearTimeout(timer);
    timer = setTimeout(() => trying(() => act(input.value.trim())), 250);
  } });
  return input;
}

/** One of a few, side by side. */
export function choice(label, options, value, act) {
  const group = `choice-${++choices}`;
  return h("fieldset.choice", null, h("legend.heard", null, label), options.map(([key, text]) => {
    const input = h("input", { type: "radio", name: group, value: key, onchange: () => act(key) });
    input.checked = key === value;
    return h("label", null, input, h("span", null, text));
  }));
}
let choices = 0;

/** One of many. */
export function chooser(label, options, value, act) {
  const element = h("select.chooser", { "aria-label": label, onchange: () => trying(() => act(element.value)) }, options.map(([key, text]) => h("option", { value: key }, text)));
  element.value = value;
  return element;
}

/** Something that is shown once: a key, a link, a code. */
export function secret(text, label) {
  return h("div.secret", null, h("code", { tabindex: "0", "aria-label": label, role: "group" }, text), button(t("copy"), () => copy(text)));
}

/** Puts a text on the clipboard, and says so. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("copied"));
  } catch {
    toast(t("copy.refused"));
  }
}

/** A dialog that stays while its act works, so that the outcome is seen. */
function workingDialog(title) {
  let works = false;
  const dialog = openDialog(title, [], { stays: () => works });
  const working = async (act) => {
    works = true;
    try {
      return await act();
    } finally {
      works = false;
    }
  };
  return { dialog, working };
}

/**
 * Asks before something grave, with all that will happen. Resolves to the typed values, or null.
 * @param {object} plan
 * @param {string} plan.title
 * @param {Array<string|Node|false>} plan.happens one sentence each
 * @param {Array<object>} [plan.fields] of form.js
 * @param {string} [plan.word] what has to be typed before the button works
 * @param {string} [plan.wordLabel]
 * @param {string} plan.yes
 * @param {(values: object) => Promise<void>} plan.act
 * @param {Object<string, string>} [plan.errors]
 * @param {Node} [plan.shown] what it is about
 */
export async function ask({ title, shown, happens: all, fields = [], word, wordLabel, yes, act, errors = {}, grave = true }) {
  let done = null;
  const happens = all.filter(Boolean);
  const asked = [...fields, ...(word ? [{ name: "word", label: wordLabel, required: true, autocomplete: "off", oninput: () => ready() }] : [])];
  const { dialog, working } = workingDialog(title);
  const element = form({
    fields: asked, submit: yes, explain: (error) => explain(error, errors),
    beside: [h("button.button", { type: "button", onclick: () => dialog.close() }, t("cancel"))],
    action: async (values) => {
      if (word && values.word !== word) throw refused("word");
      await working(() => act(values));
      done = values;
      dialog.close();
    },
  });
  const submit = element.querySelector("[type=submit]");
  if (grave) submit.classList.add("danger");
  const ready = () => { submit.disabled = element.hasAttribute("aria-busy") || (Boolean(word) && element.elements.word.value.trim() !== word); };
  ready();
  dialog.element.querySelector(".body").append(
    ...(shown ? [shown] : []), ...(happens.length > 1 ? [h("ul.happens", null, happens.map((one) => h("li", null, one)))] : happens.map((one) => h("p.soft", null, one))), element);
  element.querySelector("input, select, textarea, button")?.focus();
  await dialog.closed;
  return done;
}

/** Asks for a yes in one sentence. */
export const sure = (title, text, yes, ...more) => confirmed({ title, text, yes, grave: true, more });

/** What a person wrote, or will have written. */
export const quoted = (head, text) => h("figure.quoted", null, h("figcaption.small.soft", null, head), text && h("blockquote", { dir: "auto" }, text));

/** A form in a dialog. Resolves when it is closed. */
export function formDialog(title, lead, plan) {
  const { dialog, working } = workingDialog(title);
  const element = form({
    explain: (error) => explain(error, plan.errors), beside: [h("button.button", { type: "button", onclick: () => dialog.close() }, t("cancel"))], ...plan,
    action: async (values) => {
      const next = await working(() => plan.action(values, element));
      // What was made stays to be read.
      if (next instanceof Node || Array.isArray(next)) {
        dialog.element.querySelector(".body").replaceChildren(...[next].flat(), h("div.actions", null, h("button.button.main", { type: "button", onclick: () => dialog.close() }, t("done"))));
        dialog.element.querySelector(".body button")?.focus();
      } else dialog.close();
    },
  });
  dialog.element.querySelector(".body").append(...[lead && h("p.soft", null, lead), element].filter(Boolean));
  element.querySelector("input, select, textarea")?.focus();
  return dialog.closed;
}

/** The pane of an opened row. Its heading takes the focus. */
export function pane(title, close, ...children) {
  const heading = h("h2", { id: "pane-title", tabindex: "-1" }, title);
  return h("section.pane", { "aria-labelledby": "pane-title" },
    h("header.pane-head", null, heading, h("a.close", { href: close, "aria-label": t("close") }, h("span", { "aria-hidden": "true" }, "×"))), children);
}

/** Shows a pane beside a list. One that only changed keeps its place. */
export function openPane(side, element, isNew) {
  const top = side.firstElementChild?.scrollTop ?? 0;
  side.classList.toggle("opening", isNew);
  changing(() => side.replaceChildren(element));
  if (!isNew) {
    element.scrollTop = top;
    return;
  }
  element.querySelector("h2").focus({ preventScroll: true });
  const row = side.parentElement.querySelector('.first [aria-current="true"]');
  // On narrow windows the list is hidden.
  if (row?.offsetParent) row.scrollIntoView({ block: "nearest" });
  else element.scrollIntoView({ block: "start" });
}

/** A part of a page with a heading. */
export const section = (title, ...children) => h("section.part", null, h("h2", null, title), children);

/** A part of a pane with a heading. */
export const part = (title, ...children) => h("section.part", null, h("h3", null, title), children);

/** A name with a second line that narrow windows show instead of columns. */
export const named = (first, under) => [first, under && h("span.under", null, under)];

/**
 * Helpers for elements that all pages share. Text enters a page by text nodes only: nothing here parses HTML.
 * @module
 */

/** Addresses that a page may link to or load. Everything else, such as `javascript:`, is dropped. */
const SAFE_ADDRESS = /^(https?:|mailto:|blob:|\/(?![/\\\s])|#)/i;

/**
 * Makes an element. `h("button.button.main", {type: "submit", onclick: send}, "Send")`
 * @param {string} kind tag and classes
 * @param {Object<string, any>} [attributes] `on...` adds a listener; `null`, `undefined` and `false` leave one out
 * @param {...(Node|string|number|null|undefined|false|Array)} children
 * @returns {HTMLElement}
 */
export function h(kind, attributes, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if ((name === "href" || name === "src") && !SAFE_ADDRESS.test(value)) continue;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A name written by a person: any direction of writing, never mixed with the text around it. */
export function name(text, kind = "bdi") {
  return h(kind, kind === "bdi" ? null : { dir: "auto" }, text);
}

/** Cuts texts into characters as people see them. Firefox has it since 2024. */
const segmenter = globalThis.Intl?.Segmenter ? new Intl.Segmenter() : null;

/** The first letter as people see it. */
function initial(text) {
  const letters = text.trim();
  if (!letters) return "·";
  if (!segmenter) return [...letters][0].toUpperCase();
  return segmenter.segment(letters.slice(0, 40))[Symbol.iterator]().next().value.segment.toUpperCase();
}

/** One of eight colours, the same for an id everywhere. */
function colour(id) {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
  return Math.imul(sum, 0x9e3779b1) >>> 29;
}

/**
 * A person's or workspace's face. Decoration: the name stands beside it, or labels what holds it.
 * @param {string} id decides the colour
 * @param {string} text whose first letter is shown
 * @param {string|null} [picture] a stored path
 */
export function face(id, text, picture) {
  const element = h(`span.face.c${colour(id)}`, { "aria-hidden": "true" }, initial(text));
  if (picture && !picture.endsWith("/default.png")) {
    const image = h("img", { src: fileAddress(picture), alt: "", loading: "lazy", decoding: "async" });
    image.addEventListener("error", () => image.remove());
    image.addEventListener("load", () => element.classList.add("pictured"));
    element.append(image);
  }
  return element;
}

/** The address of a stored path for this session. */
export function fileAddress(path) {
  return `/web/v1${path}`;
}

let drawWithin = (parent, draw) => draw();

/** Sets what runs each redraw of {@link keyed}. `steady.js` sets it when it is loaded, which the first view does not wait for. */
export function setDrawWithin(run) {
  drawWithin = run;
}

/**
 * Brings the children of `parent` to `items` and keeps the elements of items that stay, with their focus.
 * @param {Element} parent
 * @param {Array} items
 * @param {(item: any) => string} key
 * @param {(item: any) => HTMLElement} make
 * @param {(element: HTMLElement, item: any) => void} [update]
 */
export function keyed(parent, items, key, make, update) {
  drawWithin(parent, () => {
    const present = new Map([...parent.children].map((child) => [child.dataset.key, child]));
    let next = parent.firstElementChild;
    for (const item of items) {
      const id = key(item);
      let element = present.get(id);
      present.delete(id);
      if (!element) {
        element = make(item);
        element.dataset.key = id;
      }
      update?.(element, item);
      if (element === next) next = next.nextElementSibling;
      else parent.insertBefore(element, next);
    }
    for (const left of present.values()) left.remove();
  });
}

/** Shows a sentence for some seconds. A page has one place for them, which screen readers announce. */
export function toast(text, action) {
  let place = document.querySelector(".toasts");
  if (!place) {
    place = h("div.toasts", { role: "status", "aria-live": "polite" });
    document.body.append(place);
  }
  // Above an open dialog only a child of it is seen.
  (document.querySelector("dialog[open]:last-of-type") ?? document.body).append(place);
  while (place.children.length > 2) place.firstElementChild.remove();
  const element = h("div.toast", null, h("span", { dir: "auto" }, text),
    action && h("button", { type: "button", onclick: () => { element.remove(); action.run(); } }, action.text));
  // A screen reader announces what is added to a place that it knows already.
  setTimeout(() => place.append(element), 30);
  setTimeout(() => element.remove(), 6000);
}

/** Length in characters as people see them: the wire counts so. */
export function length(text) {
  if (!segmenter) return [...text].length;
  let count = 0;
  for (const _ of segmenter.segment(text)) count++;
  return count;
}

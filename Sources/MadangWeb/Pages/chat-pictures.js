/**
 * Shows the pictures of a chat large, one at a time.
 * @module
 */

import { openDialog } from "./dialogs.js";
import { fileAddress, h } from "./elements.js";
import { t } from "./words.js";

/**
 * @param {Array<string>} paths stored paths
 * @param {number} at which one first
 * @param {string} by the author's nickname
 */
export function openPictures(paths, at, by) {
  const image = h("img", { alt: "" });
  const place = h("span.soft", { "aria-live": "polite" });
  const save = h("a.button", { download: "" }, t("picture.save"));
  const step = (by) => h("button.button", {
    type: "button", "aria-label": t(by < 0 ? "picture.previous" : "picture.next"), onclick: () => show(at + by),
  }, by < 0 ? "‹" : "›");
  const show = (next) => {
    at = (next + paths.length) % paths.length;
    image.src = fileAddress(paths[at]);
    image.alt = t("picture.by", { name: by });
    save.href = fileAddress(paths[at]);
    place.textContent = t("picture.place", { n: at + 1, all: paths.length });
  };
  const { element, close } = openDialog(t("picture.by", { name: by }), [
    h("div.stage", { onclick: (event) => { if (event.target !== image) close(); } }, image),
    h("div.bar", null, paths.length > 1 && [step(-1), place, step(1)], h("span.space"), save,
      h("button.button", { type: "button", autofocus: true, onclick: () => close() }, t("close"))),
  ], { kind: "lightbox", plain: true });
  element.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && paths.length > 1) show(at + by);
  });
  show(at);
}

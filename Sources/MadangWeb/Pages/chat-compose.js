/**
 * Where one writes: text, files by choosing, dropping or pasting, a draft for each room.
 * @module
 */

import { h, keyed, length, toast } from "./elements.js";
import { chosen } from "./chat-files.js";
import { draftOf, keepDraft } from "./chat-marks.js";
import { post } from "./chat-outbox.js";
import { state } from "./chat-state.js";
import { size, t } from "./words.js";

/** Rooms whose chosen files are kept while another room is open. */
const KEPT_FILES = 20;
/** Milliseconds of rest before a draft is stored. */
const REST = 400;

export class Composer {
  #room = null;
  #files = [];
  #filesByRoom = new Map();
  #timer = 0;
  #addresses = new Map();
  #onSent;

  /** @param {{onPage: (direction: number) => void, onLast: () => void, onSent: () => void}} options */
  constructor({ onPage, onLast, onSent }) {
    this.#onSent = onSent;
    this.input = h("textarea", { rows: "1", dir: "auto", autocomplete: "off", enterkeyhint: "send", id: "composer" });
    this.picker = h("input", { type: "file", multiple: true, hidden: true, tabindex: "-1", "aria-hidden": "true" });
    this.list = h("ul.chosen", { "aria-label": t("compose.files") });
    this.list.hidden = true;
    this.mode = h("p.mode", { role: "status" });
    this.button = h("button.button.main", { type: "submit" }, t("compose.send"));
    this.element = h("form.compose", { "aria-label": t("compose.label") }, this.mode, this.list,
      h("div.line", null,
        h("button.button.attach", { type: "button", "aria-label": t("compose.attach"), title: t("compose.attach"), onclick: () => this.picker.click() }, "＋"),
        this.picker, this.input, this.button));
    this.element.addEventListener("submit", (event) => { event.preventDefault(); this.#send(); });
    this.picker.addEventListener("change", () => { this.add([...this.picker.files]); this.picker.value = ""; });
    this.input.addEventListener("input", () => this.#changed());
    this.input.addEventListener("paste", (event) => {
      const files = [...event.clipboardData?.files ?? []];
      if (!files.length) return;
      event.preventDefault();
      this.add(files.map(named));
    });
    this.input.addEventListener("keydown", (event) => {
      // While Korean is composed, Enter ends the syllable.
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Enter" && !event.shiftKey && !event.altKey && !this.#isTouch()) {
        event.preventDefault();
        this.#send();
      } else if (event.key === "PageUp" || event.key === "PageDown") {
        event.preventDefault();
        onPage(event.key === "PageUp" ? -1 : 1);
      } else if (event.key === "ArrowUp" && !event.altKey && !this.input.value) {
        event.preventDefault();
        onLast();
      }
    });
    addEventListener("pagehide", () => this.#keep());
    state.on("readOnly", () => this.#drawMode());
    this.#drawMode();
  }

  #drawMode() {
    this.mode.textContent = state.readOnly ? t("mode.readonly") : "";
    this.mode.hidden = !state.readOnly;
  }

  /** Shows the draft of a room. */
  show(room) {
    this.#keep();
    if (this.#room) {
      if (this.#files.length) this.#filesByRoom.set(this.#room.id, this.#files);
      else this.#filesByRoom.delete(this.#room.id);
      if (this.#filesByRoom.size > KEPT_FILES) this.#filesByRoom.delete(this.#filesByRoom.keys().next().value);
    }
    this.#room = room;
    if (!room) return;
    this.input.value = draftOf(state.account.user_id, room.id);
    const label = t(room.kind === "channel" ? "compose.channel" : "compose.person", { name: room.name });
    this.input.placeholder = label;
    this.input.setAttribute("aria-label", label);
    this.#files = this.#filesByRoom.get(room.id) ?? [];
    this.#drawFiles();
    this.#changed(false);
  }

  /** Takes a refused chat back for changes. */
  edit(text, files) {
    this.input.value = this.input.value ? `${text}\n${this.input.value}` : text;
    this.#files = chosen(files, this.#files, state.server.limits).files;
    this.#drawFiles();
    this.#changed();
    this.input.focus();
  }

  /** Adds files within the limits. */
  add(files) {
    if (!this.#room) return;
    const { files: all, trouble } = chosen(this.#files, files, state.server.limits);
    if (trouble) toast(trouble);
    this.#files = all;
    this.#drawFiles();
    this.#changed(false);
    this.input.focus();
  }

  /** On a phone the keyboard covers half of the screen: it comes only when asked for. */
  focus() {
    if (!this.#isTouch()) this.input.focus();
  }

  #isTouch() {
    return matchMedia("(pointer: coarse)").matches;
  }

  #send() {
    const text = this.input.value.trim();
    if (!this.#room || (!text && !this.#files.length)) return;
    const most = state.server.limits.content;
    if (text.length > most && length(text) > most) return toast(t("compose.long", { n: most }));
    if (!post(this.#room, text, this.#files)) return toast(t("compose.full"));
    this.input.value = "";
    this.#files = [];
    this.#drawFiles();
    this.#changed(false);
    this.#keep();
    this.#onSent();
    this.input.focus();
  }

  #changed(keep = true) {
    this.input.style.height = "auto";
    this.input.style.height = `${Math.min(this.input.scrollHeight, 200)}px`;
    this.button.disabled = !this.input.value.trim() && !this.#files.length;
    if (!keep) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), REST);
  }

  #keep() {
    clearTimeout(this.#timer);
    if (this.#room && state.account) keepDraft(state.account.user_id, this.#room.id, this.input.value);
  }

  #drawFiles() {
    this.list.hidden = !this.#files.length;
    keyed(this.list, this.#files, (file) => this.#key(file), (file) => {
      const remove = h("button.close", { type: "button", "aria-label": t("compose.remove", { name: file.name }), onclick: () => {
        this.#files = this.#files.filter((one) => one !== file);
        this.#drawFiles();
        this.#changed(false);
        this.input.focus();
      } }, "×");
      return h("li", null, this.#thumbnail(file), h("span.name", { dir: "auto" }, file.name), h("span.faint", null, size(file.size)), remove);
    });
    for (const [file, address] of this.#addresses) {
      if (this.#files.includes(file)) continue;
      URL.revokeObjectURL(address);
      this.#addresses.delete(file);
    }
  }

  #keys = new WeakMap();
  #next = 0;
  #key(file) {
    if (!this.#keys.has(file)) this.#keys.set(file, `${++this.#next}`);
    return this.#keys.get(file);
  }

  #thumbnail(file) {
    if (!/^image\/(png|jpeg|gif|webp)$/.test(file.type)) return h("span.kind", { "aria-hidden": "true" }, file.name.split(".").pop().slice(0, 4).toUpperCase());
    const address = URL.createObjectURL(file);
    this.#addresses.set(file, address);
    return h("img", { src: address, alt: "" });
  }
}

/** Pasted pictures are all called image.png. */
function named(file) {
  if (file.name && file.name !== "image.png") return file;
  return new File([file], `${t("compose.pasted")}.png`, { type: file.type });
}

/**
 * Lets files be dropped anywhere on `ground`.
 * @param {HTMLElement} ground @param {(files: Array<File>) => void} take
 */
export function takeDrops(ground, take) {
  let inside = 0;
  const show = (on) => ground.classList.toggle("dropping", on);
  const hasFiles = (event) => [...event.dataTransfer?.types ?? []].includes("Files");
  ground.addEventListener("dragenter", (event) => { if (hasFiles(event)) { inside++; show(true); } });
  ground.addEventListener("dragleave", (event) => { if (hasFiles(event) && --inside <= 0) { inside = 0; show(false); } });
  // A file that is dropped beside must not replace the page.
  document.addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    inside = 0;
    show(false);
    if (ground.contains(event.target)) take([...event.dataTransfer.files]);
  });
}

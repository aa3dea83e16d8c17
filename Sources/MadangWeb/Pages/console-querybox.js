/**
 * The query's field, with completion: a combobox as ARIA describes it.
 * @module
 */

import { fill } from "./console-dom.js";
import { completions } from "./console-query.js";
import { h } from "./elements.js";

/** `<console-query>`: set `known` and `label`; it sends `query` when its `value` changes. */
export class ConsoleQuery extends HTMLElement {
  /** @type {() => object} Values for completion. */
  known = () => ({ worlds: [], operations: [], faults: [] });
  label = "";
  hint = "";
  #input;
  #list;
  #words = [];
  #start = 0;
  #at = -1;

  get value() {
    return this.#input?.value ?? "";
  }
  set value(text) {
    if (this.#input && this.#input.value !== text) {
      this.#input.value = text;
      this.#close();
    }
  }
  focus() {
    this.#input.focus();
    this.#input.select();
  }

  connectedCallback() {
    if (this.#input) return;
    this.#list = h("div.completions", { role: "listbox", id: "query-words", "aria-label": this.label, hidden: true });
    this.#input = h("input.input.mono", {
      type: "text",
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": "query-words",
      "aria-autocomplete": "list",
      "aria-label": this.label,
      placeholder: this.hint,
      autocomplete: "off",
      spellcheck: "false",
      autocapitalize: "off",
      oninput: () => {
        this.#open();
        this.#changed();
      },
      onfocus: () => this.#open(),
      onclick: () => this.#open(),
      onblur: () => this.#close(),
      onkeydown: (event) => this.#key(event),
    });
    this.append(this.#input, this.#list);
  }

  #changed() {
    this.dispatchEvent(new Event("query"));
  }

  #open() {
    const { start, words } = completions(this.#input.value, this.#input.selectionStart ?? 0, this.known());
    [this.#start, this.#words, this.#at] = [start, words, -1];
    if (!words.length) return this.#close();
    fill(this.#list,
      words.map((word, index) =>
        h("div.mono", {
          role: "option",
          id: `query-word-${index}`,
          "aria-selected": "false",
          // The field keeps the focus.
          onpointerdown: (event) => {
            event.preventDefault();
            this.#take(index);
          },
        }, word)));
    this.#list.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    this.#input.removeAttribute("aria-activedescendant");
  }

  #close() {
    this.#list.hidden = true;
    this.#at = -1;
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
  }

  #move(by) {
    const many = this.#words.length;
    this.#list.children[this.#at]?.setAttribute("aria-selected", "false");
    this.#at = this.#at < 0 ? (by > 0 ? 0 : many - 1) : (this.#at + by + many) % many;
    const chosen = this.#list.children[this.#at];
    chosen.setAttribute("aria-selected", "true");
    chosen.scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", chosen.id);
  }

  #take(index) {
    const { value, selectionStart } = this.#input;
    const word = this.#words[index];
    const whole = word.endsWith(":") ? word : `${word} `;
    this.#input.value = value.slice(0, this.#start) + whole + value.slice(selectionStart).trimStart();
    const cursor = this.#start + whole.length;
    this.#input.setSelectionRange(cursor, cursor);
    this.#changed();
    if (word.endsWith(":")) this.#open();
    else this.#close();
  }

  #key(event) {
    // A key of an input method that is not done with a syllable.
    if (event.isComposing) return;
    const isOpen = !this.#list.hidden;
    if (event.key === "ArrowDown" && (isOpen || this.#input.value.endsWith(" "))) {
      event.preventDefault();
      if (!isOpen) this.#open();
      if (!this.#list.hidden) this.#move(1);
    } else if (event.key === "ArrowUp" && isOpen) {
      event.preventDefault();
      this.#move(-1);
    } else if (event.key === "Enter" || (event.key === "Tab" && this.#at >= 0)) {
      event.preventDefault();
      if (this.#at >= 0) this.#take(this.#at);
      else {
        this.#close();
        this.dispatchEvent(new Event("leave"));
      }
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.dispatchEvent(new Event("leave"));
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (isOpen) this.#close();
      else if (this.#input.value) {
        this.#input.value = "";
        this.#changed();
      } else this.dispatchEvent(new Event("leave"));
    }
  }
}

customElements.define("console-query", ConsoleQuery);

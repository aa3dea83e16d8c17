/**
 * A windowed list: only visible rows have elements, which are reused. All rows have the same height.
 * @module
 */

import { h } from "./elements.js";

const SPARE = 6;
/** A browser does not lay out taller elements reliably. */
const TALLEST = 8_000_000;

/**
 * `<console-list>`: a listbox. Set `draw` and `label`, then `show(rows)`. It sends `choose` when another row is current, `enter` when one
 * is opened, and `follow` when it starts or stops to stay at the end.
 */
export class ConsoleList extends HTMLElement {
  /** @type {(element: HTMLElement, row: object) => void} */
  draw = () => {};
  /** @type {() => HTMLElement} */
  make = () => h("div");
  following = true;
  /** The current row, or null. */
  current = null;

  #rows = [];
  #height = 36;
  #space = h("div.list-space", { role: "presentation" });
  #elements = [];
  #first = 0;
  #asked = false;
  #seen = 0;
  /** A row that the next frame brings into view. */
  #wanted = null;
  /** The first row in view before the list left the page or rows became taller, and how far it was scrolled out. */
  #left = null;
  #observer = new ResizeObserver(() => {
    this.#measure();
    this.refresh();
  });

  connectedCallback() {
    this.#observer.observe(this);
    if (this.#space.parentNode) return;
    this.setAttribute("role", "listbox");
    this.tabIndex = 0;
    this.append(this.#space);
    this.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("click", (event) => {
      const element = event.target.closest("[role=option]");
      if (element?.row) {
        this.choose(element.row);
        this.#send("enter");
      }
    });
  }

  disconnectedCallback() {
    this.#observer.disconnect();
    // A browser forgets how far a removed element was scrolled.
    this.#keepPlace();
    this.#seen = 0;
  }

  #keepPlace() {
    const index = Math.floor(this.#seen / this.#height);
    this.#left ??= index < this.#rows.length ? { row: this.#rows[index], by: this.#seen - index * this.#height } : null;
  }

  /**
   * Shows rows, oldest first. The array may be the same as before, with more at its end.
   * @param {object[]} rows
   * @param {number} [gone] How many rows were removed at the beginning since the last call.
   */
  show(rows, gone = 0) {
    const isSame = this.#rows === rows;
    this.#rows = rows;
    if (gone && !this.following) this.scrollTop = Math.max(0, this.scrollTop - gone * this.#height);
    if (isSame) this.update();
    else this.refresh();
  }

  /** Draws all again in the next frame. */
  refresh() {
    for (const element of this.#elements) element.drawn = null;
    this.update();
  }

  /** Draws changed rows in the next frame. */
  update() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      this.#paint();
    });
  }

  /** Makes a row current and brings it into view. */
  choose(row, quietly = false) {
    this.current = row;
    this.#wanted = row;
    if (this.#indexOf(row) < this.#rows.length - 1) this.#follow(false);
    this.update();
    if (!quietly) this.#send("choose");
  }

  /** Scrolls to the end and keeps following. */
  toEnd() {
    this.#follow(true);
    this.update();
  }

  stay() {
    this.#follow(false);
  }

  #bring(index) {
    const top = index * this.#height;
    if (index < 0) return;
    if (top < this.scrollTop) this.scrollTop = top;
    else if (top + this.#height > this.scrollTop + this.clientHeight) this.scrollTop = top + this.#height - this.clientHeight;
  }

  #indexOf(row) {
    // The row is most likely near the end.
    return row ? this.#rows.lastIndexOf(row) : -1;
  }

  #follow(on) {
    if (this.following === on) return;
    this.following = on;
    this.#send("follow");
  }

  #send(name) {
    this.dispatchEvent(new CustomEvent(name, { detail: this.current }));
  }

  #measure() {
    const height = parseFloat(getComputedStyle(this).getPropertyValue("--row")) || 36;
    if (height === this.#height) return;
    this.#keepPlace();
    this.#height = height;
    for (const element of this.#elements) element.index = undefined;
  }

  #scrolled() {
    const atEnd = this.scrollTop + this.clientHeight >= this.scrollHeight - this.#height;
    // New rows never scroll up; the reader did.
    if (this.scrollTop < this.#seen - 2 && !atEnd) this.#follow(false);
    else if (atEnd && this.scrollTop > this.#seen) this.#follow(true);
    this.#seen = this.scrollTop;
    this.update();
  }

  #paint() {
    if (!this.isConnected) return;
    const height = this.#height;
    const tall = Math.min(this.#rows.length * height, TALLEST);
    if (this.#space.tall !== tall) {
      this.#space.tall = tall;
      this.#space.style.height = `${tall}px`;
    }
    if (this.#left) {
      const index = this.#indexOf(this.#left.row);
      if (index >= 0) this.scrollTop = index * height + this.#left.by;
      else this.#wanted ??= this.current;
      this.#left = null;
    }
    if (this.#wanted) this.#bring(this.#indexOf(this.#wanted));
    this.#wanted = null;
    if (this.following) {
      this.scrollTop = tall;
      this.#seen = this.scrollTop;
    }
    this.#first = Math.max(0, Math.floor(this.scrollTop / height) - SPARE);
    const end = Math.min(this.#rows.length, Math.ceil((this.scrollTop + this.clientHeight) / height) + SPARE);
    const needed = Math.ceil(this.clientHeight / height) + 2 * SPARE + 2;
    while (this.#elements.length < needed) {
      const element = this.make();
      element.setAttribute("role", "option");
      element.id = `${this.id || "list"}-row-${this.#elements.length}`;
      this.#elements.push(element);
      this.#space.append(element);
    }
    const many = this.#elements.length;
    const used = new Set();
    let active = "";
    for (let index = this.#first; index < end; index++) {
      const element = this.#elements[index % many];
      used.add(element);
      const row = this.#rows[index];
      if (element.drawn !== row || row.changed) {
        this.draw(element, row);
        // A click before the next frame is for the row that the reader sees.
        element.row = element.drawn = row;
        row.changed = false;
      }
      if (element.index !== index) {
        element.index = index;
        element.style.transform = `translateY(${index * height}px)`;
        element.setAttribute("aria-posinset", index + 1);
      }
      if (element.total !== this.#rows.length) {
        element.total = this.#rows.length;
        element.setAttribute("aria-setsize", this.#rows.length);
      }
      const isCurrent = row === this.current;
      if (element.isCurrent !== isCurrent) {
        element.isCurrent = isCurrent;
        element.setAttribute("aria-selected", isCurrent);
      }
      if (isCurrent) active = element.id;
      if (element.hidden) element.hidden = false;
    }
    for (const element of this.#elements) {
      if (!used.has(element) && !element.hidden) {
        element.hidden = true;
        element.row = element.drawn = null;
        element.isCurrent = false;
        element.setAttribute("aria-selected", false);
      }
    }
    if (active) this.setAttribute("aria-activedescendant", active);
    else this.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.clientHeight / this.#height) - 1);
    const now = this.#indexOf(this.current);
    const start = now >= 0 ? now : this.following ? this.#rows.length : Math.floor(this.scrollTop / this.#height) - 1;
    const to = {
      ArrowDown: start + 1,
      ArrowUp: start - 1,
      j: start + 1,
      k: start - 1,
      PageDown: start + page,
      PageUp: start - page,
      Home: 0,
      End: this.#rows.length - 1,
    }[event.key];
    if (to !== undefined && this.#rows.length) {
      event.preventDefault();
      const index = Math.max(0, Math.min(this.#rows.length - 1, to));
      this.choose(this.#rows[index]);
      if (event.key === "End") this.#follow(true);
    } else if (event.key === "Enter" && this.current) {
      event.preventDefault();
      this.#send("enter");
    }
  }
}

customElements.define("console-list", ConsoleList);

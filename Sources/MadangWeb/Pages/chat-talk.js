/**
 * The chats of the open room. Of the kept history a bounded run of rows is in the page; it moves with scrolling, and the
 * history grows at its ends.
 * @module
 */

import { h, keyed, toast } from "./elements.js";
import { discard, entriesOf, sendAgain } from "./chat-outbox.js";
import { row, waitingRow } from "./chat-row.js";
import { state } from "./chat-state.js";
import { explain } from "./chat-trouble.js";
import { t } from "./words.js";

/** Rows in the page at most, and rows that one move adds. */
const ROWS = 160, STEP = 24;
/** Chats above the first unread one, to know what it answers. */
const CONTEXT = 20;
/** Distance to an end of the rows, in pixels, at which the next are added. */
const NEAR = 1200;
/** Distance to the bottom that still counts as being there. */
const BOTTOM = 48;
/** Milliseconds after which a word tells that chats are being read. */
const SLOW = 400;
/** Milliseconds before a failed read is tried again by scrolling. */
const REST = 2000;

export class Talk {
  /** @param {{onPerson: (person: object) => void, onEdit: (entry: object) => void, empty: (room: object) => Node}} options */
  constructor(options) {
    this.options = options;
    this.list = h("ol.rows");
    this.pending = h("ol.rows.waiting");
    this.head = h("div.beginning");
    this.inner = h("div.inner", null, this.head, this.list, this.pending);
    this.scroller = h("div.talk", { tabindex: "0", role: "log", "aria-live": "off" }, this.inner);
    this.jump = h("button.jump", { type: "button", hidden: true, onclick: () => this.toNewest() });
    this.earlier = h("button.jump.earlier", { type: "button", hidden: true, onclick: () => this.toFirstUnread() });
    this.element = h("div.talk-pane", null, this.earlier, this.scroller, this.jump);
    this.scroller.addEventListener("scroll", () => this.#soon(), { passive: true });
    this.scroller.addEventListener("keydown", (event) => this.#keys(event));
    new ResizeObserver(() => { if (this.stuck) this.#toBottom(); }).observe(this.scroller);
    new ResizeObserver(() => { if (this.stuck) this.#toBottom(); }).observe(this.inner);
    addEventListener("focus", () => this.#seen());
    document.addEventListener("visibilitychange", () => this.#seen());
    state.on("history", (change) => this.#arrived(change));
    state.on("outbox", (room) => { if (room === this.room?.id) this.#pendingChanged(); });
    state.on("live", () => this.#live());
  }

  room = null;
  history = null;
  /** The reader is at the bottom and stays there. */
  stuck = true;
  #from = 0;
  #to = 0;
  /** Date up to which the room was read when it was opened: the line stands after it. */
  #mark = "";
  #below = 0;
  #busy = false;
  #restUntil = 0;
  #asked = false;

  /** Shows a room, from memory if its history is kept. */
  async show(room) {
    this.room = room;
    this.history = state.historyOf(room);
    this.#mark = state.marks.of(room);
    this.#below = 0;
    this.#busy = false;
    this.#restUntil = 0;
    this.scroller.setAttribute("aria-label", t("talk.label", { name: room.name }));
    this.earlier.hidden = this.jump.hidden = true;
    if (this.history.chats.length && this.history.atEnd) {
      this.#fill();
      if (!this.history.stale) return this.#opened();
    } else {
      this.#from = this.#to = 0;
      this.list.replaceChildren();
      this.#pendingChanged();
      this.#head("");
    }
    await this.#load(async (history) => {
      if (history.atEnd && history.chats.length) await history.catchUp();
      else await history.loadNewest();
      // Both are read at once; the line needs both.
      await room.place.counting;
    });
  }

  hide() {
    this.room = this.history = null;
    this.list.replaceChildren();
    this.pending.replaceChildren();
  }

  /** Goes to the newest chat. */
  async toNewest() {
    if (!this.history) return;
    this.#below = 0;
    if (this.history.atEnd) {
      this.stuck = true;
      // Rows that are far away are drawn again; to rows nearby the page scrolls.
      if (this.#to === this.history.chats.length) this.#toBottom(true);
      else this.#fill();
      return this.#seen();
    }
    await this.#load((history) => history.loadNewest());
  }

  /** Goes to the first unread chat, which may be far above. */
  async toFirstUnread() {
    this.earlier.hidden = true;
    const { room, history } = this;
    try {
      await this.#reading(() => history.loadAfter(this.#mark));
    } catch (error) {
      this.earlier.hidden = this.room !== room;
      return toast(explain(error));
    }
    if (this.room !== room) return;
    this.#from = 0;
    this.#to = Math.min(history.chats.length, ROWS);
    this.#draw();
    this.stuck = false;
    this.scroller.scrollTop = 0;
    this.#jumpChanged();
  }

  /** Scrolls by most of a page: the composer's Page Up and Page Down. */
  page(direction) {
    this.scroller.scrollBy({ top: direction * this.scroller.clientHeight * 0.85 });
  }

  async #load(read) {
    const { room } = this;
    const slow = setTimeout(() => {
      if (this.room === room && !this.list.childElementCount) this.#head(t("loading"));
    }, SLOW);
    try {
      await this.#reading(() => read(this.history));
    } catch (error) {
      if (this.room === room) this.#failed(error);
      return;
    } finally {
      clearTimeout(slow);
    }
    if (this.room !== room) return;
    this.#fill();
    this.#opened();
    this.#live();
  }

  /** The history is there: the line, the place, the mark. */
  #opened() {
    const unread = this.room.count;
    if (unread) this.#moveToUnread();
    const line = this.list.querySelector(".unread");
    if (line && unread) {
      this.stuck = false;
      const { scroller } = this;
      // A quarter of the page shows what was read before.
      scroller.scrollTop += line.getBoundingClientRect().top - scroller.getBoundingClientRect().top - scroller.clientHeight / 4;
      this.stuck = this.#atBottom();
    } else if (unread && this.history.oldest && this.history.oldest.createdAt > this.#mark && !this.history.atStart) {
      this.earlier.textContent = t("talk.earlier", { n: unread });
      this.earlier.hidden = false;
    }
    this.#seen();
    this.options.onShown?.();
  }

  /** Brings the first unread chat into the rows if it is kept. */
  #moveToUnread() {
    const { chats, atStart } = this.history;
    const me = state.account.user_id;
    const first = chats.findIndex((chat) => chat.createdAt > this.#mark && chat.user.user_id !== me);
    if (first < 0 || first >= this.#from || (first === 0 && !atStart)) return;
    this.#from = Math.max(0, first - CONTEXT);
    this.#to = Math.min(chats.length, this.#from + ROWS);
    this.#draw();
  }

  /** Draws the last rows and goes to the bottom. */
  #fill() {
    const { chats } = this.history;
    this.#to = chats.length;
    this.#from = Math.max(0, this.#to - ROWS / 2);
    this.#draw();
    this.#pendingChanged();
    this.stuck = true;
    this.#toBottom();
    this.#jumpChanged();
  }

  #draw() {
    const rows = [];
    for (let at = this.#from; at < this.#to; at++) rows.push(this.#row(at));
    this.list.replaceChildren(...rows);
    this.#head();
  }

  #row(at) {
    const { chats } = this.history;
    const chat = chats[at], before = chats[at - 1] ?? null;
    const me = state.account.user_id;
    const unread = chat.createdAt > this.#mark && chat.user.user_id !== me && this.#isFirstUnread(at);
    return row(chat, before, unread, this.options.onPerson);
  }

  /** Whether all chats before it were read, or are own ones. */
  #isFirstUnread(at) {
    const { chats } = this.history;
    for (let earlier = at - 1; earlier >= 0 && chats[earlier].createdAt > this.#mark; earlier--) {
      if (chats[earlier].user.user_id !== state.account.user_id) return false;
    }
    if (at > 0) return true;
    // Of the first chat here it is known only if nothing, or what was read, comes before it.
    return this.history.atStart ? this.#mark > this.room.createdAt : this.history.after === this.#mark;
  }

  /** What stands above the first row. */
  #head(text) {
    const { history, room } = this;
    if (text !== undefined) this.head.replaceChildren(...(text ? [h("p.faint", null, text)] : []));
    else if (this.#from === 0 && history.atStart) this.head.replaceChildren(this.options.empty(room, !history.chats.length));
    else this.head.replaceChildren(h("p.faint", null, t("talk.older")));
    this.head.classList.toggle("whole", history.atStart && this.#from === 0 && !history.chats.length);
  }

  #failed(error) {
    if (this.list.childElementCount) return toast(explain(error));
    this.head.replaceChildren(h("p.soft", null, t("talk.failed")),
      h("button.button", { type: "button", onclick: () => this.show(this.room) }, t("again")));
  }

  #soon() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      if (this.history) this.#scrolled();
    });
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    this.stuck = this.#atBottom();
    const { history } = this;
    if (scrollTop < NEAR) {
      if (this.#from > 0) this.#moveUp();
      else if (!history.atStart) this.#grow((one) => one.loadOlder(), () => this.#moveUp());
    } else if (scrollHeight - scrollTop - clientHeight < NEAR) {
      if (this.#to < history.chats.length) this.#moveDown();
      else if (!history.atEnd) this.#grow((one) => one.loadNewer(), () => this.#moveDown());
    }
    if (this.stuck) this.#below = 0;
    this.#jumpChanged();
    this.#seen();
  }

  #atBottom() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight < BOTTOM
      && this.#to === this.history.chats.length && this.history.atEnd;
  }

  /** Lets the history grow, keeps the rows' place in it, then moves. */
  async #grow(read, move) {
    if (this.#busy || Date.now() < this.#restUntil) return;
    const { room, history } = this;
    const first = history.chats[this.#from], last = history.chats[this.#to - 1];
    const { oldest, newest, atStart, atEnd } = history;
    try {
      await this.#reading(() => read(history));
    } catch {
      return this.#rest();
    }
    if (this.room !== room || this.history !== history) return;
    const from = history.chats.indexOf(first), to = history.chats.indexOf(last);
    if (from < 0 || to < 0) return this.#fill();
    this.#from = from;
    this.#to = to + 1;
    move();
    this.#head();
    // Live chats may have come meanwhile.
    if (this.stuck && this.#to < history.chats.length) this.#fill();
    const same = oldest === history.oldest && newest === history.newest && atStart === history.atStart && atEnd === history.atEnd;
    // A read that brought nothing is not repeated at once.
    if (same) this.#rest();
    else this.#soon();
  }

  /** Looks again after a while whether chats are missing at an end that is in sight. */
  #rest() {
    const { room } = this;
    this.#restUntil = Date.now() + REST;
    setTimeout(() => {
      if (this.room !== room) return;
      this.#soon();
      this.#live();
    }, REST + 50);
  }

  async #reading(read) {
    this.#busy = true;
    this.scroller.setAttribute("aria-busy", "true");
    try {
      await read();
    } finally {
      this.#busy = false;
      this.scroller.removeAttribute("aria-busy");
    }
  }

  #moveUp() {
    const from = Math.max(0, this.#from - STEP);
    if (from === this.#from) return this.#anchored(() => this.#head());
    this.#anchored(() => {
      const rows = [];
      for (let at = from; at < this.#from; at++) rows.push(this.#row(at));
      // The first row stood without a chat before it.
      this.list.firstElementChild?.replaceWith(this.#row(this.#from));
      this.list.prepend(...rows);
      this.#from = from;
      while (this.#to - this.#from > ROWS) {
        this.list.lastElementChild.remove();
        this.#to--;
      }
      this.#head();
    });
    this.#jumpChanged();
  }

  #moveDown() {
    const to = Math.min(this.history.chats.length, this.#to + STEP);
    if (to === this.#to) return;
    this.#anchored(() => {
      const rows = [];
      for (let at = this.#to; at < to; at++) rows.push(this.#row(at));
      this.list.append(...rows);
      this.#to = to;
      while (this.#to - this.#from > ROWS) {
        this.list.firstElementChild.remove();
        this.#from++;
      }
      this.#head();
    });
  }

  /** Changes rows above or below without moving the row that is read. */
  #anchored(change) {
    const top = this.scroller.scrollTop;
    const rows = this.list.children;
    let low = 0, high = rows.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].offsetTop + rows[middle].offsetHeight <= top) low = middle + 1;
      else high = middle;
    }
    // Not the first row: the line above it may go when another row comes before it.
    const anchor = rows[low === 0 && rows.length > 1 ? 1 : low];
    if (!anchor) return change();
    const before = anchor.offsetTop;
    change();
    const same = anchor.isConnected ? anchor : this.list.querySelector(`[data-date="${anchor.dataset.date}"]`);
    if (same) this.scroller.scrollTop = top + same.offsetTop - before;
  }

  #toBottom(smooth = false) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.scroller.scrollTo({ top: this.scroller.scrollHeight, behavior: smooth && !calm ? "smooth" : "instant" });
  }

  /** A chat was added to a history. */
  #arrived({ room, chat, added, mine }) {
    if (room !== this.room || !this.history) return;
    if (!added) {
      if (!this.history.atEnd && !mine) this.#below++;
      return this.#jumpChanged();
    }
    const { chats } = this.history;
    // The history may have dropped its oldest.
    const firstDate = this.list.firstElementChild?.dataset.date;
    if (firstDate && chats[this.#from]?.createdAt !== firstDate) {
      const from = chats.findIndex((one) => one.createdAt === firstDate);
      this.#to = from < 0 ? 0 : from + this.list.children.length;
      this.#from = Math.max(from, 0);
      if (from < 0) return this.#fill();
    }
    const at = chats.indexOf(chat);
    if (at < this.#to) {
      // It arrived after a newer one. This is rare, so all rows are drawn again.
      this.#to = Math.min(this.#to + 1, chats.length);
      return this.#anchored(() => this.#draw());
    }
    if (mine || (this.stuck && this.#isWatched() && !this.list.querySelector(".unread"))) {
      this.#mark = chat.createdAt;
    } else if (room.count <= 1 && !this.#isWatched()) {
      // All was read until the reader went away: the line moves here.
      this.#mark = state.marks.of(room);
      this.list.querySelector(".unread")?.remove();
    }
    if (at === this.#to && (this.stuck || this.#to - this.#from < ROWS)) {
      this.list.append(this.#row(at));
      this.#to++;
      this.#head();
      if (this.stuck) {
        while (this.#to - this.#from > ROWS) {
          this.list.firstElementChild.remove();
          this.#from++;
        }
        this.#toBottom();
      }
    }
    if (this.#to < chats.length) this.#soon();
    if (!this.stuck && !mine) this.#below++;
    this.#jumpChanged();
    this.#seen();
  }

  #pendingChanged() {
    if (!this.room) return;
    const entries = entriesOf(this.room.id).filter((entry) => !entry.seen);
    keyed(this.pending, entries, (entry) => entry.id, () => h("li.row"), (element, entry) => {
      const look = `${entry.state} ${entry.code} ${Math.round(entry.progress * 50)} ${state.readOnly}`;
      if (element.dataset.look === look) return;
      element.dataset.look = look;
      element.replaceChildren(waitingRow(entry, {
        again: () => sendAgain(entry),
        discard: () => discard(entry),
        edit: () => { discard(entry); this.options.onEdit(entry); },
      }));
    });
    if (this.stuck) this.#toBottom();
  }

  #jumpChanged() {
    const away = this.history?.chats.length && !this.#atBottom();
    this.jump.hidden = !away;
    this.jump.textContent = this.#below ? t("talk.below", { n: this.#below }) : t("talk.newest");
    this.jump.classList.toggle("warm", this.#below > 0);
  }

  #isWatched() {
    return !document.hidden && document.hasFocus();
  }

  /** Marks the room as read while its newest chat is looked at. */
  #seen() {
    if (!this.room || !this.history?.newest || !this.#isWatched() || !this.#atBottom()) return;
    state.read(this.room, this.history.newest.createdAt);
  }

  /** The socket is back in this room: what was missed is read. */
  #live() {
    const { room, history } = this;
    if (!room || !history?.stale || this.#busy) return;
    if (!history.chats.length && !history.atEnd) return this.show(room);
    // Without the end here, the newer pages are read when they are scrolled to.
    if (!history.atEnd) {
      history.stale = false;
      return;
    }
    // What was missed may belong between chats that are here, so the rows are drawn again.
    this.#grow((one) => one.catchUp(), () => {
      if (this.stuck) this.#fill();
      else this.#anchored(() => this.#draw());
    });
  }

  /** Arrow keys go from chat to chat. */
  #keys(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const present = event.target.closest?.(".chat");
    if (event.target !== this.scroller && !present) return;
    const chats = [...this.inner.querySelectorAll(".chat")];
    const next = present ? chats[chats.indexOf(present) + step] : chats.at(-1);
    if (!next) return;
    event.preventDefault();
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }
}

/**
 * The part of a room's history that is kept in memory: a run of chats without gaps, bounded, which can grow at both ends.
 *
 * The wire answers all chats after a date, without pages. So an older page is read in three steps: a date is looked for
 * after which about a page of chats lies (unread counts tell how many do), the history after that date is read as a
 * stream, and the stream is cut at the first chat that is already here.
 * @module
 */

import { get, getStream, Lost } from "./chat-calls.js";
import { readElements } from "./chat-stream.js";

/** Chats that one step adds, about. */
const PAGE = 100;
/** A step that would bring fewer looks further back; one that would bring more looks less far. */
const FEW = 40, MANY = 260;
/** Chats after which a read that found no end is given up. */
const TOO_MANY = 3000;
/** Chats kept at most. */
const KEPT = 1200;
/** Tries to find a date. Each halves the distance, on a scale that suits bursts. */
const LOOKS = 14;
/** Pages to catch up with before the newest page is read again. */
const CATCH_UP = 5;
/** Milliseconds without a chat after which a read counts as lost. */
const SILENCE = 20_000;

const iso = (milliseconds) => new Date(milliseconds).toISOString();

export class History {
  /** Oldest first. @type {Array<object>} */
  chats = [];
  /** Whether the first chat here is the room's first. */
  atStart = false;
  /** Whether the last chat here is the room's newest, so that live chats continue it. */
  atEnd = false;
  /** The date after which the first chat here is the next one; empty where that is not known. */
  after = "";
  /** Live chats may have been missed since the last read. */
  stale = false;

  #path;
  #begin;
  /** Date up to which no chat is missing. An own chat that was answered may stand after a gap. */
  #sure;
  #turn = Promise.resolve();
  #reading = 0;
  /** Live chats that came during a read. */
  #late = [];

  /** @param {string} path of the room below `/web/v1` @param {string} createdAt of the room */
  constructor(path, createdAt) {
    this.#path = path;
    this.#begin = Date.parse(createdAt) - 1000;
    this.#sure = iso(this.#begin);
  }

  get oldest() {
    return this.chats[0];
  }

  get newest() {
    return this.chats[this.chats.length - 1];
  }

  /** Reads the newest page. */
  loadNewest() {
    return this.#fresh(async () => {
      const { taken, atStart } = await this.#pageBefore(null);
      this.chats = taken;
      this.atStart = atStart;
      this.after = "";
      this.atEnd = true;
      this.#sure = this.newest?.createdAt ?? iso(this.#begin);
    });
  }

  /** Reads the page that begins after a date: the way to the first unread chat. */
  loadAfter(date) {
    return this.#fresh(async () => {
      const { taken, ended } = await this.#readFirst(Date.parse(date), PAGE);
      this.chats = taken;
      this.atStart = false;
      this.after = date;
      this.atEnd = ended;
      this.#sure = this.newest?.createdAt ?? date;
    });
  }

  /** Adds an older page. */
  loadOlder() {
    return this.#inTurn(async () => {
      if (this.atStart || !this.chats.length) return;
      const { taken, atStart } = await this.#pageBefore(Date.parse(this.oldest.createdAt));
      this.chats = taken.concat(this.chats);
      if (taken.length) this.after = "";
      this.atStart = atStart;
      if (this.chats.length > KEPT) {
        this.chats.length = KEPT;
        this.atEnd = false;
        if (this.newest.createdAt < this.#sure) this.#sure = this.newest.createdAt;
      }
    });
  }

  /** Adds a newer page, after `loadAfter` or when newer chats were dropped. */
  loadNewer() {
    return this.#inTurn(async () => {
      this.atEnd = await this.#newer();
    });
  }

  /** Reads what was missed while no live chats arrived. */
  async catchUp() {
    if (!this.chats.length) return this.loadNewest();
    let caughtUp = !this.atEnd;
    await this.#fresh(async () => {
      for (let page = 0; page < CATCH_UP && !caughtUp; page++) caughtUp = await this.#newer();
    });
    if (!caughtUp) await this.loadNewest();
  }

  /**
   * Adds a chat that came live or as the answer to a post.
   * @param {boolean} live came by the socket, so that none before it is missing unless the history is stale
   * @returns {boolean} whether it is here now and was not before
   */
  add(chat, live) {
    if (this.#reading) {
      if (this.#late.length < KEPT) this.#late.push([chat, live]);
      return false;
    }
    if (!this.atEnd) return false;
    if (live && !this.stale && chat.createdAt > this.#sure) this.#sure = chat.createdAt;
    const added = this.#insert(chat);
    if (added) this.#trimStart();
    return added;
  }

  /** Dates of a room always rise, so the date is the place. */
  #insert(chat) {
    let at = this.chats.length;
    while (at > 0 && this.chats[at - 1].createdAt >= chat.createdAt) at--;
    if (this.chats[at]?.createdAt === chat.createdAt) return false;
    if (at === 0 && !this.atStart && this.chats.length) return false;
    this.chats.splice(at, 0, chat);
    return true;
  }

  /** How many chats of others come after a date. */
  async count(date) {
    return (await get(`${this.#path}/unreads?after=${encodeURIComponent(date)}`)).count;
  }

  /**
   * The first chat after a date that fits.
   * @param {string} date @param {(chat: object) => boolean} fits
   */
  async find(date, fits) {
    let found = null;
    await this.#stream(Date.parse(date), {}, (chat) => {
      if (fits(chat)) found = chat;
      return !found;
    });
    return found;
  }

  /** Adds the page that follows the last sure chat. @returns {Promise<boolean>} whether it was the last */
  async #newer() {
    const { taken, ended } = await this.#readFirst(Date.parse(this.#sure), PAGE);
    for (const chat of taken) this.#insert(chat);
    if (taken.length) this.#sure = taken[taken.length - 1].createdAt;
    this.#trimStart();
    return ended;
  }

  #trimStart() {
    if (this.chats.length <= KEPT) return;
    this.chats.splice(0, this.chats.length - KEPT + PAGE);
    this.atStart = false;
    this.after = "";
  }

  /** A read after which nothing is missing, unless the connection came back only while it ran. */
  #fresh(read) {
    return this.#inTurn(async () => {
      this.stale = false;
      try {
        await read();
      } catch (error) {
        this.stale = true;
        throw error;
      }
    });
  }

  /** One read at a time; live chats that come meanwhile follow it. */
  #inTurn(read) {
    this.#reading++;
    const turn = this.#turn.then(read).finally(() => {
      if (--this.#reading) return;
      const late = this.#late.splice(0);
      for (const [chat, live] of late) this.add(chat, live);
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /**
   * A date, in milliseconds, after which about a page of chats lies before `end`.
   * @param {number|null} end null: the present
   */
  async #pageStart(end) {
    const begin = this.#begin;
    const [all, beyond] = await Promise.all([
      this.count(iso(begin)), end === null ? 0 : this.count(iso(end))]);
    if (all - beyond <= MANY) return begin;
    const last = end ?? Date.now();
    let near = last, far = begin;
    // As if chats were spread evenly; then between what was too near and what was too far.
    let at = last - (last - begin) * PAGE / (all - beyond);
    for (let look = 0; look < LOOKS; look++) {
      at = Math.round(Math.min(Math.max(at, far + 1), near - 1));
      if (far + 1 >= near) break;
      const count = await this.count(iso(at)) - beyond;
      if (count < FEW) near = at;
      else if (count > MANY) far = at;
      else return at;
      at = last - Math.sqrt(Math.max(last - near, 1) * (last - far));
    }
    return far;
  }

  /**
   * The page before `end`. Counts do not know own chats, so a date may have far too many after it: such a read is given
   * up, and a later date is tried.
   * @param {number|null} end null: the present
   */
  async #pageBefore(end) {
    const last = end ?? Date.now();
    let cursor = end === null ? this.#begin : this.#guess(end);
    if (cursor > this.#begin) {
      const { taken, given } = await this.#readLast(cursor, end, true);
      if (!given && taken.length >= FEW) return { taken, atStart: false };
    }
    cursor = await this.#pageStart(end);
    let near = last, far = this.#begin;
    for (let look = 0; ; look++) {
      const { taken, whole, given } = await this.#readLast(cursor, end, look < LOOKS);
      if (given) far = given;
      else if (taken.length >= FEW || cursor <= far || look >= LOOKS) return { taken, atStart: whole && cursor <= this.#begin };
      else near = cursor;
      const next = last - Math.sqrt(Math.max(last - near, 1) * Math.max(last - far, 1));
      cursor = look + 1 < LOOKS && near - far > 1 ? Math.round(Math.min(Math.max(next, far), near)) : far;
    }
  }

  /** A date about a page before `end`, as if chats had come as often as in the page that follows. */
  #guess(end) {
    const at = Math.min(PAGE, this.chats.length) - 1;
    return end - (Date.parse(this.chats[at].createdAt) - end) * (PAGE + FEW) / (at + 1);
  }

  /**
   * The last chats between `cursor` and `end`.
   * @param {boolean} mayGiveUp ends the read at `TOO_MANY` chats; `given` is the date that was reached
   */
  async #readLast(cursor, end, mayGiveUp) {
    let taken = [];
    let whole = true;
    let count = 0, given = 0;
    const stops = { before: end === null ? null : iso(end), limit: mayGiveUp ? TOO_MANY + 1 : null };
    await this.#stream(cursor, stops, (chat) => {
      const date = Date.parse(chat.createdAt);
      if (end !== null && date >= end) return false;
      if (mayGiveUp && ++count > TOO_MANY) {
        given = date;
        return false;
      }
      taken.push(chat);
      if (taken.length >= 2 * MANY) {
        taken = taken.slice(-MANY);
        whole = false;
      }
      return true;
    });
    return { taken, whole, given };
  }

  /** The first `most` chats after `cursor`. */
  async #readFirst(cursor, most) {
    const taken = [];
    let ended = true;
    await this.#stream(cursor, { limit: most + 1 }, (chat) => {
      if (taken.length === most) {
        ended = false;
        return false;
      }
      taken.push(chat);
      return true;
    });
    return { taken, ended };
  }

  /**
   * Reads the history after a date. `before` and `limit` only save a server that knows them from sending what `take`
   * would not take: the result is the same without them.
   */
  async #stream(cursor, { before, limit }, take) {
    const query = new URLSearchParams();
    if (cursor > this.#begin) query.set("cursor_date", iso(cursor));
    if (before) query.set("before", before);
    if (limit) query.set("limit", limit);
    const abort = new AbortController();
    const answer = await getStream(`${this.#path}/chats?${query}`, abort.signal);
    let alive = Date.now();
    const watch = setInterval(() => { if (Date.now() - alive > SILENCE) abort.abort(); }, 1000);
    try {
      return await readElements(answer.body, (chat) => {
        alive = Date.now();
        return take(chat);
      });
    } catch (error) {
      throw error instanceof Lost ? error : new Lost(`history: ${error.message}`);
    } finally {
      clearInterval(watch);
      abort.abort();
    }
  }
}

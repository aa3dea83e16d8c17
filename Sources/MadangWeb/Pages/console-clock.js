/**
 * The clock of a world between two answers of the server.
 * @module
 */

/** Real milliseconds that an answer may be late before the clock counts as moved. */
const LATE = 3000;

export class WorldClock {
  #now = null;
  #rate = 0;
  #read = 0;

  forget() {
    this.#now = null;
  }

  /** What it shows now, by the last answer; `now` is null before the first. */
  look() {
    const now = this.#now === null ? null : this.#now + (Date.now() - this.#read) * this.#rate;
    return { now, rate: this.#rate };
  }

  /**
   * Takes an answer. The computer's own clock counts between answers: other ones stop while the computer sleeps.
   * @param {number} [late] real milliseconds that the answer may be late
   * @returns {{moved: number, rate?: number}|null} milliseconds by which the clock was moved, and its rate if that changed
   */
  take({ now, rate }, late = LATE) {
    const before = this.look();
    [this.#now, this.#rate, this.#read] = [Date.parse(now), rate, Date.now()];
    if (before.now === null) return null;
    const moved = this.#now - before.now;
    const isMoved = Math.abs(moved) > late * Math.max(1, rate, before.rate) || (rate === 0 && before.rate === 0 && moved !== 0);
    if (!isMoved && rate === before.rate) return null;
    return { moved: isMoved ? moved : 0, rate: rate === before.rate ? undefined : rate };
  }
}

/**
 * The clock of a world between two answers of the server.
 * @module
 */

/** Real milliseconds that an answer may be late before the clock counts as moved. */
const LATE = 2000;

export class WorldClock {
  #now = null;
  #rate = 0;
  #read = 0;

  forget() {
    this.#now = null;
  }

  /** What it shows now, by the last answer; `now` is null before the first. */
  look() {
    const now = this.#now === null ? null : this.#now + (performance.now() - this.#read) * this.#rate;
    return { now, rate: this.#rate };
  }

  /**
   * Takes an answer.
   * @returns {{moved: number, rate?: number}|null} milliseconds by which the clock was moved, and its rate if that changed
   */
  take({ now, rate }) {
    const before = this.look();
    [this.#now, this.#rate, this.#read] = [Date.parse(now), rate, performance.now()];
    if (before.now === null) return null;
    const moved = this.#now - before.now;
    const isMoved = Math.abs(moved) > LATE * Math.max(1, rate, before.rate) || (rate === 0 && before.rate === 0 && moved !== 0);
    if (!isMoved && rate === before.rate) return null;
    return { moved: isMoved ? moved : 0, rate: rate === before.rate ? undefined : rate };
  }
}

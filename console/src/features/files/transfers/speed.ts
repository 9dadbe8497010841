/** How much the last span counts against those before it. */
const WEIGHT = 0.3;
/** Shorter spans say little about the speed, and each one draws the list again. In ms. */
const SPAN_MS = 250;

/** Turns progress into a smoothed speed in bytes a second, at most four times a second. */
export class Speedometer {
  #speed = 0;
  #at: number;
  #bytes: number | null = null;

  constructor(readonly now: () => number = () => performance.now()) {
    this.#at = now();
  }

  /** The speed now; null when it is too early for another value. */
  measure(bytes: number): number | null {
    const now = this.now();
    // The first value is what an earlier try has sent.
    if (this.#bytes === null || bytes < this.#bytes) {
      this.#bytes = bytes;
      this.#at = now;
      return this.#speed;
    }
    const span = now - this.#at;
    if (span < SPAN_MS) return null;
    const latest = ((bytes - this.#bytes) / span) * 1000;
    this.#speed = this.#speed === 0 ? latest : this.#speed * (1 - WEIGHT) + latest * WEIGHT;
    this.#bytes = bytes;
    this.#at = now;
    return this.#speed;
  }
}

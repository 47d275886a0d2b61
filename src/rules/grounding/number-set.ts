/** A set of numbers in one block of memory: a session of any length has as many figures, and each costs eight bytes. */
export class NumberSet {
  #slots = new Float64Array(64).fill(Number.NaN);
  #size = 0;

  add(number: number): void {
    const slot = this.#slotOf(number);
    if (this.#slots[slot] === number || Number.isNaN(number)) return;
    this.#slots[slot] = number;
    this.#size += 1;
    if (this.#size * 2 > this.#slots.length) this.#grow();
  }

  has(number: number): boolean {
    return this.#slots[this.#slotOf(number)] === number;
  }

  /** Where a number is, or would be. */
  #slotOf(number: number): number {
    const last = this.#slots.length - 1;
    let slot = hashOf(number) & last;
    for (;;) {
      const there = this.#slots[slot] ?? Number.NaN;
      if (there === number || Number.isNaN(there)) return slot;
      slot = (slot + 1) & last;
    }
  }

  #grow(): void {
    const known = this.#slots;
    this.#slots = new Float64Array(known.length * 2).fill(Number.NaN);
    for (const number of known) if (!Number.isNaN(number)) this.#slots[this.#slotOf(number)] = number;
  }
}

const BITS = new Float64Array(1);
const HALVES = new Uint32Array(BITS.buffer);
/** Nobody who writes a trace knows it, so that nobody can choose figures that all want one place. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/** Mixed as MurmurHash3 (public domain, Austin Appleby) ends. */
function hashOf(number: number): number {
  // Zero has two signs, and is one number.
  BITS[0] = number + 0;
  let hash = Math.imul((HALVES[0] ?? 0) ^ SEED, 0xcc9e2d51) ^ Math.imul((HALVES[1] ?? 0) + SEED, 0x1b873593);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

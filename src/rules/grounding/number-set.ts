/** A set of numbers in one block of memory, at eight bytes per number. A session may have very many figures. */
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

  /** The slot of a number, or the free slot for it. */
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
    const previous = this.#slots;
    this.#slots = new Float64Array(previous.length * 2).fill(Number.NaN);
    for (const number of previous) if (!Number.isNaN(number)) this.#slots[this.#slotOf(number)] = number;
  }
}

const BITS = new Float64Array(1);
const HALVES = new Uint32Array(BITS.buffer);
/** Random, so that a hostile trace cannot choose figures that all hash to one slot. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/** The finalizer of MurmurHash3 (public domain, Austin Appleby). */
function hashOf(number: number): number {
  // Makes -0 equal to 0.
  BITS[0] = number + 0;
  let hash = Math.imul((HALVES[0] ?? 0) ^ SEED, 0xcc9e2d51) ^ Math.imul((HALVES[1] ?? 0) + SEED, 0x1b873593);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

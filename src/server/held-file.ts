import { pathToFileURL } from 'node:url';
import type { FileState } from '../protocol/messages.ts';
import { Shift } from './shift.ts';

/** What is known of a file beside what was found in it. */
export class HeldFile {
  readonly path: string;
  readonly uri: string;
  /** From places as they were found to places in the text as it is edited now. */
  readonly shift = new Shift();
  /** Of the bytes that were evaluated; null where they are not known. */
  readonly hash: string | null;
  #isElsewise = false;
  #isGone = false;

  constructor(path: string, hash: string | null) {
    this.path = path;
    this.uri = pathToFileURL(path).href;
    this.hash = hash;
  }

  get state(): FileState {
    if (this.#isGone) return 'gone';
    return this.#isElsewise || !this.shift.isNone ? 'stale' : 'fresh';
  }

  /** @param hash of the bytes that are there now; null: nothing is. @returns whether its state is another now. */
  seen(hash: string | null): boolean {
    const before = this.state;
    this.#isGone = hash === null;
    this.#isElsewise = hash !== null && this.hash !== null && hash !== this.hash;
    if (hash !== null && hash === this.hash) this.shift.reset();
    return this.state !== before;
  }
}

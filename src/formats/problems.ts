import { createProblem, type Problem } from '../core/problem.ts';
import type { Pointer } from '../core/session.ts';

/** How often one kind of problem is told before it is only counted: a broken export repeats itself on every line. */
const MAX_LISTED_PER_KIND = 20;

/** What reading one document had to say. */
export class Problems {
  readonly #file: string;
  #told: Problem[] = [];
  #kinds = new Map<string, { severity: Problem['severity']; code: string; count: number }>();
  #place: (pointer: Pointer) => Pointer = (pointer) => pointer;

  constructor(file: string) {
    this.#file = file;
  }

  /** The same list, for a reader whose pointers count from elsewhere in the file. */
  relocate(place: (pointer: Pointer) => Pointer): Problems {
    const moved = new Problems(this.#file);
    moved.#told = this.#told;
    moved.#kinds = this.#kinds;
    moved.#place = (pointer) => this.#place(place(pointer));
    return moved;
  }

  /** Something inside a session was left out or mended. */
  warn(code: string, pointer: Pointer, message: string): void {
    this.#add('warning', code, pointer, message);
  }

  /** A whole session was lost, or there was none to find. */
  error(code: string, pointer: Pointer, message: string): void {
    this.#add('error', code, pointer, message);
  }

  #add(severity: Problem['severity'], code: string, pointer: Pointer, message: string): void {
    const kind = this.#kinds.get(`${severity} ${code}`);
    if (kind) kind.count += 1;
    else this.#kinds.set(`${severity} ${code}`, { severity, code, count: 1 });
    if ((kind?.count ?? 1) > MAX_LISTED_PER_KIND) return;
    this.#told.push(createProblem(severity, code, this.#file, message, { pointer: this.#place(pointer) }));
  }

  list(): readonly Problem[] {
    const counted: Problem[] = [];
    for (const { severity, code, count } of this.#kinds.values()) {
      if (count <= MAX_LISTED_PER_KIND) continue;
      const message = `There are ${count - MAX_LISTED_PER_KIND} more of the kind "${code}" in this file; the first ${MAX_LISTED_PER_KIND} are listed.`;
      counted.push(createProblem(severity, code, this.#file, message));
    }
    return [...this.#told, ...counted];
  }
}

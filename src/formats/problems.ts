import { createProblem, type Problem } from '../core/problem.ts';
import type { Pointer } from '../core/session.ts';

/**
 * Maximum number of problems listed per kind; the rest are counted, since a broken export repeats itself on every line.
 */
const MAX_LISTED_PER_KIND = 20;

/** Collects the problems of reading one document. */
export class Problems {
  readonly #file: string;
  #listed: Problem[] = [];
  #kinds = new Map<string, { severity: Problem['severity']; code: string; count: number }>();
  #toFilePointer: (pointer: Pointer) => Pointer = (pointer) => pointer;

  constructor(file: string) {
    this.#file = file;
  }

  /** A view of the same list for a reader whose pointers are relative to another location. */
  relocate(toFilePointer: (pointer: Pointer) => Pointer): Problems {
    const relocated = new Problems(this.#file);
    relocated.#listed = this.#listed;
    relocated.#kinds = this.#kinds;
    relocated.#toFilePointer = (pointer) => this.#toFilePointer(toFilePointer(pointer));
    return relocated;
  }

  /** Part of a session was skipped or repaired. */
  warn(code: string, pointer: Pointer, message: string): void {
    this.#add('warning', code, pointer, message);
  }

  /** A whole session could not be read, or none was found. */
  error(code: string, pointer: Pointer, message: string): void {
    this.#add('error', code, pointer, message);
  }

  #add(severity: Problem['severity'], code: string, pointer: Pointer, message: string): void {
    const kind = this.#kinds.get(`${severity} ${code}`);
    if (kind) kind.count += 1;
    else this.#kinds.set(`${severity} ${code}`, { severity, code, count: 1 });
    if ((kind?.count ?? 1) > MAX_LISTED_PER_KIND) return;
    this.#listed.push(createProblem(severity, code, this.#file, message, { pointer: this.#toFilePointer(pointer) }));
  }

  list(): readonly Problem[] {
    const counted: Problem[] = [];
    for (const { severity, code, count } of this.#kinds.values()) {
      if (count <= MAX_LISTED_PER_KIND) continue;
      const message = `${count - MAX_LISTED_PER_KIND} more problems of the kind "${code}" in this file; the first ${MAX_LISTED_PER_KIND} are listed.`;
      counted.push(createProblem(severity, code, this.#file, message));
    }
    return [...this.#listed, ...counted];
  }
}

import type { Problem } from '../core/problem.ts';
import { Problems } from '../formats/problems.ts';

/** What is said of several files; of each kind of problem in a file the first are told and the rest is counted. */
export class ProblemsByFile {
  readonly #files = new Map<string, Problems>();

  of(file: string): Problems {
    const known = this.#files.get(file);
    if (known) return known;
    const told = new Problems(file);
    this.#files.set(file, told);
    return told;
  }

  list(): readonly Problem[] {
    return [...this.#files.values()].flatMap((told) => told.list());
  }
}

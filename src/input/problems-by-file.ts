import type { Problem } from '../core/problem.ts';
import { Problems } from '../formats/problems.ts';

/** Problems of several files; lists the first of each kind per file and counts the rest. */
export class ProblemsByFile {
  readonly #files = new Map<string, Problems>();

  of(file: string): Problems {
    const known = this.#files.get(file);
    if (known) return known;
    const problems = new Problems(file);
    this.#files.set(file, problems);
    return problems;
  }

  list(): readonly Problem[] {
    return [...this.#files.values()].flatMap((problems) => problems.list());
  }
}

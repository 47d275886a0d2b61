/** Extensions that are not part of a session's id. */
const EXTENSIONS =
  /(?:\.(?:trace|traces|session|sessions|evalset|test|messages|chatml|results|traj))?\.(?:json|jsonl|ndjson|traj|eval)$/i;

/** A file's name without folder and extensions: the id of a session without one. */
export function stemOf(file: string): string {
  if (file === '-') return 'stdin';
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  return name.replace(EXTENSIONS, '') || name || 'session';
}

/** Makes ids unique: a repeated id gets `#2`, `#3`, … */
export class UniqueIds {
  readonly #seen = new Map<string, number>();

  claim(id: string): string {
    let count = this.#seen.get(id);
    if (count === undefined) {
      this.#seen.set(id, 1);
      return id;
    }
    let unique: string;
    do {
      count += 1;
      unique = `${id}#${count}`;
    } while (this.#seen.has(unique));
    this.#seen.set(id, count);
    this.#seen.set(unique, 1);
    return unique;
  }
}

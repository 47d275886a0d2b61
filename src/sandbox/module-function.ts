/** A function that a program hands over. What it returns is checked by its caller. */
export type InProcessFunction = (...args: readonly unknown[]) => unknown;

/** A function in a configuration that is code: where a process of its own finds it. */
export class ModuleFunction {
  /** Absolute. */
  readonly file: string;
  /** Where it stands in the default export, such as `['custom', 0, 'evaluate']`. */
  readonly path: ValuePath;
  /** The `name` beside it, by which a file that has changed since is recognised; null where there is none. */
  readonly ownerName: string | null;
  /** The file's name for sentences. */
  readonly displayName: string;
  /** Of the file and what it imports: another one means that the function may compute something else. */
  readonly digest: string;

  constructor({ file, path, ownerName, displayName, digest }: ModuleFunction) {
    this.file = file;
    this.path = path;
    this.ownerName = ownerName;
    this.displayName = displayName;
    this.digest = digest;
  }
}

/** Keys and indices from a value inwards. */
export type ValuePath = readonly (string | number)[];

export type UserFunction = InProcessFunction | ModuleFunction;

export function isUserFunction(value: unknown): value is UserFunction {
  return typeof value === 'function' || value instanceof ModuleFunction;
}

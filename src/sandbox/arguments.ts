import type { ValuePath } from './module-function.ts';

/** A large value that many calls share, such as a session: a process gets it once. */
export interface SharedArgument {
  readonly value: object;
  /** Which part of the value the argument is. */
  readonly from: ValuePath;
  /** Where that part goes in the list of arguments. */
  readonly to: ValuePath;
}

/** What stands at a path of a value; undefined where nothing does. */
export function valueAt(value: unknown, path: ValuePath): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = Reflect.get(current, key);
  }
  return current;
}

/** Puts shared values where they belong in `args`, which is changed, and freezes all of it. */
export function completeArguments(args: unknown[], shared: readonly SharedArgument[]): readonly unknown[] {
  for (const { value, from, to } of shared) {
    const last = to.at(-1);
    const parent = valueAt(args, to.slice(0, -1));
    if (last !== undefined && typeof parent === 'object' && parent !== null) {
      Reflect.set(parent, last, valueAt(value, from));
    }
  }
  return deepFreeze(args);
}

/** Freezes plain data and everything in it, so that one function cannot change what the next one gets. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const entry = open.pop();
    if (typeof entry !== 'object' || entry === null || Object.isFrozen(entry)) continue;
    Object.freeze(entry);
    for (const part of Object.values(entry)) open.push(part);
  }
  return value;
}

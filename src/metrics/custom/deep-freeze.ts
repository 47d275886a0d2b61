/** Freezes a value of plain data, and all that is in it: what one function is given, no other can have changed. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one !== 'object' || one === null || Object.isFrozen(one)) continue;
    Object.freeze(one);
    for (const part of Object.values(one)) open.push(part);
  }
  return value;
}

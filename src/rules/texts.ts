/** The strings inside a JSON value, keys left out, in document order and without recursion. */
export function* textsIn(value: unknown): Generator<string> {
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null) {
      const inner = Array.isArray(next) ? next : Object.values(next);
      for (let i = inner.length - 1; i >= 0; i -= 1) waiting.push(inner[i]);
    }
  }
}

/** The strings in a JSON value, without keys, in document order and without recursion. */
export function* stringsIn(value: unknown): Generator<string> {
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

/** Like {@link stringsIn}, but as `name: text` with the name of the enclosing field, if there is one. */
export function* namedStringsIn(value: unknown): Generator<string> {
  const waiting: { readonly name: string; readonly value: unknown }[] = [{ name: '', value }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { name, value: inner } = next;
    if (typeof inner === 'string') yield name === '' ? inner : `${name}: ${inner}`;
    else if (Array.isArray(inner)) for (const item of inner) waiting.push({ name, value: item });
    else if (typeof inner === 'object' && inner !== null) {
      for (const [key, item] of Object.entries(inner)) waiting.push({ name: key, value: item });
    }
  }
}

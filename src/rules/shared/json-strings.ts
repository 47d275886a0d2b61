/** The strings in a JSON value, without keys, in document order and without recursion. */
export function* stringsIn(value: unknown): Generator<string> {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null) {
      const inner = Array.isArray(next) ? next : Object.values(next);
      for (let i = inner.length - 1; i >= 0; i -= 1) pending.push(inner[i]);
    }
  }
}

/** Like {@link stringsIn}, but as `name: text` with the name of the enclosing field, if there is one. */
export function* namedStringsIn(value: unknown): Generator<string> {
  const pending: { readonly name: string; readonly value: unknown }[] = [{ name: '', value }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { name, value: inner } = next;
    if (typeof inner === 'string') yield name === '' ? inner : `${name}: ${inner}`;
    else if (Array.isArray(inner)) for (const item of inner) pending.push({ name, value: item });
    else if (typeof inner === 'object' && inner !== null) {
      for (const [key, item] of Object.entries(inner)) pending.push({ name: key, value: item });
    }
  }
}

/** Whether a `when` condition of the manifest holds. Knows what is needed here: keys, `!`, `==`, `!=` and `&&`. */
export function holds(condition: string, contextOf: (key: string) => unknown): boolean {
  return condition.split(' && ').every((part) => {
    const [, key = '', sign, other] = /^(\S+) ([!=]=) (.*)$/.exec(part) ?? [];
    if (sign !== undefined) return (String(contextOf(key)) === other) === (sign === '==');
    return part.startsWith('!') ? !contextOf(part.slice(1)) : Boolean(contextOf(part));
  });
}

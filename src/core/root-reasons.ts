/** Reasons that are looked for in others. */
const MAX_ROOTS = 200;
/** Characters; what is shorter may stand in another by chance. */
const MIN_LENGTH = 12;

/** A failure that rests on another repeats its reason, and has more to say: the root is the reason that it repeats. */
export function findRootReasons(reasons: Iterable<string>): (reason: string) => string {
  const distinct = [...new Set(reasons)].sort((a, b) => a.length - b.length);
  const candidates = distinct.filter(({ length }) => length >= MIN_LENGTH).slice(0, MAX_ROOTS);
  const roots = new Map(distinct.map((reason) => [reason, candidates.find((root) => reason.includes(root)) ?? reason]));
  return (reason) => roots.get(reason) ?? reason;
}

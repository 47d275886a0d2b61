/** Maximum number of reasons to search for. */
const MAX_ROOTS = 200;
/** In characters; a shorter reason may occur in another by chance. */
const MIN_LENGTH = 12;

/**
 * A problem caused by another repeats its reason and adds to it. Maps each reason to the shortest reason that it
 * contains.
 */
export function findRootReasons(reasons: Iterable<string>): (reason: string) => string {
  const distinct = [...new Set(reasons)].sort((a, b) => a.length - b.length);
  const candidates = distinct.filter(({ length }) => length >= MIN_LENGTH).slice(0, MAX_ROOTS);
  const roots = new Map(distinct.map((reason) => [reason, candidates.find((root) => reason.includes(root)) ?? reason]));
  return (reason) => roots.get(reason) ?? reason;
}

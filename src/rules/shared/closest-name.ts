const MAX_NAME_LENGTH = 64;
const MAX_CANDIDATES = 300;

/**
 * Finds the candidate that a name probably means: the same words in another notation, or a few letters apart.
 *
 * @returns null if no candidate is similar
 */
export function closestName(name: string, candidates: readonly string[]): string | null {
  const words = normalizeName(name);
  if (words === '') return null;
  let best: string | null = null;
  let least = Math.max(1, Math.floor(words.length / 4)) + 1;
  for (const candidate of candidates.slice(0, MAX_CANDIDATES)) {
    const distance = editDistance(words, normalizeName(candidate), least);
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

function normalizeName(name: string): string {
  return name
    .slice(0, MAX_NAME_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\d]/gu, '');
}

/** The Levenshtein distance in UTF-16 code units, or `atLeast` if the distance is at least that. */
function editDistance(a: string, b: string, atLeast: number): number {
  if (Math.abs(a.length - b.length) >= atLeast) return atLeast;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? atLeast;
}

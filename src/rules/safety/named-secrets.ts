import { findRandomValues, findReportedSecrets } from '../../core/secrets.ts';
import type { Session } from '../../core/session.ts';
import type { PatternMatch } from '../../core/text-pattern.ts';
import { namedStringsIn } from '../shared/json-strings.ts';

/** How many values are searched for in all results. */
const MAX_VALUES = 20;
/** How far before a value its name may begin. */
const REACH = 80;

const SECRET_NAME = /key|secret|token|passw|bearer/i;

/**
 * Creates a search for values in answers that a result names as a secret, whatever the answer calls them: `your key is
 * …`, when a tool returned `OPENAI_API_KEY=…`.
 */
export function createSecretFinder(session: Session): (answer: string) => readonly PatternMatch[] {
  const kinds = secretKindsIn(session);
  return (answer) =>
    [...kinds].flatMap(([value, kind]) => {
      const start = answer.indexOf(value);
      return start < 0 ? [] : { kind, start, end: start + value.length };
    });
}

/** The values in answers that results name as secrets, with their kinds. */
function secretKindsIn({ turns }: Session): ReadonlyMap<string, string> {
  const kinds = new Map<string, string>();
  const randomValues = new Set(turns.flatMap(({ output }) => (output === null ? [] : findRandomValues(output))));
  const values = [...randomValues].slice(0, MAX_VALUES);
  if (values.length === 0) return kinds;
  for (const { steps } of turns) {
    for (const step of steps) {
      if (step.type !== 'tool') continue;
      for (const text of namedStringsIn([step.result, step.error])) {
        if (!SECRET_NAME.test(text)) continue;
        for (const value of values) {
          const kind = kinds.has(value) ? undefined : secretKindNear(text, value);
          if (kind !== undefined) kinds.set(value, kind);
        }
      }
    }
  }
  return kinds;
}

function secretKindNear(text: string, value: string): string | undefined {
  const at = text.indexOf(value);
  if (at < 0) return undefined;
  const from = Math.max(0, at - REACH);
  const nameMatch = findReportedSecrets(text.slice(from, at + value.length + 2));
  return nameMatch.find(({ end }) => from + end >= at + value.length)?.kind;
}

import type { Configuration } from '../config/schema.ts';
import { hashOf } from '../core/session-hashes.ts';
import { SYSTEM_PROMPT } from '../judge/prompting/system-prompt.ts';
import type { Environment } from '../store/home.ts';
import { EXAMPLE_SESSION } from './example-session.ts';
import { allFacts, BOUNDARY_KEY, createQuestionLister } from './prompt-catalogue.ts';
import { previewPrompts } from './prompt-preview.ts';

/**
 * A hash of all that each metric of a configuration asks a model: instructions, what it shows, the schema of the answer, and the
 * same of the questions that it depends on. Recorded from a run over the example; sends nothing.
 */
export async function questionHashes(
  configuration: Configuration,
  options: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<Record<string, string>> {
  const { questions } = await previewPrompts([EXAMPLE_SESSION], configuration, {
    ...options,
    boundaryKey: BOUNDARY_KEY,
  });
  const list = createQuestionLister();
  const asked = Map.groupBy(
    questions.filter(({ metric }) => metric !== null),
    ({ metric }) => metric ?? '',
  );
  return Object.fromEntries(
    Array.from(asked, ([metric, asks]) => {
      const listed = asks.flatMap((ask) => [...allFacts(ask.question), ask.question].map((one) => list(ask, one)));
      const distinct = new Set(listed.map((question) => JSON.stringify(question)));
      return [metric, hashOf([SYSTEM_PROMPT, ...[...distinct].sort()])] as const;
    }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

import { holds } from '../support/when-clause.ts';
import { extension } from './extension.ts';

/** What the Results view shows where there are no rows, as the manifest has it: the texts whose conditions hold. */
export function welcome(contextOf: (key: string) => unknown): string[] {
  const { viewsWelcome } = extension().packageJSON.contributes;
  const text = viewsWelcome.filter(
    ({ view, when }: { view: string; when: string }) => view === 'turnwise.results' && holds(when, contextOf),
  );
  return text.map(({ contents }: { contents: string }) => contents);
}

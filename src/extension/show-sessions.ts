import type { CommandContext } from './command-context.ts';
import { resolveTargets } from './command-targets.ts';

/** Shows the sessions of the selected file or folder, else all results, as a table. */
export function showSessions({ overviews, results }: CommandContext, ...args: unknown[]): void {
  const [uri] = resolveTargets(args, (value) => results.isNode(value));
  overviews.open(uri?.toString() ?? null);
}

/** Takes no arguments: VS Code gives commands in the title of a view the selected row. */
export function showAllSessions({ overviews }: CommandContext): void {
  overviews.open(null);
}

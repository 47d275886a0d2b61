import { missingKeys, requiredModels } from '../app/required-models.ts';
import { checkModelFolder, staticModelFolder } from '../app/static-model.ts';
import type { LoadedConfiguration } from '../config/load.ts';
import type { Configuration } from '../config/schema.ts';
import { CODE_SKIPPED } from '../core/problem.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

/** Without its configuration, a plan is not that of the run. @throws UsageError */
export function requireWholePlan({ problems }: LoadedConfiguration): void {
  const skipped = problems.find(({ code }) => code === CODE_SKIPPED);
  if (!skipped) return;
  const file = sanitizeLine(skipped.file);
  throw new UsageError(
    `${file} is code and was not run, because --dry-run runs no code that it finds. To plan with it, add --config ${file}.`,
  );
}

/** Fails before anything is read, and not at the first call. @throws UsageError */
export function requireApiKeys(configuration: Configuration, env: CommandHost['env']): void {
  const missing = missingKeys(requiredModels(configuration), env);
  if (missing.length > 0) throw new UsageError(missing.join('\n'));
}

/** The same for the folder of a static embedding model. @throws UsageError */
export async function requireModelFolder(configuration: Configuration): Promise<void> {
  const folder = staticModelFolder(configuration);
  const sentence = folder === null ? null : await checkModelFolder(folder);
  if (sentence !== null) throw new UsageError(sentence);
}

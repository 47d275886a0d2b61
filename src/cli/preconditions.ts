import { editorModelNames, missingKeys, requiredModels } from '../app/required-models.ts';
import { checkModelFolder, staticModelFolder } from '../app/static-model.ts';
import type { LoadedConfiguration } from '../config/load.ts';
import type { Configuration } from '../config/schema.ts';
import { EDITOR_PROVIDER } from '../core/editor-models.ts';
import { CODE_SKIPPED } from '../core/problem.ts';
import { NO_EDITOR_MODELS } from '../llm/providers/editor.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import type { EvalArguments } from './eval-options.ts';
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

/** The editor's own models answer in the editor alone. @param flag `--judge` as it was typed @throws UsageError */
export function refuseEditorModels(
  configuration: Configuration,
  { file, agentestFile }: Pick<LoadedConfiguration, 'file' | 'agentestFile'>,
  flag: string | undefined,
): void {
  const [name] = editorModelNames(requiredModels(configuration)).map((model) => `${EDITOR_PROVIDER}:${model}`);
  if (name === undefined) return;
  const isFlag = flag?.startsWith(EDITOR_PROVIDER) ?? false;
  const where = isFlag ? `--judge ${flag}` : `${file ?? agentestFile ?? 'The configuration'}: judge ${name}`;
  throw new UsageError(`${sanitizeLine(where)} cannot be used here. ${NO_EDITOR_MODELS}`);
}

/** The same for the folder of a static embedding model. @throws UsageError */
export async function requireModelFolder(configuration: Configuration): Promise<void> {
  const folder = staticModelFolder(configuration);
  const sentence = folder === null ? null : await checkModelFolder(folder);
  if (sentence !== null) throw new UsageError(sentence);
}

/** @throws UsageError for options that a queue contradicts */
export function checkQueueOptions(args: EvalArguments, { judge }: Configuration): void {
  const { queue, work, lease } = args;
  if (queue === undefined) {
    if (work === false) throw new UsageError('--no-work leaves the evaluation to the workers of a queue. Add --queue.');
    if (lease !== undefined) throw new UsageError('--lease is about the sessions of a queue. Add --queue.');
    return;
  }
  // What follows is not shown: it may have a password.
  if (queue !== true && !/^postgres(?:ql)?:/.test(queue)) {
    throw new UsageError(
      '--queue is followed by postgres://USER@HOST:PORT/DATABASE, or by nothing where TURNWISE_QUEUE names it: write it after the paths.',
    );
  }
  if (args.dryRun) throw new UsageError('--dry-run queues nothing. Remove --queue.');
  if (args.resume !== undefined) {
    throw new UsageError(
      '--resume continues a run of this machine. The same command with --queue continues a queued run.',
    );
  }
  if (args.jobs !== undefined) {
    throw new UsageError('--jobs is for one process. With --queue, start more workers: turnwise worker.');
  }
  if (!args.cache) {
    throw new UsageError('--no-cache does not go with --queue: workers find the answers of others in the database.');
  }
  if (judge.maxCalls !== undefined || judge.maxTokens !== undefined) {
    throw new UsageError(
      'Each worker would count its own calls: judge.maxCalls (--max-calls) and judge.maxTokens do not go with --queue. Limit the rate instead: judge.requestsPerMinute is shared by all workers.',
    );
  }
}

import { runQueueWorker } from '../app/queue-worker.ts';
import { requiredModels, requiresModels } from '../app/required-models.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { createCallFormatter } from './judge-call-text.ts';
import { printProblems } from './print-problems.ts';
import { type QueueArguments, useQueue, workerName } from './queue.ts';

export interface WorkerArguments extends QueueArguments {
  readonly config?: string;
  readonly exitWhenDone?: true;
  readonly name?: string;
  readonly yes?: true;
  readonly quiet?: true;
  readonly verbose?: true;
}

/** `turnwise worker`. @returns the exit code. @throws UsageError */
export async function workerCommand(args: WorkerArguments, host: CommandHost): Promise<number> {
  const { config, exitWhenDone = false, name = workerName(), verbose, quiet } = args;
  using interrupt = listenForInterrupt(host, 'stopping; unfinished sessions go back to the queue.');
  const { signal } = interrupt;
  const loaded =
    config === undefined
      ? null
      : await loadConfiguration({ cwd: host.cwd, file: config, flags: {}, registry: REGISTRY, code: 'run' });
  if (loaded) await printProblems(host, loaded.problems, args);
  if (loaded && !loaded.configuration) return EXIT_CODES.input;
  const formatCall = createCallFormatter();
  const refused = await useQueue(args, host, signal, async (queue) => {
    if (!quiet) await host.stderr.write(`turnwise: worker ${sanitizeLine(name)} at ${queue.database.name}\n`);
    return await runQueueWorker(queue, {
      signal,
      name,
      configuration: loaded?.configuration ?? null,
      exitsWhenDone: exitWhenDone,
      allow: (configuration) => allow(configuration, loaded, args, host, signal),
      onCall: verbose && ((call) => void host.stderr.write(formatCall(call))),
      log: (sentence) => {
        if (!quiet) void host.stderr.write(`turnwise: ${sanitizeLine(sentence)}\n`);
      },
    });
  });
  if (signal.aborted || refused === null) return EXIT_CODES.interrupted;
  return refused.length > 0 ? EXIT_CODES.input : EXIT_CODES.passed;
}

/** A configuration from a database may come from anybody, as one in a folder may. */
async function allow(
  configuration: Configuration,
  loaded: LoadedConfiguration | null,
  args: WorkerArguments,
  host: CommandHost,
  signal: AbortSignal,
): Promise<CommandHost['env']> {
  const { file = null, agentestFile = null, keys = {} } = loaded ?? {};
  if (!requiresModels(requiredModels(configuration))) return { ...host.env, ...keys };
  const { requireConsent } = await import('./model-consent.ts');
  return await requireConsent({ configuration, loaded: { file, agentestFile, keys }, args, signal }, host);
}

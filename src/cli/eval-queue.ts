import type { EvaluateStreamOptions } from '../app/evaluate-files.ts';
import { evaluateQueued, type QueuedFiles } from '../app/evaluate-queued.ts';
import { findProject } from '../app/git-state.ts';
import type { OpenRecording } from '../app/open-recording.ts';
import type { Configuration } from '../config/schema.ts';
import type { OutcomeStorage } from '../engine/outcome-storage.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import type { RunProgress } from './progress.ts';
import { useQueue, workerName } from './queue.ts';

export interface QueueEvaluation {
  readonly args: EvalArguments;
  readonly host: CommandHost;
  readonly recording: OpenRecording | null;
  readonly progress: RunProgress;
}

/**
 * Evaluates together with the workers of a queue, as `evaluateFileStream` does alone.
 *
 * @returns null when it was interrupted: the run stays in the queue. @throws UsageError where the queue cannot be used
 */
export async function evaluateThroughQueue(
  paths: readonly string[],
  configuration: Configuration,
  options: EvaluateStreamOptions & { readonly signal: AbortSignal; readonly storage: OutcomeStorage },
  { args, host, recording, progress }: QueueEvaluation,
): Promise<QueuedFiles | null> {
  const say = (sentence: string) => {
    if (!args.quiet) void host.stderr.write(`turnwise: ${sentence}\n`);
  };
  let queued = '';
  const evaluated = await useQueue(args, host, options.signal, async (queue) =>
    evaluateQueued(paths, configuration, {
      ...options,
      queue,
      workerName: workerName(),
      works: args.work !== false,
      onProgress: progress.onQueue,
      onQueued({ id, isNew, needsConfiguration }) {
        queued = shortRunId(id);
        say(`${isNew ? 'Queued as' : 'Continues'} run ${queued} at ${queue.database.name}.`);
        if (needsConfiguration) say('Its workers need the same configuration file: turnwise worker --config FILE');
      },
      origin: {
        ...(await describeOrigin(recording, paths, host)),
        ...((args.baseline !== undefined || configuration.alerts.when.length > 0) && { hasOwnGates: true }),
      },
    }),
  );
  if (!evaluated && queued !== '')
    say(`Run ${queued} stays in the queue. The same command continues it; its workers go on.`);
  return evaluated;
}

async function describeOrigin(recording: OpenRecording | null, paths: readonly string[], { cwd }: CommandHost) {
  if (!recording) return { project: await findProject(cwd), inputs: [...paths], cwd, git: null };
  const { project, inputs, selection, name, git, transcripts = false } = recording.recording;
  const isSelected = selection !== undefined && Object.keys(selection).length > 0;
  return {
    project,
    inputs: [...inputs],
    cwd,
    git: await git,
    ...(isSelected && { selection }),
    ...(name !== undefined && { name }),
    ...(transcripts && { transcripts }),
  };
}

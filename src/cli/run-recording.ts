import { resolve } from 'node:path';
import type { ChangedQuestions } from '../app/changed-questions.ts';
import { type EvaluatedBefore, readEvaluatedBefore } from '../app/evaluated-before.ts';
import { findProject } from '../app/git-state.ts';
import { type OpenRecording, openRecording } from '../app/open-recording.ts';
import { shardText } from '../app/plan-shard.ts';
import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import type { RunManifest } from '../core/run-record.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { limitList } from '../core/text/lists.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { plainPath } from '../input/paths.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { RunListing, RunRecord } from '../runs/run-store.ts';
import { dataFolder } from '../store/home.ts';
import { checkReplaceable, openRunStore } from '../store/runs/run-store.ts';
import type { EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import type { Interrupt } from './interrupt.ts';
import { UsageError } from './usage-error.ts';

/** Opens the record that `--record`, `--resume` and the configuration ask for. Null where there is to be none. @throws UsageError */
export async function openEvalRecording(
  patterns: readonly string[],
  { history }: Configuration,
  args: EvalArguments,
  host: CommandHost,
  interrupt: Interrupt,
  { before, showsTranscripts }: { readonly before: EvaluatedBefore | null; readonly showsTranscripts: boolean },
): Promise<OpenRecording | null> {
  const { record, name, resume, withTranscripts, session, sample, shard, quiet } = args;
  const isOff = record === 'none' || (!history.record && record === undefined && resume === undefined);
  checkOptions(args, isOff);
  if (isOff) return null;
  if (record !== undefined) {
    const replaced = (await checkRecordPlace('--record', record, host))?.shard;
    if (shard && replaced && replaced.index !== shard.index) {
      throw new UsageError(
        `--record ${record} would replace the record of shard ${shardText(replaced)}. Name a file for each shard.`,
      );
    }
  }
  const options = {
    folder: host.cwd,
    env: host.env,
    // However it is written on each machine, it is the same run.
    inputs: shard ? patterns.map(plainPath) : patterns,
    warn: (sentence: string) => {
      if (!quiet) void host.stderr.write(`warning: ${sanitizeLine(sentence)}\n`);
    },
    selection: {
      ...(session === undefined ? {} : { session }),
      ...(sample === undefined ? {} : { sample }),
      ...(before && { sinceRun: before.run?.id ?? null }),
    },
    onQuestionsChanged: (changed: ChangedQuestions) => {
      if (!quiet) void host.stderr.write(`${describeChangedQuestions(changed)}\n`);
    },
    name,
    elsewhere: record,
    transcripts: withTranscripts || showsTranscripts,
    stoppedBy: () => {
      const signal = interrupt.stoppedBy();
      return signal && `It was stopped by ${signal}.`;
    },
  };
  return await openRecording(options, resume === undefined ? undefined : (find) => findInterrupted(find, resume));
}

/** Reads what `--since-run` leaves out. Null without it. @throws UsageError */
export async function openEvaluatedBefore(
  { sinceRun, resume }: EvalArguments,
  paths: readonly string[],
  { cwd, env, stderr }: CommandHost,
): Promise<EvaluatedBefore | null> {
  if (sinceRun === undefined) return null;
  if (resume !== undefined) {
    throw new UsageError(
      '--since-run leaves out what an interrupted run evaluated, and --resume continues that run. Remove one of them.',
    );
  }
  const warn = (sentence: string) => void stderr.write(`warning: ${sanitizeLine(sentence)}\n`);
  using store = openRunStore(dataFolder(env), { cwd, warn });
  try {
    const reference = sinceRun === true ? null : sinceRun;
    return await readEvaluatedBefore(store, await findProject(cwd), { reference, warn });
  } catch (error) {
    const hint = paths.length > 0 ? '' : ` For traces to evaluate, write ${sinceRun} before --since-run.`;
    throw new UsageError(`--since-run ${sinceRun}: ${errorMessage(error)}${hint}`);
  }
}

/** What the judge is asked again, and what that costs, as sentences. */
function describeChangedQuestions({ since, metrics, calls, sessions }: ChangedQuestions): string {
  const run = shortRunId(since);
  const isOne = metrics.length === 1;
  const [question, them, their] = isOne ? ['question', 'it', 'its'] : ['questions', 'them', 'their'];
  const changes = `the ${question} of ${limitList(metrics, 3).join(', ')} changed`;
  const [needed, over] = [pluralize(calls, 'call'), pluralize(sessions, 'session')];
  return `Since run ${run}, ${changes}. Earlier answers are not used for ${them}, and ${their} scores cannot be compared. That run needed ${needed} for ${over}; the same sessions need up to as many again.`;
}

/** What `--since-run` left out, as a sentence. */
export function describeLeftOut({ run, count }: EvaluatedBefore): string {
  if (run === null) return 'No run is recorded yet, so --since-run leaves nothing out.';
  const since = `since run ${shortRunId(run.id)} (${run.startedAt.slice(0, 10)})`;
  return count === 0
    ? `All sessions are new ${since}.`
    : `Left out ${pluralize(count, 'session')} evaluated before: not new ${since}.`;
}

/** Says where a run is recorded, after its report. */
export async function announceRecord(
  { recording: { store, project }, deleted }: OpenRecording,
  id: string,
  { history }: Configuration,
  { quiet, verbose }: Pick<EvalArguments, 'quiet' | 'verbose'>,
  { stderr }: CommandHost,
): Promise<void> {
  if (quiet) return;
  if (verbose && deleted.length > 0) await stderr.write(`${describeDeleted(deleted, history.keep)}\n`);
  const [last, before] = store.list({ project, limit: 2 });
  if (last?.manifest.id !== id) return;
  const run = shortRunId(id);
  await stderr.write(`Recorded as run ${run}${nextCommand(last.manifest, before?.manifest)}\n`);
}

/** What to do with a run, after its id. @param before the run before it */
function nextCommand({ id, state, shard }: RunListing['manifest'], before: RunListing['manifest'] | undefined): string {
  if (state !== 'complete') return `, not complete: turnwise eval --resume ${shortRunId(id)}`;
  if (shard) return `, shard ${shardText(shard)}; \`turnwise merge\` decides gates of tasks and of the run`;
  return before && !before.shard ? ': turnwise compare last~1 last' : '';
}

/** All parts of a run must have the same plan, and gates of the run are decided when they are merged. @throws UsageError */
export function checkShardOptions({ shard, dryRun, sinceRun, baseline, queue }: EvalArguments): void {
  if (!shard) return;
  const refused = [
    [dryRun, '--dry-run', 'it plans all of a run. Remove one of them'],
    [
      sinceRun !== undefined,
      '--since-run',
      'machines would leave out different sessions. Evaluate without --shard, or without --since-run',
    ],
    [queue !== undefined, '--queue', 'the workers of a queue share all of a run. Remove one of them'],
    [baseline !== undefined, '--baseline', 'it gates all of a run. Give it to turnwise merge'],
  ] as const;
  for (const [isGiven, option, why] of refused) {
    if (isGiven) throw new UsageError(`--shard does not go with ${option}: ${why}.`);
  }
}

/** What names another kind of file, and no folder. */
const OTHER_FILE = /\.(?:jsonl?|gz|tgz|tar|html?|xml|md|txt|csv|ya?ml|sarif)$/i;

/**
 * Checks before the work is done where its record is to be.
 *
 * @param option that names the place
 * @returns the run that would be lost
 * @throws UsageError
 */
export async function checkRecordPlace(
  option: string,
  place: string,
  { cwd }: CommandHost,
): Promise<RunManifest | null> {
  if (OTHER_FILE.test(place)) {
    throw new UsageError(
      `${option} ${place}: a record is a folder or a zip file. Name a folder, or ${place.replace(OTHER_FILE, '')}.turnwise.zip. --report writes reports.`,
    );
  }
  try {
    return await checkReplaceable(resolve(cwd, place));
  } catch (error) {
    throw new UsageError(`${option} ${place}: ${errorMessage(error)}`);
  }
}

/** @throws UsageError for options that contradict each other. */
function checkOptions({ record, name, resume, withTranscripts, shard }: EvalArguments, isOff: boolean): void {
  const needing = [
    ['--shard', shard],
    ['--name', name],
    ['--with-transcripts', withTranscripts],
    ['--resume', resume],
  ].find(([, value]) => value !== undefined);
  if (isOff && needing) {
    const reason = record === 'none' ? '--record none' : 'history.record is false in the configuration';
    throw new UsageError(`${needing[0]} needs a recorded run, and ${reason}. Remove one of them.`);
  }
  if (resume !== undefined && record !== undefined) {
    throw new UsageError('--resume continues a run where it is recorded. Remove --record.');
  }
}

/** @throws UsageError */
async function findInterrupted(find: (reference: string) => Promise<RunRecord>, reference: string): Promise<RunRecord> {
  try {
    const found = await find(reference);
    if (found.manifest.state !== 'complete') return found;
    throw new Error(`Run ${shortRunId(found.manifest.id)} is complete: there is nothing to continue.`);
  } catch (error) {
    throw new UsageError(`--resume ${reference}: ${errorMessage(error)}`);
  }
}

function describeDeleted(deleted: readonly RunListing[], keep: number): string {
  const oldest = deleted.map(({ manifest }) => manifest.startedAt).sort()[0] ?? '';
  const runs = deleted.length === 1 ? '1 run' : `${deleted.length} runs`;
  return `Deleted ${runs} since ${oldest.slice(0, 10)}: ${keep} are kept per project, and at most 1 GB (history.keep).`;
}

/** Null where the run could not be recorded, which is reported elsewhere. */
export async function findRecord(
  { recording: { store, project } }: OpenRecording,
  id: string,
): Promise<RunRecord | null> {
  return await store.find(id, project).catch(() => null);
}

import { type EvaluatedBefore, readEvaluatedBefore } from '../app/evaluated-before.ts';
import { findProject } from '../app/git-state.ts';
import { type OpenRecording, openRecording } from '../app/open-recording.ts';
import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { RunListing, RunRecord } from '../runs/run-store.ts';
import { dataFolder } from '../store/home.ts';
import { openRunStore } from '../store/runs/run-store.ts';
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
  before: EvaluatedBefore | null,
): Promise<OpenRecording | null> {
  const { record, name, resume, withTranscripts, session, sample, quiet } = args;
  const isOff = record === 'none' || (!history.record && record === undefined && resume === undefined);
  checkOptions(args, isOff);
  if (isOff) return null;
  const options = {
    folder: host.cwd,
    env: host.env,
    inputs: patterns,
    warn: (sentence: string) => {
      if (!quiet) void host.stderr.write(`warning: ${sanitizeLine(sentence)}\n`);
    },
    selection: {
      ...(session === undefined ? {} : { session }),
      ...(sample === undefined ? {} : { sample }),
      ...(before && { sinceRun: before.run?.id ?? null }),
    },
    name,
    elsewhere: record,
    transcripts: withTranscripts,
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
    throw new UsageError(`--since-run ${sinceRun}: ${errorMessage(error)}`);
  }
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
  { quiet, verbose }: EvalArguments,
  { stderr }: CommandHost,
): Promise<void> {
  if (quiet) return;
  if (verbose && deleted.length > 0) await stderr.write(`${describeDeleted(deleted, history.keep)}\n`);
  const [last, before] = store.list({ project, limit: 2 });
  if (last?.manifest.id !== id) return;
  const run = shortRunId(id);
  const next =
    last.manifest.state === 'complete'
      ? before
        ? ': turnwise compare last~1 last'
        : ''
      : `, not complete: turnwise eval --resume ${run}`;
  await stderr.write(`Recorded as run ${run}${next}\n`);
}

/** What names another kind of file, and no folder. */
const OTHER_FILE = /\.(?:jsonl?|gz|tgz|tar|html?|xml|md|txt|csv|ya?ml|sarif)$/i;

/** @throws UsageError for options that contradict each other. */
function checkOptions({ record, name, resume, withTranscripts }: EvalArguments, isOff: boolean): void {
  const needing = [
    ['--name', name],
    ['--with-transcripts', withTranscripts],
    ['--resume', resume],
  ].find(([, value]) => value !== undefined);
  if (isOff && needing) {
    const reason = record === 'none' ? '--record none' : 'history.record is false in the configuration';
    throw new UsageError(`${needing[0]} needs a recorded run, and ${reason}. Remove one of them.`);
  }
  if (record !== undefined && OTHER_FILE.test(record)) {
    throw new UsageError(
      `--record ${record}: a record is a folder or a zip file. Name a folder, or ${record.replace(OTHER_FILE, '')}.turnwise.zip. --report writes reports.`,
    );
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

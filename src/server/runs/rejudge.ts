import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import type { WorkDoneProgressReporter } from 'vscode-languageserver/node';
import type { FileSystem } from '../../input/file-system.ts';
import { ConfigGroups } from '../evaluation/group-by-config.ts';
import { NO_GROUP_EVENTS } from '../evaluation/group-evaluation.ts';
import type { RecordedRuns } from './recorded-runs.ts';

interface RejudgeParts extends Pick<RecordedRuns, 'store' | 'history' | 'evaluateGroup'> {
  readonly files: FileSystem;
  readonly progress: WorkDoneProgressReporter;
  readonly signal: AbortSignal;
}

/**
 * Evaluates files with the judge of a recorded run, and records it. The results of the editor stay those of its own judge: only
 * the comparison needs these. The user is asked as before every other evaluation.
 *
 * @throws Error with a sentence where the run is gone, or had no judge.
 */
export async function rejudgeFiles(
  { uris, by }: { readonly uris: readonly string[]; readonly by: string },
  { store, history, evaluateGroup, files, progress, signal }: RejudgeParts,
): Promise<{ readonly run: string | null; readonly reasons: readonly string[] }> {
  const judge = (await history.find(by))?.manifest.judge;
  if (!judge) throw new Error(l10n.t('The run whose judge would be asked is not recorded any more.'));
  const paths = uris.map((uri) => fileURLToPath(uri));
  const groups = new ConfigGroups(files);
  await groups.add(paths);
  // All of them are one run, as they were before: under the configuration nearest to the first.
  const configurations = groups.next()?.configurations ?? [];
  const calls = { done: 0, of: 0 };
  progress.begin(l10n.t('Judging sessions again'));
  try {
    const { report } = await evaluateGroup(
      { paths, configurations },
      {
        ...NO_GROUP_EVENTS,
        signal,
        settings: { rulesOnly: false, isRecorded: true, overrides: { judge: `${judge.provider}:${judge.model}` } },
        onWait: (what) => progress.report(what),
        onJudging: (expected) => {
          calls.of = expected;
        },
        onCall: ({ cached }) => {
          if (cached) return;
          calls.done += 1;
          progress.report(l10n.t('{0} of about {1} calls', calls.done, Math.max(calls.of, calls.done)));
        },
      },
    );
    const run = await history.find(report.run.id);
    if (!report.run.complete) return { run: null, reasons: [] };
    if (report.run.judge !== null && run) return { run: run.manifest.id, reasons: [] };
    // Without its judge the run answers nothing.
    if (run) await store.delete([run.manifest.id]);
    const reasons = report.problems.map(({ message }) => message);
    return {
      run: null,
      reasons: run ? reasons : [l10n.t('This folder records no runs (history.record).'), ...reasons],
    };
  } finally {
    progress.done();
    history.changed();
  }
}

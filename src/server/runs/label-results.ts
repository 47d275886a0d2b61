import { dirname, resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import {
  type JudgeFilePlace,
  judgeFilePlace,
  readLabels,
  withCalibrations,
  withLabels,
  withoutLabel,
  writeLabels,
} from '../../app/judge-file.ts';
import { JudgedSessions, readJudgedMetrics } from '../../app/judged-run.ts';
import { loadConfiguration } from '../../config/load.ts';
import { REGISTRY } from '../../config/registry.ts';
import type { Configuration } from '../../config/schema.ts';
import { createMutex } from '../../core/async/mutex.ts';
import { isSameIdentity, type JudgeFile, type JudgeLabel, type Label } from '../../core/judge-labels.ts';
import { labelId } from '../../core/label-ids.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { describeSystemError } from '../../input/system-error.ts';
import { allMetrics } from '../../metrics/custom/metric-table.ts';
import type { JudgedAnswer, LabelState, MetricToLabel, NextResult, ResultToLabel } from '../../protocol/labels.ts';
import { assessJudge } from '../../runs/calibration/calibrate-judge.ts';
import { type JudgedMetric, toLabel } from '../../runs/calibration/judged-results.ts';
import { nextToLabel } from '../../runs/calibration/next-labels.ts';
import type { RunRecord } from '../../runs/run-store.ts';
import { type AssessedLabels, labelState } from './label-state.ts';
import { resultToLabel, targetOf } from './result-to-label.ts';
import type { RunReference } from './run-rows.ts';

/** A judged metric of a run. */
export interface LabelParams {
  readonly run: RunReference;
  readonly metric: string;
  /** Whether code of the folder's configuration may run, and labels may be written. */
  readonly isTrusted: boolean;
}

/** What is read of a run once for many labels. */
interface OpenRun {
  readonly record: RunRecord;
  readonly metrics: readonly JudgedMetric[];
  readonly isTrusted: boolean;
  readonly sessions: JudgedSessions;
  readonly configuration: Configuration | null;
  readonly place: JudgeFilePlace;
}

/** That of `turnwise calibrate judge`; thresholds are tuned there. */
const PRECISION = 0.9;

/** Labels of the results of recorded runs, in the file that `turnwise calibrate judge` reads and writes. */
export class ResultLabels {
  readonly #find: (run: RunReference) => Promise<RunRecord>;
  readonly #files: FileSystem;
  /** Every change reads the file, and writes it, without another one between. */
  readonly #inTurn = createMutex();
  #open: { readonly key: string; readonly run: Promise<OpenRun> } | null = null;

  constructor(find: (run: RunReference) => Promise<RunRecord>, files: FileSystem) {
    this.#find = find;
    this.#files = files;
  }

  /** The judged metrics of a run; none where no judge answered. */
  async metrics(params: Omit<LabelParams, 'metric'>): Promise<readonly MetricToLabel[]> {
    const { metrics, place } = await this.#read(params, true);
    if (metrics.length === 0) return [];
    const { labels } = await labelFile(place);
    const labelled = new Set(labels.map(labelId));
    return metrics.map((metric) => {
      const { heldOut, missing } = assess(metric, labels);
      return {
        metric: metric.metric,
        judge: metric.judge,
        results: metric.results.length,
        labelled: metric.results.filter(({ id }) => labelled.has(id)).length,
        heldOut,
        missing,
      };
    });
  }

  /** Reads record, files and configuration again: a page is opened or refreshed with it. */
  async state(params: LabelParams): Promise<LabelState> {
    const open = await this.#read(params, true);
    return stateOf(open, metricOf(open, params.metric), await labelFile(open.place));
  }

  async next(params: LabelParams & { readonly skipped: readonly string[] }): Promise<NextResult> {
    const open = await this.#read(params);
    const skipped = new Set(params.skipped);
    const left = nextToLabel(metricOf(open, params.metric), (await labelFile(open.place)).labels);
    const wanted = left.filter(({ id }) => !skipped.has(id));
    const counts = { skipped: left.length - wanted.length };
    for (const [unreadable, result] of wanted.entries()) {
      const session = await open.sessions.find(result);
      if (session) {
        const { project } = open.record.manifest;
        return { ...counts, unreadable, result: resultToLabel(result, session, project) };
      }
    }
    return { ...counts, unreadable: wanted.length, result: null };
  }

  /** @param label null removes the label. @returns what the judge said, once the label is stored; null for one that was removed */
  async set({
    id,
    label,
    note,
    ...params
  }: LabelParams & { readonly id: string; readonly label: Label | null; readonly note: string }): Promise<{
    readonly judged: JudgedAnswer | null;
    readonly state: LabelState;
  }> {
    const open = await this.#read(params);
    const metric = metricOf(open, params.metric);
    const result = metric.results.find((one) => one.id === id);
    if (!result) throw new Error(l10n.t('The run has no such result any more.'));
    const trace = resolve(open.record.manifest.project, result.file);
    const file = await this.#change(open, [trace], (before) =>
      label === null
        ? withoutLabel(before, id)
        : withLabels(before, [toLabel(result, label, note.trim(), new Date().toISOString())]),
    );
    const { verdict, score, threshold, reason } = result;
    return {
      judged: label === null ? null : { verdict, score, threshold, reason },
      state: stateOf(open, metric, file),
    };
  }

  /** Stores what the labels say about the judge. @throws Error where there are too few */
  async calibrate(params: LabelParams): Promise<LabelState> {
    const open = await this.#read(params);
    const metric = metricOf(open, params.metric);
    const file = await this.#change(open, [], (before) => {
      const { calibration, missing } = assess(metric, before.labels);
      if (!calibration) throw new Error(l10n.t('{0} more held-out labels are needed to calibrate.', missing));
      return withCalibrations(before, [calibration]);
    });
    return stateOf(open, metric, file);
  }

  /** Where a result stands; null where its file changed or is gone. */
  async locate({ id, ...params }: LabelParams & { readonly id: string }): Promise<ResultToLabel['target'] | null> {
    const open = await this.#read(params);
    const known = [...metricOf(open, params.metric).results, ...(await labelFile(open.place)).labels];
    const result = known.find((one) => labelId(one) === id);
    const session = result && (await open.sessions.find(result));
    if (!session) return null;
    const turn = result.turn === null ? undefined : session.turns[result.turn];
    return targetOf(session, turn, resolve(open.record.manifest.project, result.file));
  }

  /** @param again whether files and configuration are read again. */
  async #read({ run, isTrusted }: Omit<LabelParams, 'metric'>, again = false): Promise<OpenRun> {
    const key = JSON.stringify([run, isTrusted]);
    const known = this.#open;
    if (!again && known?.key === key) return known.run;
    const reading = this.#openRun(run, isTrusted);
    const open = { key, run: reading };
    this.#open = open;
    // What could not be read is read again the next time.
    reading.catch(() => {
      if (this.#open === open) this.#open = null;
    });
    return reading;
  }

  async #openRun(run: RunReference, isTrusted: boolean): Promise<OpenRun> {
    const record = await this.#find(run);
    const metrics = await readJudgedMetrics(record);
    const { project } = record.manifest;
    const [first] = metrics.flatMap(({ results }) => results.slice(0, 1));
    // The labels are where an evaluation of the traces finds them.
    const folder = first ? dirname(resolve(project, first.file)) : project;
    const { configuration, file } = await loadConfiguration({
      cwd: folder,
      registry: REGISTRY,
      code: isTrusted ? 'run' : 'refuse',
    });
    return {
      record,
      metrics,
      isTrusted,
      sessions: new JudgedSessions(record, this.#files, isTrusted),
      configuration,
      place: await judgeFilePlace(folder, file, project),
    };
  }

  /** Labels that the command line has written since are kept. @throws Error with a sentence where nothing could be written */
  #change(
    { place, isTrusted }: OpenRun,
    inputs: readonly string[],
    change: (file: JudgeFile) => JudgeFile,
  ): Promise<JudgeFile> {
    return this.#inTurn(async () => {
      if (!isTrusted) throw new Error(untrustedMessage());
      const file = change(await labelFile(place));
      try {
        await writeLabels(place, file, { inputs });
      } catch (error) {
        const why = describeSystemError(error);
        throw new Error(
          l10n.t('Nothing was stored: {0} cannot be written ({1}). Make it writable and try again.', place.path, why),
        );
      }
      return file;
    });
  }
}

/** @throws Error with the file, the line and the remedy where the file is broken */
async function labelFile(place: JudgeFilePlace): Promise<JudgeFile> {
  const { file, problems } = await readLabels(place).catch((error: unknown) => {
    throw new Error(l10n.t('{0} cannot be read: {1}.', place.path, describeSystemError(error)));
  });
  if (file) return file;
  const [problem] = problems;
  const line = problem?.line == null ? '' : `:${problem.line}`;
  throw new Error(`${place.path}${line}: ${problem?.message ?? ''}`);
}

/** @throws Error where no judge answered it in this run */
function metricOf({ metrics }: OpenRun, name: string): JudgedMetric {
  const metric = metrics.find((one) => one.metric === name);
  if (metric) return metric;
  throw new Error(
    metrics.length === 0
      ? l10n.t(
          'No judge answered in this run, so there is nothing to label. Evaluate with a judge, or label another run.',
        )
      : l10n.t('The run has no judged results of {0}. Label another metric or another run.', name),
  );
}

function assess(metric: JudgedMetric, labels: readonly JudgeLabel[]) {
  return assessJudge(metric, labels, { precision: PRECISION, at: new Date().toISOString() });
}

function stateOf(
  { record, configuration, place, isTrusted }: OpenRun,
  metric: JudgedMetric,
  file: JudgeFile,
): LabelState {
  const { name = null, startedAt } = record.manifest;
  const assessed: AssessedLabels = {
    metric,
    assessment: assess(metric, file.labels),
    labels: file.labels,
    stored: file.calibrations.filter((one) => isSameIdentity(one, metric) && one.threshold === metric.threshold),
  };
  return {
    ...labelState(assessed),
    asks: allMetrics(configuration?.custom ?? []).find((one) => one.name === metric.metric)?.question ?? null,
    runName: name,
    startedAt,
    file: place.name,
    refusal: isTrusted ? null : untrustedMessage(),
  };
}

function untrustedMessage(): string {
  return l10n.t('This folder is not trusted, so no label is stored. Trust it to label results.');
}

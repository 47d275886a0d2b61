import {
  labelsOf,
  locateResult,
  metricsToLabel,
  nextResult,
  setLabel,
  storeCalibration,
} from '../../protocol/labels.ts';
import { onRequest } from '../../protocol/rpc.ts';
import type { Feature } from '../context.ts';
import { askRuns } from './run-answers.ts';

/** The newest runs among which one with a judge is looked for, and how many of those are read. */
const MAX_RUNS = 1000;
const MAX_READ = 10;

/** Answers the requests about labels of judged results. */
export const labelRequests: Feature = ({ connection, runs, settings }) => {
  if (!runs) return {};
  const { history, answer } = runs;
  const paramsOf = async ({ run, metric }: { readonly run: string; readonly metric: string }) => ({
    run: await history.reference(run),
    metric,
    isTrusted: settings().trusted,
  });
  const newestJudged = async () => {
    const { runs: listed } = await history.list(0, MAX_RUNS);
    const judged = listed.filter(({ manifest, isGone }) => manifest.judge !== null && !isGone);
    return judged.slice(0, MAX_READ).map(({ manifest: { id, project } }) => ({ id, project }));
  };
  onRequest(connection, metricsToLabel, async ({ run: id }, token) => {
    const isTrusted = settings().trusted;
    for (const run of id === null ? await newestJudged() : [await history.reference(id)]) {
      const metrics = await askRuns(answer, 'metricsToLabel', { run, isTrusted }, token);
      if (metrics.length > 0) return { run: run.id, metrics };
    }
    return { run: null, metrics: [] };
  });
  onRequest(connection, labelsOf, async (params, token) => askRuns(answer, 'labels', await paramsOf(params), token));
  onRequest(connection, nextResult, async ({ skipped, ...params }, token) =>
    askRuns(answer, 'nextResult', { ...(await paramsOf(params)), skipped }, token),
  );
  onRequest(connection, setLabel, async ({ id, label, note, ...params }, token) =>
    askRuns(answer, 'setLabel', { ...(await paramsOf(params)), id, label, note }, token),
  );
  onRequest(connection, storeCalibration, async (params, token) =>
    askRuns(answer, 'storeCalibration', await paramsOf(params), token),
  );
  onRequest(connection, locateResult, async ({ id, ...params }, token) => ({
    target: await askRuns(answer, 'locateResult', { ...(await paramsOf(params)), id }, token),
  }));
  return {};
};

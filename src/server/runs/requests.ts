import { pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { LruCache } from '../../core/cache/lru-cache.ts';
import { limitSentence } from '../../panel/values.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import { onRequest } from '../../protocol/rpc.ts';
import {
  comparedTranscripts,
  compareRuns,
  deleteRuns,
  exportRun,
  planRejudge,
  previousRun,
  type RunRow,
  type RunsCompared,
  rejudge,
  renameRun,
  runChanges,
  runDistribution,
  runLeaderboard,
  runSessions,
  runs,
  runsById,
  runTrend,
  setBaseline,
} from '../../protocol/runs.ts';
import type { RunListing } from '../../runs/run-store.ts';
import { currentBaselines } from '../../store/runs/find-run.ts';
import { toAbortSignal } from '../abort-signal.ts';
import type { Feature } from '../context.ts';
import { uriToPath } from '../disk/paths.ts';
import { rejudgeFiles } from './rejudge.ts';
import { askRuns as ask } from './run-answers.ts';
import { locateRow, sessionName, toChangedSession, toRejudge, toRunRow, toRunSession } from './run-rows.ts';
import { answerTranscripts } from './transcript-requests.ts';

/** Comparisons of complete runs never change. */
const MAX_COMPARISONS = 4;

/** Sessions that are named where they cannot be judged again. */
const MAX_MISSING = 100;

/** Answers the requests about recorded runs. */
export const runRequests: Feature = (context) => {
  const { connection, results, runs: recorded } = context;
  if (!recorded) return {};
  const { store, history, answer, evaluateGroup } = recorded;
  const compared = new LruCache<string, Omit<RunsCompared, 'runs'>>(MAX_COMPARISONS);
  const hasReport = (key: string) => results.session(key) !== undefined;
  const toRows = async (listings: readonly RunListing[]): Promise<RunRow[]> => {
    const withProject = (await history.projects())?.length !== 1;
    const baselines = currentBaselines(listings, store);
    return listings.map((run) =>
      toRunRow(run, { withProject, baselines, progress: history.progress(run.manifest.id) }),
    );
  };
  const findAll = async (ids: readonly string[]): Promise<RunListing[]> => {
    const found = await Promise.all(ids.map((id) => history.find(id)));
    return found.flatMap((run) => run ?? []);
  };
  onRequest(connection, runs, async ({ offset, limit }) => {
    const { runs: listed, hasMore } = await history.list(offset, limit);
    return { rows: await toRows(listed), hasMore };
  });
  onRequest(connection, runsById, async ({ runs: ids }) => ({ rows: await toRows(await findAll(ids)) }));
  onRequest(connection, previousRun, async ({ run }) => {
    const previous = await history.previous(run);
    return { row: previous ? ((await toRows([previous]))[0] ?? null) : null };
  });
  const compare = async (found: readonly RunListing[], token: CancellationToken) => {
    const key = JSON.stringify(found.map(({ manifest: { id, name, endedAt } }) => [id, name, endedAt]));
    const references = found.map(({ manifest: { id, project } }) => ({ id, project }));
    const known = compared.get(key) ?? (await ask(answer, 'compare', { runs: references }, token));
    if (found.every(({ manifest }) => manifest.state === 'complete')) compared.set(key, known);
    return known;
  };
  onRequest(connection, compareRuns, async ({ runs: ids }, token) => {
    const found = await findAll(ids);
    if (found.length < ids.length) throw new Error(l10n.t('One of these runs is not recorded any more.'));
    return { ...(await compare(found, token)), runs: await toRows(found) };
  });
  onRequest(connection, runChanges, async ({ run: id, offset, limit }, token) => {
    const run = await history.find(id);
    const before = run?.manifest.state === 'complete' && !run.isGone ? await history.previous(id) : null;
    if (!run || !before) {
      return { previous: null, summary: '', worse: 0, better: 0, unclear: 0, again: null, rows: [] };
    }
    const { comparison, headline, unchanged } = await compare([before, run], token);
    const counts = Object.groupBy(comparison.flips, ({ direction }) => direction);
    const pair = { before: before.manifest.id, after: id };
    return {
      previous: (await toRows([before]))[0] ?? null,
      summary: limitSentence(unchanged ?? headline.text),
      worse: counts.worse?.length ?? 0,
      better: counts.better?.length ?? 0,
      unclear: counts.unclear?.length ?? 0,
      again: toRejudge(comparison, pair),
      rows: comparison.flips.slice(offset, offset + limit).map((flip) => toChangedSession(flip, pair)),
    };
  });
  onRequest(connection, runTrend, async ({ run, subject, task }, token) =>
    ask(answer, 'trend', { run: await history.reference(run), subject, task }, token),
  );
  onRequest(connection, runDistribution, async ({ run, subject }, token) => ({
    distribution: await ask(answer, 'distribution', { run: await history.reference(run), subject }, token),
  }));
  onRequest(connection, runLeaderboard, async ({ run: id }, token) => {
    const run = await history.reference(id);
    const leaderboard = await ask(answer, 'leaderboard', { run }, token);
    return { leaderboard, locations: leaderboard.sessions.map((row) => locateRow(row, run.project, hasReport)) };
  });
  onRequest(connection, runSessions, async ({ run: id, offset, limit }, token) => {
    const run = await history.reference(id);
    const { total, rows } = await ask(answer, 'sessions', { run, offset, limit }, token);
    return { total, rows: rows.map((row) => toRunSession(row, run.project, hasReport)) };
  });
  onRequest(connection, planRejudge, async ({ run: id }, token) => {
    const run = await history.reference(id);
    const found = await ask(answer, 'unchanged', { run, isTrusted: context.settings().trusted }, token);
    return {
      uris: found.files.map((path) => pathToFileURL(path).href),
      sessions: found.sessions,
      missing: found.missing.slice(0, MAX_MISSING).map(sessionName),
      missingCount: found.missing.length,
    };
  });
  onRequest(connection, rejudge, async ({ uris, by, workDoneToken }, token) => {
    using stop = toAbortSignal(token);
    const progress = connection.window.attachWorkDoneProgress(workDoneToken);
    const { files } = context;
    return await rejudgeFiles({ uris, by }, { store, history, evaluateGroup, files, progress, signal: stop.signal });
  });
  onRequest(connection, comparedTranscripts, (params, token) =>
    answerTranscripts(params, { ...context, history, toRows, ask: (name, asked) => ask(answer, name, asked, token) }),
  );
  onRequest(connection, setBaseline, async ({ run: id, reason }, token) => {
    const run = await history.reference(id);
    const outcome = await ask(answer, 'setBaseline', { run, reason }, token);
    history.changed();
    return outcome;
  });
  onRequest(connection, renameRun, async ({ run, name }) => {
    await store.rename(run, name);
    history.changed();
    return {};
  });
  onRequest(connection, deleteRuns, async ({ runs: ids }) => {
    await store.delete(ids);
    history.changed();
    return {};
  });
  onRequest(connection, exportRun, async ({ run, target }) => {
    const path = uriToPath(target);
    if (path === null) throw new Error(l10n.t('Choose a file on disk.'));
    await store.export(run, path);
    return {};
  });
  return {};
};

import { describe, expect, it } from 'vitest';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { EvaluatedFile } from '../../../src/server/results/evaluated-file.ts';
import { EvaluationResults } from '../../../src/server/results/evaluation-results.ts';
import { hashingFiles } from '../../../src/server/results/hashing-files.ts';
import { summarizeSession } from '../../../src/server/results/loaded-session.ts';
import { SessionCache } from '../../../src/server/results/session-cache.ts';
import { buildRows, type SessionResultsView } from '../../../src/server/results/session-results-view.ts';
import { ChangingFiles } from '../../unit/server/sync/changing-files.ts';
import { trace } from '../connected-editor.ts';

const A = '/traces/a.trace.json';

function evaluatedHashes(results: EvaluationResults, view: SessionResultsView): ReadonlyMap<string, string> {
  const versions = [...results.versionsOf(view).values()];
  return new Map(versions.flatMap(({ path, stamp }) => (stamp ? [[path, stamp.hash] as const] : [])));
}

/** Results of files that were evaluated, and what reads them again. */
async function evaluated(files: ChangingFiles, paths: readonly string[], mostBytes?: number) {
  const results = new EvaluationResults();
  const texts = new Map<string, EvaluatedFile>();
  const read = hashingFiles(files, (path, stamp) => texts.set(path, new EvaluatedFile(path, stamp)));
  const { report, locator, sessions } = await evaluateFiles(paths, {}, { files: read });
  results.replace(
    paths,
    buildRows(
      report,
      locator,
      sessions.map((session) => summarizeSession(session)),
    ),
    texts,
  );
  files.reads.length = 0;
  const transcripts = new SessionCache(files, mostBytes);
  const get = (view: SessionResultsView) =>
    transcripts.get(view, { hashes: evaluatedHashes(results, view), isTrusted: true });
  const message = async (key?: string) => {
    const view = key === undefined ? results.sessionsIn(A)[0] : results.session(key);
    const session = view && (await get(view));
    return session ? session.turns.map(({ input }) => input) : null;
  };
  return { results, sessions, get, log: message };
}

/** A run of a research agent, in a file per span, which share a session. */
const span = (file: string, turn: number) => {
  const attributes = [
    { key: 'openinference.span.kind', value: { stringValue: 'AGENT' } },
    { key: 'session.id', value: { stringValue: 'shared' } },
    { key: 'input.value', value: { stringValue: `Question ${turn} in ${file}?` } },
    { key: 'output.value', value: { stringValue: 'An answer.' } },
  ];
  const times = { startTimeUnixNano: `${turn}000000000`, endTimeUnixNano: `${turn}500000000` };
  const one = {
    traceId: `0${turn}`.repeat(16),
    spanId: `0${turn}`.repeat(8),
    name: 'agent',
    kind: 1,
    attributes,
    ...times,
  };
  return JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: 's' }, spans: [one] }] }] });
};

describe('the content of a session', () => {
  it('is read again once, when it is shown', async () => {
    const files = new ChangingFiles({ [A]: trace({ turns: 3 }) });
    const { log } = await evaluated(files, [A]);
    const first = log();
    expect(await Promise.all([first, log()])).toEqual(Array(2).fill(['Question 0?', 'Question 1?', 'Question 2?']));
    await log();
    expect(files.reads).toEqual([A]);
  });

  it('is as it was evaluated, with all its steps', async () => {
    const files = new ChangingFiles({ [A]: `[${trace()},${trace({ turns: 1 })}]` });
    const { results, get, sessions } = await evaluated(files, [A]);
    for (const view of results.sessionsIn(A)) {
      const read = await get(view);
      expect(read?.turns).toEqual(sessions.find(({ id }) => id === view.row.id)?.turns);
    }
    expect(files.reads).toEqual([A]);
  });

  it('is read from all its files, even when one of them has changed since', async () => {
    const files = new ChangingFiles({ [A]: span('a', 1), '/traces/b.json': span('b', 2) });
    const { log, results } = await evaluated(files, ['/traces']);
    expect(results.sessions(0, 9).total).toBe(1);
    expect(await log()).toEqual(['Question 1 in a?', 'Question 2 in b?']);
    files.write('/traces/b.json', span('other', 2));
    expect(await log()).toEqual(['Question 1 in a?', 'Question 2 in b?']);
  });

  it.each([
    ['has changed', (files: ChangingFiles) => files.write(A, trace({ says: 'Something else.' }))],
    ['is gone', (files: ChangingFiles) => files.delete(A)],
    ['is broken', (files: ChangingFiles) => files.write(A, '{')],
  ])('cannot be read when the file %s, and can when it is restored', async (_, change) => {
    const files = new ChangingFiles({ [A]: trace() });
    const { log } = await evaluated(files, [A]);
    change(files);
    expect(await log()).toBeNull();
    files.write(A, trace());
    expect(await log()).toEqual(['Question 0?', 'Question 1?']);
  });

  it('is not the one that was read before the file was evaluated again', async () => {
    const files = new ChangingFiles({ [A]: trace() });
    const { log, results } = await evaluated(files, [A]);
    await log();
    files.write(A, trace({ turns: 1 }));
    const texts = new Map<string, EvaluatedFile>();
    const read = hashingFiles(files, (path, stamp) => texts.set(path, new EvaluatedFile(path, stamp)));
    const again = await evaluateFiles([A], {}, { files: read });
    results.replace(
      [A],
      buildRows(
        again.report,
        again.locator,
        again.sessions.map((session) => summarizeSession(session)),
      ),
      texts,
    );
    expect(await log()).toEqual(['Question 0?']);
  });

  it('is cached for the files that were read last, up to a size', async () => {
    const paths = ['a', 'b', 'c'].map((name) => `/traces/${name}.trace.json`);
    const files = new ChangingFiles(Object.fromEntries(paths.map((path) => [path, trace()])));
    const { log, results } = await evaluated(files, ['/traces'], 2.5 * trace().length);
    const keys = paths.map((path) => results.sessionsIn(path)[0]?.row.key);
    for (const at of [0, 1, 2, 1, 2, 0]) await log(keys[at]);
    expect(files.reads.map((path) => path.at(-12))).toEqual(['a', 'b', 'c', 'a']);
  });

  it('is cached for one file of any size', async () => {
    const files = new ChangingFiles({ [A]: trace() });
    const { log } = await evaluated(files, [A], 1);
    await log();
    await log();
    expect(files.reads).toEqual([A]);
  });
});

import { describe, expect, it } from 'vitest';
import type { WorkDoneProgressReporter, WorkDoneProgressServerReporter } from 'vscode-languageserver/node';
import type { CancellationToken } from '../../../../src/protocol/rpc.ts';
import { FileStamps } from '../../../../src/server/disk/file-stamps.ts';
import { type EvaluateFiles, Evaluator } from '../../../../src/server/evaluation/evaluator.ts';
import { createGroupEvaluation } from '../../../../src/server/evaluation/group-evaluation.ts';
import { DirtyDocuments } from '../../../../src/server/results/dirty-documents.ts';
import { EvaluationResults } from '../../../../src/server/results/evaluation-results.ts';
import { evaluateSaved } from '../../../../src/server/sync/evaluate-on-save.ts';
import { QUIET_LOG } from '../quiet-log.ts';
import { FakeLocator, report, session } from '../report-fixture.ts';
import { ChangingFiles } from './changing-files.ts';

const A = '/traces/a.json';
const B = '/traces/b.json';
const NEVER = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => {} }) };
const QUIET = { begin: () => {}, report: () => {}, done: () => {} };
const evaluated = { complete: true, sessions: 1, problems: [] };

type Evaluate = (
  uris: readonly string[],
  progress: WorkDoneProgressReporter,
  token: CancellationToken,
) => Promise<void>;

/** Saves files of which some have changed, and some are being evaluated. @returns the URIs that were evaluated again. */
async function saved(
  paths: readonly string[],
  changed: readonly string[],
  evaluating: readonly string[],
  evaluate: Evaluate = async () => {},
) {
  const texts: string[] = [];
  const text: string[] = [];
  let stop = () => {};
  const progress: WorkDoneProgressServerReporter = {
    begin: (title) => void text.push(`begin ${title}`),
    report: (...what: unknown[]) => void text.push(`report ${what.join(' ')}`),
    done: () => void text.push('done'),
    token: {
      isCancellationRequested: false,
      onCancellationRequested: (listener) => {
        stop = () => listener(undefined);
        return { dispose: () => {} };
      },
    },
  };
  await evaluateSaved(paths, {
    connection: { window: { createWorkDoneProgress: async () => progress } },
    results: { needsEvaluation: (path) => changed.includes(path) },
    settings: () => ({ editorModelsOnSave: false }),
    evaluator: {
      isEvaluating: (path) => evaluating.includes(path),
      async evaluate(uris, progress, token) {
        texts.push(...uris);
        progress.begin('Evaluating');
        await evaluate(uris, progress, token);
        progress.done();
        return evaluated;
      },
    },
  });
  return { asked: texts, shown: text, stop: () => stop() };
}

describe('saved files', () => {
  it.each([
    [[A], [A], [], ['file:///traces/a.json']],
    [[A, B], [B], [], ['file:///traces/b.json']],
    [[A], [], [], []],
    [[A], [A], [A], []],
    [[], [A], [], []],
  ])(
    'of %j, with %j changed and %j being evaluated, are evaluated again: %j',
    async (paths, changed, evaluating, input) => {
      expect((await saved(paths, changed, evaluating)).asked).toEqual(input);
    },
  );

  it('show no progress for a short evaluation', async () => {
    expect((await saved([A], [A], [])).shown).toEqual([]);
  });

  it('show progress for a long evaluation, which can be stopped there', async () => {
    const { shown } = await saved([A], [A], [], async (_uris, progress, token) => {
      const stopped = new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));
      progress.report(10, '1 of 10 turns');
      const messages = setInterval(() => progress.report('still going'), 50);
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 1300))]);
      clearInterval(messages);
    });
    expect(shown[0]).toBe('begin Evaluating');
    expect(shown).toContain('report still going');
    expect(shown.at(-1)).toBe('done');
  });
});

describe('a file that is being evaluated', () => {
  it('counts as such until its content changes', async () => {
    const files = new ChangingFiles({ [A]: 'one', [B]: 'two' });
    const results = new EvaluationResults();
    const [begun, read, end] = [0, 0, 0].map(() => Promise.withResolvers<void>());
    const evaluateFiles: EvaluateFiles = async ([path = ''], _configuration, options) => {
      begun?.resolve();
      await read?.promise;
      await options.files?.read(A);
      options.onRead?.({ sessions: [], locator: new FakeLocator() });
      await end?.promise;
      return { report: report({ sessions: [session('s', path)] }), sessions: [], locator: new FakeLocator() };
    };
    const parts = { results, documents: new DirtyDocuments(), disk: new FileStamps(files), files };
    const evaluator = new Evaluator({
      ...parts,
      evaluateGroup: createGroupEvaluation(evaluateFiles, parts.files),
      refresh: () => {},
      onResults: () => {},
      onComplete: () => {},
      onReport: () => {},
      log: QUIET_LOG,
    });
    const is = () => [A, B].map((path) => evaluator.isEvaluating(path));
    expect(is()).toEqual([false, false]);
    const first = evaluator.evaluate(['file:///traces/a.json'], QUIET, NEVER);
    const second = evaluator.evaluate(['file:///traces'], QUIET, NEVER);
    await begun?.promise;
    expect(is()).toEqual([true, true]);
    read?.resolve();
    end?.resolve();
    await Promise.all([first, second]);
    expect(is()).toEqual([false, false]);
  });

  it('does not count when its content is gone', async () => {
    const files = new ChangingFiles({ [A]: 'one' });
    const results = new EvaluationResults();
    const [reading, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const evaluateFiles: EvaluateFiles = async ([path = ''], _configuration, options) => {
      await options.files?.read(path);
      options.onRead?.({ sessions: [], locator: new FakeLocator() });
      reading.resolve();
      await end.promise;
      return { report: report({ sessions: [session('s', path)] }), sessions: [], locator: new FakeLocator() };
    };
    const parts = { results, documents: new DirtyDocuments(), disk: new FileStamps(files), files };
    const evaluator = new Evaluator({
      ...parts,
      evaluateGroup: createGroupEvaluation(evaluateFiles, parts.files),
      refresh: () => {},
      onResults: () => {},
      onComplete: () => {},
      onReport: () => {},
      log: QUIET_LOG,
    });
    const over = evaluator.evaluate(['file:///traces/a.json'], QUIET, NEVER);
    await reading.promise;
    expect(evaluator.isEvaluating(A)).toBe(true);
    results.updateHash(A, 'another hash');
    expect(evaluator.isEvaluating(A)).toBe(false);
    end.resolve();
    await over;
    expect(results.file(A)?.state).toBe('stale');
  });
});

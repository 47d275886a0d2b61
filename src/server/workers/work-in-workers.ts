import { getHeapStatistics } from 'node:v8';
import { errorMessage } from '../../core/error-message.ts';
import { consentQuestion } from '../consent/consent.ts';
import type { ModelDecisions } from '../consent/model-decisions.ts';
import type { EvaluateGroup } from '../evaluation/group-evaluation.ts';
import { LostEvaluationError } from '../evaluation/lost-evaluation.ts';
import { answerModelRequests } from '../features/model-requests.ts';
import type { FileWork, StartFileWork } from '../file-work.ts';
import type { ContentQuery } from '../report/content-answers.ts';
import type { ContentAnswer, ContentRequest } from '../report/content-requests.ts';
import type { AnswerRuns, RunQuestions } from '../runs/run-answers.ts';
import { STOPPED_BY_USER } from '../runs/run-recordings.ts';
import type { AnswerParams, EvaluationHost, RecordQuery, WorkerMethod, WorkerRequests } from './messages.ts';
import { WorkerPool } from './worker-pool.ts';
import { WorkerLostError, WorkerThread } from './worker-thread.ts';

export interface WorkerLimits {
  /** How long an evaluation may give no sign of life. */
  readonly evaluationMs: number;
  /** How long any other work may give none. */
  readonly requestMs: number;
  /** Megabytes of JavaScript values in one thread. */
  readonly memoryMb: number;
}

const LIMITS: WorkerLimits = {
  evaluationMs: 30_000,
  requestMs: 10_000,
  memoryMb: Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20),
};

/** How long a request waits for a thread that works on another file. */
const PATIENCE_MS = 300;

/** The work on recorded runs, which belongs to no file: one thread does it. */
const RUNS = 'runs';

/**
 * Works on files in threads that can be terminated.
 *
 * @param entry the module that serves a thread: the bundle that is running.
 */
export function workInWorkers(entry: URL, limits: WorkerLimits = LIMITS): StartFileWork {
  return (context, onStuck) => {
    const decisions = answerModelRequests(context);
    const pool = new WorkerPool({ start: () => new WorkerThread(entry, limits.memoryMb) });
    const request = async <Method extends WorkerMethod>(
      path: string,
      method: Method,
      params: (thread: WorkerThread) => WorkerRequests[Method]['params'],
      signal?: AbortSignal,
    ): Promise<WorkerRequests[Method]['result']> => {
      const stop = signal && { signal };
      try {
        const work = (thread: WorkerThread) =>
          thread.run(method, params(thread), { limitMs: limits.requestMs, ...stop });
        return await pool.run(path, work, { patienceMs: PATIENCE_MS, ...stop });
      } catch (error) {
        if (error instanceof WorkerLostError && !signal?.aborted) onStuck(path, error.clause);
        throw error;
      }
    };
    const answerRuns: AnswerRuns = async (name, params, signal) => {
      const query: RecordQuery<typeof name> = { name, params };
      const work = (thread: WorkerThread) => thread.run('runs', query, { limitMs: limits.evaluationMs, signal });
      return (await pool.run(RUNS, work, { patienceMs: PATIENCE_MS, signal })) as RunQuestions[typeof name]['result'];
    };
    return {
      decisions,
      evaluateGroup: evaluateInWorker(pool, decisions, limits, (run, stoppedBy) => {
        const signal = AbortSignal.timeout(limits.evaluationMs);
        // Without it, the run counts as interrupted when its lock is old.
        answerRuns('interrupt', { run, stoppedBy }, signal).catch(() => {});
      }),
      find: (path, pointers) => request(path, 'locate', () => ({ path, pointers })),
      planSidecarEdit: (edit) => request(edit.turn.file, 'planSidecarEdit', () => edit),
      looksLikeTrace: (path) => request(path, 'sniff', () => ({ path })).catch(() => false),
      answer: async <Name extends ContentRequest>({ view, ...query }: ContentQuery<Name>, signal: AbortSignal) => {
        const params = ({ views }: WorkerThread): AnswerParams => {
          const { key } = view.row;
          const isKnown = views.get(key) === view.detail;
          views.set(key, view.detail);
          return { ...query, key, ...(isKnown ? {} : { view }) };
        };
        return (await request(view.file, 'answer', params, signal)) as ContentAnswer<Name>;
      },
      answerRuns,
      clear() {},
      [Symbol.dispose]: () => pool[Symbol.dispose](),
    } satisfies FileWork;
  };
}

function evaluateInWorker(
  pool: WorkerPool<WorkerThread>,
  { editor, consent }: ModelDecisions,
  { evaluationMs: limitMs }: WorkerLimits,
  /** Called with a recorded run that ended before it was done. */
  interrupt: (run: string, stoppedBy: string) => void,
): EvaluateGroup {
  let evaluations = 0;
  return async (group, { signal, settings, onBusy, ...events }) => {
    const over = new AbortController();
    const files = new Map<string, string>();
    const recorded: string[] = [];
    const { folders, findKey, listEditorModels, notify, reportMissingKey } = editor;
    const asking = new Map<string, AbortController>();
    const host: EvaluationHost = {
      ...events,
      start: (what, file) => void files.set(what, file),
      end: (what) => void files.delete(what),
      onRecording: (id) => void recorded.push(id),
      folders,
      findKey,
      listEditorModels,
      askEditorModel: (id, request) => {
        const stop = new AbortController();
        asking.set(id, stop);
        const signals = AbortSignal.any([stop.signal, over.signal]);
        return editor.askEditorModel(request, signals).finally(() => asking.delete(id));
      },
      cancelEditorModel: (id) => asking.get(id)?.abort(),
      notify,
      reportMissingKey,
      choose: (question) => editor.questions.waitFor(question.id, editor.choose(question), over.signal),
      requestConsent: async (request) => {
        const decision = consent.request({ ...request, onWait: events.onWait });
        return (await editor.questions.waitFor(consentQuestion(request), decision, over.signal)) ?? 'later';
      },
    };
    const params = {
      group,
      settings,
      isTrusted: editor.isTrusted(),
      hasTurnwiseExtension: editor.hasTurnwiseExtension(),
      consentPath: consent.path,
    };
    evaluations += 1;
    const stop = AbortSignal.any([signal, over.signal]);
    const work = (thread: WorkerThread) =>
      thread.run('evaluate', params, { limitMs, signal: stop, host: { ...host }, ...(onBusy && { onBusy }) });
    try {
      return await pool.run(`evaluation ${evaluations}`, work, { patienceMs: 0, signal });
    } catch (error) {
      const isLost = error instanceof WorkerLostError;
      const shown = isLost ? new LostEvaluationError(error.clause, [...new Set(files.values())]) : error;
      for (const run of recorded) interrupt(run, signal.aborted ? STOPPED_BY_USER : errorMessage(shown));
      throw shown;
    } finally {
      over.abort();
    }
  };
}

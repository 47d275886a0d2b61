import { getHeapStatistics } from 'node:v8';
import { errorMessage } from '../../core/error-message.ts';
import { WorkerLostError } from '../../workers/worker-loss.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';
import type { AgentToolQuery, AgentToolWork } from '../agent-tools/tool-calls.ts';
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
import { FileWorker } from './file-worker.ts';
import { lossClause } from './loss-clause.ts';
import type {
  AnswerParams,
  EvaluationHost,
  ModelHostCalls,
  ModelSettings,
  RecordQuery,
  WorkerMethod,
  WorkerRequests,
} from './messages.ts';

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

/** The work for coding agents: their questions are answered one after the other. */
const AGENTS = 'agents';

/** An agent asks about what it has evaluated between other steps of its work. */
const AGENT_IDLE_MS = 15 * 60_000;

/**
 * Works on files in threads that can be terminated.
 *
 * @param entry the module that serves a thread: the bundle that is running.
 */
export function workInWorkers(entry: URL, limits: WorkerLimits = LIMITS): StartFileWork {
  return (context, onStuck) => {
    const decisions = answerModelRequests(context);
    const start = () => new FileWorker(entry, limits.memoryMb);
    const pool = new WorkerPool({ start });
    const agentPool = new WorkerPool({ start, most: 1, idleMs: AGENT_IDLE_MS });
    const request = async <Method extends WorkerMethod>(
      path: string,
      method: Method,
      params: (thread: FileWorker) => WorkerRequests[Method]['params'],
      signal?: AbortSignal,
    ): Promise<WorkerRequests[Method]['result']> => {
      const stop = signal && { signal };
      try {
        const work = (thread: FileWorker) => thread.run(method, params(thread), { limitMs: limits.requestMs, ...stop });
        return await pool.run(path, work, { patienceMs: PATIENCE_MS, ...stop });
      } catch (error) {
        if (error instanceof WorkerLostError && !signal?.aborted) onStuck(path, lossClause(error.loss));
        throw error;
      }
    };
    const answerRuns: AnswerRuns = async (name, params, signal) => {
      const query: RecordQuery<typeof name> = { name, params };
      const work = (thread: FileWorker) => thread.run('runs', query, { limitMs: limits.evaluationMs, signal });
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
        const params = ({ views }: FileWorker): AnswerParams => {
          const { key } = view.row;
          const isKnown = views.get(key) === view.detail;
          views.set(key, view.detail);
          return { ...query, key, ...(isKnown ? {} : { view }) };
        };
        return (await request(view.file, 'answer', params, signal)) as ContentAnswer<Name>;
      },
      answerRuns,
      agentTools: answerAgents(agentPool, decisions, limits),
      clear() {},
      [Symbol.dispose]: () => {
        pool[Symbol.dispose]();
        agentPool[Symbol.dispose]();
      },
    } satisfies FileWork;
  };
}

function evaluateInWorker(
  pool: WorkerPool<FileWorker>,
  decisions: ModelDecisions,
  { evaluationMs: limitMs }: WorkerLimits,
  /** Called with a recorded run that ended before it was done. */
  interrupt: (run: string, stoppedBy: string) => void,
): EvaluateGroup {
  let evaluations = 0;
  return async (group, { signal, settings, onBusy, ...events }) => {
    const over = new AbortController();
    const files = new Map<string, string>();
    const recorded: string[] = [];
    const host: EvaluationHost = {
      ...events,
      ...modelHostCalls(decisions, over.signal, events.onWait),
      start: (what, file) => void files.set(what, file),
      end: (what) => void files.delete(what),
      onRecording: (id) => void recorded.push(id),
    };
    const params = { group, settings, ...modelSettings(decisions) };
    evaluations += 1;
    const stop = AbortSignal.any([signal, over.signal]);
    const work = (thread: FileWorker) =>
      thread.run('evaluate', params, { limitMs, signal: stop, host: { ...host }, ...(onBusy && { onBusy }) });
    try {
      return await pool.run(`evaluation ${evaluations}`, work, { patienceMs: 0, signal });
    } catch (error) {
      const isLost = error instanceof WorkerLostError;
      const shown = isLost ? new LostEvaluationError(lossClause(error.loss), [...new Set(files.values())]) : error;
      for (const run of recorded) interrupt(run, signal.aborted ? STOPPED_BY_USER : errorMessage(shown));
      throw shown;
    } finally {
      over.abort();
    }
  };
}

/** Calls tools in a thread of their own, which keeps what it has evaluated for further questions. */
function answerAgents(
  pool: WorkerPool<FileWorker>,
  decisions: ModelDecisions,
  { evaluationMs: limitMs }: WorkerLimits,
): AgentToolWork {
  const ask = async <Method extends 'agentTool' | 'agentToolCost'>(
    method: Method,
    query: AgentToolQuery,
    signal: AbortSignal,
  ): Promise<WorkerRequests[Method]['result']> => {
    const over = new AbortController();
    const host = { ...modelHostCalls(decisions, over.signal, () => {}) };
    const params = { query, ...modelSettings(decisions) };
    const work = (thread: FileWorker) => thread.run(method, params, { limitMs, signal, host });
    return await pool.run(AGENTS, work, { patienceMs: 0, signal }).finally(() => over.abort());
  };
  return {
    call: (query, signal) => ask('agentTool', query, signal),
    cost: (query, signal) => ask('agentToolCost', query, signal),
  };
}

function modelSettings({ editor, consent }: ModelDecisions): ModelSettings {
  return {
    isTrusted: editor.isTrusted(),
    hasTurnwiseExtension: editor.hasTurnwiseExtension(),
    consentPath: consent.path,
  };
}

/** @param over is aborted when nobody waits for answers any more. @param onWait called with what waits for the user */
function modelHostCalls(
  { editor, consent }: ModelDecisions,
  over: AbortSignal,
  onWait: (what: string) => void,
): ModelHostCalls {
  const { folders, findKey, listEditorModels, notify, reportMissingKey } = editor;
  const asking = new Map<string, AbortController>();
  return {
    folders,
    findKey,
    listEditorModels,
    askEditorModel: (id, request) => {
      const stop = new AbortController();
      asking.set(id, stop);
      const signals = AbortSignal.any([stop.signal, over]);
      return editor.askEditorModel(request, signals).finally(() => asking.delete(id));
    },
    cancelEditorModel: (id) => asking.get(id)?.abort(),
    notify,
    reportMissingKey,
    choose: (question) => editor.questions.waitFor(question.id, editor.choose(question), over),
    requestConsent: async (request) => {
      const decision = consent.request({ ...request, onWait });
      return (await editor.questions.waitFor(consentQuestion(request), decision, over)) ?? 'later';
    },
  };
}

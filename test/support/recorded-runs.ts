import { createHash } from 'node:crypto';
import type { RunPlan } from '../../src/core/run-plan.ts';
import type { RecordedRun, RecordedSession, RunManifest, RunTotals } from '../../src/core/run-record.ts';
import { verdictOf } from '../../src/core/verdict.ts';

type PlanMetric = RunPlan['metrics'][number];

/** A metric of a plan: of turns, from 0 to 1, higher is better, without a threshold. */
export function planMetric(
  name: string,
  {
    threshold = null,
    lowerIsBetter = false,
    ...given
  }: Partial<Omit<PlanMetric, 'name' | 'template'>> & { threshold?: number | null; lowerIsBetter?: boolean } = {},
): PlanMetric {
  return {
    name,
    scope: 'turn',
    options: {},
    template: { range: [0, 1], threshold, bands: [], lowerIsBetter, implied: false },
    hasOwnThreshold: threshold !== null,
    ...given,
  };
}

/** A plan without models that gates on problems of severity high. */
function recordedPlan(given: Partial<RunPlan> = {}): RunManifest['plan'] {
  const { boundaryKey: _, ...plan }: RunPlan = {
    schemaVersion: 1,
    id: '20261101T090000000Z-00000001',
    startedAt: '2026-11-01T09:00:00.000Z',
    version: '0.2.0',
    agentVersion: null,
    metrics: [],
    failureMetrics: [],
    thresholds: [],
    gates: { failOn: 'high', outcome: true, minCoverage: 0, attempts: null },
    rulesEnabled: true,
    rules: {},
    severities: {},
    stateChangingTools: [],
    risk: null,
    judge: null,
    judges: {},
    price: null,
    embedder: null,
    questionsPerCall: 1,
    concurrency: 8,
    boundaryKey: null,
    turn: null,
    k: null,
    estimator: null,
    correctBy: null,
    ...given,
  };
  return plan;
}

/** A session of two turns without problems; its task is its id unless another is given. */
export function sessionRow(given: Partial<RecordedSession> & Pick<RecordedSession, 'id'>): RecordedSession {
  const { id } = given;
  const task = { id, trial: null, dataset: null, agent: null };
  return {
    file: `traces/${id}.json`,
    line: 1,
    task,
    inputs: hash('inputs', given.task?.id ?? id),
    content: hash('content', id),
    verdict: 'passed',
    outcome: { status: 'unknown', source: null },
    headline: { kind: 'clean', text: 'No problems found', turn: null },
    correct: null,
    scores: {},
    judged: [],
    passed: {},
    labels: {},
    rules: {},
    severity: null,
    turns: 2,
    calls: 1,
    tokens: null,
    cost: null,
    durationMs: null,
    ...given,
  };
}

/** An attempt of a task whose outcome the trace records. */
export function attemptRow(
  task: string,
  trial: number,
  correct: boolean,
  given: Partial<RecordedSession> = {},
): RecordedSession {
  return sessionRow({
    id: `${task}-${trial}`,
    task: { id: task, trial: String(trial), dataset: null, agent: null },
    verdict: correct ? 'passed' : 'failed',
    outcome: { status: correct ? 'succeeded' : 'failed', source: 'recorded' },
    headline: correct
      ? { kind: 'succeeded', text: 'Succeeded: reward 1.0 in the trace', turn: null }
      : { kind: 'failed', text: 'Failed: reward 0.0 in the trace', turn: null },
    correct,
    ...given,
  });
}

/** A complete run of these sessions; its totals, and the hash of its tasks, follow from them. */
export function recordedRun(
  rows: readonly RecordedSession[],
  { plan, ...given }: Partial<Omit<RunManifest, 'plan'>> & { plan?: Partial<RunPlan> } = {},
): RecordedRun {
  const id = given.id ?? '20261101T090000000Z-00000001';
  const manifest: RunManifest = {
    schemaVersion: 1,
    id,
    startedAt: '2026-11-01T09:00:00.000Z',
    endedAt: '2026-11-01T09:00:01.000Z',
    durationMs: 1000,
    tool: { name: 'turnwise', version: '0.2.0' },
    project: '/project',
    inputs: ['traces'],
    plan: recordedPlan({ id, ...plan }),
    questions: {},
    sampling: null,
    modelVersions: {},
    configuration: hash('configuration'),
    agent: { name: null, version: null, versionFrom: null, models: [] },
    git: { commit: '0'.repeat(40), branch: 'main', dirty: false },
    state: 'complete',
    tasksHash: hash(...rows.map(({ task, inputs }) => task?.id ?? inputs).sort()),
    totals: totalsOf(rows),
    ...given,
  };
  return { manifest, rows };
}

function totalsOf(rows: readonly RecordedSession[]): RunTotals {
  const count = (test: (row: RecordedSession) => boolean) => rows.filter(test).length;
  const names = new Set(rows.flatMap(({ scores }) => Object.keys(scores)));
  const severities = rows.flatMap(({ severity }) => severity ?? []);
  return {
    sessions: rows.length,
    turns: rows.reduce((sum, { turns }) => sum + turns, 0),
    tasks: new Set(rows.map(({ task, inputs }) => task?.id ?? inputs)).size,
    verdict: verdictOf(rows.map(({ verdict }) => (verdict === 'undecided' ? null : verdict === 'passed'))),
    outcomes: {
      succeeded: count(({ outcome }) => outcome.status === 'succeeded'),
      failed: count(({ outcome }) => outcome.status === 'failed'),
      unknown: count(({ outcome }) => outcome.status === 'unknown'),
    },
    verdicts: {
      passed: count(({ verdict }) => verdict === 'passed'),
      failed: count(({ verdict }) => verdict === 'failed'),
      undecided: count(({ verdict }) => verdict === 'undecided'),
    },
    problems: Object.fromEntries(
      Array.from(
        Map.groupBy(severities, (severity) => severity),
        ([name, of]) => [name, of.length],
      ),
    ),
    coverage: null,
    usage: { judgeCalls: 0, judgeCallsCached: 0, promptTokens: 0, completionTokens: 0, embeddedTexts: 0 },
    means: Object.fromEntries(
      Array.from(names, (name) => {
        const scores = rows.flatMap(({ scores: { [name]: score } }) => score ?? []);
        return [name, { mean: scores.reduce((sum, score) => sum + score, 0) / scores.length, n: scores.length }];
      }),
    ),
  };
}

/** A short hash of texts. */
function hash(...texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
}

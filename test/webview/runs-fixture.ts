import type { ComparedMetric, Flip, RunComparison } from '../../src/core/run-comparison.ts';
import type { Leaderboard, MetricDistribution, RunTrend, TrendPoint } from '../../src/core/run-trend.ts';
import type { HEADLINE_KINDS } from '../../src/core/statuses.ts';
import {
  type AlignedPartRow,
  type ComparedTranscripts,
  comparedTranscripts,
  compareRuns,
  type RunRow,
  type RunsCompared,
  runDistribution,
  runLeaderboard,
  runTrend,
  type TranscriptPartRow,
} from '../../src/protocol/runs.ts';

/** Comparisons, transcripts and trends as the editor answers them. */

function runRow(id: string, parts: Partial<RunRow> = {}): RunRow {
  return {
    id,
    name: null,
    project: null,
    startedAt: '2026-11-20T09:10:00.000Z',
    durationMs: 60_000,
    state: 'complete',
    isLive: false,
    verdict: 'failed',
    sessions: 240,
    succeeded: 180,
    failed: 60,
    undecided: 0,
    stoppedBy: null,
    git: { commit: '3f2a1c9d5e', branch: 'main', dirty: false },
    agent: { name: 'refund-agent', version: 'v1.3' },
    judge: 'openai/gpt-5-mini',
    baseline: null,
    alerts: [],
    isGone: false,
    ...parts,
  };
}

export function comparedMetric(
  conclusion: ComparedMetric['conclusion'],
  parts: Partial<ComparedMetric> = {},
): ComparedMetric {
  return {
    conclusion,
    pairs: 240,
    tasks: 60,
    before: { mean: 0.82, n: 240 },
    after: { mean: 0.61, n: 240 },
    difference: -0.21,
    ci95: [-0.31, -0.11],
    p: 0.0004,
    pAdjusted: 0.004,
    test: 'mcnemar',
    detectable: 0.12,
    lowerIsBetter: false,
    unit: 'share',
    scale: [0, 1],
    reason: 'Success fell from 82% to 61% over 60 tasks (95%: −31 to −11 points).',
    ...parts,
  };
}

type SessionKind = (typeof HEADLINE_KINDS)[number];

function comparedSession(id: string, kind: SessionKind, text: string, trial: string | null = null): Flip['after'] {
  return {
    id,
    file: 'traces/refund.jsonl',
    line: 12,
    trial,
    verdict: kind === 'failed' ? 'failed' : 'passed',
    outcome: kind === 'failed' ? 'failed' : 'succeeded',
    headline: { kind, text, turn: 1 },
    severity: kind === 'failed' ? 'high' : null,
  };
}

export function flip(index: number, direction: Flip['direction'] = 'worse', parts: Partial<Flip> = {}): Flip {
  const good = comparedSession(`s${index}`, 'succeeded', 'Succeeded: reward 1.0 in the trace', '2');
  const bad = comparedSession(`s${index}`, 'failed', 'Failed: claimed success after an error (turn 2)', '2');
  const undecided = comparedSession(`s${index}`, 'undecided', 'Undecided: judge not reachable, 3 checks not run', '2');
  return {
    task: `refund order ${index}`,
    direction,
    pairedBy: 'task',
    before: direction === 'better' ? bad : good,
    after: direction === 'better' ? good : direction === 'worse' ? bad : undecided,
    attempts: { before: { correct: 3, of: 4 }, after: { correct: 1, of: 4 } },
    ...parts,
  };
}

const AGENT = { name: 'refund-agent', version: null };

function comparedRun(id: string, label: string): RunComparison['runs'][number] {
  return {
    id,
    label,
    name: null,
    startedAt: '2026-11-20T09:10:00.000Z',
    state: 'complete',
    agent: { ...AGENT, version: label },
    git: { commit: '3f2a1c9d5e', branch: 'main', dirty: id === 'r2' },
    sessions: 240,
    tasks: 60,
  };
}

export function comparison(parts: Partial<RunComparison> = {}): RunComparison {
  return {
    schemaVersion: 1,
    runs: [comparedRun('r1', 'v1.2'), comparedRun('r2', 'v1.3')],
    comparability: [
      {
        code: 'judge',
        run: 1,
        withholds: ['faithfulness', 'task_completion'],
        reason: 'v1.3 was judged by openai/gpt-5-mini, v1.2 by openai/gpt-4.1.',
        remedy: 'Evaluate v1.2 again with the judge of v1.3.',
      },
      {
        code: 'dirty',
        run: 1,
        withholds: [],
        reason: 'v1.3 was evaluated with uncommitted changes.',
        remedy: null,
      },
    ],
    pairing: {
      tasks: 60,
      sessions: 240,
      renamed: [{ before: 'refund', after: 'refund order' }],
      changed: ['cancel order'],
    },
    metrics: {
      correct: comparedMetric('worse'),
      verdict: comparedMetric('cannot tell', {
        difference: -0.05,
        ci95: [-0.14, 0.04],
        reason: 'Only differences of 12 points or more can be seen with 60 tasks.',
      }),
      session_risk: comparedMetric('worse', {
        unit: 'score',
        lowerIsBetter: true,
        before: { mean: 0.31, n: 240 },
        after: { mean: 0.44, n: 240 },
        difference: 0.13,
        ci95: [0.05, 0.21],
        reason: 'Risk rose from 0.31 to 0.44 over 60 tasks.',
      }),
      cost: comparedMetric('better', {
        unit: 'usd',
        scale: null,
        lowerIsBetter: true,
        before: { mean: 0.042, n: 240 },
        after: { mean: 0.031, n: 240 },
        difference: -0.011,
        ci95: [-0.014, -0.008],
        reason: 'Cost fell from $0.04 to $0.03 a session over 60 tasks.',
      }),
      tool_correctness: comparedMetric('no clear difference', {
        unit: 'score',
        before: { mean: 0.9, n: 240 },
        after: { mean: 0.89, n: 240 },
        difference: -0.01,
        ci95: [-0.05, 0.03],
        reason: 'The interval contains zero, and differences of 0.05 would have been seen.',
      }),
      faithfulness: comparedMetric('not comparable', {
        pairs: 0,
        before: { mean: 4.2, n: 240 },
        after: { mean: 4.4, n: 240 },
        unit: 'score',
        scale: [1, 5],
        difference: null,
        ci95: null,
        reason: 'The judge changed.',
      }),
    },
    flips: [
      ...[1, 2, 3, 4, 5].map((index) => flip(index)),
      flip(6, 'better'),
      flip(7, 'unclear', { attempts: null, task: null }),
    ],
    noise: {
      unchanged: 40,
      metrics: { task_completion: { sessions: 40, changed: 3, meanChange: 0.04, largestChange: 0.5 } },
      sessions: [
        {
          before: comparedSession('s9', 'succeeded', 'Succeeded (judge)'),
          after: comparedSession('s9', 'failed', 'Failed (judge)'),
          scores: { task_completion: [0.9, 0.4] },
        },
      ],
    },
    onlyIn: [
      { run: 0, tasks: [{ task: 'exchange item', sessions: [{ id: 's70', file: 'traces/old.jsonl', line: 3 }] }] },
      { run: 1, tasks: [] },
    ],
    leaderboard: null,
    changedSessions: [],
    ...parts,
  };
}

const HEADLINE = {
  conclusion: 'worse',
  metric: 'correct',
  text: 'Success fell from 82% to 61% over 60 tasks (95%: −31 to −11 points).',
  next: null,
} as const;

export function compared(parts: Partial<RunsCompared> = {}): RunsCompared {
  const unchanged = parts.comparison?.flips.length === 0 ? 'No session changed its outcome or verdict.' : null;
  return { comparison: comparison(), headline: HEADLINE, unchanged, runs: [runRow('r1'), runRow('r2')], ...parts };
}

/** Three agents, of which the first two cannot be told apart. */
export function comparedThree(): RunsCompared {
  const standing = (run: number, mean: number, rank: [number, number]) =>
    ({ run, mean, ci95: [mean - 0.06, mean + 0.06], n: 240, rank }) as const;
  const shared = { tasks: 60, lowerIsBetter: false, unit: 'share', scale: [0, 1] } as const;
  return {
    comparison: comparison({
      runs: [comparedRun('r1', 'gpt-5'), comparedRun('r2', 'claude'), comparedRun('r3', 'gemini')],
      metrics: {},
      flips: [],
      changedSessions: [
        {
          task: 'refund order 7',
          sessions: [
            comparedSession('s7', 'succeeded', 'Succeeded: reward 1.0 in the trace', '2'),
            null,
            comparedSession('s7', 'failed', 'Failed: claimed success after an error (turn 2)', '2'),
          ],
        },
      ],
      noise: null,
      comparability: [],
      leaderboard: {
        correct: {
          ...shared,
          best: null,
          standings: [standing(0, 0.82, [1, 2]), standing(1, 0.8, [1, 2]), standing(2, 0.61, [3, 3])],
          reason: 'gpt-5 and claude cannot be told apart.',
        },
        cost: {
          ...shared,
          unit: 'usd',
          scale: null,
          lowerIsBetter: true,
          best: 2,
          standings: [standing(2, 0.1, [1, 1]), standing(0, 0.4, [2, 2]), standing(1, 0.7, [3, 3])],
          reason: 'gemini is cheaper than every other run.',
        },
      },
    }),
    headline: { conclusion: null, metric: 'correct', text: 'gpt-5 and claude cannot be told apart.', next: null },
    unchanged: null,
    runs: [runRow('r1'), runRow('r2'), runRow('r3')],
  };
}

export function part(text: string, parts: Partial<TranscriptPartRow> = {}): TranscriptPartRow {
  return {
    turn: 0,
    target: { uri: 'file:///w/traces/refund.jsonl', pointer: '/11/turns/0' },
    text: { text, omitted: 0 },
    result: null,
    outcome: null,
    ...parts,
  };
}

const NO_PART = { name: null, left: null, right: null, arguments: null } as const;

export function alignedPart(
  change: AlignedPartRow['change'],
  type: AlignedPartRow['type'],
  parts: Partial<AlignedPartRow>,
): AlignedPartRow {
  return { ...NO_PART, change, type, ...parts };
}

const ERROR = {
  outcome: 'error',
  result: { text: 'amount 370.00 EUR exceeds the 42.50 EUR paid', omitted: 0 },
} as const;
const OK = { outcome: 'ok', result: { text: '{"refund": "37.00 EUR"}', omitted: 0 } } as const;

export const ALIGNED: readonly AlignedPartRow[] = [
  alignedPart('same', 'user', {
    left: part('I want my money back for order CL-20917.'),
    right: part('I want my money back for order CL-20917.'),
  }),
  alignedPart('reworded', 'model', {
    left: part('Let me look that up.'),
    right: part('One moment, I will check the order.'),
  }),
  alignedPart('same', 'tool', {
    name: 'get_order',
    left: part('order_id: "CL-20917"', OK),
    right: part('order_id: "CL-20917"', OK),
  }),
  alignedPart('arguments', 'tool', {
    name: 'refund_order',
    left: part('order_id: "CL-20917", amount: 37', OK),
    right: part('order_id: "CL-20917", amount: 370', ERROR),
    arguments: { changes: [{ name: 'amount', before: '37', after: '370' }], changesOmitted: 0, equal: 1 },
  }),
  alignedPart('right', 'tool', { name: 'refund_order', right: part('order_id: "CL-20917", amount: 370', ERROR) }),
  alignedPart('reworded', 'answer', {
    left: part('Your refund of 37.00 EUR was issued.'),
    right: part(
      'Good news: your refund of 370.00 EUR was issued to the card that you paid with. It takes 3 to 5 days.',
    ),
  }),
];

export function transcripts(
  rows: readonly AlignedPartRow[] = ALIGNED,
  parts: Partial<ComparedTranscripts> = {},
): ComparedTranscripts {
  const changed = rows.flatMap(({ change }, index) => (change === 'same' ? [] : [index]));
  const side = {
    title: 'refund order 1 · attempt 2',
    line: 12,
    target: { uri: 'file:///w/traces/refund.jsonl', pointer: '/11' },
    missing: null,
  };
  return {
    left: {
      ...side,
      run: runRow('r1', { name: 'before the new prompt' }),
      headline: { kind: 'succeeded', text: 'Succeeded: reward 1.0 in the trace', turn: null },
      key: null,
    },
    right: {
      ...side,
      run: runRow('r2'),
      headline: { kind: 'failed', text: 'Failed: claimed success after an error (turn 1)', turn: 0 },
      key: 'file:///w/traces/refund.jsonl#s1',
    },
    total: rows.length,
    divergence: rows.findIndex(({ change }) => change !== 'same' && change !== 'reworded'),
    actions: rows.filter(({ change }) => change !== 'same' && change !== 'reworded').length,
    wordings: rows.filter(({ change }) => change === 'reworded').length,
    changed,
    rows,
    ...parts,
  };
}

export function trendPoint(index: number, value: number | null, parts: Partial<TrendPoint> = {}): TrendPoint {
  return {
    run: `r${index}`,
    name: undefined,
    startedAt: `2026-11-${String(index + 1).padStart(2, '0')}T09:10:00.000Z`,
    git: { commit: `${index}f2a1c9d5e`, branch: 'main', dirty: false },
    agentVersion: index < 6 ? 'v1.2' : 'v1.3',
    complete: true,
    value,
    interval: value === null ? null : [value - 0.08, Math.min(1, value + 0.08)],
    n: 240,
    tasks: 60,
    leftOut: 0,
    segment: index < 3 ? 0 : 1,
    ...parts,
  };
}

export function trend(parts: Partial<RunTrend> = {}): RunTrend {
  const values = [0.7, 0.72, 0.69, 0.84, 0.82, 0.83, 0.61, 0.63, 0.6];
  return {
    schemaVersion: 1,
    subject: {
      kind: 'metric',
      name: 'tool_correctness',
      unit: 'score',
      scale: [0, 1],
      threshold: 0.8,
      lowerIsBetter: false,
      task: null,
    },
    points: values.map((value, index) => trendPoint(index, value)),
    segments: [
      { from: 0, to: 2, reasons: [], pairing: 'tasks' },
      { from: 3, to: 8, reasons: ['The judge changed from openai/gpt-4.1 to openai/gpt-5-mini.'], pairing: 'tasks' },
    ],
    changes: [
      {
        at: 6,
        before: 0.83,
        after: 0.61,
        from: 3,
        to: 8,
        p: 0.001,
        conclusion: 'worse',
        text: 'tool_correctness fell from 0.83 to 0.61 with run 6f2a1c9 (p 0.001).',
      },
    ],
    versions: [
      {
        version: 'v1.2',
        task: null,
        segment: 1,
        runs: 3,
        n: 720,
        mean: 0.83,
        minimum: 0.2,
        maximum: 1,
        deviation: null,
      },
      {
        version: 'v1.3',
        task: null,
        segment: 1,
        runs: 3,
        n: 720,
        mean: 0.61,
        minimum: 0,
        maximum: 1,
        deviation: -0.22,
      },
    ],
    notes: [],
    ...parts,
  };
}

const DISTRIBUTION: MetricDistribution = {
  schemaVersion: 1,
  subject: trend().subject,
  run: {
    run: 'r8',
    name: undefined,
    startedAt: '2026-11-09T09:10:00.000Z',
    git: null,
    agentVersion: null,
    complete: true,
  },
  n: 240,
  missing: 3,
  mean: 0.6,
  median: 0.62,
  standardDeviation: 0.2,
  interval: [0.52, 0.68],
  missed: 170,
  bins: [12, 8, 20, 30, 45, 40, 30, 25, 20, 10].map((count, index) => ({
    from: index / 10,
    to: (index + 1) / 10,
    count,
  })),
};

const LEADERBOARD: Leaderboard = {
  schemaVersion: 1,
  sessions: [1, 2, 3].map((index) => ({
    id: `s${index}`,
    file: 'traces/refund.jsonl',
    line: index,
    headline: { kind: 'failed', text: 'Failed: claimed success after an error (turn 2)', turn: 1 },
    run: 'r8',
    task: `refund order ${index}`,
    verdict: 'failed',
    risk: 0.9 - index / 10,
    severity: 'high',
  })),
  tasks: [1, 2].map((index) => ({
    task: `refund order ${index}`,
    runs: 9,
    attempts: 36,
    correct: 10 + index,
    interval: [0.16, 0.45],
    flaky: index === 1,
    example: { run: 'r8', id: `s${index}`, file: 'traces/refund.jsonl', line: index },
  })),
};

/** Of the sessions of the leaderboard: the second one has a report. */
const LOCATIONS = [null, 'file:///w/traces/refund.jsonl#s2', null].map((key) => ({
  uri: 'file:///w/traces/refund.jsonl',
  key,
}));

interface RunsAnswers {
  readonly compared?: RunsCompared;
  readonly transcripts?: ComparedTranscripts;
  readonly trend?: RunTrend | null;
}

/** Answers the requests of the pages about runs. */
export function answerRuns(answers: RunsAnswers): (method: string, params: unknown) => unknown {
  return (method) => {
    switch (method) {
      case compareRuns.method:
        return answers.compared ?? compared();
      case comparedTranscripts.method:
        return answers.transcripts ?? transcripts();
      case runTrend.method:
        return {
          trend: answers.trend === undefined ? trend() : answers.trend,
          subjects: [
            { kind: 'metric', name: 'tool_correctness' },
            { kind: 'measure', name: 'cost' },
            { kind: 'rule', name: 'repeated-call' },
          ],
        };
      case runDistribution.method:
        return { distribution: DISTRIBUTION };
      case runLeaderboard.method:
        return { leaderboard: LEADERBOARD, locations: LOCATIONS };
      default:
        return {};
    }
  };
}

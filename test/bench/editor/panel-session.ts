/**
 * What a recorded session of so many turns answers, made when it is asked for. It is called in a page, where nothing of
 * this file exists but the function: it uses nothing from outside.
 */
export function longSession(turns: number): unknown[] {
  const target = (pointer: string) => ({ uri: 'file:///traces/long.json', pointer });
  const text = (words: number, from: number) =>
    Array.from({ length: words }, (_, index) => `word${(from * 31 + index * 7) % 97}`).join(' ');
  const isBad = (index: number) => index % 50 === 7;
  const range = (make: (index: number) => unknown) => Array.from({ length: turns }, (_, index) => make(index));
  const score = (metric: string, value: number) => ({
    metric,
    status: 'scored',
    value,
    labels: [],
    scale: [0, 1],
    threshold: 0.5,
    passed: value >= 0.5,
    lowerIsBetter: false,
    band: null,
    reason: `This is why ${metric} is ${value}, in a sentence of some length.`,
    source: 'rules',
    judge: null,
    cap: null,
    evidence: [{ note: 'the answer', target: target('/x'), citation: null }],
    evidenceOmitted: 0,
    hasPrompt: false,
    feedback: null,
  });
  const step = (turn: number, index: number) => ({
    type: 'tool',
    index,
    target: target(`/${turn}/${index}`),
    durationMs: 120,
    name: 'look_up',
    arguments: { text: `query: "${text(6, turn + index)}"`, omitted: 0 },
    outcome: isBad(turn) && index === 1 ? 'error' : 'ok',
    result: isBad(turn) && index === 1 ? null : { text: text(60, turn), omitted: 0, target: target('/r') },
    error: isBad(turn) && index === 1 ? { text: 'It is not there.', omitted: 0, target: target('/e') } : null,
    requestedBy: 'agent',
    speaker: null,
  });
  const failure = (turn: number) => ({
    turn,
    label: 'ignored tool result',
    severity: 'high',
    reason: '`look_up` failed, and the answer says that it was found.',
    rule: 'success-after-error',
    metric: null,
    target: target('/e'),
    evidence: [
      {
        note: 'what came back',
        target: target('/e'),
        citation: { turn, step: 1, field: 'error', item: 0, start: 0, end: 10 },
      },
    ],
    evidenceOmitted: 0,
    feedback: null,
  });
  const row = (index: number) => ({
    index,
    line: index * 40 + 1,
    target: target(`/${index}`),
    recorded: true,
    input: { text: text(20, index), omitted: 0, target: target(`/${index}/i`) },
    steps: Array.from({ length: index % 9 }, (_, at) => step(index, at)),
    stepsOmitted: 0,
    output: {
      text: `**${text(3, index)}**\n\n${text(40 + (index % 7) * 30, index)}`,
      omitted: 0,
      target: target('/o'),
    },
    durationMs: 3400,
    risk: isBad(index) ? 0.8 : 0.1,
    riskReason: null,
    failures: isBad(index) ? [failure(index)] : [],
    problemsOmitted: 0,
    observations: [],
    suppressed: [],
    scores: ['task_completion', 'tool_correctness', 'loop_detection', 'coherence', 'faithfulness', 'relevance'].map(
      (metric, at) => score(metric, ((index * 13 + at * 7) % 100) / 100),
    ),
    unscored: [{ status: 'needs_judge', metrics: 12, reasons: [{ reason: 'Only a model can.', metrics: ['a', 'b'] }] }],
    feedback: null,
  });
  const header = {
    revision: 1,
    key: 'recorded',
    id: 'long',
    file: { name: 'long.json', uri: 'file:///traces/long.json' },
    format: 'openai-chat',
    target: target(''),
    state: 'fresh',
    verdict: 'failed',
    risk: 0.8,
    riskReason: null,
    why: [{ sentence: 'Something went wrong.', turn: 7, severity: 'high', target: target('/7') }],
    failures: turns / 50,
    gates: [],
    coverage: { scored: 6 * turns, of: 18 * turns },
    unscored: [],
    scores: [],
    judges: [],
    run: {
      startedAt: '2026-01-01T00:00:00.000Z',
      durationMs: 9000,
      complete: true,
      calls: 0,
      callsCached: 0,
      promptTokens: 0,
      completionTokens: 0,
      cost: null,
    },
    turnsDone: null,
    strip: {
      turns,
      risk: range((index) => (isBad(index) ? 0.8 : (index % 30) / 100)),
      severity: range((index) => (isBad(index) ? 'high' : null)),
      failures: range((index) => (isBad(index) ? 1 : 0)),
      coverage: range(() => 'rules'),
      reason: range(() => 0),
      reasons: ['Nothing found by 22 rules.'],
    },
    facets: { metrics: [], labels: [], severities: [], statuses: [], belowThreshold: 0 },
    sessionsInFile: 1,
  };
  const signals = ['confidence', 'loop_detection', 'tool_correctness', 'coherence'].map((metric, at) => ({
    metric,
    question: null,
    scale: [0, 1],
    threshold: 0.5,
    lowerIsBetter: false,
    values: range((index) => 0.5 + 0.4 * Math.sin(index / (50 + at * 20))),
  }));
  const params = { session: 'recorded' };
  const rows = {
    length: turns,
    slice: (from: number, to: number) =>
      Array.from({ length: Math.max(0, Math.min(turns, to) - from) }, (_, index) => row(from + index)),
  };
  return [
    { method: 'turnwise/report', params, result: { header } },
    { method: 'turnwise/turns', params, rows },
    { method: 'turnwise/report/signals', params, result: { signals, available: signals.map(({ metric }) => metric) } },
  ];
}

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RecordedOutcome, Session } from '../../../src/core/session.ts';
import { readTauBench } from '../../../src/formats/benchmarks/tau-bench.ts';
import { mappedFormat } from '../../../src/formats/mapped/mapped-format.ts';
import { mappingSchema } from '../../../src/formats/mapped/mapping.ts';
import { applySidecar } from '../../../src/input/sidecar.ts';
import { nativeChunks } from '../../../src/reports/native.ts';
import { sharedData } from '../../support/shared-data.ts';
import { json, jsonLines, onlySession, pointersOf, read, resolve } from './read-fixture.ts';

const CHAT = [
  { role: 'user', content: 'Please refund order A-1001.' },
  { role: 'assistant', content: 'It was refunded.' },
];

/** The outcome of the only session in a file, whose pointer must lead to a value of the file. */
function outcomeIn(value: unknown): Session['outcome'] {
  const document = json(value);
  // A list of runs without rewards is no file of tau-bench by itself.
  const reading = Array.isArray(value) && 'traj' in value[0] ? readTauBench(document) : read(document);
  for (const pointer of pointersOf(reading)) resolve(value, pointer);
  return onlySession(reading).outcome;
}

const tauBench = (run: object) => [{ task_id: 1, trial: 0, info: { task: {} }, traj: CHAT, ...run }];
const tau2 = (simulation: object) => ({
  info: { environment_info: { domain_name: 'retail' } },
  tasks: [],
  simulations: [{ id: 's', task_id: '1', trial: 0, messages: CHAT, ...simulation }],
});
const inspect = (sample: object) => ({
  version: 2,
  status: 'success',
  eval: { task: 'refunds', model: 'some/model' },
  samples: [{ id: 1, epoch: 1, input: 'x', messages: CHAT, ...sample }],
});
const graded = (scores: Record<string, unknown>) =>
  inspect({ scores: Object.fromEntries(Object.entries(scores).map(([name, value]) => [name, { value }])) });
const openHands = (run: object) => [
  {
    instance_id: 'django-1',
    history: [
      { id: 0, source: 'user', action: 'message', args: { content: 'Fix it.' } },
      { id: 1, source: 'agent', action: 'message', args: { content: 'Done.' } },
    ],
    ...run,
  },
];
const miniSwe = (run: object) => ({
  trajectory_format: 'mini-swe-agent-1',
  instance_id: 'django-1',
  info: { exit_status: 'Submitted' },
  messages: CHAT,
  ...run,
});
const sweAgent = (run: object) => ({
  trajectory: [{ action: 'ls', observation: 'a.py', response: 'Look.', thought: 'Look.' }],
  history: [],
  info: { exit_status: 'submitted' },
  ...run,
});
const atif = (run: object) => ({
  schema_version: 'ATIF-v1.4',
  session_id: 's',
  agent: { name: 'a', version: '1' },
  steps: [
    { step_id: 1, source: 'user', message: 'Fix it.' },
    { step_id: 2, source: 'agent', message: 'Done.' },
  ],
  ...run,
});
const agentest = (conversation: object, scenario: object = {}) => ({
  summary: { totalScenarios: 1 },
  scenarios: [
    {
      name: 'refund',
      conversations: [
        {
          conversationId: 'c',
          turns: [{ turnIndex: 0, userMessage: 'Hi', agentMessage: 'Hello', toolCalls: [] }],
          ...conversation,
        },
      ],
      errors: [],
      ...scenario,
    },
  ],
});
const whoAndWhen = (run: object) => ({
  question: 'Where?',
  ground_truth: 'There',
  history: [{ name: 'Expert', role: 'assistant', content: 'There.' }],
  mistake_agent: 'Expert',
  mistake_step: '0',
  ...run,
});
const toolBench = (run: object) => ({
  tree: { tree: { node_type: 'Action Input', description: '', children: [] } },
  answer_generation: { query: 'Find it.', function: [], final_answer: 'Found.', finish_type: 'give_answer' },
  ...run,
});
const native = (session: object) => ({
  turnwise: 1,
  sessions: [{ id: 's', turns: [{ input: 'Hi', output: 'Hello' }], ...session }],
});
const langfuse = (scores: readonly object[]) => ({
  id: 'trace-1',
  timestamp: '2026-03-01T10:00:00.000Z',
  sessionId: 's',
  userId: 'u',
  environment: 'default',
  release: 'r1',
  input: 'Please refund order A-1001.',
  output: 'It was refunded.',
  observations: [
    {
      id: 'o-1',
      traceId: 'trace-1',
      type: 'GENERATION',
      startTime: '2026-03-01T10:00:01.000Z',
      input: [CHAT[0]],
      output: CHAT[1],
    },
  ],
  scores,
});
const langsmith = (feedback: object) => ({
  id: 'r-1',
  trace_id: 'r-1',
  name: 'chat',
  run_type: 'llm',
  start_time: '2026-03-01T10:00:00',
  inputs: { messages: [CHAT[0]] },
  outputs: { message: CHAT[1] },
  feedback_stats: feedback,
});
const SPAN = {
  name: 'chat',
  start_time_unix_nano: 1_772_359_200_000_000_000,
  end_time_unix_nano: 1_772_359_201_000_000_000,
  status: { code: 'STATUS_CODE_OK' },
};
const mlflow = (assessments: readonly object[]) => ({
  info: { trace_id: 'tr-1', state: 'OK', assessments },
  data: {
    spans: [
      {
        ...SPAN,
        trace_id: 'tr-1',
        span_id: 'aa',
        parent_id: null,
        attributes: {
          'mlflow.spanType': '"CHAT_MODEL"',
          'mlflow.spanInputs': JSON.stringify({ messages: [CHAT[0]] }),
          'mlflow.spanOutputs': JSON.stringify(CHAT[1]),
        },
      },
    ],
  },
});
const phoenix = (annotations: readonly object[]) => ({
  data: [
    {
      name: 'chat',
      context: { trace_id: 't', span_id: 'a' },
      span_kind: 'LLM',
      parent_id: null,
      start_time: '2026-03-01T10:00:00Z',
      end_time: '2026-03-01T10:00:01Z',
      status_code: 'OK',
      attributes: {
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'Hi',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.content': 'Hello',
      },
      annotations,
    },
  ],
});
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const evaluation = (name: string, value: object) => ({
  timeUnixNano: '1772359201000000000',
  name: 'gen_ai.evaluation.result',
  attributes: [text('gen_ai.evaluation.name', name), value],
});
const score = (value: number) => ({ key: 'gen_ai.evaluation.score.value', value: { doubleValue: value } });
/** A trace with an agent and a model inside it, each with events. */
const otlp = (ofAgent: readonly object[], ofModel: readonly object[] = []) => {
  const span = (spanId: string, parentSpanId: string, operation: string, events: readonly object[]) => ({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId,
    parentSpanId,
    name: operation,
    startTimeUnixNano: '1772359200000000000',
    endTimeUnixNano: '1772359202000000000',
    attributes: [
      text('gen_ai.operation.name', operation),
      text('gen_ai.input.messages', JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }])),
      text(
        'gen_ai.output.messages',
        JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] }]),
      ),
    ],
    events,
  });
  const spans = [
    span('b7ad6b7169203331', '', 'invoke_agent', ofAgent),
    span('c7ad6b7169203331', 'b7ad6b7169203331', 'chat', ofModel),
  ];
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'x' }, spans }] }] };
};

type Row = readonly [what: string, value: unknown, status: RecordedOutcome['status'] | null, reason?: string];

// Null: the file says nothing, so the outcome is left to other sources.
const ROWS: readonly Row[] = [
  ['tau-bench: the full reward', tauBench({ reward: 1 }), 'succeeded', 'reward 1.0 in the trace'],
  ['tau-bench: a part of the reward', tauBench({ reward: 0.4 }), 'failed', 'reward 0.4 in the trace'],
  ['tau-bench: a reward outside its scale', tauBench({ reward: -1 }), 'unknown'],
  ['tau-bench: no number', tauBench({ reward: Number.NaN }), 'unknown'],
  ['tau-bench: no reward', tauBench({}), null],
  ['tau2-bench: no reward at all', tau2({ reward_info: { reward: 0 }, termination_reason: 'user_stop' }), 'failed'],
  ['tau2-bench: the full reward', tau2({ reward_info: { reward: 1 }, termination_reason: 'agent_stop' }), 'succeeded'],
  [
    'tau2-bench: too many steps and no reward',
    tau2({ reward_info: null, termination_reason: 'max_steps' }),
    'failed',
    'the simulation ended by max_steps',
  ],
  [
    'tau2-bench: an outage and no reward',
    tau2({ reward_info: null, termination_reason: 'infrastructure_error' }),
    'unknown',
    'the simulation ended by infrastructure_error, and nothing graded the run',
  ],
  ['tau2-bench: a regular end without a reward', tau2({ termination_reason: 'user_stop' }), null],
  ['Inspect AI: correct', graded({ match: 'C' }), 'succeeded', 'match "C" in the trace'],
  ['Inspect AI: incorrect', graded({ match: 'I' }), 'failed', 'match "I" in the trace'],
  ['Inspect AI: partial', graded({ match: 'P' }), 'unknown'],
  ['Inspect AI: no answer', graded({ match: 'N' }), 'failed'],
  ['Inspect AI: a number', graded({ match: 1 }), 'succeeded'],
  ['Inspect AI: a part of a number', graded({ match: 0.4 }), 'unknown'],
  ['Inspect AI: a boolean', graded({ match: false }), 'failed'],
  ['Inspect AI: one of two scorers says no', graded({ match: 'C', safe: 'I' }), 'failed', 'safe "I" in the trace'],
  ['Inspect AI: one of two scorers is undecided', graded({ match: 'C', style: 0.5 }), 'unknown'],
  ['Inspect AI: parts that measure other things', graded({ grade: { style: 0, truth: 1 } }), null],
  ['Inspect AI: a part that is an outcome', graded({ grade: { utility: false, calls: 3 } }), 'failed'],
  ['Inspect AI: an error without a score', inspect({ error: { message: 'timeout' } }), 'unknown'],
  ['Inspect AI: a limit without a score', inspect({ limit: { type: 'message', limit: 5 } }), 'unknown'],
  [
    'Inspect AI: a limit with a score',
    inspect({ limit: { type: 'token' }, scores: { m: { value: 'C' } } }),
    'succeeded',
  ],
  ['Inspect AI: no scorer', inspect({}), null],
  ['OpenHands: resolved', openHands({ report: { resolved: true } }), 'succeeded', 'resolved true in the trace'],
  ['OpenHands: unresolved', openHands({ test_result: { report: { resolved: false } } }), 'failed'],
  ['OpenHands: not evaluated', openHands({ test_result: { git_patch: 'diff' } }), null],
  ['mini-swe-agent: submitted is not success', miniSwe({}), null],
  ['mini-swe-agent: with a report', miniSwe({ report: { 'django-1': { resolved: false } } }), 'failed'],
  ['mini-swe-agent: resolved', miniSwe({ info: { exit_status: 'Submitted', resolved: true } }), 'succeeded'],
  ['SWE-agent: submitted is not success', sweAgent({}), null],
  ['SWE-agent: unresolved', sweAgent({ resolved: false }), 'failed'],
  ['ATIF: no reward', atif({ final_metrics: { total_steps: 2 } }), null],
  ['ATIF: a reward of the verifier', atif({ verifier_result: { rewards: { reward: 1 } } }), 'succeeded'],
  ['ATIF: a reward among the metrics', atif({ final_metrics: { extra: { reward: 0 } } }), 'failed'],
  [
    'chat: the utility of AgentDojo',
    { messages: CHAT, utility: false, security: true },
    'failed',
    'utility false in the trace',
  ],
  ['chat: a reward', { messages: CHAT, reward: 1 }, 'succeeded'],
  ['chat: the success of a request says nothing', { messages: CHAT, success: true }, null],
  [
    'Agentest: an error',
    agentest({ error: 'boom' }, { passed: true }),
    'failed',
    'the conversation ended with an error',
  ],
  ['Agentest: expected calls are missing', agentest({ trajectory: { matched: false } }), 'failed'],
  [
    'Agentest: the goal was reached',
    agentest({ trajectory: { matched: true }, evaluation: { goalCompletion: { value: 1 } } }),
    'succeeded',
  ],
  ['Agentest: the goal was not reached', agentest({ evaluation: { goalCompletion: { value: 0 } } }), 'failed'],
  ['Agentest: the scenario failed', agentest({ trajectory: { matched: true } }, { passed: false }), 'failed'],
  [
    'Agentest: the goal could not be judged',
    agentest({ evaluation: { goalCompletion: { value: 'error: no' } } }),
    null,
  ],
  ['Who&When: incorrect', whoAndWhen({ is_correct: false }), 'failed', 'is_correct false in the trace'],
  ['Who&When: not corrected', whoAndWhen({ is_corrected: false }), 'failed'],
  ['Who&When: no label', whoAndWhen({}), null],
  ['ToolBench: an answer is not a correct one', toolBench({ win: true }), null],
  ['ToolBench: no answer', toolBench({ win: false }), 'failed'],
  ['Turnwise: a word', native({ outcome: 'failed' }), 'failed', 'marked failed in the trace'],
  [
    'Turnwise: who says so',
    native({ outcome: { status: 'succeeded', by: 'Jo' } }),
    'succeeded',
    'marked succeeded by Jo in the trace',
  ],
  ['Turnwise: none', native({}), null],
  [
    'Langfuse: a score of the trace',
    langfuse([{ id: 'x', name: 'success', value: 0, dataType: 'BOOLEAN', traceId: 'trace-1' }]),
    'failed',
  ],
  [
    'Langfuse: the name of a category, not its number',
    langfuse([
      { id: 'x', name: 'Task Success', value: 0, stringValue: 'passed', dataType: 'CATEGORICAL', traceId: 'trace-1' },
    ]),
    'succeeded',
  ],
  ['Langfuse: another score', langfuse([{ id: 'x', name: 'helpfulness', value: 0, traceId: 'trace-1' }]), null],
  ['LangSmith: mean feedback', langsmith({ success: { n: 2, avg: 0.5 } }), 'failed', 'success 0.5 in the trace'],
  ['LangSmith: other feedback', langsmith({ tone: { n: 2, avg: 0 } }), null],
  [
    'MLflow: an assessment of the trace',
    mlflow([{ assessment_name: 'passed', feedback: { value: true } }]),
    'succeeded',
  ],
  [
    'MLflow: an expectation is no assessment',
    mlflow([{ assessment_name: 'passed', expectation: { value: true } }]),
    null,
  ],
  ['Phoenix: an annotation', phoenix([{ name: 'success', result: { score: 0, label: 'no' } }]), 'failed'],
  ['OpenTelemetry: an evaluation of the agent', otlp([evaluation('task_success', score(1))]), 'succeeded'],
  ['OpenTelemetry: an evaluation of a step', otlp([], [evaluation('task_success', score(0))]), null],
];

describe('the outcome that a file carries', () => {
  it.each(ROWS)('%s', (_, value, status, reason) => {
    const outcome = outcomeIn(value);
    expect(outcome?.status ?? null).toBe(status);
    if (reason !== undefined) expect(outcome?.reason).toBe(reason);
    if (outcome) expect(outcome.pointer).toBeTypeOf('string');
  });

  it('is read on every line of a file', () => {
    const lines = [{ messages: CHAT, utility: true }, { messages: CHAT, utility: false }, { messages: CHAT }];
    const outcomes = read(jsonLines(lines)).sessions.map(({ outcome }) => [outcome?.status, outcome?.pointer]);
    expect(outcomes).toEqual([
      ['succeeded', '/0/utility'],
      ['failed', '/1/utility'],
      [undefined, undefined],
    ]);
  });

  it('of several traces is success only if each has a score that says so', () => {
    const trace = (id: string, value: number | null) => ({
      ...langfuse(value === null ? [] : [{ id, name: 'success', value, traceId: id }]),
      id,
      observations: [],
    });
    const of = (...values: (number | null)[]) => outcomeIn(values.map((value, index) => trace(`t-${index}`, value)));
    expect(of(1, 1)?.status).toBe('succeeded');
    expect(of(1, 0, 1)?.status).toBe('failed');
    expect(of(1, null)).toMatchObject({ status: 'unknown', reason: 'success 1.0 in the trace, of 1 of 2 traces only' });
  });

  it('of a Langfuse session is that of its own scores, before those of its traces', () => {
    const { sessionId: _, observations: __, ...trace } = langfuse([]);
    const session = {
      id: 's',
      createdAt: '2026-03-01T10:00:00.000Z',
      traces: [{ ...trace, scores: [{ id: 'x', name: 'success', value: 1, traceId: 'trace-1' }] }],
      scores: [{ id: 'y', name: 'success', value: 0, sessionId: 's' }],
    };
    expect(outcomeIn(session)).toMatchObject({ status: 'failed', pointer: '/scores/0' });
  });

  it('is found by the path of a mapping', () => {
    const mapping = mappingSchema.parse({
      outcome: 'result.ok',
      turns: { path: 'rounds', input: 'q', output: 'a' },
    });
    const value = { result: { ok: false }, rounds: [{ q: 'Hi', a: 'Hello' }] };
    const reading = mappedFormat(mapping).read(json(value));
    if (reading instanceof Promise) throw new Error('A mapping is read at once.');
    expect(onlySession(reading).outcome).toEqual({
      status: 'failed',
      reason: 'outcome false in the trace',
      pointer: '/result/ok',
    });
  });

  it('stays when the session is converted', () => {
    const { sessions } = read(json(tauBench({ reward: 0.4 })));
    const converted = JSON.parse([...nativeChunks(sessions)].join(''));
    expect(outcomeIn(converted)).toEqual({
      status: 'failed',
      reason: 'reward 0.4 in the trace',
      pointer: '/sessions/0/outcome',
    });
  });
});

describe('an outcome in a sidecar', () => {
  const beside = (trace: unknown, sidecar: unknown) => {
    const { sessions, problems } = applySidecar(read(json(trace)).sessions, sidecar, 'runs/x.turnwise.json');
    return [sessions[0]?.outcome, problems.length] as const;
  };

  it('counts where the trace has none, or one that decides nothing', () => {
    const stated = { status: 'failed', reason: 'marked failed by Jo in x.turnwise.json' };
    expect(beside(miniSwe({}), { outcome: { status: 'failed', by: 'Jo' } })).toEqual([stated, 0]);
    expect(beside(tauBench({ reward: -1 }), { outcome: { status: 'failed', by: 'Jo' } })).toEqual([stated, 0]);
    expect(beside(native({ id: 's' }), { sessions: [{ id: 's', outcome: 'succeeded' }] })[0]?.status).toBe('succeeded');
  });

  it("yields to the trace's own", () => {
    expect(beside(tauBench({ reward: 1 }), { outcome: 'failed' })[0]?.reason).toBe('reward 1.0 in the trace');
    expect(beside(native({ scores: { success: 1 } }), { outcome: 'failed' })[0]).toBeUndefined();
  });

  it('is reported if it is no outcome', () => {
    expect(beside(miniSwe({}), { outcome: 'great' })[1]).toBe(1);
  });
});

/** Rewards in the files, counted without the readers. */
const FILES: readonly (readonly [folder: string, files: readonly string[]])[] = [
  ['tau-bench', ['gpt-4o-airline.tasks00-12.json', 'gpt-4o-airline.tasks13-24.json']],
  ['agentrx-tau-retail', ['failed-runs.json']],
  ['agentrx-retail-86', ['runs.json']],
  ['tau2-bench', ['activegraph-20260531-184109-726391.json', 'toolorchestra-airline.tasks000-024.json']],
  ['tau2-airline-models', ['azure.json', 'gpt-4.1.json', 'whissle.json']],
  ['tau2-retail-models', ['gpt-5-nano.json', 'gemini-3-flash.json']],
  ['tau2-spanish', ['healthcare.json', 'cable.json']],
  ['tau2-telecom-models', ['ft-gpt-4.1.json', 'gpt-4.1-no-user.json']],
];

describe.skipIf(sharedData('.') === null)('outcomes of public runs (needs ../shared/data)', () => {
  it.each(FILES.flatMap(([folder, files]) => files.map((file) => [`${folder}/${file}`] as const)))(
    'equal the rewards in %s',
    (path) => {
      const value: unknown = JSON.parse(readFileSync(sharedData(path) ?? '', 'utf8'));
      const rewards = [...JSON.stringify(value).matchAll(/"reward":(-?[\d.]+)/g)];
      const runs = runsIn(value);
      const outcomes = read(json(value)).sessions.map(({ outcome }) => outcome?.status);
      expect(outcomes).toEqual(runs.map((reward) => (reward === 1 ? 'succeeded' : 'failed')));
      expect(rewards.length).toBeGreaterThanOrEqual(outcomes.length);
    },
  );

  it('of Who&When are failures', () => {
    const path = sharedData('who-and-when/hand-crafted-1.json') ?? '';
    expect(outcomeIn(JSON.parse(readFileSync(path, 'utf8')))?.status).toBe('failed');
  });
});

interface TauRun {
  readonly reward?: number;
  readonly reward_info?: { readonly reward: number };
}

function runsIn(value: unknown): (number | undefined)[] {
  const { simulations } = value as { simulations?: readonly TauRun[] };
  const runs = simulations ?? (value as readonly TauRun[]);
  return runs.map(({ reward, reward_info: info }) => reward ?? info?.reward);
}

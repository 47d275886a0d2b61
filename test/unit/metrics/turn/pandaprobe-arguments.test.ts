import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import type { ToolStep } from '../../../../src/core/session.ts';
import { argumentCorrectness } from '../../../../src/metrics/turn/argument-correctness.ts';
import { toolCall } from '../calls.ts';
import { judgeTurn, type ScriptOptions } from '../judge-script.ts';
import { sessionOf } from '../views.ts';

const INPUT = 'Find flights from SFO to JFK under $500 and book the first.';

function call(at: number, name: string, args: ToolStep['arguments'] = {}, more: Partial<ToolStep> = {}): ToolStep {
  const pointer = `/turns/0/steps/${at}`;
  return toolCall(name, args, { pointer, resultPointer: `${pointer}/result`, result: 'ok', ...more });
}

const STEPS = [
  call(0, 'search_flights', { to: 'JFK', max: 1000 }),
  call(1, 'get_user'),
  call(2, 'book_flight', { id: 'F1' }),
];

interface Verdict {
  readonly call: unknown;
  readonly evidence?: readonly string[];
  readonly reason?: string | null;
  readonly verdict: unknown;
}

function yes(call: string, ...evidence: string[]): Verdict {
  return { call, evidence, reason: null, verdict: 'yes' };
}

function no(call: string, reason: string, ...evidence: string[]): Verdict {
  return { call, evidence, reason, verdict: 'no' };
}

const TOO_DEAR = no('t1.call1', 'max is 1000 instead of 500', 't1.user');
const VERDICTS = [TOO_DEAR, yes('t1.call2'), yes('t1.call3', 't1.result1')];

const SUMMED_UP = { reason: 'The price was not kept to.' };

/** @param verdicts of the calls; several lists are several answers. */
function evaluate(
  verdicts: readonly (readonly Verdict[])[],
  own: ScriptOptions = {},
  steps: readonly ToolStep[] = STEPS,
) {
  return judgeTurn(
    argumentCorrectness,
    { session: sessionOf([{ input: INPUT, inputPointer: '/turns/0/input', steps }]), index: 0 },
    { argument_verdicts: verdicts.map((list) => ({ verdicts: list })), argument_correctness: SUMMED_UP },
    own,
  );
}

function finding(rule: string, ...at: readonly number[]): Finding {
  const calls = at.map((step) => `/turns/0/steps/${step}`);
  return {
    rule,
    severity: 'high',
    label: 'wrong arguments',
    turn: 0,
    message: `It was ${rule}.`,
    evidence: calls.map((pointer) => ({ pointer, note: rule })),
    calls,
  };
}

describe('argument_correctness with a judge', () => {
  it('is the share of calls that the judge finds correct', async () => {
    const { result, calls } = await evaluate([VERDICTS]);
    expect(calls).toEqual([['argument_verdicts', 'argument_correctness']]);
    expect(result).toMatchObject({
      status: 'scored',
      passed: true,
      source: 'judge',
      judge: 'openai/m',
      reason: 'The price was not kept to.',
    });
    expect(result.score).toBeCloseTo(2 / 3, 12);
    expect(result.metadata).toEqual({
      user_input: INPUT,
      verdicts: [
        { name: 'search_flights', verdict: 'no', reason: 'max is 1000 instead of 500' },
        { name: 'get_user', verdict: 'yes', reason: null },
        { name: 'book_flight', verdict: 'yes', reason: null },
      ],
      calls: 3,
      calls_judged: 3,
      threshold: 0.5,
      success: true,
    });
  });

  it('points at incorrect calls and their evidence, or at all calls if none is incorrect', async () => {
    expect((await evaluate([VERDICTS])).result.evidence).toEqual([
      { pointer: '/turns/0/steps/0', note: 'the call of search_flights in turn 1' },
      { pointer: '/turns/0/input', note: "the user's message in turn 1" },
    ]);
    const right = await evaluate([[yes('t1.call1', 't1.user'), yes('t1.call2'), yes('t1.call3', 't1.result1')]]);
    expect(right.result).toMatchObject({ score: 1, passed: true });
    expect(right.result.evidence.map(({ pointer }) => pointer)).toEqual([
      '/turns/0/steps/0',
      '/turns/0/input',
      '/turns/0/steps/1',
      '/turns/0/steps/2',
      '/turns/0/steps/0/result',
    ]);
  });

  it('fails below the threshold', async () => {
    const wrong = no('t1.call3', 'F1 was never found');
    expect((await evaluate([[TOO_DEAR, yes('t1.call2'), wrong]])).result).toMatchObject({
      passed: false,
      metadata: { threshold: 0.5, success: false },
    });
  });

  it('matches verdicts to calls by id, in any order', async () => {
    const { result } = await evaluate([VERDICTS.toReversed()]);
    expect(result.metadata.verdicts).toMatchObject([{ verdict: 'no' }, { verdict: 'yes' }, { verdict: 'yes' }]);
  });

  it("skips the user's own calls", async () => {
    const byUser = call(1, 'reset_router', {}, { requestedBy: 'user' });
    const steps = [call(0, 'get_user'), byUser, call(2, 'book_flight')];
    const { result } = await evaluate([[yes('t1.call1'), no('t1.call2', 'no id')]], {}, steps);
    expect(result).toMatchObject({
      score: 0.5,
      metadata: { verdicts: [{ name: 'get_user' }, { name: 'book_flight' }] },
    });
  });

  it('asks for the verdicts first and the summary separately with one question per call', async () => {
    const { result, calls, shown: prompt } = await evaluate([VERDICTS], { settings: { questionsPerCall: 1 } });
    expect(calls).toEqual([['argument_verdicts'], ['argument_correctness']]);
    expect(result.score).toBeCloseTo(2 / 3, 12);
    expect(prompt).toContain('max is 1000 instead of 500');
    expect(prompt).not.toContain(INPUT);
  });

  it.each<[string, readonly Verdict[]]>([
    ['too few verdicts', VERDICTS.slice(1)],
    ['too many', [...VERDICTS, yes('t1.call3')]],
    ['none', []],
    ['a call twice', [TOO_DEAR, yes('t1.call2'), yes('t1.call2')]],
    ['a call that there is not', [TOO_DEAR, yes('t1.call2'), yes('t1.call4')]],
    ['a result for a call', [TOO_DEAR, yes('t1.call2'), yes('t1.result3')]],
    ['neither yes nor no', [TOO_DEAR, yes('t1.call2'), { ...yes('t1.call3'), verdict: 'partly' }]],
    ['evidence that was not shown', [no('t1.call1', 'wrong', 't9.user'), yes('t1.call2'), yes('t1.call3')]],
  ])('asks again once about %s, then fails without a score', async (_, verdicts) => {
    const { result, calls, prompts } = await evaluate([verdicts]);
    expect(calls).toEqual([
      ['argument_verdicts', 'argument_correctness'],
      ['argument_verdicts', 'argument_correctness'],
    ]);
    expect(prompts[1]?.parts.at(-1)).toMatch(/did not fit\n\n- argument_verdicts/);
    expect(result).toMatchObject({ status: 'error', score: null, passed: null });
    expect(result.reason).toMatch(/does not fit: argument_verdicts/);
  });

  it('accepts valid verdicts when it asks again', async () => {
    const { result, calls } = await evaluate([VERDICTS.slice(1), VERDICTS]);
    expect(calls.length).toBe(2);
    expect(result.score).toBeCloseTo(2 / 3, 12);
  });

  it.each([null, undefined, '', ' '])('accepts a verdict whose reason is %j', async (reason) => {
    const { result } = await evaluate([VERDICTS.map((verdict) => ({ ...verdict, reason }))]);
    expect(result.score).toBeCloseTo(2 / 3, 12);
    expect(result.metadata.verdicts).toMatchObject([{ verdict: 'no', reason: null }, { reason: null }, {}]);
  });
});

describe('a finding about arguments', () => {
  it('makes a call incorrect regardless of the judge, and the result says so', async () => {
    const actual = finding('arguments-break-schema', 2);
    const { result } = await evaluate([VERDICTS], { findings: [actual] });
    expect(result.score).toBeCloseTo(1 / 3, 12);
    expect(result.reason).toBe(
      'The price was not kept to. 1 call counts as wrong, regardless of the judge: It was arguments-break-schema.',
    );
    expect(result.metadata).toMatchObject({
      verdicts: [{ verdict: 'no' }, { verdict: 'yes' }, { verdict: 'no', reason: 'It was arguments-break-schema.' }],
      findings: [{ rule: 'arguments-break-schema', calls: ['/turns/0/steps/2'] }],
      success: false,
    });
    expect(result.metadata.cap).toBeUndefined();
    expect(result.evidence).toContainEqual(actual.evidence[0]);
  });

  it('adds nothing to a verdict that agrees', async () => {
    const { result } = await evaluate([VERDICTS], { findings: [finding('arguments-not-json', 0)] });
    expect(result.score).toBeCloseTo(2 / 3, 12);
    expect(result.reason).toBe('The price was not kept to.');
    expect(result.metadata).toMatchObject({ verdicts: [{ reason: 'max is 1000 instead of 500' }, {}, {}] });
    expect(result.metadata.findings).toBeUndefined();
  });

  it('counts a call once, however many findings name it', async () => {
    const findings = [finding('arguments-not-json', 1, 2), finding('ungrounded-argument', 2)];
    const { result } = await evaluate([VERDICTS], { findings });
    expect(result).toMatchObject({ score: 0, reason: expect.stringContaining('2 calls count as wrong') });
  });

  it('changes nothing if it is an observation or about something else', async () => {
    const observed = { ...finding('ungrounded-argument', 2), severity: 'info' as const };
    const { result } = await evaluate([VERDICTS], { findings: [observed, finding('unknown-tool', 1)] });
    expect(result.score).toBeCloseTo(2 / 3, 12);
  });
});

describe('a turn with more calls than fit in a prompt', () => {
  const many = Array.from({ length: 400 }, (_, at) => call(at, 'read_file', { path: `f${at}`, why: 'x'.repeat(400) }));
  const own = { settings: { questionsPerCall: 1 } };

  /** Yes for each call that the prompt shows. */
  async function yesToAll(findings: readonly Finding[] = []) {
    const [prompt] = (await evaluate([], { ...own, findings }, many)).prompts;
    const ids = JSON.stringify(prompt?.exactSchema()).match(/(?<=")t1\.call\d+(?=")/g);
    return [...new Set(ids)].map((id) => yes(id));
  }

  it('is judged by the calls that were shown, and says how many', async () => {
    const verdicts = await yesToAll();
    expect(verdicts.length).toBeGreaterThan(20);
    expect(verdicts.length).toBeLessThan(400);
    const { result } = await evaluate([verdicts], own, many);
    expect(result).toMatchObject({
      score: 1,
      reason: `The price was not kept to. ${verdicts.length} of 400 calls fit into the prompt and were judged.`,
      metadata: { calls: 400, calls_judged: verdicts.length },
    });
    expect(result.metadata.verdicts).toHaveLength(verdicts.length);
  });

  it('is not fully correct if a finding proves that an omitted call is wrong', async () => {
    const findings = [finding('arguments-not-json', 200)];
    const verdicts = await yesToAll(findings);
    expect(verdicts.map(({ call }) => call)).not.toContain('t1.call201');
    const { result } = await evaluate([verdicts], { ...own, findings }, many);
    expect(result).toMatchObject({ score: 399 / 400, metadata: { cap: { judged: 1 } } });
  });
});

describe('no question is asked', () => {
  it.each<[string, object, object]>([
    ['no calls', { steps: [] }, { status: 'vacuous', score: 1, passed: null, metadata: { success: null } }],
    ['no request', { input: null, steps: STEPS }, { status: 'not_applicable', score: null }],
    ['no record', { output: null, captured: false, steps: STEPS }, { status: 'not_applicable', score: null }],
  ])('about a turn with %s', async (_, turn, expected) => {
    const { result, calls } = await judgeTurn(argumentCorrectness, turn, {});
    expect(calls).toEqual([]);
    expect(result).toMatchObject(expected);
  });
});

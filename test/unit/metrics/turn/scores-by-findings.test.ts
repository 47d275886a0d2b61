import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import type { Result } from '../../../../src/core/result.ts';
import type { Step } from '../../../../src/core/session.ts';
import { load } from '../../../../src/input/load.ts';
import { nodeFileSystem } from '../../../../src/input/node-file-system.ts';
import type { TurnMetric } from '../../../../src/metrics/metric.ts';
import { argumentCorrectness } from '../../../../src/metrics/turn/argument-correctness.ts';
import { stepEfficiency } from '../../../../src/metrics/turn/step-efficiency.ts';
import { toolCorrectness } from '../../../../src/metrics/turn/tool-correctness.ts';
import { collectFindings, RULES } from '../../../../src/rules/index.ts';
import { sessionWithSteps, toolCall } from '../calls.ts';
import { resultOf, turnView } from '../views.ts';

const SCORES = [
  ['tool_correctness', toolCorrectness, 'unknown-tool'],
  ['argument_correctness', argumentCorrectness, 'arguments-not-json'],
  ['step_efficiency', stepEfficiency, 'repeated-call'],
] as const;

/** A finding about the calls of the first turn at these positions. */
function finding(rule: string, ...at: readonly number[]): Finding {
  const calls = at.map((step) => `/turns/0/steps/${step}`);
  return {
    rule,
    severity: 'medium',
    label: null,
    turn: 0,
    message: `It was ${rule}.`,
    evidence: calls.map((pointer) => ({ pointer, note: rule })),
    calls,
  };
}

async function score(
  metric: TurnMetric,
  findings: readonly Finding[],
  steps: readonly Step[] = calls(4),
  turn: { input?: null; output?: null; captured?: false } = {},
): Promise<Result> {
  const session = sessionWithSteps(steps);
  const turns = session.turns.map((original) => ({ ...original, ...turn }));
  return resultOf(await metric.evaluate({ ...turnView({ ...session, turns }, 0), findings }, {}), metric);
}

function calls(count: number): Step[] {
  return Array.from({ length: count }, () => toolCall('get_order'));
}

describe.each(SCORES)('%s without a model', (_, metric, rule) => {
  it('names the findings that lowered it and links to their evidence', async () => {
    const result = await score(metric, [finding(rule, 1), finding('no-answer', 2)]);
    expect(result).toMatchObject({
      status: 'scored',
      source: 'rules',
      reason: `It was ${rule}.`,
      evidence: [{ pointer: '/turns/0/steps/1' }],
      metadata: { findings: [{ rule, calls: ['/turns/0/steps/1'] }], threshold: 0.5, success: result.passed },
    });
  });

  it('needs a judge without relevant findings: their absence proves nothing', async () => {
    expect((await score(metric, [])).status).toBe('needs_judge');
    expect((await score(metric, [finding('no-answer', 0)])).status).toBe('needs_judge');
    expect((await score(metric, [{ ...finding(rule, 0), severity: 'info' }])).status).toBe('needs_judge');
  });

  it('is not applicable to a turn without a request or content', async () => {
    expect((await score(metric, [finding(rule, 0)], calls(1), { input: null })).status).toBe('not_applicable');
    const unrecorded = { output: null, captured: false } as const;
    expect((await score(metric, [finding(rule, 0)], calls(1), unrecorded)).status).toBe('not_applicable');
  });

  it('stays between 0 and 1 and never rises with another finding', async () => {
    const about = fc.subarray([0, 1, 2, 3], { minLength: 1 }).map((at) => finding(rule, ...at));
    await fc.assert(
      fc.asyncProperty(fc.array(about, { minLength: 1, maxLength: 4 }), about, async (findings, more) => {
        const before = (await score(metric, findings)).score ?? Number.NaN;
        const after = (await score(metric, [...findings, more])).score ?? Number.NaN;
        expect(before).toBeLessThanOrEqual(1);
        expect(after).toBeGreaterThanOrEqual(0);
        expect(after).toBeLessThanOrEqual(before);
      }),
    );
  });
});

describe('tool_correctness', () => {
  it.each([
    ['one of two calls', [0], 2, 0.5],
    ['three of four calls', [0, 1, 3], 4, 0.25],
    ['all calls', [0, 1], 2, 0],
    ['one of ten calls, of which one is enough for the cap', [4], 10, 0.5],
  ])('counts %s of an unknown tool', async (_, at, of, expected) => {
    expect(await score(toolCorrectness, [finding('unknown-tool', ...at)], calls(of))).toMatchObject({
      score: expected,
      metadata: { calls: of, faulty: at.length },
    });
  });

  it('counts a call once, however many findings name it', async () => {
    const twice = [finding('unknown-tool', 0, 1), finding('unknown-tool', 1)];
    expect((await score(toolCorrectness, twice)).metadata).toMatchObject({ calls: 4, faulty: 2 });
  });
});

describe('argument_correctness', () => {
  it('is the share of calls without a finding about arguments', async () => {
    const findings = [finding('arguments-not-json', 0), finding('arguments-break-schema', 0, 3)];
    expect(await score(argumentCorrectness, findings)).toMatchObject({
      score: 0.5,
      reason: 'It was arguments-not-json. It was arguments-break-schema.',
      metadata: { calls: 4, faulty: 2 },
    });
  });

  it('keeps its default for a turn without calls', async () => {
    expect(await score(argumentCorrectness, [], [])).toMatchObject({ status: 'vacuous', score: 1, passed: null });
  });
});

describe('step_efficiency', () => {
  const model = { type: 'model', pointer: '', text: 'Let me see.' } as const;
  const byUser = toolCall('reset_router', {}, { requestedBy: 'user' });

  it.each<[string, readonly Step[], number]>([
    ['counts calls and the answer', calls(4), 5],
    ['counts a retrieval', [...calls(3), { type: 'retrieval', pointer: '', documents: [] }], 5],
    ['counts a sub-agent', [...calls(3), { type: 'agent', pointer: '', name: 'helper', turns: [] }], 5],
    ['leaves out model calls, which some formats do not show', [...calls(4), model, model], 5],
    ["leaves out the user's own calls", [...calls(4), byUser], 5],
  ])('%s', async (_, steps, expected) => {
    const result = await score(stepEfficiency, [finding('repeated-call', 1, 2)], steps);
    expect(result.metadata).toMatchObject({ steps: expected, needless: 2 });
    expect(result.score).toBeCloseTo((expected - 2) / expected, 9);
  });

  const THOUGHT = `The user wants a refund, so I look the order up, check what was paid, compare it with the amount that the
    user names, and only then I call the tool.`;
  const think = (reasoning: string) => ({ type: 'model', pointer: '', reasoning }) as const;

  it('counts reasoning that is repeated word for word as needless steps', async () => {
    const steps = [think(THOUGHT), ...calls(1), think(THOUGHT.toUpperCase()), ...calls(1), think(THOUGHT)];
    expect(await score(stepEfficiency, [], steps)).toMatchObject({
      status: 'scored',
      source: 'rules',
      score: 0.6,
      reason: 'The agent repeated its reasoning word for word, 2 times.',
      evidence: [{ pointer: '/turns/0/steps/2' }, { pointer: '/turns/0/steps/4' }],
      metadata: { findings: [], steps: 5, needless: 2, repeatedReasoning: 2 },
    });
    const both = await score(stepEfficiency, [finding('repeated-call', 3)], steps);
    expect(both).toMatchObject({ score: 0.4, metadata: { steps: 5, needless: 3 } });
    expect(both.reason).toBe('It was repeated-call. The agent repeated its reasoning word for word, 2 times.');
  });

  it.each<[string, readonly Step[]]>([
    ['other reasoning', [think(THOUGHT), ...calls(1), think(`${THOUGHT} The order is paid.`)]],
    ['a short thought', [think('I call the tool.'), ...calls(1), think('I call the tool.')]],
    ['text that is no reasoning', [{ ...model, text: THOUGHT }, ...calls(1), { ...model, text: THOUGHT }]],
  ])('is not lowered by %s', async (_, steps) => {
    expect((await score(stepEfficiency, [], steps)).status).toBe('needs_judge');
  });

  it('does not count a missing answer', async () => {
    const silent = await score(stepEfficiency, [finding('repeated-call', 1)], calls(2), { output: null });
    expect(silent).toMatchObject({ score: 0.5, metadata: { steps: 2, needless: 1 } });
  });
});

it('gets the calls at fault from every rule that affects such a score, in all samples', async () => {
  const moving = RULES.filter(({ affects: moves }) => SCORES.some(([score]) => moves.includes(score))).map(
    ({ id }) => id,
  );
  const { sessions } = await load(['samples'], nodeFileSystem, { signal: new AbortController().signal });
  const findings = sessions.flatMap((session) => collectFindings(session)).filter(({ rule }) => moving.includes(rule));
  expect(findings.length).toBeGreaterThan(5);
  expect(findings.filter(({ calls }) => (calls ?? []).length === 0)).toEqual([]);
});

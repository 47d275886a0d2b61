import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import type { Session, Turn } from '../../../../src/core/session.ts';
import { type FailureLabel, severityOfLabel } from '../../../../src/core/severity.ts';
import { agentBehaviorFailure } from '../../../../src/metrics/turn/agent-behavior-failure.ts';
import { toolCallBehaviorFailure } from '../../../../src/metrics/turn/tool-call-behavior-failure.ts';
import { toolCall } from '../calls.ts';
import { sessionOf, turnView } from '../views.ts';

function finding(label: FailureLabel | null, rule: string = label ?? 'none'): Finding {
  const severity = severityOfLabel(label ?? '') ?? 'medium';
  return {
    rule,
    severity,
    label,
    turn: 0,
    message: `It was ${rule}.`,
    evidence: [{ pointer: `/${rule}`, note: rule }],
  };
}

const TOOLS = [{ name: 'get_order' }];

function view(findings: readonly Finding[], turn: Partial<Turn> = {}, session: Partial<Session> = { tools: TOOLS }) {
  return { ...turnView(sessionOf([turn], session), 0), findings };
}

describe.each([
  [
    agentBehaviorFailure,
    [
      'unsafe action',
      'unsafe state',
      'false information',
      'disobey user request',
      'lack of specific information',
      'failure to ask for clarification',
      'repetition',
    ],
    'wrong tool',
  ],
  [
    toolCallBehaviorFailure,
    [
      'wrong tool',
      'wrong arguments',
      'ignored tool result',
      'missing tool call',
      'unnecessary tool call',
      'repeated tool call',
    ],
    'repetition',
  ],
] as const)('$name', (metric, family, foreign) => {
  it.each([
    ['no finding', []],
    ['findings without a label', [finding(null)]],
    ['labels of the other family', [finding(foreign)]],
  ])('needs a judge with %s and never reports "no failure"', (_, findings) => {
    expect(metric.evaluate(view(findings), {})).toMatchObject({ status: 'needs_judge' });
  });

  it('shares one outcome among the turns that need a judge', () => {
    const outcome = metric.evaluate(view([]), {});
    expect(metric.evaluate(view([]), {})).toBe(outcome);
    expect(Object.isFrozen(outcome)).toBe(true);
  });

  it('is not applicable if nothing was recorded, unless a rule proved something', () => {
    const blank = { output: null, captured: false } as const;
    expect(metric.evaluate(view([], blank), {})).toMatchObject({ status: 'not_applicable' });
    const [label] = family;
    expect(metric.evaluate(view([finding(label)], blank), {})).toMatchObject({ status: 'scored', label });
  });

  it('is not applicable if the agent said and did nothing, unless a rule proved something', () => {
    const byUser = toolCall('reset_router', {}, { requestedBy: 'user' });
    const idle = { output: null, steps: [byUser] };
    expect(metric.evaluate(view([], idle), {})).toMatchObject({
      status: 'not_applicable',
      reason: expect.stringContaining('did nothing'),
    });
    expect(metric.evaluate(view([finding(family[0])], idle), {})).toMatchObject({ status: 'scored', source: 'rules' });
    const silent = { output: null, steps: [byUser, toolCall('get_order')] };
    expect(metric.evaluate(view([], silent), {})).toMatchObject({ status: 'needs_judge' });
  });

  it.each(family.map((label, index) => [label, index] as const))('orders the label %s by severity', (label, index) => {
    const rest = family.slice(index);
    const findings = [...rest].reverse().map((item) => finding(item));
    expect(metric.evaluate(view([...findings, finding(foreign)]), {})).toMatchObject({
      status: 'scored',
      label,
      labels: rest,
      source: 'rules',
      metadata: { rules: rest },
      evidence: rest.map((item) => ({ pointer: `/${item}` })),
    });
  });

  it('names each label once and gives at most three reasons', () => {
    const [label] = family;
    const findings = ['one', 'two', 'three', 'four', 'four'].map((rule) => finding(label, rule));
    expect(metric.evaluate(view(findings), {})).toMatchObject({
      labels: [label],
      reason: 'It was one. It was two. It was three. And 2 more.',
      metadata: { rules: ['one', 'two', 'three', 'four'] },
    });
  });
});

describe('tool_call_behavior_failure', () => {
  const status = (turn: Partial<Turn>, session: Partial<Session> = {}) => {
    const outcome = toolCallBehaviorFailure.evaluate(view([], turn, session), {});
    return outcome instanceof Promise ? 'asked' : outcome.status;
  };

  it.each<[string, string, Partial<Turn>, Partial<Session>]>([
    ['tools that the session has', 'needs_judge', {}, { tools: TOOLS }],
    ['tools that the turn has', 'needs_judge', { tools: TOOLS }, {}],
    ['calls of tools that nothing lists', 'needs_judge', { steps: [toolCall('get_order')] }, {}],
    [
      'the work of a sub-agent',
      'needs_judge',
      { steps: [{ type: 'agent', pointer: '', name: 'helper', turns: [] }] },
      {},
    ],
    ['neither calls nor tools', 'not_applicable', {}, {}],
    ['a catalogue without tools', 'not_applicable', {}, { tools: [] }],
    ['a turn without tools in a session that has some', 'not_applicable', { tools: [] }, { tools: TOOLS }],
    [
      'calls of the user alone',
      'not_applicable',
      { steps: [toolCall('reset_router', {}, { requestedBy: 'user' })] },
      {},
    ],
  ])('with %s is %s', (_, expected, turn, session) => {
    expect(status(turn, session)).toBe(expected);
  });

  it('keeps rule findings of a turn without calls and tools', () => {
    const actual = [finding('ignored tool result')];
    expect(toolCallBehaviorFailure.evaluate(view(actual, {}, {}), {})).toMatchObject({ label: 'ignored tool result' });
  });
});

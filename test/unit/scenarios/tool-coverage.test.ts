import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/core/session.ts';
import { ToolCoverage, toolsOf } from '../../../src/scenarios/tool-coverage.ts';
import { failedToolCall, sessionWithSteps, toolCall } from '../metrics/calls.ts';

const CANCEL = {
  name: 'cancel_order',
  inputSchema: { type: 'object', properties: { id: { type: 'string' }, reason: { enum: ['lost', 'late'] } } },
};

function coverageOf(...sessions: readonly Session[]): Record<string, Record<string, number>> {
  const coverage = new ToolCoverage();
  for (const session of sessions) coverage.add(toolsOf(session));
  return Object.fromEntries(
    coverage.tools.map(({ name, calls, parts }) => [
      name,
      { calls, ...Object.fromEntries(parts.map(({ label, times }) => [label, times])) },
    ]),
  );
}

describe('ToolCoverage', () => {
  it('counts calls, arguments, the values that an argument can have, and error results', () => {
    const calls = sessionWithSteps(
      [toolCall('cancel_order', { id: '1', reason: 'lost' })],
      [toolCall('cancel_order', { id: '2', reason: 'lost' }), failedToolCall('cancel_order')],
    );
    expect(coverageOf({ ...calls, tools: [CANCEL] })).toEqual({
      cancel_order: {
        calls: 3,
        id: 2,
        reason: 2,
        'reason: "lost"': 2,
        'reason: "late"': 0,
        'an error as the result': 1,
      },
    });
  });

  it('counts calls that came before the trace that describes the tool', () => {
    const before = sessionWithSteps([toolCall('cancel_order', { reason: 'late' })]);
    expect(coverageOf(before, { ...sessionWithSteps([]), tools: [CANCEL] })).toMatchObject({
      cancel_order: { calls: 1, 'reason: "late"': 1, id: 0 },
    });
  });

  it('names a tool that was never called, and says whether its arguments are known', () => {
    const coverage = new ToolCoverage();
    coverage.addTool('get_order');
    coverage.addTool(CANCEL.name, CANCEL.inputSchema);
    expect(coverage.tools.map(({ name, calls, isDescribed }) => ({ name, calls, isDescribed }))).toEqual([
      { name: 'get_order', calls: 0, isDescribed: false },
      { name: 'cancel_order', calls: 0, isDescribed: true },
    ]);
  });

  it('leaves out what the simulated user called', () => {
    expect(coverageOf(sessionWithSteps([toolCall('look', {}, { requestedBy: 'user' })]))).toEqual({});
  });
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AgentStep, ModelStep, Step, Turn } from '../../../../src/core/session.ts';
import { modelCallCount } from '../../../../src/metrics/turn/model-call-count.ts';
import { responseTime } from '../../../../src/metrics/turn/response-time.ts';
import { tokenUsage } from '../../../../src/metrics/turn/token-usage.ts';
import { toolCallCount } from '../../../../src/metrics/turn/tool-call-count.ts';
import { evaluateTurn, failedToolCall, toolCall } from '../calls.ts';
import { turnOf } from '../views.ts';

const model = (more: Partial<ModelStep> = {}): ModelStep => ({ type: 'model', pointer: '', ...more });
const agent = (...steps: readonly Step[]): AgentStep => ({
  type: 'agent',
  pointer: '',
  name: 'sub',
  turns: [turnOf(0, { steps })],
});
const usage = (inputTokens: number, outputTokens: number, more: Partial<NonNullable<ModelStep['usage']>> = {}) =>
  model({ usage: { inputTokens, outputTokens, ...more } });

describe('tool_call_count', () => {
  it('counts all calls requested by the agent and its sub-agents', () => {
    const steps = [
      toolCall('a'),
      failedToolCall('a'),
      toolCall('b', {}, { outcome: 'missing' }),
      toolCall('user tool', {}, { requestedBy: 'user' }),
      agent(toolCall('c', {}, { outcome: 'rejected' })),
    ];
    expect(evaluateTurn(toolCallCount, { steps })).toMatchObject({
      status: 'scored',
      score: 4,
      threshold: null,
      passed: null,
      scale: [0, null],
      metadata: { byTool: { a: 2, b: 1, c: 1 }, outcomes: { ok: 1, error: 1, rejected: 1, missing: 1 } },
    });
    expect(evaluateTurn(toolCallCount, {})).toMatchObject({ status: 'scored', score: 0 });
  });

  it('handles tools with special names', () => {
    const { metadata } = evaluateTurn(toolCallCount, { steps: [toolCall('__proto__'), toolCall('__proto__')] });
    expect(Object.entries(Object(metadata.byTool))).toEqual([['__proto__', 2]]);
  });

  it('does not count unrecorded calls as none', () => {
    expect(evaluateTurn(toolCallCount, { captured: false })).toMatchObject({ status: 'not_applicable', score: null });
    expect(evaluateTurn(toolCallCount, { captured: false, steps: [toolCall('a')] })).toMatchObject({ score: 1 });
  });
});

describe('model_call_count', () => {
  it('counts model calls, including sub-agents, by model', () => {
    const steps = [model({ model: 'm1' }), toolCall('a'), model({ model: 'm1', error: 'overloaded' }), agent(model())];
    expect(evaluateTurn(modelCallCount, { steps })).toMatchObject({
      status: 'scored',
      score: 3,
      passed: null,
      metadata: { byModel: { m1: 2 }, failed: 1 },
    });
  });

  it('is unknown if the trace has none', () => {
    expect(evaluateTurn(modelCallCount, { steps: [toolCall('a')] })).toMatchObject({
      status: 'not_applicable',
      score: null,
    });
  });
});

describe('token_usage', () => {
  it('adds input with tool prompts to output with reasoning', () => {
    const steps = [
      usage(700, 200, { cachedTokens: 100, toolPromptTokens: 20, reasoningTokens: 80 }),
      agent(usage(10, 5)),
    ];
    expect(evaluateTurn(tokenUsage, { steps })).toMatchObject({
      status: 'scored',
      score: 1015,
      reason: null,
      passed: null,
      metadata: { input: 730, output: 285, total: 1015, cached: 100, reasoning: 80, toolPrompt: 20, modelCalls: 2 },
    });
  });

  it('distinguishes "not reported" from zero', () => {
    expect(evaluateTurn(tokenUsage, { steps: [usage(1, 0)] }).metadata).toMatchObject({
      output: 0,
      cached: null,
      reasoning: null,
      toolPrompt: null,
    });
  });

  it('says when calls report no usage', () => {
    expect(evaluateTurn(tokenUsage, { steps: [usage(3, 4), model()] })).toMatchObject({
      score: 7,
      reason: 'A lower bound: 1 of 2 model calls report no usage.',
      metadata: { callsWithoutUsage: 1 },
    });
    expect(evaluateTurn(tokenUsage, { steps: [model()] })).toMatchObject({ status: 'not_applicable' });
    expect(evaluateTurn(tokenUsage, {})).toMatchObject({ status: 'not_applicable' });
  });

  it('rejects impossible counts', () => {
    expect(evaluateTurn(tokenUsage, { steps: [usage(-5, 4), usage(Number.NaN, 1)] }).score).toBe(5);
  });
});

describe('response_time', () => {
  const at = (seconds: number) => new Date(Date.UTC(2025, 0, 1, 0, 0, seconds)).toISOString();
  const timed = (name: string, from: number, to: number) =>
    toolCall(name, {}, { startedAt: at(from), endedAt: at(to) });
  const turn = (more: Partial<Turn>) => evaluateTurn(responseTime, more);

  it('is the time from start to end, with the times of tools', () => {
    const steps = [timed('a', 1, 2), timed('a', 2, 5), toolCall('b')];
    expect(turn({ startedAt: at(0), endedAt: at(6), steps })).toMatchObject({
      status: 'scored',
      score: 6000,
      reason: null,
      passed: null,
      metadata: {
        totalMs: 6000,
        toolCallCount: 3,
        avgTimePerTool: 2000,
        tools: [{ name: 'a', calls: 2, totalMs: 4000, avgMs: 2000 }],
        responseComplete: true,
      },
    });
  });

  it('has no time per tool without tools', () => {
    expect(turn({ startedAt: at(0), endedAt: at(6), output: null }).metadata).toMatchObject({
      avgTimePerTool: null,
      tools: [],
      responseComplete: false,
    });
    expect(turn({ startedAt: at(0), endedAt: at(6), output: null, captured: false }).metadata).toMatchObject({
      responseComplete: null,
    });
  });

  it('falls back to the times of steps, and says so', () => {
    const steps = [timed('a', 1, 3), model({ startedAt: at(3), endedAt: at(7) })];
    expect(turn({ steps })).toMatchObject({ score: 6000, reason: expect.stringContaining('steps') });
    expect(turn({ steps, startedAt: at(0) }).score).toBe(7000);
  });

  it('does not depend on the time zone of the machine', () => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(turn({ startedAt: '2025-01-01T10:00:00', endedAt: '2025-01-01T10:00:01Z' }).score).toBe(1000);
    expect(turn({ startedAt: '2025-01-01 10:00:00.5', endedAt: '2025-01-01T12:00:01+02:00' }).score).toBe(500);
  });

  it.each<[string, Partial<Turn>]>([
    ['no times', {}],
    ['one moment', { steps: [model({ startedAt: at(1) })] }],
    ['no dates', { startedAt: 'yesterday', endedAt: 'today' }],
    ['an end before the beginning', { startedAt: at(2), endedAt: at(1) }],
  ])('is unknown with %s', (_, more) => {
    expect(turn(more)).toMatchObject({ status: 'not_applicable', score: null });
  });
});

import type { Finding } from '../../../src/core/finding.ts';
import type { MetricOutcome, Result } from '../../../src/core/result.ts';
import type { ExpectedCall, Session, Step, ToolStep, Turn } from '../../../src/core/session.ts';
import type { SessionMetric, TurnMetric } from '../../../src/metrics/metric.ts';
import { resultOf, sessionOf, sessionView, turnView, type ViewOptions } from './views.ts';

/** A successful tool call; its pointer is set when it is added to a turn. */
export function toolCall(name: string, args: ToolStep['arguments'] = {}, more: Partial<ToolStep> = {}): ToolStep {
  return { type: 'tool', pointer: '', name, arguments: args, outcome: 'ok', requestedBy: 'agent', ...more };
}

export function failedToolCall(name: string, error = 'no such id', more: Partial<ToolStep> = {}): ToolStep {
  return toolCall(name, {}, { outcome: 'error', error, ...more });
}

export function expectedCall(name: string, args?: ExpectedCall['arguments']): ExpectedCall {
  return args ? { name, arguments: args } : { name };
}

/** Steps of the turn at an index, each with its pointer. */
function withPointers(turn: number, ...steps: readonly Step[]): Step[] {
  return steps.map((step, index) => ({ ...step, pointer: `/turns/${turn}/steps/${index}` }));
}

/** A session whose turns make these calls. */
export function sessionWithSteps(...turns: readonly (readonly Step[])[]): Session {
  return sessionOf(turns.map((steps, index) => ({ steps: withPointers(index, ...steps) })));
}

/** The result of a turn metric for a session of one turn, with options as written in a configuration. */
export function evaluateTurn(
  metric: TurnMetric,
  turn: Partial<Turn>,
  options: unknown = {},
  session: Partial<Session> = {},
  view: ViewOptions = {},
): Result {
  const subject = sessionOf([{ ...turn, steps: withPointers(0, ...(turn.steps ?? [])) }], session);
  return toResultSync(metric, metric.evaluate(turnView(subject, 0, view), metric.options?.parse(options)));
}

export function evaluateSession(metric: SessionMetric, session: Session, findings: readonly Finding[] = []): Result {
  return toResultSync(metric, metric.evaluate({ ...sessionView(session), findings }, metric.options?.parse({})));
}

function toResultSync(metric: TurnMetric | SessionMetric, outcome: MetricOutcome | Promise<MetricOutcome>): Result {
  if (outcome instanceof Promise) throw new Error(`${metric.name} waits for something.`);
  return resultOf(outcome, metric);
}

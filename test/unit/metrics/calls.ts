import type { Finding } from '../../../src/core/finding.ts';
import type { MetricOutcome, Result } from '../../../src/core/result.ts';
import type { ExpectedCall, Session, Step, ToolStep, Turn } from '../../../src/core/session.ts';
import type { SessionMetric, TurnMetric } from '../../../src/metrics/metric.ts';
import { resultOf, sessionOf, sessionView, turnView, type ViewOptions } from './views.ts';

/** A tool call that succeeded; it gets its pointer where it is placed. */
export function toolCall(name: string, args: ToolStep['arguments'] = {}, more: Partial<ToolStep> = {}): ToolStep {
  return { type: 'tool', pointer: '', name, arguments: args, outcome: 'ok', requestedBy: 'agent', ...more };
}

export function failedToolCall(name: string, error = 'no such id', more: Partial<ToolStep> = {}): ToolStep {
  return toolCall(name, {}, { outcome: 'error', error, ...more });
}

export function expectedCall(name: string, args?: ExpectedCall['arguments']): ExpectedCall {
  return args ? { name, arguments: args } : { name };
}

/** Steps of the turn at a position, each with the pointer of its place. */
function withPointers(turn: number, ...steps: readonly Step[]): Step[] {
  return steps.map((step, index) => ({ ...step, pointer: `/turns/${turn}/steps/${index}` }));
}

/** A session whose turns make these calls. */
export function sessionWithSteps(...turns: readonly (readonly Step[])[]): Session {
  return sessionOf(turns.map((steps, index) => ({ steps: withPointers(index, ...steps) })));
}

/** What a turn metric says of a session of one turn, with options as a person writes them. */
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

import { errorMessage } from '../core/error-message.ts';
import type { Finding } from '../core/finding.ts';
import type { Result } from '../core/result.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { Session } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { type Agreement, agreements } from '../metrics/attempts/agreement.ts';
import { groupComparable } from '../metrics/attempts/task-attempts.ts';
import type { ComparedView } from '../metrics/metric.ts';
import type { AttemptChanges, AttemptComparison } from '../rules/attempts/attempt-comparison.ts';
import { checkAttempts } from '../rules/index.ts';
import { collectObservations, collectProblems } from './agent-problems.ts';
import { errorOutcome, resultBuilder } from './outcomes.ts';
import type { MetricPlan } from './plan.ts';
import { applySuppressions } from './suppression.ts';

/**
 * The outcomes with the results and findings that depend on the other attempts of a session's task. Outcomes without others
 * stay as they are. Scores in the trace take precedence.
 */
export function compareAttempts(
  outcomes: readonly SessionOutcome[],
  plan: RunPlan,
  metrics: MetricPlan,
): readonly SessionOutcome[] {
  const compared = new Map<SessionOutcome, SessionOutcome>();
  for (const group of groupComparable(outcomes.filter(isAttempt))) {
    const attempts = group.map(toAttemptChanges);
    const unknownCalls = group.reduce((sum, { facts }) => sum + (facts.unknownCalls ?? 0), 0);
    const all = agreements(
      group.map(({ task, facts: { changes = [], fingerprint, endedEarly } }) => ({
        changes: changes.map(({ key }) => key),
        agent: task?.agent ?? null,
        fingerprint,
        endedEarly,
      })),
    );
    for (const [index, agreement] of all.entries()) {
      const outcome = group[index];
      const own = attempts[index];
      if (!outcome || !own || agreement.others === 0) continue;
      const comparison = toComparison(own, agreement, attempts);
      const view: ComparedView = {
        agreement,
        comparison,
        facts: outcome.facts,
        unknownCalls,
        risk: plan.risk ?? undefined,
        result: (name) => outcome.metrics[name],
      };
      compared.set(outcome, withFindings(withMetrics(outcome, view, metrics), comparison, plan));
    }
  }
  return compared.size === 0 ? outcomes : outcomes.map((outcome) => compared.get(outcome) ?? outcome);
}

function isAttempt({ facts, isRecorded, isTestCase }: SessionOutcome): boolean {
  return facts.changes !== undefined && isRecorded && !isTestCase;
}

function toAttemptChanges({ id, source, facts: { changes = [] }, turns }: SessionOutcome): AttemptChanges {
  const last = turns.at(-1);
  const end = {
    turn: last?.index ?? 0,
    pointer: last?.pointer ?? source.pointer,
    ...(last?.file === undefined ? {} : { file: last.file }),
  };
  return { id, file: source.file, changes, end };
}

function toComparison(
  own: AttemptChanges,
  { others, majority }: Agreement,
  attempts: readonly AttemptChanges[],
): AttemptComparison | null {
  const likely = majority && attempts[majority.attempt];
  return likely ? { own, others, majority: { ...likely, count: majority.count, isOwn: majority.isOwn } } : null;
}

function withMetrics(outcome: SessionOutcome, view: ComparedView, { session }: MetricPlan): SessionOutcome {
  const metrics: Record<string, Result> = { ...outcome.metrics };
  const missing = [...outcome.missing];
  for (const planned of session) {
    const { name, compare } = planned.metric;
    const known = metrics[name];
    if (!compare || !known || known.source === 'imported' || known.status === 'cancelled') continue;
    try {
      const result = planned.metric.compare?.(view, planned.options);
      if (result) metrics[name] = resultBuilder(planned)(result);
    } catch (error) {
      missing.push({ code: 'metric-failed', metric: name, reason: errorMessage(error), count: 1 });
      metrics[name] = resultBuilder(planned)(errorOutcome(name, error));
    }
  }
  return { ...outcome, metrics, missing };
}

function withFindings(outcome: SessionOutcome, comparison: AttemptComparison | null, plan: RunPlan): SessionOutcome {
  const found = plan.rulesEnabled && comparison ? checkAttempts(comparison, plan.rules) : [];
  const all: Finding[] = found.filter(({ turn }) => plan.turn === null || turn === plan.turn);
  if (all.length === 0) return outcome;
  // Findings have evidence, so what locates and groups them needs no transcript.
  const session: Session = {
    id: outcome.id,
    source: outcome.source,
    turns: [],
    suppressions: outcome.attemptSuppressions,
  };
  const { findings, suppressed } = applySuppressions(session, all);
  return {
    ...outcome,
    problems: [...outcome.problems, ...collectProblems({ session, findings, turns: [] }, plan)],
    observations: [...outcome.observations, ...collectObservations({ session, findings })],
    suppressed: [...outcome.suppressed, ...suppressed],
  };
}

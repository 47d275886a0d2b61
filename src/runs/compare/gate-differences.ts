import { canonicalJson } from '../../core/json.ts';
import type { RunManifest } from '../../core/run-record.ts';
import { isSubject } from '../../core/task-gates.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { LabelledRun } from '../run-label.ts';
import { CORRECT, type ComparedSettings, isEqual, listNames, type SettingsDifference } from './compared-settings.ts';

export function compareCorrectBy({ a, b, first, other, remedies }: ComparedSettings): SettingsDifference | null {
  if (a.plan.correctBy === b.plan.correctBy) return null;
  return {
    code: 'correct-by',
    withholds: [CORRECT],
    reason: `What decides whether an attempt is correct changed: ${a.plan.correctBy ?? 'its outcome'} in ${first.label}, ${b.plan.correctBy ?? 'its outcome'} in ${other.label}.`,
    remedy: remedies.correctBy(first, other),
  };
}

/** Scores stay what they are. */
export function compareThresholds({
  a,
  b,
  first,
  shared,
  byVerdict,
  remedies,
}: ComparedSettings): SettingsDifference | null {
  const of = ({ plan }: RunManifest) => {
    const own = new Map(plan.metrics.map(({ name, template }) => [name, template.threshold]));
    const gating = Map.groupBy(plan.thresholds, ({ metric }) => metric.name);
    const ofTasks = (name: string) =>
      (plan.metricsByTask ?? []).flatMap(({ tasks, metrics }) =>
        metrics.flatMap(({ name: other, template }) =>
          other === name && template.threshold !== own.get(name) ? [[tasks, template.threshold]] : [],
        ),
      );
    return (name: string) =>
      canonicalJson([
        own.get(name) ?? null,
        ofTasks(name),
        (gating.get(name) ?? []).map(({ value, gateScope, task, tag }) => [
          value,
          gateScope,
          task ?? null,
          tag ?? null,
        ]),
      ]);
  };
  const [old, now] = [of(a), of(b)];
  const changed = shared.filter((name) => old(name) !== now(name));
  if (changed.length === 0) return null;
  return {
    code: 'threshold',
    withholds: [...byVerdict],
    reason: `The ${changed.length === 1 ? 'threshold' : 'thresholds'} of ${listNames(changed)} changed: scores can be compared, verdicts cannot.`,
    remedy: remedies.again(first, 'with the thresholds of today; known answers of a judge come from the cache'),
  };
}

export function compareGates({ a, b, first, byVerdict, remedies }: ComparedSettings): SettingsDifference | null {
  const [old, now] = [a.plan.gates, b.plan.gates];
  const changed = (
    [
      ['failOn', 'gates.failOn'],
      ['failOnByTask', 'gates.for'],
      ['outcome', 'gates.outcome'],
      ['minCoverage', 'gates.minCoverage'],
      ['attempts', 'gates.attempts'],
    ] as const
  ).flatMap(([key, name]) => (isEqual(old[key], now[key]) ? [] : [name]));
  if (changed.length === 0) return null;
  return {
    code: 'gates',
    withholds: [...byVerdict],
    reason: `The gates changed (${listNames(changed)}): scores can be compared, verdicts cannot.`,
    remedy: remedies.again(first, 'with the gates of today; known answers of a judge come from the cache'),
  };
}

/** Gates by tag are others for a task whose tags changed. */
export function compareGatedTags({
  a,
  b,
  first,
  other,
  byVerdict,
  remedies,
}: ComparedSettings): SettingsDifference | null {
  const entries = [a, b].flatMap(({ plan }) => [...plan.thresholds, ...(plan.gates.failOnByTask ?? [])]);
  const patterns = [...new Set(entries.flatMap(({ tag }) => tag ?? []))];
  if (patterns.length === 0) return null;
  const now = matchedTags(other, patterns);
  const changed = [...matchedTags(first, patterns)].filter(
    ([key, before]) => now.has(key) && now.get(key) !== before,
  ).length;
  if (changed === 0) return null;
  return {
    code: 'gates',
    withholds: [...byVerdict],
    reason: `The tags of ${pluralize(changed, 'task')} changed, and gates.for has gates by tag: scores can be compared, verdicts cannot.`,
    remedy: remedies.again(first, 'with the tags of today; known answers of a judge come from the cache'),
  };
}

/** Which of the patterns a task has, or a session without one, by its id. */
function matchedTags({ run }: LabelledRun, patterns: readonly string[]): Map<string, string> {
  const tagsOf = Map.groupBy(run.rows, ({ id, task }) => (task ? `task ${task.id}` : `session ${id}`));
  return new Map(
    Array.from(tagsOf, ([key, rows]) => {
      const tags = rows.flatMap(({ tags: own = [] }) => own);
      return [key, patterns.filter((tag) => isSubject({ tag }, { tags })).join('\n')];
    }),
  );
}

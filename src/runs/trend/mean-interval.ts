import type { TrendSubject } from '../../core/run-trend.ts';
import { type Interval, wilsonInterval } from '../../stats/intervals.ts';
import { studentT95 } from '../../stats/student.ts';

/**
 * The 95% interval of a mean over tasks: attempts of one task are no independent evidence, so that a task counts once; of a
 * single task, each attempt. Wilson's for shares, Student's for the rest. Null for less than two values.
 *
 * @param tasks the values of each task.
 */
export function meanInterval(
  tasks: readonly (readonly number[])[],
  { unit, scale }: Pick<TrendSubject, 'unit' | 'scale'>,
): Interval | null {
  const [first] = tasks;
  const values = tasks.length === 1 && first ? first : tasks.map((own) => sum(own) / own.length);
  if (values.length < 2) return null;
  const total = sum(values);
  if (unit === 'share') return wilsonInterval(total, values.length);
  const mean = total / values.length;
  const squares = values.reduce((all, value) => all + (value - mean) ** 2, 0);
  const half = (studentT95(values.length - 1) * Math.sqrt(squares / (values.length - 1))) / Math.sqrt(values.length);
  const [lowest, highest] = scale ?? [Number.NEGATIVE_INFINITY, null];
  return [Math.max(lowest, mean - half), Math.min(highest ?? Number.POSITIVE_INFINITY, mean + half)];
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

import { get, getId, getObject } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import { outcomeOfGrade } from '../../core/recorded-outcome.ts';
import type { Pointer, RecordedOutcome } from '../../core/session.ts';

/** Objects of a run that an evaluation may add its report to. */
const PATHS: readonly (readonly string[])[] = [[], ['report'], ['test_result'], ['test_result', 'report'], ['info']];

/**
 * Whether the instance was resolved, if the report of an evaluation was merged into the run. How the run ended, such as
 * `Submitted`, says nothing about it.
 */
export function resolvedOutcome(run: unknown, pointer: Pointer): RecordedOutcome | undefined {
  const id = getId(run, 'instance_id');
  // SWE-bench's report has an entry per instance.
  for (const path of [...PATHS, ...(id === undefined ? [] : [['report', id]])]) {
    const report = path.reduce<unknown>((inner, key) => getObject(inner, key), run);
    const resolved = get(report, 'resolved');
    if (typeof resolved === 'boolean') {
      return outcomeOfGrade(resolved, 'resolved', childPointer(pointer, ...path, 'resolved'));
    }
  }
  return undefined;
}

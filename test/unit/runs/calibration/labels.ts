import type { JudgeLabel } from '../../../../src/core/judge-labels.ts';
import { labelId } from '../../../../src/core/label-ids.ts';
import { type JudgedMetric, type JudgedResult, toLabel } from '../../../../src/runs/calibration/judged-results.ts';

const IDENTITY = { metric: 'faithfulness', judge: 'openai/m', question: 'q1' } as const;

/** A judged result of a session of its own, two of three held out. */
export function judgedResult(number: number, changes: Partial<JudgedResult> = {}): JudgedResult {
  const result = {
    ...IDENTITY,
    file: 'a.json',
    line: number + 1,
    session: `s${number}`,
    turn: 0,
    content: `content ${number}`,
    part: number % 3 === 0 ? ('tuning' as const) : ('held-out' as const),
    score: 5,
    verdict: 'pass' as const,
    threshold: 4,
    reason: 'because',
    ...changes,
  };
  return { id: labelId(result), ...result };
}

/** What a person says about it. */
export function label(result: JudgedResult, says: 'pass' | 'fail'): JudgeLabel {
  return toLabel(result, says, '', '2026-11-28T10:00:00.000Z');
}

export function judgedMetric(results: readonly JudgedResult[]): JudgedMetric {
  return { ...IDENTITY, threshold: 4, results };
}

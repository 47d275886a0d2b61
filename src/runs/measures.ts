import type { ComparedMetric } from '../core/run-comparison.ts';
import type { SessionRow } from '../core/run-record.ts';

/** Something that every session has without being a metric of the plan. */
export interface Measure {
  readonly name: string;
  /** What it is, within a sentence. */
  readonly title: string;
  /** `share`: 0 or 1 in a session. */
  readonly unit: ComparedMetric['unit'];
  readonly lowerIsBetter: boolean;
  /** Null where it is not known. */
  valueOf(row: SessionRow): number | null;
}

/** The measures, the one that says most first. */
export const MEASURES: readonly Measure[] = [
  {
    name: 'correct',
    title: 'share of sessions that did their job',
    unit: 'share',
    lowerIsBetter: false,
    valueOf: ({ correct }) => (correct === null ? null : Number(correct)),
  },
  {
    name: 'verdict',
    title: 'share of sessions that passed their gates',
    unit: 'share',
    lowerIsBetter: false,
    valueOf: ({ verdict }) => (verdict === 'undecided' ? null : Number(verdict === 'passed')),
  },
  { name: 'cost', title: 'cost per session', unit: 'usd', lowerIsBetter: true, valueOf: ({ cost }) => cost },
  { name: 'tokens', title: 'tokens per session', unit: 'tokens', lowerIsBetter: true, valueOf: ({ tokens }) => tokens },
  {
    name: 'duration',
    title: 'duration of a session',
    unit: 'ms',
    lowerIsBetter: true,
    valueOf: ({ durationMs }) => durationMs,
  },
  { name: 'turns', title: 'turns per session', unit: 'count', lowerIsBetter: true, valueOf: ({ turns }) => turns },
  { name: 'calls', title: 'tool calls per session', unit: 'count', lowerIsBetter: true, valueOf: ({ calls }) => calls },
];

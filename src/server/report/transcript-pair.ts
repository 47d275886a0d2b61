import type { Session } from '../../core/session.ts';
import { argumentComparisonRow } from '../../panel/call-comparison.ts';
import { MAX_DETAIL } from '../../panel/limits.ts';
import { type PartLimits, partName, partRow, stepAt } from '../../panel/transcript-parts.ts';
import type { AlignedPartRow, ComparedTranscripts } from '../../protocol/runs.ts';
import type { AlignedPart, AlignedSessions } from '../../report-model/transcript/align-steps.ts';
import { compareArguments } from '../../report-model/transcript/argument-changes.ts';

const MAX_CHANGED = 10_000;
/** Two texts stand beside each other, so their beginnings do. */
const LIMITS: PartLimits = { text: MAX_DETAIL, documents: 3 };

export type PairRows = Omit<ComparedTranscripts, 'left' | 'right'>;

/** A page of the rows of two aligned sessions. */
export function pairRows(
  left: Session,
  right: Session,
  aligned: AlignedSessions,
  from: number,
  count: number,
): PairRows {
  const { parts, divergence, actions, wordings } = aligned;
  return {
    total: parts.length,
    divergence,
    actions,
    wordings,
    changed: changedIndexes(parts),
    rows: parts.slice(from, from + count).map((part) => alignedRow(left, right, part)),
  };
}

function changedIndexes(parts: readonly AlignedPart[]): number[] {
  const changed: number[] = [];
  for (const [index, { change }] of parts.entries()) {
    if (change !== 'same' && changed.push(index) === MAX_CHANGED) break;
  }
  return changed;
}

function alignedRow(left: Session, right: Session, { change, left: one, right: other }: AlignedPart): AlignedPartRow {
  const [before, after] = [stepAt(left, one), stepAt(right, other)];
  const step = before ?? after;
  return {
    change,
    type: (one ?? other)?.type ?? 'model',
    name: partName(step),
    left: one && partRow(left, one, LIMITS),
    right: other && partRow(right, other, LIMITS),
    arguments:
      change === 'arguments' && before?.type === 'tool' && after?.type === 'tool'
        ? argumentComparisonRow(compareArguments(before.arguments, after.arguments))
        : null,
  };
}

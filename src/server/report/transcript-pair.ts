import { type Session, type Turn, turnFile } from '../../core/session.ts';
import type { AlignedPartRow, ComparedTranscripts, TranscriptPartRow } from '../../protocol/runs.ts';
import type { AlignedPart, AlignedSessions, TranscriptPart } from '../../report-model/transcript/align-steps.ts';
import { compareArguments } from '../../report-model/transcript/argument-changes.ts';
import { argumentsText, stepText } from '../../report-model/transcript/turn-texts.ts';
import { excerpt } from '../text/excerpt.ts';
import { argumentComparisonRow } from './call-comparison.ts';
import { MAX_DETAIL } from './limits.ts';
import { limitName, toTarget } from './values.ts';

const MAX_CHANGED = 10_000;
/** Documents of a retrieval whose beginnings are shown. */
const MAX_DOCUMENTS = 3;

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
    name: step?.type === 'tool' || step?.type === 'agent' ? limitName(step.name) : null,
    left: one && partRow(left, one),
    right: other && partRow(right, other),
    arguments:
      change === 'arguments' && before?.type === 'tool' && after?.type === 'tool'
        ? argumentComparisonRow(compareArguments(before.arguments, after.arguments))
        : null,
  };
}

function stepAt({ turns }: Session, part: TranscriptPart | null): Turn['steps'][number] | null {
  return part === null || part.step === null ? null : (turns[part.turn]?.steps[part.step] ?? null);
}

function partRow(session: Session, part: TranscriptPart): TranscriptPartRow | null {
  const turn = session.turns[part.turn];
  if (!turn) return null;
  const { pointer, text, result = null, outcome = null } = contentOf(turn, part, stepAt(session, part));
  return {
    turn: part.turn,
    target: toTarget(turnFile(session, turn), pointer),
    text: excerpt(text, MAX_DETAIL),
    result: result === null ? null : excerpt(result, MAX_DETAIL),
    outcome,
  };
}

interface PartContent extends Partial<Pick<TranscriptPartRow, 'outcome'>> {
  readonly pointer: string;
  readonly text: string;
  readonly result?: string | null;
}

function contentOf(turn: Turn, { type }: TranscriptPart, step: Turn['steps'][number] | null): PartContent {
  switch (step?.type) {
    case undefined:
      return type === 'user'
        ? { pointer: turn.inputPointer ?? turn.pointer, text: turn.input ?? '' }
        : { pointer: turn.outputPointer ?? turn.pointer, text: turn.output ?? '' };
    case 'model':
      return { pointer: step.pointer, text: step.text ?? '', result: step.error ?? null };
    case 'tool':
      return {
        pointer: step.pointer,
        text: argumentsText(step.arguments),
        result: step.error ?? stepText(step, 'result'),
        outcome: step.outcome,
      };
    case 'retrieval':
      return {
        pointer: step.pointer,
        text: step.query ?? '',
        result: step.documents
          .slice(0, MAX_DOCUMENTS)
          .map(({ text }) => text)
          .join('\n'),
      };
    case 'agent':
      return { pointer: step.pointer, text: step.turns.at(-1)?.output ?? '' };
  }
}

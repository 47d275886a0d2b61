import { type Session, type Turn, turnFile } from '../core/session.ts';
import type { TranscriptPartRow } from '../protocol/runs.ts';
import type { TranscriptPart } from '../report-model/transcript/align-steps.ts';
import { argumentsText, stepText } from '../report-model/transcript/turn-texts.ts';
import { toTarget } from './targets.ts';
import { excerpt } from './text/excerpt.ts';
import { limitName } from './values.ts';

/** Messages and steps of a session, each with its whole text, where no scores stand beside them. */

/** How much of a message or a step is shown. */
export interface PartLimits {
  /** Of each text, in characters. */
  readonly text: number;
  /** Documents of a retrieval. */
  readonly documents: number;
}

/** The tool or sub-agent of a step; null for others. */
export function partName(step: Turn['steps'][number] | null): string | null {
  return step?.type === 'tool' || step?.type === 'agent' ? limitName(step.name) : null;
}

/** Null for a message of the user, and for the answer of a turn. */
export function stepAt({ turns }: Session, part: TranscriptPart | null): Turn['steps'][number] | null {
  return part === null || part.step === null ? null : (turns[part.turn]?.steps[part.step] ?? null);
}

export function partRow(session: Session, part: TranscriptPart, limits: PartLimits): TranscriptPartRow | null {
  const turn = session.turns[part.turn];
  if (!turn) return null;
  const { pointer, text, result = null, outcome = null } = contentOf(turn, part, stepAt(session, part), limits);
  return {
    turn: part.turn,
    target: toTarget(turnFile(session, turn), pointer),
    text: excerpt(text, limits.text),
    result: result === null ? null : excerpt(result, limits.text),
    outcome,
  };
}

interface PartContent extends Partial<Pick<TranscriptPartRow, 'outcome'>> {
  readonly pointer: string;
  readonly text: string;
  readonly result?: string | null;
}

function contentOf(
  turn: Turn,
  { type }: TranscriptPart,
  step: Turn['steps'][number] | null,
  { documents }: PartLimits,
): PartContent {
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
          .slice(0, documents)
          .map(({ text }) => text)
          .join('\n'),
      };
    case 'agent':
      return { pointer: step.pointer, text: step.turns.at(-1)?.output ?? '' };
  }
}

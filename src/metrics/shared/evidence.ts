import type { Evidence } from '../../core/result.ts';
import type { Pointer, Turn } from '../../core/session.ts';

/** Evidence at a pointer in a turn. It names the turn's file if that is not the session's. */
export function evidenceAt(turn: Turn, pointer: Pointer, note: string): Evidence {
  return turn.file === undefined ? { pointer, note } : { pointer, note, file: turn.file };
}

/** Evidence at the agent's answer, or at the turn if the answer has no pointer. */
export function answerEvidence(turn: Turn, note: string): Evidence {
  return evidenceAt(turn, turn.outputPointer ?? turn.pointer, note);
}

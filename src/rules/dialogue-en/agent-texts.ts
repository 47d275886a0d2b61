import type { Pointer, Session, Turn } from '../../core/session.ts';
import { ANY_MARKER, mayContainMarker } from './marker-phrases.ts';

/** A text that the agent thought or said. */
export interface AgentText {
  /** Zero-based index of the turn. */
  readonly turn: number;
  readonly text: string;
  readonly pointer: Pointer;
  /** The text is the answer to the user, not a text during the work. */
  readonly isAnswer: boolean;
}

/** The texts of the agent that contain a marker phrase, in order. */
export function findTextsWithMarkers({ turns }: Session): AgentText[] {
  return turns.flatMap((turn, index) =>
    agentTextsOf(turn, index).filter(({ text }) => mayContainMarker(text) && text.search(ANY_MARKER) >= 0),
  );
}

/** The thoughts and texts of a turn in order, without duplicates. */
function agentTextsOf({ steps, output, outputPointer, pointer: turnPointer }: Turn, turn: number): AgentText[] {
  const texts: AgentText[] = [];
  const answers = steps.findLastIndex((step) => step.type === 'model' && step.text === output);
  for (const [index, step] of steps.entries()) {
    if (step.type !== 'model') continue;
    const { text, reasoning, pointer } = step;
    if (reasoning !== undefined) texts.push({ turn, text: reasoning, pointer, isAnswer: false });
    if (text !== undefined && index !== answers) texts.push({ turn, text, pointer, isAnswer: false });
    if (index === answers && output !== null) {
      texts.push({ turn, text: output, pointer: outputPointer ?? pointer, isAnswer: true });
    }
  }
  if (answers < 0 && output !== null) {
    texts.push({ turn, text: output, pointer: outputPointer ?? turnPointer, isAnswer: true });
  }
  return texts;
}

import { type Session, type Turn, turnFile } from '../../core/session.ts';
import type { Passage } from './passage.ts';
import { type Put, type StepPassages, stepPassages } from './step-passages.ts';
import { tallyOf } from './tally.ts';
import { toolList } from './tool-list.ts';
import type { Show } from './trace-text.ts';

/** At most so many characters are shown of what stands in a turn beside its steps. */
const LONGEST = { tools: 1500, user: 3000, calls: 600, answer: 5000 } as const;

/** All that a prompt can show of a turn. */
export interface TurnPassages {
  /** Its own catalogue of tools. */
  readonly tools: Passage | null;
  readonly user: Passage | null;
  readonly steps: readonly StepPassages[];
  /** All calls in short; null where there is none. */
  readonly summary: Passage | null;
  readonly answer: Passage | null;
}

/** Every passage of a turn, in order. */
export function everyPassage({ tools, user, steps, summary, answer }: TurnPassages): Passage[] {
  return [tools, user, ...steps.flatMap(({ passages }) => passages), summary, answer].filter((one) => one !== null);
}

/** The name of a turn in ids: the first is `t1`. */
export function turnId(index: number): string {
  return `t${index + 1}`;
}

/** @param show for what is put together of many texts. */
export function turnPassages(session: Session, turn: Turn, index: number, show: Show): TurnPassages {
  const { tools, input, inputPointer, output, outputPointer, steps } = turn;
  const put = placer(session, turn, index);
  const calls = steps.some(({ type }) => type === 'tool' || type === 'agent');
  return {
    tools: tools
      ? put('tool-list', 'the tools of this turn', LONGEST.tools, () => toolList(tools, show, LONGEST.tools))
      : null,
    user:
      input === null
        ? null
        : put('user', 'the user', LONGEST.user, () => input, {
            pointer: inputPointer,
            note: "the user's message",
            ground: true,
          }),
    steps: stepPassages(turn, put),
    summary: calls ? put('calls', 'all calls in short', LONGEST.calls, () => tallyOf(steps, LONGEST.calls)) : null,
    answer:
      output === null ? null : put('answer', 'the answer', LONGEST.answer, () => output, { pointer: outputPointer }),
  };
}

function placer(session: Session, turn: Turn, index: number): Put {
  const file = turnFile(session, turn);
  return (name, label, longest, text, { pointer = turn.pointer, note = label, in: inner, ground, origin } = {}) => {
    const its = inner?.file ?? file;
    const elsewhere = its === session.source.file ? {} : { file: its };
    return {
      id: `${turnId(index)}.${name}`,
      label,
      text,
      longest,
      ...(ground ? { ground } : {}),
      ...(origin ? { origin } : {}),
      evidence: { pointer, note: `${note} in turn ${index + 1}`, ...elsewhere },
    };
  };
}

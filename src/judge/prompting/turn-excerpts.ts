import { type Session, type Turn, turnFile } from '../../core/session.ts';
import { summarizeCalls } from './call-summary.ts';
import type { PromptExcerpt } from './excerpt.ts';
import { type MakeExcerpt, type StepExcerpts, stepExcerpts } from './step-excerpts.ts';
import { renderToolList } from './tool-list.ts';
import type { RenderText } from './trace-text.ts';

/** In characters. */
const MAX_LENGTHS = { tools: 1500, user: 3000, calls: 600, answer: 5000 } as const;

/** Everything that a prompt can show of a turn. */
export interface TurnExcerpts {
  /** The turn's own list of tools. */
  readonly tools: PromptExcerpt | null;
  readonly user: PromptExcerpt | null;
  readonly steps: readonly StepExcerpts[];
  /** All calls in short; null if there is none. */
  readonly summary: PromptExcerpt | null;
  readonly answer: PromptExcerpt | null;
}

/** All excerpts of a turn, in order. */
export function allExcerpts({ tools, user, steps, summary, answer }: TurnExcerpts): PromptExcerpt[] {
  return [tools, user, ...steps.flatMap(({ excerpts }) => excerpts), summary, answer].filter(
    (excerpt) => excerpt !== null,
  );
}

/** The id of a turn; the first is `t1`. */
export function turnId(index: number): string {
  return `t${index + 1}`;
}

/** @param render for excerpts that combine several texts. */
export function turnExcerpts(session: Session, turn: Turn, index: number, render: RenderText): TurnExcerpts {
  const { tools, input, inputPointer, output, outputPointer, steps } = turn;
  const makeExcerpt = excerptFactory(session, turn, index);
  const hasCalls = steps.some(({ type }) => type === 'tool' || type === 'agent');
  return {
    tools: tools
      ? makeExcerpt('tool-list', 'the tools of this turn', MAX_LENGTHS.tools, () =>
          renderToolList(tools, render, MAX_LENGTHS.tools),
        )
      : null,
    user:
      input === null
        ? null
        : makeExcerpt('user', 'the user', MAX_LENGTHS.user, () => input, {
            pointer: inputPointer,
            note: "the user's message",
            isSource: true,
          }),
    steps: stepExcerpts(turn, makeExcerpt),
    summary: hasCalls
      ? makeExcerpt('calls', 'all calls in short', MAX_LENGTHS.calls, () => summarizeCalls(steps, MAX_LENGTHS.calls))
      : null,
    answer:
      output === null
        ? null
        : makeExcerpt('answer', 'the answer', MAX_LENGTHS.answer, () => output, { pointer: outputPointer }),
  };
}

function excerptFactory(session: Session, turn: Turn, index: number): MakeExcerpt {
  const file = turnFile(session, turn);
  return (
    name,
    label,
    maxLength,
    text,
    { pointer = turn.pointer, note = label, subAgentTurn, isSource, origin } = {},
  ) => {
    const excerptFile = subAgentTurn?.file ?? file;
    const otherFile = excerptFile === session.source.file ? {} : { file: excerptFile };
    return {
      id: `${turnId(index)}.${name}`,
      label,
      text,
      maxLength,
      ...(isSource ? { isSource } : {}),
      ...(origin ? { origin } : {}),
      evidence: { pointer, note: `${note} in turn ${index + 1}`, ...otherFile },
    };
  };
}

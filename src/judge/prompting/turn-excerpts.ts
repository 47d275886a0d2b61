import { type Session, type Turn, turnFile } from '../../core/session.ts';
import { summarizeCalls } from './call-summary.ts';
import type { PromptExcerpt } from './excerpt.ts';
import { type MakeExcerpt, type StepExcerpts, stepExcerpts } from './step-excerpts.ts';
import { renderToolList } from './tool-list.ts';
import type { RenderText } from './trace-text.ts';

/** At most so many characters are shown of what stands in a turn beside its steps. */
const MAX_LENGTHS = { tools: 1500, user: 3000, calls: 600, answer: 5000 } as const;

/** All that a prompt can show of a turn. */
export interface TurnExcerpts {
  /** Its own catalogue of tools. */
  readonly tools: PromptExcerpt | null;
  readonly user: PromptExcerpt | null;
  readonly steps: readonly StepExcerpts[];
  /** All calls in short; null where there is none. */
  readonly summary: PromptExcerpt | null;
  readonly answer: PromptExcerpt | null;
}

/** Every passage of a turn, in order. */
export function allExcerpts({ tools, user, steps, summary, answer }: TurnExcerpts): PromptExcerpt[] {
  return [tools, user, ...steps.flatMap(({ excerpts: passages }) => passages), summary, answer].filter(
    (one) => one !== null,
  );
}

/** The name of a turn in ids: the first is `t1`. */
export function turnId(index: number): string {
  return `t${index + 1}`;
}

/** @param show for what is put together of many texts. */
export function turnExcerpts(session: Session, turn: Turn, index: number, show: RenderText): TurnExcerpts {
  const { tools, input, inputPointer, output, outputPointer, steps } = turn;
  const put = excerptFactory(session, turn, index);
  const calls = steps.some(({ type }) => type === 'tool' || type === 'agent');
  return {
    tools: tools
      ? put('tool-list', 'the tools of this turn', MAX_LENGTHS.tools, () =>
          renderToolList(tools, show, MAX_LENGTHS.tools),
        )
      : null,
    user:
      input === null
        ? null
        : put('user', 'the user', MAX_LENGTHS.user, () => input, {
            pointer: inputPointer,
            note: "the user's message",
            isSource: true,
          }),
    steps: stepExcerpts(turn, put),
    summary: calls
      ? put('calls', 'all calls in short', MAX_LENGTHS.calls, () => summarizeCalls(steps, MAX_LENGTHS.calls))
      : null,
    answer:
      output === null
        ? null
        : put('answer', 'the answer', MAX_LENGTHS.answer, () => output, { pointer: outputPointer }),
  };
}

function excerptFactory(session: Session, turn: Turn, index: number): MakeExcerpt {
  const file = turnFile(session, turn);
  return (
    name,
    label,
    longest,
    text,
    { pointer = turn.pointer, note = label, subAgentTurn: inner, isSource: ground, origin } = {},
  ) => {
    const its = inner?.file ?? file;
    const elsewhere = its === session.source.file ? {} : { file: its };
    return {
      id: `${turnId(index)}.${name}`,
      label,
      text,
      maxLength: longest,
      ...(ground ? { isSource: ground } : {}),
      ...(origin ? { origin } : {}),
      evidence: { pointer, note: `${note} in turn ${index + 1}`, ...elsewhere },
    };
  };
}

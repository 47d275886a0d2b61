import { jsonEqual } from '../../core/json.ts';
import type { ImportedScores, Pointer, Tool, Turn } from '../../core/session.ts';
import { UniqueIds } from '../ids.ts';
import type { Problems } from '../problems.ts';

/** What is known about a turn beyond its messages. */
export interface TurnRecord {
  readonly id: string;
  /** The trace that shows the turn. */
  readonly trace: string;
  readonly pointer: Pointer;
  /** Whether the input was recorded, and whether it came from a user. */
  hasInput: boolean;
  isFromUser: boolean;
  /** Whether the output or the reason for its absence was recorded, and whether a model produced text. */
  hasOutput: boolean;
  hasModelText: boolean;
  readonly tools: Map<string, Tool>;
  scores: ImportedScores | undefined;
}

/** Whether a turn is known only from the history of a later one. */
export function isFromHistory(turnId: string): boolean {
  return /\/earlier(?:#\d+)?$/.test(turnId);
}

/** Records what is known about the turns of a conversation while its traces are walked. */
export class TurnRegistry {
  readonly #ids = new UniqueIds();
  readonly #records = new Map<string, TurnRecord>();

  /** Opens a turn that a trace shows. */
  open(trace: string, pointer: Pointer): TurnRecord {
    return this.#add(trace, trace, pointer, false);
  }

  /** Opens a turn that is known only from the history of a later one. */
  openEarlier(trace: string, pointer: Pointer): TurnRecord {
    return this.#add(`${trace}/earlier`, trace, pointer, true);
  }

  #add(id: string, trace: string, pointer: Pointer, isKnown: boolean): TurnRecord {
    const record: TurnRecord = {
      id: this.#ids.claim(id),
      trace,
      pointer,
      hasInput: isKnown,
      isFromUser: isKnown,
      hasOutput: isKnown,
      hasModelText: isKnown,
      tools: new Map(),
      scores: undefined,
    };
    this.#records.set(record.id, record);
    return record;
  }

  /** Completes the turns with their records. The catalogue applies to turns without one of their own. */
  finish(turns: readonly Turn[], problems: Problems): { turns: readonly Turn[]; tools: readonly Tool[] | undefined } {
    let common: readonly Tool[] | undefined;
    const finished = turns.map((turn): Turn => {
      const record = this.#records.get(turn.id);
      if (!record) return turn;
      const isCaptured = record.hasInput && record.hasOutput;
      if (!isCaptured) warnNoContent(record, problems);
      const tools = record.tools.size > 0 ? [...record.tools.values()] : undefined;
      common ??= tools;
      return {
        ...turn,
        input: record.isFromUser ? turn.input : null,
        ...(isCaptured ? {} : { captured: false as const }),
        ...(tools && !hasSameTools(tools, common) && { tools }),
        ...(record.scores && { scores: record.scores }),
      };
    });
    return { turns: finished, tools: common };
  }
}

function warnNoContent({ pointer, trace, hasInput, hasOutput }: TurnRecord, problems: Problems): void {
  const missing = hasInput ? "the agent's output" : hasOutput ? "the agent's input" : 'any messages';
  problems.warn(
    'no-content',
    pointer,
    `No content captured: trace "${trace}" does not contain ${missing}. Enable content capture in the instrumentation (for example OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true) and record the trace again.`,
  );
}

function hasSameTools(tools: readonly Tool[], others: readonly Tool[] | undefined): boolean {
  try {
    return tools === others || jsonEqual(tools, others);
  } catch {
    // Schemas nested too deeply to be compared.
    return false;
  }
}

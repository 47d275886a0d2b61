import { jsonEqual } from '../../core/json.ts';
import type { ImportedScores, Pointer, Tool, Turn } from '../../core/session.ts';
import { UniqueIds } from '../ids.ts';
import type { Problems } from '../problems.ts';

/** What is found out about a turn beside its messages. */
export interface TurnRecord {
  readonly id: string;
  /** Of the trace that shows the turn. */
  readonly trace: string;
  readonly pointer: Pointer;
  /** Whether what was asked was recorded, and whether a user asked it. */
  input: boolean;
  user: boolean;
  /** Whether what was answered was recorded, or why there is no answer, and whether a model said a word. */
  output: boolean;
  spoken: boolean;
  readonly tools: Map<string, Tool>;
  scores: ImportedScores | undefined;
}

/** Whether a turn is one of which only the history of a later one tells. */
export function isFromHistory(turnId: string): boolean {
  return /\/earlier(?:#\d+)?$/.test(turnId);
}

/** Keeps what is known of the turns of a conversation while its traces are walked. */
export class TurnRegistry {
  readonly #ids = new UniqueIds();
  readonly #facts = new Map<string, TurnRecord>();

  /** A turn of the traces' own. */
  open(trace: string, pointer: Pointer): TurnRecord {
    return this.#add(trace, trace, pointer, false);
  }

  /** A turn of which only the history of a later one tells. */
  openEarlier(trace: string, pointer: Pointer): TurnRecord {
    return this.#add(`${trace}/earlier`, trace, pointer, true);
  }

  #add(id: string, trace: string, pointer: Pointer, known: boolean): TurnRecord {
    const facts: TurnRecord = {
      id: this.#ids.claim(id),
      trace,
      pointer,
      input: known,
      user: known,
      output: known,
      spoken: known,
      tools: new Map(),
      scores: undefined,
    };
    this.#facts.set(facts.id, facts);
    return facts;
  }

  /** The turns with what is known of them, and the catalogue that holds where a turn has none of its own. */
  finish(turns: readonly Turn[], problems: Problems): { turns: readonly Turn[]; tools: readonly Tool[] | undefined } {
    let common: readonly Tool[] | undefined;
    const finished = turns.map((turn): Turn => {
      const facts = this.#facts.get(turn.id);
      if (!facts) return turn;
      const isCaptured = facts.input && facts.output;
      if (!isCaptured) warnNoContent(facts, problems);
      const tools = facts.tools.size > 0 ? [...facts.tools.values()] : undefined;
      common ??= tools;
      return {
        ...turn,
        input: facts.user ? turn.input : null,
        ...(isCaptured ? {} : { captured: false as const }),
        ...(tools && !hasSameTools(tools, common) && { tools }),
        ...(facts.scores && { scores: facts.scores }),
      };
    });
    return { turns: finished, tools: common };
  }
}

function warnNoContent({ pointer, trace, input, output }: TurnRecord, problems: Problems): void {
  const what = input ? 'what the agent answered' : output ? 'what the agent was asked' : 'what was said';
  problems.warn(
    'no-content',
    pointer,
    `No content was captured: trace "${trace}" does not hold ${what}. Have the instrumentation capture the content of messages (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, for one), and record it again.`,
  );
}

function hasSameTools(tools: readonly Tool[], others: readonly Tool[] | undefined): boolean {
  try {
    return tools === others || jsonEqual(tools, others);
  } catch {
    // Schemas that are nested too deeply to be compared.
    return false;
  }
}

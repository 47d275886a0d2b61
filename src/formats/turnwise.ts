import type { Document } from '../core/document.ts';
import { get, getArray, isObject } from '../core/json.ts';
import { outcomeOfStatement } from '../core/recorded-outcome.ts';
import type { Pointer, Session, Step, ToolStep, Turn } from '../core/session.ts';
import type { PartReader, SyncFormat } from './format.ts';
import { UniqueIds, uniqueTurnId, withUniqueIds } from './ids.ts';
import { parseRecordLeniently } from './lenient-record.ts';
import { Problems } from './problems.ts';
import { mostly, records, sample } from './records.ts';
import {
  agentSchema,
  fileSchema,
  modelSchema,
  retrievalSchema,
  sessionSchema,
  toolSchema,
  turnSchema,
} from './turnwise-schema.ts';
import { errorOf } from './values.ts';

/**
 * Turnwise's own session file, as JSON or with one session per line: written by hand or by converting other formats.
 */
export const turnwise: SyncFormat = {
  name: 'turnwise',
  title: 'Turnwise sessions',
  description: "Turnwise's own file: {turnwise: 1, sessions: […]}, or a session on every line (JSONL)",

  detect({ value, lines }) {
    if (!Array.isArray(value) && isFile(value)) return 'an object with `turnwise` and `sessions`';
    if (!mostly(sample(value), (entry) => isFile(entry) || isSession(entry))) return null;
    return lines ? 'a session with `turns` on every line' : 'a session with `turns`, or a list of them';
  },

  read(document) {
    const reader = partReader(document.file);
    const sessions = reader.read(document);
    return { sessions, problems: reader.problems() };
  },

  readParts: ({ file }) => partReader(file),
};

function partReader(file: string): PartReader {
  const problems = new Problems(file);
  const reader = new TurnwiseReader(file, problems);
  const ids = new UniqueIds();
  let isEmpty = true;

  function* sessionsOf(part: Document): Generator<Session> {
    for (const [pointer, value] of records(part)) {
      if (getArray(value, 'turns') || !isObject(value)) yield* reader.session(value, pointer);
      else yield* reader.file(value, pointer);
    }
  }

  return {
    read(part) {
      const sessions = withUniqueIds(sessionsOf(part), problems, ids);
      isEmpty &&= sessions.length === 0;
      return sessions;
    },
    problems() {
      if (isEmpty && problems.list().length === 0) {
        problems.error('no-session', '', 'No sessions were found in this file: its `sessions` are empty.');
      }
      return problems.list();
    },
  };
}

/** A trace shows calls and texts, and the state that they leave behind only where its harness recorded it. */
export function warnUncheckedState(pointer: Pointer, problems: Problems): void {
  const message =
    'finalState is not checked: a trace does not show the final state. State the result of your own check as "outcome".';
  problems.warn('unchecked-reference', pointer, message);
}

function isFile(value: unknown): boolean {
  const sessions = getArray(value, 'sessions');
  if (typeof get(value, 'turnwise') !== 'number' || !sessions) return false;
  return sessions.length === 0 || sample(sessions).some(isObject);
}

function isSession(value: unknown): boolean {
  const turns = getArray(value, 'turns');
  if (typeof get(value, 'id') !== 'string' || !turns) return false;
  return turns.length === 0 ? typeof get(value, 'turnwise') === 'number' : isObject(turns[0]) && isTurn(turns[0]);
}

function isTurn(value: unknown): boolean {
  return isTextOrNull(get(value, 'input')) && isTextOrNull(get(value, 'output'));
}

function isTextOrNull(value: unknown): boolean {
  return typeof value === 'string' || value === null;
}

/** Pointers of the session's own values. */
function pointersOf(
  { goal, system, knowledge, finalState }: Pick<Session, 'goal' | 'system' | 'knowledge' | 'finalState'>,
  pointer: Pointer,
): Pick<Session, 'goalPointer' | 'systemPointer' | 'knowledgePointer' | 'finalStatePointer'> {
  return {
    ...(goal === undefined ? {} : { goalPointer: `${pointer}/goal` }),
    ...(system === undefined ? {} : { systemPointer: `${pointer}/system` }),
    ...(knowledge === undefined ? {} : { knowledgePointer: `${pointer}/knowledge` }),
    ...(finalState === undefined ? {} : { finalStatePointer: `${pointer}/finalState` }),
  };
}

/** Maximum nesting of sub-agents, safe for recursion. */
const MAX_DEPTH = 50;

class TurnwiseReader {
  readonly #file: string;
  readonly #problems: Problems;

  constructor(file: string, problems: Problems) {
    this.#file = file;
    this.#problems = problems;
  }

  *file(value: unknown, pointer: Pointer): Generator<Session> {
    const file = parseRecordLeniently(fileSchema, value, {
      pointer,
      what: 'file',
      problems: this.#problems,
      loss: 'error',
    });
    for (const [index, session] of (file?.sessions ?? []).entries()) {
      yield* this.session(session, `${pointer}/sessions/${index}`);
    }
  }

  *session(value: unknown, pointer: Pointer): Generator<Session> {
    const session = parseRecordLeniently(sessionSchema, value, {
      pointer,
      what: 'session',
      problems: this.#problems,
      loss: 'error',
    });
    if (!session) return;
    const { turnwise: _version, turns, outcome, ending, ...rest } = session;
    if (rest.reference?.finalState !== undefined && rest.finalState === undefined) {
      warnUncheckedState(`${pointer}/reference/finalState`, this.#problems);
    }
    this.#reportLostExpectations(value, session, pointer);
    yield {
      ...rest,
      ...(outcome && { outcome: outcomeOfStatement(outcome, 'the trace', `${pointer}/outcome`) }),
      ...(ending && { ending: { ...ending, pointer: `${pointer}/ending` } }),
      ...pointersOf(rest, pointer),
      source: { file: this.#file, format: turnwise.name, pointer },
      turns: this.#turns(turns, `${pointer}/turns`, 0),
    };
  }

  #turns(values: readonly unknown[], pointer: Pointer, depth: number): Turn[] {
    const ids = new UniqueIds();
    return values.flatMap((value, index) => {
      const place = `${pointer}/${index}`;
      const turn = parseRecordLeniently(turnSchema, value, {
        pointer: place,
        what: 'turn',
        problems: this.#problems,
        loss: 'warn',
      });
      if (!turn) return [];
      this.#reportLostExpectations(value, turn, place);
      return {
        ...turn,
        id: uniqueTurnId(ids, turn.id ?? `t${index + 1}`, place, this.#problems),
        pointer: place,
        inputPointer: turn.input === null ? undefined : `${place}/input`,
        outputPointer: turn.output === null ? undefined : `${place}/output`,
        steps: this.#steps(turn.steps, `${place}/steps`, depth),
      };
    });
  }

  /** A session whose expectations cannot be read must not pass for want of them. */
  #reportLostExpectations(
    value: unknown,
    { reference }: Pick<Session, 'reference'> | Pick<Turn, 'reference'>,
    pointer: Pointer,
  ): void {
    if (get(get(value, 'reference'), 'expectations') === undefined || reference?.expectations) return;
    const message = 'These expectations are not checked, since `reference` is invalid. Fix it and evaluate again.';
    this.#problems.error('lost-expectations', `${pointer}/reference/expectations`, message);
  }

  #steps(values: readonly unknown[], pointer: Pointer, depth: number): Step[] {
    return values.flatMap((value, index) => this.#step(value, `${pointer}/${index}`, depth) ?? []);
  }

  #step(value: unknown, pointer: Pointer, depth: number): Step | null {
    const place = { pointer, what: 'step', problems: this.#problems, loss: 'warn' } as const;
    switch (get(value, 'type')) {
      case 'model': {
        const step = parseRecordLeniently(modelSchema, value, place);
        return step && { ...step, pointer };
      }
      case 'tool':
        return this.#tool(value, pointer);
      case 'retrieval': {
        const step = parseRecordLeniently(retrievalSchema, value, place);
        return step && { ...step, pointer };
      }
      case 'agent': {
        const step = parseRecordLeniently(agentSchema, value, place);
        if (!step) return null;
        if (depth < MAX_DEPTH)
          return { ...step, pointer, turns: this.#turns(step.turns, `${pointer}/turns`, depth + 1) };
        this.#problems.warn(
          'too-deep',
          pointer,
          `Step skipped: sub-agents are nested more than ${MAX_DEPTH} levels deep.`,
        );
        return null;
      }
      default:
        this.#problems.warn(
          'unknown-step',
          pointer,
          'Step skipped: its `type` is not model, tool, retrieval or agent.',
        );
        return null;
    }
  }

  #tool(value: unknown, pointer: Pointer): ToolStep | null {
    const step = parseRecordLeniently(toolSchema, value, {
      pointer,
      what: 'step',
      problems: this.#problems,
      loss: 'warn',
    });
    if (!step) return null;
    const message = step.error ?? errorOf(step.result);
    const outcome = step.outcome ?? (message !== undefined ? 'error' : step.result === undefined ? 'missing' : 'ok');
    const resultKey = step.result !== undefined ? 'result' : step.error !== undefined ? 'error' : undefined;
    return {
      ...step,
      pointer,
      resultPointer: resultKey && `${pointer}/${resultKey}`,
      error: outcome === 'error' ? message : undefined,
      outcome,
      requestedBy: step.requestedBy ?? 'agent',
    };
  }
}

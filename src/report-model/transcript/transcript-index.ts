import { pointerTokens } from '../../core/pointer.ts';
import type { Pointer, Session, Step, Turn } from '../../core/session.ts';
import type { TextField } from '../../core/text-field.ts';
import { resultField } from './turn-texts.ts';

/** A text in a transcript. */
export interface TranscriptLocation {
  readonly turn: number;
  readonly step: number | null;
  readonly field: TextField;
  /** The argument within the arguments of a call. */
  readonly argument?: string;
}

/** Larger sessions are indexed only up to this number of values. */
const MAX_POINTERS = 400_000;

/** Maps pointers into a session's files to locations in its transcript. */
export class TranscriptIndex {
  readonly #session: Session;
  readonly #toAbsolute: (path: string) => string;
  readonly #files = new Map<string, Map<Pointer, TranscriptLocation>>();
  #room = MAX_POINTERS;

  /** @param toAbsolute the same path for each way to write it. */
  constructor(session: Session, toAbsolute: (path: string) => string) {
    this.#session = session;
    this.#toAbsolute = toAbsolute;
    for (const [index, turn] of session.turns.entries()) this.#addTurn(turn, index);
  }

  /** The location of a pointer or of its nearest ancestor; null where it is not part of a turn. */
  find(pointer: Pointer, file = this.#session.source.file): TranscriptLocation | null {
    const known = this.#files.get(file) ?? this.#files.get(this.#toAbsolute(file));
    for (let holder = pointer; known; holder = holder.slice(0, holder.lastIndexOf('/'))) {
      const address = known.get(holder);
      if (address) return this.#within(address, pointerTokens(pointer.slice(holder.length)));
      if (holder === '') return null;
    }
    return null;
  }

  #addTurn(turn: Turn, index: number): void {
    const file = turn.file ?? this.#session.source.file;
    const add = (pointer: Pointer | undefined, step: number | null, field: TextField) =>
      this.#add(file, pointer, { turn: index, step, field });
    add(turn.pointer, null, 'whole');
    for (const [at, step] of turn.steps.entries()) {
      add(step.pointer, at, stepField(step));
      if (step.type === 'tool') add(step.resultPointer, at, resultField(step));
      if (step.type === 'agent') this.#addNested(step.turns, file, { turn: index, step: at, field: 'whole' });
    }
    add(turn.inputPointer, null, 'input');
    add(turn.outputPointer, null, 'output');
  }

  #addNested(turns: readonly Turn[], within: string, address: TranscriptLocation): void {
    const open = turns.map((turn) => ({ turn, within }));
    for (let next = open.pop(); next && this.#room > 0; next = open.pop()) {
      const { turn } = next;
      const file = turn.file ?? next.within;
      for (const pointer of [turn.pointer, turn.inputPointer, turn.outputPointer]) this.#add(file, pointer, address);
      for (const step of turn.steps) {
        this.#add(file, step.pointer, address);
        if (step.type === 'tool') this.#add(file, step.resultPointer, address);
        if (step.type === 'agent') for (const inner of step.turns) open.push({ turn: inner, within: file });
      }
    }
  }

  #add(file: string, pointer: Pointer | undefined, address: TranscriptLocation): void {
    if (pointer === undefined || this.#room <= 0) return;
    this.#room -= 1;
    this.#in(file).set(pointer, address);
  }

  #in(file: string): Map<Pointer, TranscriptLocation> {
    const known = this.#files.get(file);
    if (known) return known;
    // A path may be written in several ways.
    const path = this.#toAbsolute(file);
    const locations = this.#files.get(path) ?? new Map<Pointer, TranscriptLocation>();
    this.#files.set(path, locations);
    this.#files.set(file, locations);
    return locations;
  }

  /** The part of a step that a value inside it belongs to: formats name these parts in many ways. */
  #within(address: TranscriptLocation, tokens: readonly string[]): TranscriptLocation {
    const step = address.step === null ? undefined : this.#session.turns[address.turn]?.steps[address.step];
    if (tokens.length === 0 || !step) return address;
    if (step.type === 'model') return { ...address, field: tokens.some(isReasoning) ? 'reasoning' : address.field };
    if (step.type !== 'tool' || address.field !== 'arguments') return address;
    if (step.error !== undefined && tokens.includes('error')) return { ...address, field: 'error' };
    if (step.result !== undefined && tokens.some(isResult)) return { ...address, field: resultField(step) };
    const named = tokens.findLast(
      (token) => typeof step.arguments !== 'string' && Object.hasOwn(step.arguments, token),
    );
    return named === undefined ? address : { ...address, argument: named };
  }
}

function stepField({ type }: Step): TextField {
  return type === 'model' ? 'text' : type === 'tool' ? 'arguments' : 'whole';
}

function isReasoning(token: string): boolean {
  return /^(?:reasoning|reasoning_content|thinking|thought)$/.test(token);
}

function isResult(token: string): boolean {
  return /^(?:result|output|response|observation)$/.test(token);
}

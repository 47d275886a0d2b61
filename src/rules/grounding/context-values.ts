import { isObject } from '../../core/json.ts';
import { availableTools, type Session, type Step, type Tool, type Turn } from '../../core/session.ts';
import { ObservedValues } from './observed-values.ts';

/**
 * The values that the agent had seen at any point of a session. Points must be requested in order. The session is read
 * only up to the requested point, and not at all if nothing is compared.
 */
export class ContextValues {
  /** A result, document or knowledge was seen, so that there is something to compare with. */
  hasSources: boolean;
  /** The trace does not record everything that was seen up to the last requested point. */
  isIncomplete = false;
  readonly #session: Session;
  readonly #turnsWithDigits: ReadonlySet<number>;
  readonly #seen = new ObservedValues();
  readonly #catalogues = new Set<readonly Tool[]>();
  /** The next step to read. */
  #turn = -1;
  #step = 0;

  /** @param turnsWithDigits the turns whose answers contain a digit */
  constructor(session: Session, turnsWithDigits: ReadonlySet<number>) {
    this.#session = session;
    this.#turnsWithDigits = turnsWithDigits;
    this.hasSources = (session.knowledge ?? []).length > 0;
  }

  /**
   * The values seen before a point of the session.
   *
   * @param until the index of a step in the turn; without it, the answer of the turn
   * @returns null after the first content that the trace did not record
   */
  before(turn: number, until = Number.POSITIVE_INFINITY): ObservedValues | null {
    while (this.#turn < turn && !this.isIncomplete) {
      if (this.#turn < 0) this.#begin();
      else this.#end();
      this.#turn += 1;
      this.#step = 0;
      this.#open();
    }
    this.#steps(until);
    return this.isIncomplete ? null : this.#seen;
  }

  #begin(): void {
    const { goal, profile, system, knowledge = [] } = this.#session;
    for (const text of [goal, profile, system, ...knowledge]) if (text !== undefined) this.#seen.readWords(text);
  }

  /** Reads what the agent sees when a turn begins. */
  #open(): void {
    const turn = this.#session.turns[this.#turn];
    if (!turn || turn.captured === false || (this.#turn > 0 && turn.input === null)) {
      this.isIncomplete = true;
      return;
    }
    const tools = availableTools(this.#session, turn);
    if (tools && !this.#catalogues.has(tools)) {
      this.#catalogues.add(tools);
      readStrings(tools, this.#seen);
    }
    if (turn.startedAt !== undefined) this.#seen.read(turn.startedAt);
    if (turn.input !== null) this.#seen.readWords(turn.input);
  }

  #steps(until: number): void {
    const { steps = [], output = null } = this.#session.turns[this.#turn] ?? {};
    for (; this.#step < Math.min(until, steps.length) && !this.isIncomplete; this.#step += 1) {
      const step = steps[this.#step];
      if (!step) return;
      this.isIncomplete = !readStep(step, output, this.#seen);
      this.hasSources ||= isSource(step);
    }
  }

  #end(): void {
    this.#steps(Number.POSITIVE_INFINITY);
    const output = this.#session.turns[this.#turn]?.output ?? null;
    if (output !== null && this.#turnsWithDigits.has(this.#turn)) this.#seen.read(output);
  }
}

function isSource(step: Step): boolean {
  return step.type === 'retrieval' || (step.type === 'tool' && step.result !== undefined) || step.type === 'agent';
}

/** @returns whether the trace records everything the agent saw in the step */
function readStep(step: Step, output: string | null, observed: ObservedValues): boolean {
  switch (step.type) {
    case 'tool':
      readStrings(step.arguments, observed, output);
      if (step.error !== undefined) observed.read(step.error);
      readStrings(step.result, observed);
      if (step.outcome === 'rejected') return true;
      return (step.result !== undefined || step.error !== undefined) && !isTruncated(step.result);
    case 'retrieval':
      for (const { id, text } of step.documents) {
        if (id !== undefined) observed.read(id);
        observed.read(text);
      }
      return true;
    case 'agent':
      return readTurns(step.turns, observed);
    case 'model':
      // The texts of other agents in the conversation are new to the agent; its own are not.
      if (step.speaker !== undefined && step.text !== undefined && step.text !== output) observed.read(step.text);
      readCalculations(step.reasoning ?? '', observed);
      if (step.text !== output) readCalculations(step.text ?? '', observed);
      return true;
  }
}

/** Reads everything a sub-agent said and saw. */
function readTurns(turns: readonly Turn[], observed: ObservedValues): boolean {
  const pending = [...turns];
  let isComplete = pending.length > 0;
  for (let turn = pending.pop(); turn; turn = pending.pop()) {
    if (turn.captured === false) isComplete = false;
    if (turn.input !== null) observed.read(turn.input);
    if (turn.output !== null) observed.read(turn.output);
    for (const step of turn.steps) {
      if (step.type === 'agent') for (const inner of step.turns) pending.push(inner);
      else isComplete = readStep(step, null, observed) && isComplete;
    }
  }
  return isComplete;
}

/** Reads the results of calculations that the agent shows. */
function readCalculations(text: string, observed: ObservedValues): void {
  if (!text.includes('=') && !text.includes('≈')) return;
  for (const [, result = ''] of text.matchAll(/[=≈]\s?([$€£¥₹]?\d[\d.,]{0,20})/g)) observed.read(result);
}

/**
 * Reads every text, number and key of a value, without recursion.
 *
 * @param except a text that is the answer itself
 */
function readStrings(root: unknown, observed: ObservedValues, except: string | null = null): void {
  const pending = [root];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      if (except === null || next.length < except.length || next.trim() !== except.trim()) observed.read(next);
    } else if (typeof next === 'number') observed.figure(Math.abs(next));
    else if (Array.isArray(next)) for (const inner of next) pending.push(inner);
    else if (isObject(next)) {
      for (const [key, inner] of Object.entries(next)) {
        observed.read(key);
        pending.push(inner);
      }
    }
  }
}

const TRUNCATION =
  /(?:\.\.\.|…)[\s"'\])}]{0,5}$|\btruncated\b|\b(?:characters|lines|tokens|bytes|more items) (?:omitted|truncated|removed)/i;

/** A cheap test: every truncation marker contains one of these. */
const POSSIBLE_TRUNCATION = /\.\.\.|…|[tv]ed\b/i;

/** Whether only part of a result was recorded. */
function isTruncated(result: unknown): boolean {
  if (typeof result !== 'string' || result.length <= 200) return false;
  const end = result.slice(-200);
  return POSSIBLE_TRUNCATION.test(end) && TRUNCATION.test(end);
}
